// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/base/files.h"
#include "engine/base/result.h"
#include "tests/data/dataset/sample_dataset.h"
#include "tests/fuzz/fuzz_target.h"

using namespace parapet;
using namespace parapet::data;

namespace {

SampleDataset& sample() {
  static SampleDataset made(fuzz::scratchFolder());
  return made;
}

// The files as they were written, in the order of the manifest.
const std::vector<std::string>& originals() {
  static const std::vector<std::string> contents = [] {
    std::vector<std::string> read;
    for (const std::string& name : sample().files()) read.push_back(sample().read(name));
    return read;
  }();
  return contents;
}

void readIfOpen(const char* how) {
  const auto dataset = Dataset::open(sample().folder());
  if (!dataset.ok()) return fuzz::tell(dataset.error().message);
  try {
    readAll(**dataset);
  } catch (const InternalError&) {
    fuzz::breakInvariant("no element of an opened data set leads outside its table");
  }
  fuzz::tell(how);
}

}  // namespace

// The first byte chooses the file that the others are written to. The manifest agrees with them, so
// that no hash stands between the reader and what they hold; then it does not.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::vector<std::string>& whole = originals();
  const std::vector<std::string> names = sample().files();
  const std::size_t file = data[0] % names.size();
  const std::string_view content = fuzz::asText(data + 1, size - 1);
  fuzz::writeInput(sample().folder() / names[file], content);
  sample().agree();
  readIfOpen("open");
  fuzz::writeInput(sample().folder() / names[file], whole[file]);
  if (content != whole[file] && Dataset::open(sample().folder()).ok())
    fuzz::breakInvariant("a file that does not match its hash is refused");
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> seeds;
  for (std::size_t file = 0; file < originals().size(); ++file)
    seeds.push_back(std::string(1, static_cast<char>(file)) + originals()[file]);
  return seeds;
}

std::vector<std::string> fuzz::words() {
  return {bytesOf(std::int32_t{-1}), bytesOf(std::int32_t{5}), bytesOf(std::int64_t{-1}),
          bytesOf(std::int64_t{1} << 62), bytesOf(1.0f)};
}
