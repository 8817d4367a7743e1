// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/tensor/buffer.h"
#include "tests/bench/common/arguments.h"
#include "tests/bench/common/samples.h"
#include "tests/bench/limits/limits.h"
#include "tests/bench/limits/vector.h"

// Random rows of a big table: copied out (what a lookup must do), then added to in place (what the
// least update must do). Rows are asked for a few iterations ahead; for the update each thread owns
// a range of the table and gets the positions of its rows before the clock starts, so that nothing
// but the memory is measured.

namespace parapet::bench {
namespace {

constexpr std::size_t kAhead = 16;

struct Batch {
  std::vector<std::int32_t> rows;
  std::vector<std::vector<std::int32_t>> positionsOfOwner;
};

Batch drawBatch(const RowSettings& settings, RowDraw draw, std::uint64_t seed) {
  const std::int64_t threads = settings.common.threads;
  Batch batch{drawRows(draw, settings.rows, settings.batch, seed), {}};
  batch.positionsOfOwner.resize(static_cast<std::size_t>(threads));
  for (std::size_t i = 0; i < batch.rows.size(); ++i)
    batch.positionsOfOwner[static_cast<std::size_t>(batch.rows[i] * threads / settings.rows)]
        .push_back(static_cast<std::int32_t>(i));
  return batch;
}

class Table {
 public:
  Table(const RowSettings& settings, Workers& workers)
      : dim_(settings.dim),
        weight_(tensor::hostDevice(), settings.rows * settings.dim),
        picked_(tensor::hostDevice(), settings.batch * settings.dim),
        workers_(workers) {
    fillConstant(weight_.host(), 0.01f, workers);
    std::fill(picked_.host().begin(), picked_.host().end(), 0.0f);
  }

  void gather(const Batch& batch) {
    const std::size_t count = batch.rows.size();
    const auto threads = static_cast<std::size_t>(workers_.count());
    workers_.parallelFor(workers_.count(), [&](std::int64_t index) {
      const auto thread = static_cast<std::size_t>(index);
      for (std::size_t i = count * thread / threads; i < count * (thread + 1) / threads; ++i) {
        if (i + kAhead < count) prefetch<0>(batch.rows[i + kAhead]);
        const float* from = rowOf(batch.rows[i]);
        float* to = pickedAt(i);
        for (std::int64_t d = 0; d < dim_; d += kLanes) store(to + d, load(from + d));
      }
    });
  }

  void add(const Batch& batch) {
    workers_.parallelFor(workers_.count(), [&](std::int64_t index) {
      const auto& positions = batch.positionsOfOwner[static_cast<std::size_t>(index)];
      for (std::size_t i = 0; i < positions.size(); ++i) {
        if (i + kAhead < positions.size())
          prefetch<1>(batch.rows[static_cast<std::size_t>(positions[i + kAhead])]);
        const auto position = static_cast<std::size_t>(positions[i]);
        float* row = rowOf(batch.rows[position]);
        const float* term = pickedAt(position);
        for (std::int64_t d = 0; d < dim_; d += kLanes)
          store(row + d, load(row + d) + load(term + d));
      }
    });
  }

 private:
  float* rowOf(std::int32_t row) { return weight_.data() + row * dim_; }
  float* pickedAt(std::size_t i) { return picked_.data() + static_cast<std::int64_t>(i) * dim_; }
  template <int kForWriting>
  void prefetch(std::int32_t row) {
    constexpr std::int64_t kFloatsOfLine = 16;
    for (std::int64_t d = 0; d < dim_; d += kFloatsOfLine)
      __builtin_prefetch(rowOf(row) + d, kForWriting, 3);
  }

  std::int64_t dim_;
  tensor::Buffer<float> weight_, picked_;
  Workers& workers_;
};

void runDraw(const RowSettings& settings, RowDraw draw, Table& table) {
  std::vector<Batch> batches;
  for (std::size_t seed = 0; seed < kRowBatches; ++seed)
    batches.push_back(drawBatch(settings, draw, seed));
  std::size_t run = 0;
  const Timing gather =
      measure(settings.common.budget, [&] { table.gather(batches[run++ % kRowBatches]); });
  const Timing add =
      measure(settings.common.budget, [&] { table.add(batches[run++ % kRowBatches]); });
  printLine(rowsLine(settings, draw, gather, add));
}

void runRows(const RowSettings& settings) {
  Workers workers(settings.common.threads);
  Table table(settings, workers);
  for (const RowDraw draw : settings.draws) runDraw(settings, draw, table);
}

}  // namespace

void addRows(CLI::App& program) {
  addRowCommand(program, "Random rows of a table read and added to", runRows);
}

}  // namespace parapet::bench
