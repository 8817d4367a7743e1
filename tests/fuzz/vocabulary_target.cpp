// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/base/files.h"
#include "engine/data/dataset/vocabulary_writer.h"
#include "tests/fuzz/fuzz_target.h"

using namespace parapet;
using namespace parapet::data;

namespace {

constexpr std::int64_t kRowsRead = 200;

std::string fileOf(const VocabularyWriter& writer) {
  if (!writer.write(fuzz::scratchFolder(), "seed").ok())
    fuzz::breakInvariant("the scratch folder can be written");
  return readFile(fuzz::scratchFolder() / "seed.vocab").value();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::writeInput(fuzz::scratchFolder() / "input.vocab", fuzz::asText(data, size));
  const auto vocabulary = Vocabulary::open(fuzz::scratchFolder(), "input");
  if (!vocabulary.ok()) {
    fuzz::tell(vocabulary.error().message);
    return 0;
  }
  std::size_t bytes = 0;
  for (std::int64_t row = 0; row < std::min(kRowsRead, vocabulary->size()); ++row) {
    const std::string id(vocabulary->rawId(row));
    bytes += id.size() + vocabulary->title(row).size();
    for (std::size_t a = 0; a < vocabulary->attributeNames().size(); ++a)
      bytes += vocabulary->attribute(a, row).size();
    const auto found = vocabulary->row(id);
    const std::int32_t first = vocabulary->rawId(0).empty() ? 1 : 0;
    if (found && (*found < first || *found >= vocabulary->size()))
      fuzz::breakInvariant("the row of an id is one of the vocabulary");
    (void)vocabulary->isCandidate(row);
    (void)vocabulary->count(row);
  }
  for (const std::int32_t row : vocabulary->search("1", 10))
    if (row < 1 || row >= vocabulary->size())
      fuzz::breakInvariant("what is found is in the vocabulary");
  fuzz::tell(bytes > size ? "open, with texts that share bytes" : "open");
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  VocabularyWriter few({}), titled({"genres", "released"}), hashed({}), withRowZero({});
  few.add({});
  few.add({"7", "", {}, 3, true});
  titled.add({});
  for (int row = 1; row < 20; ++row)
    titled.add({std::to_string(row * 37 % 101),
                "Title " + std::to_string(row),
                {"a|b", "1994"},
                20 - row,
                row % 5 != 0});
  withRowZero.useRowZero();
  withRowZero.add({"0", "", {}, 5, true});
  withRowZero.add({"1", "", {}, 2, true});
  hashed.hashUnknown();
  for (int row = 0; row < 9; ++row)
    hashed.add({row == 0 ? "" : "user " + std::to_string(row), "", {}, row, row != 0});
  return {fileOf(few), fileOf(titled), fileOf(hashed), fileOf(withRowZero)};
}

std::vector<std::string> fuzz::words() {
  return {bytesOf(kVocabularyMagic), bytesOf(VocabularyHeader{}), bytesOf(std::uint64_t{1} << 61)};
}
