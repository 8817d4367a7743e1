// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/emulated/fault.h"

#include <cstdlib>
#include <sstream>

namespace parapet::emulated {

Fault Fault::of(const std::string& text, std::int32_t device) {
  std::istringstream words(text);
  std::string kind;
  std::int32_t index = -1;
  Fault fault;
  char colon = 0;
  if (!std::getline(words, kind, ':') || !(words >> index >> colon >> fault.op) || index != device)
    return {};
  if (kind == "fails") fault.kind = Kind::kFails;
  if (kind == "hangs") fault.kind = Kind::kHangs;
  if (kind == "lost") fault.kind = Kind::kLost;
  return fault;
}

std::string faultText() {
  const char* const text = std::getenv("PARAPET_EMULATED_FAULT");
  return text ? text : "";
}

}  // namespace parapet::emulated
