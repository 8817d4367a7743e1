// SPDX-License-Identifier: Apache-2.0
#include "engine/selftest/device_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/mesh/call_timer.h"
#include "engine/selftest/cases.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/samples.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/ops/ops.h"

namespace parapet::selftest {
namespace {

using Floats = tensor::Buffer<float>;

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

constexpr std::int64_t kWidth = 64;
// Larger than the caches of one processor.
constexpr std::int64_t kTableRows = 512 * 1024, kLookups = 64 * 1024;
constexpr std::int64_t kSide = 512;

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

Speed measure(const tensor::Launch& launch, const std::stop_token& stop) {
  const mesh::CallTimer timer(*launch.device, stop);
  Speed speed;
  {
    Floats table(*launch.device, kTableRows * kWidth);
    const double tableBytes = static_cast<double>(table.bytes());
    const std::int64_t half = kTableRows / 2;
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
  }
  const LargeSizes sizes{.tableRows = kTableRows, .lookups = kLookups, .width = kWidth};
  speed.gatherBytesPerSecond = gatherBytes(launch, sizes, timer);
  speed.matmulFlopsPerSecond = productFlops(launch, launch.precision, kSide, timer);
  return speed;
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

Result<Speed> measureSpeed(const tensor::Launch& launch, const std::stop_token& stop) {
  try {
    const Speed speed = measure(launch, stop);
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "the measurement was stopped"};
    return speed;
  } catch (const InternalError& error) {
    return Error{ErrorCode::kDevice, error.what()};
  }
}

namespace {

/// Takes about a second on a GPU, and 1.6 GB of its memory.
///
/// Errors   kDevice if the device has no room; kCancelled.
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

void keep(const Case& conformance, const Outcome& outcome, DeviceReport& report) {
  auto op = std::ranges::find(report.ops, conformance.op, &OpReport::op);
  if (op == report.ops.end()) op = report.ops.insert(report.ops.end(), {.op = conformance.op});
  ++op->cases;
  const double error = outcome.maxError * (kUnit / conformance.unit);
  op->maxError = std::max(op->maxError, error);
  ++report.cases;
  report.maxError = std::max(report.maxError, error);
  if (outcome.passed) return;
  ++op->failed;
  report.failures.push_back({conformance.name, conformance.op, outcome});
}

std::string_view kindOf(const tensor::Device& device) {
  return device.backend().kind;
}

/// " (no driver: …)" where what would give a device tells why it does not.
std::string whyAbsent(const std::string& name) {
  const auto& outcomes = tensor::DeviceRegistry::instance().outcomes();
  const auto isOfKind = [&](const tensor::BackendOutcome& outcome) {
    return outcome.kind == name.substr(0, name.find(':'));
  };
  const auto found = std::ranges::find_if(outcomes, isOfKind);
  return found == outcomes.end() || found->reason.empty() ||
                 found->outcome == PluginOutcome::kLoaded
             ? ""
             : " (" + found->reason + ")";
}

}  // namespace

std::vector<Case> opCases(const tensor::Device& device) {
  std::vector<Case> cases;
  addRowCases(device, cases);
  addDenseCases(device, cases);
  addOptimizerCases(device, cases);
  addClippingCases(device, cases);
  addGradientCases(device, cases);
  addLayerCases(device, cases);
  addNormCases(device, cases);
  addLossCases(device, cases);
  addNegativesCases(device, cases);
  addAttentionCases(device, cases);
  addSequenceCases(device, cases);
  addTableCases(device, cases);
  return cases;
}

double DeviceReport::maxErrorUnits() const {
  return maxError / kUnit;
}

Result<DeviceReport> testDevice(const tensor::Device& device, const DeviceTestOptions& options,
                                const WorkContext& context) {
  const Stopwatch watch;
  DeviceReport report{.device = device.name(),
                      .kind = std::string(kindOf(device)),
                      .instructionSet = std::string(device.instructionSet())};
  std::vector<Case> cases = opCases(device);
  if (device.isHost())
    std::ranges::move(collectiveCases([&](int ranks) {
                        return mesh::makeLocalCommunicator(ranks, {&device, nullptr});
                      }),
                      std::back_inserter(cases));
  const auto total = static_cast<std::int64_t>(cases.size());
  for (const Case& conformance : cases) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "the self-test was stopped"};
    context.report(fmt::format("{} {}", device.instructionSet(), conformance.op), report.cases,
                   total);
    keep(conformance, conformance.run(), report);
  }
  if (options.speed) {
    context.report(fmt::format("{} speed", device.instructionSet()), total, total);
    Workers workers(options.threads > 0 ? options.threads : Workers::available());
    PARAPET_ASSIGN(report.speed, measureSpeed({&device, &workers}, context.stop));
  }
  if (options.large) {
    context.report(fmt::format("{} large shapes", device.instructionSet()), total, total);
    Workers workers(options.threads > 0 ? options.threads : Workers::available());
    PARAPET_ASSIGN(
        report.large,
        measureLargeShapes({&device, &workers}, options.speed ? LargeSizes{} : LargeSizes::small(),
                           context.stop));
  }
  report.seconds = watch.seconds();
  return report;
}

Result<std::vector<tensor::Device>> devicesNamed(const std::string& name) {
  std::vector<tensor::Device> all = tensor::DeviceRegistry::instance().variants();
  if (name.empty()) return all;
  std::vector<std::string> known;
  for (const tensor::Device& device : all) known.push_back(device.name());
  std::erase_if(all, [&](const tensor::Device& device) {
    return name != device.name() && name != kindOf(device) && name != device.instructionSet();
  });
  if (!all.empty()) return all;
  if (auto device = tensor::DeviceRegistry::instance().find(name)) return std::vector{*device};
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("device \"{}\" cannot be used here{}{}; accepted: {}", printable(name),
                           whyAbsent(name), didYouMean(name, known), join(known))};
}

}  // namespace parapet::selftest
