// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/device_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/random.h"
#include "engine/base/workers.h"
#include "engine/mesh/call_timer.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/ops/ops.h"
#include "engine/tensor/staged_array.h"

namespace parapet::mesh {
namespace {

using Floats = tensor::Buffer<float>;
using Ids = std::vector<std::int32_t>;

// Two widths separate the time per row from the time per byte.
constexpr std::int64_t kNarrow = 16, kWide = 128;
// Larger than the caches of one processor, and well within them.
constexpr std::int64_t kLargeFloats = 16 << 20, kSmallFloats = 128 << 10;
constexpr std::int64_t kIds = 16 << 10;

class Probe {
 public:
  Probe(const tensor::Device& device, Workers& workers, const std::stop_token& stop)
      : launch_{&device, &workers},
        timer_(device, stop),
        table_(device, kLargeFloats),
        slots_(device, kLargeFloats),
        rows_(device, kIds * kWide),
        ids_(device, kIds) {
    tensor::run(launch_, PpFill{table_.data(), table_.size(), 0.1f});
    tensor::run(launch_, PpFill{slots_.data(), slots_.size(), 1.0f});
    tensor::run(launch_, PpFill{rows_.data(), rows_.size(), 1e-3f});
  }

  DeviceProfile run() {
    DeviceProfile profile;
    profile.kind = launch_.device->isHost() ? "cpu" : launch_.device->name();
    profile.source = fmt::format("measured here with {} threads", launch_.workers->count());
    profile.sharesMemory = launch_.device->isHost();
    profile.memoryBytes = static_cast<std::int64_t>(
        launch_.device->isHost() ? physicalMemoryBytes()
                                 : launch_.device->backend().memoryBytes(launch_.device->index()));
    profile.streamBytesPerSecond = stream();
    const double memory = kMaxRandomOverStream * profile.streamBytesPerSecond;
    const double caches = kMaxCachedOverStream * profile.streamBytesPerSecond;
    profile.lookup = lookup(kLargeFloats, memory);
    profile.cachedLookup = lookup(kSmallFloats, caches);
    profile.update = update(kLargeFloats, memory);
    profile.cachedUpdate = update(kSmallFloats, caches);
    profile.cacheBytes = 8 << 20;
    profile.groupSecondsPerId = group();
    profile.flopsPerSecond = products();
    profile.pairs = pairs();
    profile.nodeSeconds = shortest();
    // A step wakes its workers for each segment, twice for each of its updates.
    profile.stepSeconds = 4 * profile.nodeSeconds;
    return profile;
  }

 private:
  template <class Call>
  double seconds(const Call& call) const {
    return timer_.seconds(call);
  }

  /// `count` ids below `rows`; distinct if there are enough rows.
  static Ids idsOf(std::int64_t count, std::int64_t rows) {
    const Random random(1, RandomPurpose::kSampling);
    Ids found(static_cast<std::size_t>(count));
    const std::int64_t stride = std::max<std::int64_t>(1, rows / count);
    for (std::int64_t i = 0; i < count; ++i)
      found[static_cast<std::size_t>(i)] = static_cast<std::int32_t>((i * stride) % rows);
    for (std::size_t i = found.size(); i > 1; --i)
      std::swap(found[i - 1], found[random.below(i, i)]);
    return found;
  }

  /// idsOf() in the device's memory, for ops.
  std::span<const std::int32_t> ids(std::int64_t count, std::int64_t rows) {
    std::ranges::copy(idsOf(count, rows), ids_.data());
    ids_.upload(count);
    return {ids_.here(), static_cast<std::size_t>(count)};
  }

  double stream() const {
    const std::int64_t half = kLargeFloats / 2;
    auto* data = const_cast<float*>(table_.data());
    return static_cast<double>(table_.bytes()) / seconds([&] {
             tensor::run(launch_, PpCopyColumns{.rows = half / kWide,
                                                .width = kWide,
                                                .in = data,
                                                .strideIn = kWide,
                                                .out = data + half,
                                                .strideOut = kWide});
           });
  }

  RowRate lookup(std::int64_t floats, double maxBytesPerSecond) {
    const auto at = [&](std::int64_t width) {
      const auto gathered = ids(kIds, floats / width);
      return seconds([&] {
        tensor::run(launch_, PpGatherRows{.table = table_.data(),
                                          .tableRows = floats / width,
                                          .width = width,
                                          .rows = gathered.data(),
                                          .count = std::ssize(gathered),
                                          .out = rows_.data()});
      });
    };
    // Read in the table, written to the output.
    return rowRate(
        {kNarrow, kWide, at(kNarrow), at(kWide), static_cast<double>(kIds), 2 * sizeof(float)},
        maxBytesPerSecond);
  }

  RowRate update(std::int64_t floats, double maxBytesPerSecond) {
    const std::int64_t count = std::min(kIds, floats / kWide);
    const auto at = [&](std::int64_t width) {
      const auto gathered = ids(count, floats / width);
      const auto target =
          tensor::someRows(table_.data(), floats / width, width, gathered, rows_.data());
      const PpAdagrad args{.target = target,
                           .learningRate = 1e-6f,
                           .epsilon = 1e-7f,
                           .epsilonInsideRoot = 1,
                           .accumulator = slots_.data()};
      return seconds([&] { tensor::run(launch_, args); });
    };
    // Weight and slot read and written, the gradient read.
    return rowRate(
        {kNarrow, kWide, at(kNarrow), at(kWide), static_cast<double>(count), 5 * sizeof(float)},
        maxBytesPerSecond);
  }

