// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/tensor/device.h"

/// The ops: run(launch, PpL2Normalize{…}) calls one by its arguments. Their struct says in the
/// header of its family (engine/tensor/<family>_abi.h) what the op computes, of which shapes, in
/// which order.
///
/// check() throws InvalidArgument where arguments are not as they are said to be there, as far as
/// the host can read them: "[tensor.<op>] <what> is <found>; <accepted>". run() checks before any
/// work. DeviceFailure if the device refuses.
///
/// Thread   an op runs on the stream of its device; what it reads and writes stays until it has
///          run.
namespace parapet::tensor {

#define PP_OP(op, Args)                               \
  void check(const Launch& launch, const Args& args); \
  void run(const Launch& launch, const Args& args);   \
  constexpr std::string_view nameOf(const Args&) {    \
    return #op;                                       \
  }
#include "engine/tensor/ops.def"

}  // namespace parapet::tensor
