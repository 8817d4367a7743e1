// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_target.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace parapet::fuzz {
namespace {

class Scratch {
 public:
  Scratch() : folder_(parent() / fmt::format("parapet-fuzz-{}", getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  /// In memory, if there is a place: a disk allows a few hundred inputs a second.
  static std::filesystem::path parent() {
    const char* memory = "/dev/shm";
    return access(memory, W_OK | X_OK) == 0 ? memory : std::filesystem::temp_directory_path();
  }
  std::filesystem::path folder_;
};

}  // namespace

void breakInvariant(const char* claim) {
  std::fprintf(stderr, "does not hold: %s\n", claim);
  std::abort();
}

const std::filesystem::path& scratchFolder() {
  static const Scratch scratch;
  return scratch.folder();
}

void writeInput(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) breakInvariant("the scratch folder can be written");
}

}  // namespace parapet::fuzz