  /// Work of the host, whatever the device.
  double group() const {
    const std::int64_t tableRows = 64 << 10;
    const tensor::Device& host = tensor::hostFor(*launch_.device);
    const Ids gathered = idsOf(kIds, tableRows);
    tensor::Buffer<std::int32_t> indexOfRow(host, tableRows);
    std::ranges::fill(indexOfRow.host(), -1);
    std::vector<std::int32_t> found(static_cast<std::size_t>(4 * kIds));
    std::int64_t count = 0;
    const PpGroupRows args{.rows = gathered.data(),
                           .count = std::ssize(gathered),
                           .tableRows = tableRows,
                           .indexOfRow = indexOfRow.data(),
                           .scratch = found.data() + 3 * kIds,
                           .groupRows = found.data(),
                           .first = found.data() + kIds,
                           .next = found.data() + 2 * kIds,
                           .groupCount = &count};
    return CallTimer(host, timer_.stop()).seconds([&] {
      tensor::run({&host, launch_.workers}, args);
    }) / static_cast<double>(kIds);
  }

  /// Flops per second in the layers of small towers, as steps compute them: every worker has a
  /// slice of the rows to itself. The slower of a product and the one for its weights' gradient
  /// counts.
  double products() {
    if (!launch_.device->isHost()) return largeProduct();
    constexpr std::int64_t kRows = 64, kUnits = 64, kInputs = 32;
    const tensor::Launch alone{launch_.device, nullptr};
    const double forward = seconds([&] {
      tensor::run(alone, PpMatmul{.m = kRows,
                                  .n = kUnits,
                                  .k = kInputs,
                                  .a = table_.data(),
                                  .strideA = kInputs,
                                  .b = slots_.data(),
                                  .strideB = kUnits,
                                  .c = rows_.data(),
                                  .strideC = kUnits});
    });
    const double backward = seconds([&] {
      tensor::run(alone, PpMatmul{.m = kInputs,
                                  .n = kUnits,
                                  .k = kRows,
                                  .transposeA = 1,
                                  .a = table_.data(),
                                  .strideA = kInputs,
                                  .b = slots_.data(),
                                  .strideB = kUnits,
                                  .c = rows_.data(),
                                  .strideC = kUnits});
    });
    return launch_.workers->count() * 2.0 * static_cast<double>(kRows * kUnits * kInputs) /
           std::max(forward, backward);
  }

  /// Flops per second of a product that fills a device which works on all of a batch at once.
  double largeProduct() {
    constexpr std::int64_t kSide = 1024;
    static_assert(kSide * kSide <= kIds * kWide);
    return 2.0 * static_cast<double>(kSide * kSide * kSide) / seconds([&] {
             tensor::run(launch_, PpMatmul{.m = kSide,
                                           .n = kSide,
                                           .k = kSide,
                                           .a = table_.data(),
                                           .strideA = kSide,
                                           .b = slots_.data(),
                                           .strideB = kSide,
                                           .c = rows_.data(),
                                           .strideC = kSide});
           });
  }

  /// Rates of a loss over all pairs of a batch, which all workers compute together.
  PairRate pairs() {
    constexpr std::int64_t kRows = 1024, kLess = 32;
    constexpr double kTrainingFlops = 6.0;  // of a pair and an element: scores and both gradients
    Floats scratch(*launch_.device, ppNegativesScratch(kRows, kRows, kWide));
    tensor::Buffer<double> sum(*launch_.device, 1);
    const auto at = [&](std::int64_t width) {
      const PpNegativesLoss args{.kind = PP_NEGATIVES_SOFTMAX,
                                 .rows = kRows,
                                 .candidateRows = kRows,
                                 .width = width,
                                 .queries = rows_.data(),
                                 .candidates = rows_.data() + kRows * width,
                                 .gradientScale = 1.0f,
                                 .scratch = scratch.data(),
                                 .dQueries = table_.data(),
                                 .dCandidates = slots_.data(),
                                 .sum = sum.data()};
      return seconds([&] { tensor::run(launch_, args); });
    };
    const double less = at(kLess), more = at(kWide);
    const auto count = static_cast<double>(kRows * kRows);
    // The line through the times of the two widths; on a busy machine it may point down.
    const double perElement = std::max((more - less) / static_cast<double>(kWide - kLess),
                                       0.5 * more / static_cast<double>(kWide));
    const double perPair = std::max(0.0, more - perElement * static_cast<double>(kWide)) / count;
    return {perPair, kTrainingFlops * count / perElement};
  }

  double shortest() {
    if (!launch_.device->isHost())
      return seconds([&] { tensor::run(launch_, PpFill{rows_.data(), kWide, 1e-3f}); });
    return seconds([&] {
      launch_.workers->parallelFor(launch_.workers->count(),
                                   [&](std::int64_t block) { rows_.data()[block * 16] += 1.0f; });
    });
  }

  tensor::Launch launch_;
  CallTimer timer_;
  Floats table_, slots_, rows_;
  tensor::StagedArray<std::int32_t> ids_;
};

Result<DeviceProfile> measure(const tensor::Device& device, int threads,
                              const std::stop_token& stop) {
  try {
    Workers workers(threads);
    DeviceProfile profile = Probe(device, workers, stop).run();
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "the measurement was stopped"};
    return profile;
  } catch (const InternalError& error) {
    return Error{ErrorCode::kDevice, error.what()};
  } catch (const tensor::DeviceFailure& failure) {
    return Error{ErrorCode::kDevice, fmt::format("{}: {}", failure.device(), failure.what())};
  }
}

}  // namespace

Result<DeviceProfile> probeDevice(const tensor::Device& device, int threads,
                                  const std::stop_token& stop) {
  // Two at a time would measure each other.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  return measure(device, threads > 0 ? threads : Workers::available(), stop);
}

}  // namespace parapet::mesh
