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
  tensor::fill(launch, a.data(), a.size(), 0.5f);
  tensor::fill(launch, b.data(), b.size(), 0.25f);
  const double seconds = timer.seconds([&] {
    tensor::matmul(launch, kSide, kSide, kSide, {a.data(), kSide}, {b.data(), kSide}, 0.0f,
                   c.data(), kSide);
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
  speed.fillBytesPerSecond =
      tableBytes / timer.seconds([&] { tensor::fill(launch, table.data(), table.size(), 0.1f); });
  speed.copyBytesPerSecond = tableBytes / timer.seconds([&] {  // one half read, the other written
    tensor::copyColumns(launch, half, kWidth, table.data(), kWidth, table.data() + half * kWidth,
                        kWidth, tensor::Accumulate::kNo);
  });
  speed.gatherBytesPerSecond = 2.0 * static_cast<double>(found.bytes()) / timer.seconds([&] {
    tensor::gatherRows(launch, table.data(), kTableRows, kWidth, rows.span(), found.data());
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
