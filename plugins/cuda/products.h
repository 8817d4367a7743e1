// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plugins/cuda/stream.h"

namespace parapet::cuda {

/// Lets a stream's products be done by cuBLASLt, where it is found; else they stay with our kernel.
/// PARAPET_CUDA_LIB_DIRS names where it is looked for first.
void openProducts(Stream& stream);

/// Where cuBLASLt was found; or that our kernel makes the products, and where it was looked for.
std::string productsRemark();

}  // namespace parapet::cuda
