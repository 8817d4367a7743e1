// SPDX-License-Identifier: Apache-2.0
// A reader with a fault that takes some luck to find, so that the driver itself is tested.
#include "engine/base/text.h"
#include "tests/fuzz/fuzz_target.h"

using namespace parapet;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::asText(data, size);
  const auto count = text.starts_with("count") ? parseInt(trim(text.substr(5))) : std::nullopt;
  if (count && *count > 254) fuzz::breakInvariant("counts end at 254");
  fuzz::tell(count ? "a count" : "no count");
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  return {" 7", ""};
}

std::vector<std::string> fuzz::words() {
  return {"count"};
}
