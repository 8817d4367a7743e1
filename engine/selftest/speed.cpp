// SPDX-License-Identifier: Apache-2.0
#include "engine/selftest/speed.h"

#include <cstdint>

#include "engine/mesh/call_timer.h"
#include "engine/selftest/samples.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/ops/ops.h"

namespace parapet::selftest {
namespace {

using Floats = tensor::Buffer<float>;

constexpr std::int64_t kWidth = 64;
// Larger than the caches of one processor.
constexpr std::int64_t kTableRows = 512 * 1024, kLookups = 64 * 1024;
constexpr std::int64_t kSide = 512;

double matmulFlops(const tensor::Launch& launch, const mesh::CallTimer& timer) {
  Floats a(*launch.device, kSide * kSide), b(*launch.device, kSide * kSide),
      c(*launch.device, kSide * kSide);
  tensor::run(launch, PpFill{a.data(), a.size(), 0.5f});
  tensor::run(launch, PpFill{b.data(), b.size(), 0.25f});
  const double seconds = timer.seconds([&] {
    tensor::run(launch, PpMatmul{.m = kSide,
                                 .n = kSide,
                                 .k = kSide,
                                 .a = a.data(),
                                 .strideA = kSide,
                                 .b = b.data(),
                                 .strideB = kSide,
                                 .c = c.data(),
                                 .strideC = kSide});
  });
  return 2.0 * static_cast<double>(kSide * kSide * kSide) / seconds;
}

Speed measure(const tensor::Launch& launch, const std::stop_token& stop) {
  Floats table(*launch.device, kTableRows * kWidth), found(*launch.device, kLookups * kWidth);
  const DeviceInts rows(*launch.device, sampleRows(1, kLookups, kTableRows));
  const double tableBytes = static_cast<double>(table.bytes());
  const std::int64_t half = kTableRows / 2;
  const mesh::CallTimer timer(*launch.device, stop);
  Speed speed;
  speed.fillBytesPerSecond = tableBytes / timer.seconds([&] {
    tensor::run(launch, PpFill{table.data(), table.size(), 0.1f});
  });
  speed.copyBytesPerSecond = tableBytes / timer.seconds([&] {  // one half read, the other written
    tensor::run(launch, PpCopyColumns{.rows = half,
                                      .width = kWidth,
                                      .in = table.data(),
                                      .strideIn = kWidth,
                                      .out = table.data() + half * kWidth,
                                      .strideOut = kWidth});
  });
  speed.gatherBytesPerSecond = 2.0 * static_cast<double>(found.bytes()) / timer.seconds([&] {
    tensor::run(launch, PpGatherRows{.table = table.data(),
                                     .tableRows = kTableRows,
                                     .width = kWidth,
                                     .rows = rows.data(),
                                     .count = std::ssize(rows.span()),
                                     .out = found.data()});
  });
  speed.matmulFlopsPerSecond = matmulFlops(launch, timer);
  return speed;
}

}  // namespace

Result<Speed> measureSpeed(const tensor::Launch& launch, const std::stop_token& stop) {
  try {
    const Speed speed = measure(launch, stop);
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "the measurement was stopped"};
    return speed;
  } catch (const InternalError& error) {
    return Error{ErrorCode::kDevice, error.what()};
  }
}

}  // namespace parapet::selftest
