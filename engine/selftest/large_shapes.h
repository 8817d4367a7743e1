// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/base/result.h"
#include "engine/tensor/device.h"

namespace parapet::selftest {

/// The sizes that a GPU is measured with, which keep one busy.
struct LargeSizes {
  std::int64_t side = 4096;                                             ///< of a product
  std::int64_t tableRows = 4'000'000, lookups = 1'000'000;              ///< of a gather
  std::int64_t batch = 8192;                                            ///< of an in-batch softmax
  std::int64_t topQueries = 100, topCandidates = 1'000'000, topK = 10;  ///< of a top-k
  std::int64_t width = 64;

  /// Whether it all works, on whatever device.
  static LargeSizes small() { return {256, 1000, 1000, 128, 10, 1000, 10, 64}; }
};

/// Rates of a device in the shapes in which tests/gpu/peers.py measures other programs.
struct LargeShapes {
  double matmulFlopsPerSecond = 0.0, bf16MatmulFlopsPerSecond = 0.0;
  double gatherBytesPerSecond = 0.0;   ///< read and written
  double inBatchSoftmaxSeconds = 0.0;  ///< the loss and both gradients
  double topKSeconds = 0.0;
};

/// Takes about a second on a GPU, and 1.6 GB of its memory.
///
/// Errors   kDevice if the device has no room; kCancelled.
Result<LargeShapes> measureLargeShapes(const tensor::Launch& launch, const LargeSizes& sizes,
                                       const std::stop_token& stop);

}  // namespace parapet::selftest
