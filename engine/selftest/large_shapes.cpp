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
  tensor::fill(launch, a.data(), a.size(), 0.5f);
  tensor::fill(launch, b.data(), b.size(), 0.25f);
  const double seconds = timer.seconds([&] {
    tensor::matmul(launch, side, side, side, {a.data(), side}, {b.data(), side}, 0.0f, c.data(),
                   side);
  });
  return 2.0 * static_cast<double>(side * side * side) / seconds;
}

double gatherBytes(const tensor::Launch& launch, const LargeSizes& of,
                   const mesh::CallTimer& timer) {
  Floats table(*launch.device, of.tableRows * of.width),
      found(*launch.device, of.lookups * of.width);
  tensor::fill(launch, table.data(), table.size(), 0.1f);
  const DeviceInts rows(*launch.device, sampleRows(1, of.lookups, of.tableRows));
  return 2.0 * static_cast<double>(found.bytes()) / timer.seconds([&] {
    tensor::gatherRows(launch, table.data(), of.tableRows, of.width, rows.span(), found.data());
  });
}

double softmaxSeconds(const tensor::Launch& launch, const LargeSizes& of,
                      const mesh::CallTimer& timer) {
  const tensor::Device& device = *launch.device;
  const std::int64_t size = of.batch * of.width;
  const DeviceFloats queries(device, samples(1, size)), candidates(device, samples(2, size));
  Floats scratch(device, tensor::negativesScratch(of.batch, of.batch, of.width)),
      dQueries(device, size), dCandidates(device, size);
  tensor::Buffer<double> sum(device, 1);
  const double zero = 0.0;
  device.copyIn(sum.data(), &zero, sizeof zero);
  const tensor::QueriesAndCandidates inputs{.rows = of.batch,
                                            .candidateRows = of.batch,
                                            .width = of.width,
                                            .queries = queries.data(),
                                            .candidates = candidates.data()};
  return timer.seconds([&] {
    tensor::negativesLoss(launch, tensor::NegativesLossOp::kSoftmax, inputs, 1.0f, scratch.data(),
                          dQueries.data(), dCandidates.data(), sum.data());
  });
}

double topSeconds(const tensor::Launch& launch, const LargeSizes& of,
                  const mesh::CallTimer& timer) {
  const tensor::Device& device = *launch.device;
  const DeviceFloats queries(device, samples(3, of.topQueries * of.width)),
      candidates(device, samples(4, of.topCandidates * of.width));
  tensor::Buffer<std::int32_t> rows(device, of.topQueries * of.topK);
  Floats scores(device, of.topQueries * of.topK);
  const tensor::ScoredRows inputs{of.topQueries,  of.topCandidates,  of.width,
                                  queries.data(), candidates.data(), nullptr};
  return timer.seconds([&] {
    tensor::topK(launch, inputs, of.topK, tensor::TopKScores::kScores, rows.data(), scores.data());
  });
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
