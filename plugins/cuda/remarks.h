// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plugins/cuda/gpu.h"

namespace parapet::cuda {

/// A remark on a GPU for the user, a sentence: chip, compute capability, driver, memory in use,
/// and which library makes its products. No context is made for it; what cannot be learnt is left
/// out.
std::string remarkOf(const Gpu& gpu);

}  // namespace parapet::cuda
