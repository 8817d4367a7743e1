// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/device_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/random.h"
#include "engine/base/workers.h"
#include "engine/mesh/measured_rates.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/ops/ops.h"

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
  Probe(Workers& workers, const std::stop_token& stop)
      : launch_{&tensor::cpuDevice(), &workers},
        stop_(stop),
        table_(*launch_.device, kLargeFloats),
        slots_(*launch_.device, kLargeFloats),
        rows_(*launch_.device, kIds * kWide) {
    tensor::fill(launch_, table_.data(), table_.size(), 0.1f);
    tensor::fill(launch_, slots_.data(), slots_.size(), 1.0f);
    tensor::fill(launch_, rows_.data(), rows_.size(), 1e-3f);
  }

  DeviceProfile run() {
    DeviceProfile profile;
    profile.kind = "cpu";
    profile.source = fmt::format("measured here with {} threads", launch_.workers->count());
    profile.sharesMemory = true;
    profile.memoryBytes = static_cast<std::int64_t>(physicalMemoryBytes());
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
  /// Seconds of one call: the shortest, once others agree with it or enough was tried. The first
  /// call, which meets cold pages, does not count.
  template <class Call>
  double seconds(const Call& call) const {
    constexpr double kEnoughSeconds = 0.02, kMaxSeconds = 0.2;
    constexpr int kMinCalls = 5;
    call();
    ShortestTime shortest;
    const Stopwatch total;
    for (int calls = 0; !stop_.stop_requested(); ++calls) {
      const double spent = total.seconds();
      if (calls >= kMinCalls && spent >= (shortest.agrees() ? kEnoughSeconds : kMaxSeconds)) break;
      const Stopwatch one;
      call();
      shortest.add(one.seconds());
    }
    return std::min(shortest.seconds(), 1.0);  // stopped: the caller drops the figure
  }

  /// `count` ids below `rows`; distinct if there are enough rows.
  static Ids ids(std::int64_t count, std::int64_t rows) {
    const Random random(1, RandomPurpose::kSampling);
    Ids found(static_cast<std::size_t>(count));
    const std::int64_t stride = std::max<std::int64_t>(1, rows / count);
    for (std::int64_t i = 0; i < count; ++i)
      found[static_cast<std::size_t>(i)] = static_cast<std::int32_t>((i * stride) % rows);
    for (std::size_t i = found.size(); i > 1; --i)
      std::swap(found[i - 1], found[random.below(i, i)]);
    return found;
  }

  double stream() const {
    const std::int64_t half = kLargeFloats / 2;
    auto* data = const_cast<float*>(table_.data());
    return static_cast<double>(table_.bytes()) / seconds([&] {
             tensor::copyColumns(launch_, half / kWide, kWide, data, kWide, data + half, kWide,
                                 tensor::Accumulate::kNo);
           });
  }

  RowRate lookup(std::int64_t floats, double maxBytesPerSecond) {
    const auto at = [&](std::int64_t width) {
      const Ids gathered = ids(kIds, floats / width);
      return seconds([&] {
        tensor::gatherRows(launch_, table_.data(), floats / width, width, gathered, rows_.data());
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
      const Ids gathered = ids(count, floats / width);
      const auto target =
          tensor::someRows(table_.data(), floats / width, width, gathered, rows_.data());
      return seconds([&] {
        tensor::adagrad(launch_, target, 1e-6f, 1e-7f, tensor::AdagradEpsilon::kInsideRoot,
                        slots_.data());
      });
    };
    // Weight and slot read and written, the gradient read.
    return rowRate(
        {kNarrow, kWide, at(kNarrow), at(kWide), static_cast<double>(count), 5 * sizeof(float)},
        maxBytesPerSecond);
  }

  double group() const {
    const std::int64_t tableRows = 64 << 10;
    const Ids gathered = ids(kIds, tableRows);
    tensor::Buffer<std::int32_t> indexOfRow(*launch_.device, tableRows);
    std::ranges::fill(indexOfRow.host(), -1);
    std::vector<std::int32_t> found(static_cast<std::size_t>(4 * kIds));
    std::int64_t count = 0;
    const tensor::RowGroups groups{found.data(), found.data() + kIds, found.data() + 2 * kIds,
                                   found.data() + 3 * kIds, &count};
    return seconds([&] {
             tensor::groupRows(launch_, gathered, tableRows, indexOfRow.data(), groups);
           }) /
           static_cast<double>(kIds);
  }

  /// Of the layers of small towers, as steps compute them: every worker has a slice of the rows to
  /// itself. The slower of a product and of the one for its weights' gradient.
  double products() {
    constexpr std::int64_t kRows = 64, kUnits = 64, kInputs = 32;
    const tensor::Launch alone{launch_.device, nullptr};
    const double forward = seconds([&] {
      tensor::matmul(alone, kRows, kUnits, kInputs, {table_.data(), kInputs},
                     {slots_.data(), kUnits}, 0.0f, rows_.data(), kUnits);
    });
    const double backward = seconds([&] {
      tensor::matmul(alone, kInputs, kUnits, kRows, {table_.data(), kInputs, true},
                     {slots_.data(), kUnits}, 0.0f, rows_.data(), kUnits);
    });
    return launch_.workers->count() * 2.0 * static_cast<double>(kRows * kUnits * kInputs) /
           std::max(forward, backward);
  }

  /// Of a loss over all pairs of a batch, which all workers compute together.
  PairRate pairs() {
    constexpr std::int64_t kRows = 1024, kLess = 32;
    constexpr double kTrainingFlops = 6.0;  // of a pair and an element: scores and both gradients
    Floats scratch(*launch_.device, tensor::negativesScratch(kRows, kRows, kWide));
    double sum = 0.0;
    const auto at = [&](std::int64_t width) {
      const tensor::QueriesAndCandidates inputs{.rows = kRows,
                                                .candidateRows = kRows,
                                                .width = width,
                                                .queries = rows_.data(),
                                                .candidates = rows_.data() + kRows * width};
      return seconds([&] {
        tensor::negativesLoss(launch_, tensor::NegativesLossOp::kSoftmax, inputs, 1.0f,
                              scratch.data(), table_.data(), slots_.data(), &sum);
      });
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
    return seconds([&] {
      launch_.workers->parallelFor(launch_.workers->count(),
                                   [&](std::int64_t block) { rows_.data()[block * 16] += 1.0f; });
    });
  }

  tensor::Launch launch_;
  const std::stop_token& stop_;
  Floats table_, slots_, rows_;
};

Result<DeviceProfile> measure(int threads, const std::stop_token& stop) {
  try {
    Workers workers(threads);
    DeviceProfile profile = Probe(workers, stop).run();
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "the measurement was stopped"};
    return profile;
  } catch (const InternalError& error) {
    return Error{ErrorCode::kDevice, error.what()};
  }
}

}  // namespace

Result<DeviceProfile> probeCpu(int threads, const std::stop_token& stop) {
  // Two at a time would measure each other.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  return measure(threads > 0 ? threads : Workers::available(), stop);
}

}  // namespace parapet::mesh
