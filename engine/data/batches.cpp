// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/data/batch_buffer.h"
#include "engine/data/batch_prefetcher.h"

namespace parapet::data {
namespace {

void check(const Dataset& dataset, const std::vector<std::int64_t>& rows,
           const BatchLoader::Options& options) {
  const auto count = static_cast<std::int64_t>(rows.size());
  if (options.batchRows < 1)
    throw InvalidArgument(
        fmt::format("[BatchLoader] batch of {} rows; at least 1", options.batchRows));
  if (options.prefetch < 1)
    throw InvalidArgument(
        fmt::format("[BatchLoader] prefetch of {} batches; at least 1", options.prefetch));
  if (options.dropRemainder && count < options.batchRows)
    throw InvalidArgument(
        fmt::format("[BatchLoader] {} rows make no full batch of {}, and the remainder is dropped",
                    count, options.batchRows));
  for (const std::int64_t row : rows)
    if (row < 0 || row >= dataset.rows())
      throw InvalidArgument(
          fmt::format("[BatchLoader] row {}; the data set has {}", row, dataset.rows()));
}

/// Buffers beside those asked for: of small batches many, so that the worker's sleep is worth it.
int buffersOf(std::int64_t batchRows) {
  constexpr std::int64_t kRows = 32 * 1024, kMost = 64;
  return static_cast<int>(std::clamp<std::int64_t>(kRows / batchRows, 1, kMost));
}

}  // namespace

struct BatchLoader::State {
  State(std::shared_ptr<const Dataset> data, std::vector<std::int64_t> chosen,
        const std::vector<std::string>& names, const Options& wanted)
      : dataset(std::move(data)), options(wanted), columns(*dataset, names) {
    check(*dataset, chosen, options);
    rowCount = static_cast<std::int64_t>(chosen.size());
    if (options.order == experiment::BatchOrder::kNone) std::sort(chosen.begin(), chosen.end());
    current.features.resize(names.size());
    if (options.cache && options.order != experiment::BatchOrder::kEpoch) {
      cache.emplace(columns, rowCount);
      cache->gather(columns, chosen);
    } else {
      const std::int64_t capacity =
          std::min(options.batchRows, std::max<std::int64_t>(rowCount, 1));
      prefetcher = std::make_unique<BatchPrefetcher>(
          columns, std::move(chosen),
          BatchPrefetcher::Options{
              .batchRows = capacity,
              .batches = batches(),
              .shuffleEachEpoch = options.order == experiment::BatchOrder::kEpoch,
              .seed = options.seed,
              .buffers = options.prefetch + buffersOf(capacity)});
    }
  }

  [[nodiscard]] std::int64_t batches() const {
    const std::int64_t full = rowCount / options.batchRows;
    return full + (!options.dropRemainder && rowCount % options.batchRows != 0);
  }

  std::shared_ptr<const Dataset> dataset;
  Options options;
  BatchColumns columns;
  std::int64_t rowCount = 0;
  std::optional<BatchBuffer> cache;             // all rows in order, or
  std::unique_ptr<BatchPrefetcher> prefetcher;  // a batch at a time
  Batch current;
  std::int64_t nextBatch = -1;  // before the first begin()
};

BatchLoader::BatchLoader(std::shared_ptr<const Dataset> dataset, std::vector<std::int64_t> rows,
                         std::vector<std::string> columns, Options options)
    : state_(std::make_unique<State>(std::move(dataset), std::move(rows), columns, options)) {}

BatchLoader::~BatchLoader() = default;

std::int64_t BatchLoader::rows() const {
  return state_->rowCount;
}
std::int64_t BatchLoader::batchesPerEpoch() const {
  return state_->batches();
}

void BatchLoader::begin(std::int64_t epoch, std::int64_t firstBatch) {
  if (epoch < 1 || firstBatch < 0 || firstBatch > state_->batches())
    throw InvalidArgument(fmt::format(
        "[BatchLoader.begin] epoch {}, batch {}; epochs count from 1, batches from 0 to {}", epoch,
        firstBatch, state_->batches()));
  state_->nextBatch = firstBatch;
  if (state_->prefetcher) state_->prefetcher->begin(epoch, firstBatch);
}

const Batch* BatchLoader::next(std::stop_token stop) {
  State& state = *state_;
  if (state.nextBatch < 0) throw InvalidArgument("[BatchLoader.next] begin() comes first");
  if (stop.stop_requested() || state.nextBatch == state.batches()) return nullptr;
  const std::int64_t first = state.nextBatch * state.options.batchRows;
  const std::int64_t count = std::min(state.options.batchRows, state.rowCount - first);
  if (state.cache) {
    state.cache->view(state.current, first, count);
  } else {
    const BatchBuffer* buffer = state.prefetcher->next(stop);
    if (!buffer) return nullptr;
    buffer->view(state.current, 0, count);
  }
  state.current.index = state.nextBatch++;
  return &state.current;
}

double BatchLoader::waitSeconds() const {
  return state_->prefetcher ? state_->prefetcher->waitSeconds() : 0.0;
}

}  // namespace parapet::data
