// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace parapet::emulated {

/// A fault that a device is to have, as PARAPET_EMULATED_FAULT says: "hangs:1:300" is that emu:1 hangs
/// from its op 300 on, counted from when the variable was set.
struct Fault {
  enum class Kind {
    kNone,
    kFails,  ///< that op is refused, and later ones work
    kHangs,  ///< the stream stands still from that op on
    kLost,   ///< that op and all later ones, copies and waits are refused
  };
  Kind kind = Kind::kNone;
  std::int64_t op = 0;

  /// The fault of a device; kNone for a text that is not understood.
  static Fault of(const std::string& text, std::int32_t device);
};

/// PARAPET_EMULATED_FAULT, "" if it is not set.
std::string faultText();

}  // namespace parapet::emulated
