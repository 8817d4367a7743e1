// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_target.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace parapet::fuzz {
namespace {

class Scratch {
 public:
  Scratch()
      : folder_(std::filesystem::temp_directory_path() / fmt::format("parapet-fuzz-{}", getpid())) {
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
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() ||
      std::fclose(file) != 0)
    breakInvariant("the scratch folder can be written");
}

}  // namespace parapet::fuzz
