// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/dispatch.h"

#include <fmt/format.h>

#include <cstddef>
#include <limits>

#include "engine/base/result.h"
#include "engine/tensor/recording.h"

namespace parapet::tensor {
namespace {

void parallelOnWorkers(void* context, std::int64_t blocks, void (*body)(void*, std::int64_t),
                       void* argument) {
  const auto run = [&](std::int64_t block) { body(argument, block); };
  runBlocks(static_cast<Workers*>(context), blocks, run);
}

/// The precision in which a device makes products.
std::int32_t precisionOn(const Device& device, Precision precision) {
  const bool lacks =
      precision == Precision::kTf32 && !device.supports({.slot = offsetof(PpOps, matmul),
                                                         .name = "matmul",
                                                         .columns = 1,
                                                         .precision = precision});
  return static_cast<std::int32_t>(lacks ? Precision::kFp32 : precision);
}

PpCall makeCall(const Launch& launch) {
  PpCall call{};
  call.structSize = sizeof call;
  call.precision = precisionOn(*launch.device, launch.precision);
  call.stream = launch.device->stream();
  call.recording = launch.recording ? launch.recording->handle() : nullptr;
  call.parallelFor = parallelOnWorkers;
  call.parallelContext = launch.workers;
  return call;
}

void requireOk(std::int32_t code, const Launch& launch, std::string_view op) {
  if (code == PP_OK) return;
  throw DeviceFailure(launch.device->name(), fmt::format("[tensor.{}] {} failed with code {}: {}",
                                                         op, launch.device->name(), code,
                                                         launch.device->backend().lastError()));
}

}  // namespace

#define PP_OP(op, Args)                                            \
  void run(const Launch& launch, const Args& args) {               \
    check(launch, args);                                           \
    const PpCall call = makeCall(launch);                          \
    requireOk(launch.device->ops().op(&call, &args), launch, #op); \
  }
#include "engine/tensor/ops.def"

void requireArgument(bool holds, std::string_view op, std::string_view what, std::int64_t found,
                     std::string_view accepted) {
  if (!holds)
    throw InvalidArgument(fmt::format("[tensor.{}] {} is {}; {}", op, what, found, accepted));
}

void requirePositive(std::string_view op, std::string_view what, float value) {
  if (!(value > 0.0f))
    throw InvalidArgument(
        fmt::format("[tensor.{}] {} is {}; accepted are numbers above 0", op, what, value));
}

void requireRowsInRange(const Launch& launch, std::string_view op, const std::int32_t* rows,
                        std::int64_t count, std::int64_t tableRows, std::string_view name) {
  if (!launch.device->isHost()) return;
  // One pass without branches: a number below 0, or above the last row, sets the sign bit. The slow
  // search for the culprit only runs when there is one.
  if (tableRows > 0 && tableRows <= std::numeric_limits<std::int32_t>::max()) {
    const auto last = static_cast<std::uint32_t>(tableRows - 1);
    std::uint32_t signs = 0;
    for (std::int64_t n = 0; n < count; ++n) {
      const auto row = static_cast<std::uint32_t>(rows[n]);
      signs |= row | (last - row);
    }
    if (signs >> 31 == 0) return;
  }
  for (std::int64_t n = 0; n < count; ++n)
    if (rows[n] < 0 || rows[n] >= tableRows)
      throw InvalidArgument(fmt::format("[tensor.{}] {}[{}] is {}; accepted are 0 … {}", op, name,
                                        n, rows[n], tableRows - 1));
}

}  // namespace parapet::tensor
