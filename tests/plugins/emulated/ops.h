// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/plugin_abi.h"

namespace parapet::emulated {

/// The portable kernels behind a stream: an op takes a copy of its arguments, translates the
/// addresses in it and returns before it has run.
const PpOps& ops();

}  // namespace parapet::emulated
