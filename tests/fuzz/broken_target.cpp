// SPDX-License-Identifier: Apache-2.0
// A reader with a fault that takes some luck to find, so that the driver itself is tested.
#include "tests/fuzz/fuzz_target.h"

using namespace parapet;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::asText(data, size);
  if (!text.starts_with("count ")) {
    fuzz::tell("no count");
    return 0;
  }
  if (!text.substr(6).starts_with("255")) {
    fuzz::tell("another count");
    return 0;
  }
  fuzz::breakInvariant("counts end at 254");
}

std::vector<std::string> fuzz::seeds() {
  return {" 7", ""};
}

std::vector<std::string> fuzz::words() {
  return {"count"};
}
