// SPDX-License-Identifier: Apache-2.0
#include "engine/selftest/large_shapes.h"

#include "engine/mesh/call_timer.h"
#include "engine/selftest/samples.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/ops/ops.h"

namespace parapet::selftest {
namespace {

using Floats = tensor::Buffer<float>;

double productFlops(tensor::Launch launch, tensor::Precision precision, std::int64_t side,
                    const mesh::CallTimer& timer) {
  launch.precision = precision;
  Floats a(*launch.device, side * side), b(*launch.device, side * side),
      c(*launch.device, side * side);
  tensor::run(launch, PpFill{a.data(), a.size(), 0.5f});
  tensor::run(launch, PpFill{b.data(), b.size(), 0.25f});
  const double seconds = timer.seconds([&] {
    tensor::run(launch, PpMatmul{.m = side,
                                 .n = side,
                                 .k = side,
                                 .a = a.data(),
                                 .strideA = side,
                                 .b = b.data(),
                                 .strideB = side,
                                 .c = c.data(),
                                 .strideC = side});
  });
  return 2.0 * static_cast<double>(side * side * side) / seconds;
}

double gatherBytes(const tensor::Launch& launch, const LargeSizes& of,
                   const mesh::CallTimer& timer) {
  Floats table(*launch.device, of.tableRows * of.width),
      found(*launch.device, of.lookups * of.width);
  tensor::run(launch, PpFill{table.data(), table.size(), 0.1f});
  const DeviceInts rows(*launch.device, sampleRows(1, of.lookups, of.tableRows));
  return 2.0 * static_cast<double>(found.bytes()) / timer.seconds([&] {
    tensor::run(launch, PpGatherRows{.table = table.data(),
                                     .tableRows = of.tableRows,
                                     .width = of.width,
                                     .rows = rows.data(),
                                     .count = std::ssize(rows.span()),
                                     .out = found.data()});
  });
}

double softmaxSeconds(const tensor::Launch& launch, const LargeSizes& of,
                      const mesh::CallTimer& timer) {
  const tensor::Device& device = *launch.device;
  const std::int64_t size = of.batch * of.width;
  const DeviceFloats queries(device, samples(1, size)), candidates(device, samples(2, size));
  Floats scratch(device, ppNegativesScratch(of.batch, of.batch, of.width)), dQueries(device, size),
      dCandidates(device, size);
  tensor::Buffer<double> sum(device, 1);
  const double zero = 0.0;
  device.copyIn(sum.data(), &zero, sizeof zero);
  const PpNegativesLoss args{.kind = PP_NEGATIVES_SOFTMAX,
                             .rows = of.batch,
                             .candidateRows = of.batch,
                             .width = of.width,
                             .queries = queries.data(),
                             .candidates = candidates.data(),
                             .gradientScale = 1.0f,
                             .scratch = scratch.data(),
                             .dQueries = dQueries.data(),
                             .dCandidates = dCandidates.data(),
                             .sum = sum.data()};
  return timer.seconds([&] { tensor::run(launch, args); });
}

double topSeconds(const tensor::Launch& launch, const LargeSizes& of,
                  const mesh::CallTimer& timer) {
  const tensor::Device& device = *launch.device;
  const DeviceFloats queries(device, samples(3, of.topQueries * of.width)),
      candidates(device, samples(4, of.topCandidates * of.width));
  tensor::Buffer<std::int32_t> rows(device, of.topQueries * of.topK);
  Floats scores(device, of.topQueries * of.topK);
  const PpTopK args{.queryCount = of.topQueries,
                    .candidateCount = of.topCandidates,
                    .width = of.width,
                    .k = of.topK,
                    .queries = queries.data(),
                    .candidates = candidates.data(),
                    .rows = rows.data(),
                    .scores = scores.data()};
  return timer.seconds([&] { tensor::run(launch, args); });
}

}  // namespace

Result<LargeShapes> measureLargeShapes(const tensor::Launch& launch, const LargeSizes& sizes,
                                       const std::stop_token& stop) {
  try {
    const mesh::CallTimer timer(*launch.device, stop);
    const LargeShapes shapes{productFlops(launch, tensor::Precision::kFp32, sizes.side, timer),
                             productFlops(launch, tensor::Precision::kBf16, sizes.side, timer),
                             gatherBytes(launch, sizes, timer),
                             softmaxSeconds(launch, sizes, timer),
                             topSeconds(launch, sizes, timer)};
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "the measurement was stopped"};
    return shapes;
  } catch (const InternalError& error) {
    return Error{ErrorCode::kDevice, error.what()};
  } catch (const tensor::DeviceFailure& failure) {
    return Error{ErrorCode::kDevice, failure.what()};
  }
}

}  // namespace parapet::selftest
