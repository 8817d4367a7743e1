// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plugins/cuda/stream.h"

namespace parapet::cuda {

/// Lets a stream's products be done by cuBLASLt, where it is found; else they stay with our kernel,
/// and stderr says why, once. PARAPET_CUDA_LIB_DIRS names where it is looked for first.
void openProducts(Stream& stream);

/// Names the file of cuBLASLt, or says that there seems to be none and our kernel makes the
/// products. The file is not opened: listing devices or trying the plugin would wait for it.
std::string productsRemark();

}  // namespace parapet::cuda
