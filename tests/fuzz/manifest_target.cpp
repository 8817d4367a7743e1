// SPDX-License-Identifier: Apache-2.0
#include "engine/base/files.h"
#include "engine/data/dataset/manifest.h"
#include "tests/fuzz/fuzz_target.h"

using namespace parapet;
using data::Manifest;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::writeInput(fuzz::scratchFolder() / Manifest::kFileName, fuzz::asText(data, size));
  const auto manifest = Manifest::read(fuzz::scratchFolder());
  if (!manifest.ok()) {
    fuzz::tell(manifest.error().message);
    return 0;
  }
  (void)manifest->quarantined();
  (void)manifest->file("user.rows");
  fuzz::tell("read");
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  Manifest manifest;
  manifest.hash = std::string(32, '0');
  manifest.rows = 100;
  manifest.scale = {1.0, 5.0};
  manifest.files = {{"user.rows", 400, {std::string(32, '1')}}, {"user.vocab", 96, {"2"}}};
  manifest.vocabularies = {{"user", 10, 0.25, 1}};
  manifest.columns = {{"user", "user", "user", 0}, {"tags", "feature", "tags", 12}};
  manifest.vectors = {{"image", "item", 64, 9}};
  manifest.sources = {{"u.data", 100, 2}};
  manifest.rejectedLines = {{"u.data", 17, "3 cells; 4 are accepted", "1\\t2\\t3"}};
  manifest.warnings = {"odd"};
  if (!manifest.write(fuzz::scratchFolder()).ok())
    fuzz::breakInvariant("the scratch folder can be written");
  return {readFile(fuzz::scratchFolder() / Manifest::kFileName).value()};
}

std::vector<std::string> fuzz::words() {
  return {"null", "{}",  "[]", "-1", "1e300", "\"rows\":", "0.5", "18446744073709551615",
          "\"\"", "[[[["};
}
