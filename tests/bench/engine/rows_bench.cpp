// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "engine/tensor/buffer.h"
#include "engine/tensor/ops/ops.h"
#include "tests/bench/common/arguments.h"
#include "tests/bench/common/samples.h"
#include "tests/bench/engine/benches.h"
#include "tests/bench/engine/device.h"

// The work of training on a table in a step, and nothing else: the rows of a batch looked up, equal
// ids grouped, each distinct row updated once by row-wise Adagrad. The rows looked up serve as
// their own gradients.

namespace parapet::bench {
namespace {

using tensor::Buffer;

constexpr float kLearningRate = 0.01f;
constexpr float kEpsilon = 1e-8f;

class Table {
 public:
  Table(const RowSettings& settings, Workers& workers)
      : device_(runDevice()),
        launch_{&device_, &workers},
        rows_(settings.rows),
        dim_(settings.dim),
        weight_(device_, settings.rows * settings.dim),
        accumulator_(device_, settings.rows),
        indexOfRow_(device_, settings.rows),
        picked_(device_, settings.batch * settings.dim),
        groupRows_(device_, settings.batch),
        first_(device_, settings.batch),
        next_(device_, settings.batch),
        scratch_(device_, settings.batch) {
    fillConstant(weight_.host(), 0.01f, workers);
    std::ranges::fill(accumulator_.host(), 0.1f);
    std::ranges::fill(indexOfRow_.host(), -1);
  }

  void lookUp(std::span<const std::int32_t> rows) {
    tensor::run(launch_, PpGatherRows{.table = weight_.data(),
                                      .tableRows = rows_,
                                      .width = dim_,
                                      .rows = rows.data(),
                                      .count = std::ssize(rows),
                                      .out = picked_.data()});
  }

  std::int64_t group(std::span<const std::int32_t> rows) {
    std::int64_t count = 0;
    tensor::run(launch_, PpGroupRows{.rows = rows.data(),
                                     .count = std::ssize(rows),
                                     .tableRows = rows_,
                                     .indexOfRow = indexOfRow_.data(),
                                     .scratch = scratch_.data(),
                                     .groupRows = groupRows_.data(),
                                     .first = first_.data(),
                                     .next = next_.data(),
                                     .groupCount = &count});
    return count;
  }

  void update(std::span<const std::int32_t> rows) {
    tensor::UpdateTarget target{};
    target.weight = weight_.data();
    target.tableRows = rows_;
    target.width = dim_;
    target.count = group(rows);
    target.rows = groupRows_.data();
    target.grad = picked_.data();
    target.first = first_.data();
    target.next = next_.data();
    tensor::run(launch_, PpRowwiseAdagrad{.target = target,
                                          .learningRate = kLearningRate,
                                          .epsilon = kEpsilon,
                                          .epsilonInsideRoot = 0,
                                          .accumulator = accumulator_.data()});
  }

 private:
  tensor::Device device_;
  tensor::Launch launch_;
  std::int64_t rows_, dim_;
  Buffer<float> weight_, accumulator_;
  Buffer<std::int32_t> indexOfRow_;
  Buffer<float> picked_;
  Buffer<std::int32_t> groupRows_, first_, next_, scratch_;
};

void runDraw(const RowSettings& settings, RowDraw draw, Table& table) {
  std::vector<std::vector<std::int32_t>> batches;
  for (std::size_t seed = 0; seed < kRowBatches; ++seed)
    batches.push_back(drawRows(draw, settings.rows, settings.batch, seed));
  std::size_t run = 0;
  const Timing lookUp =
      measure(settings.common.budget, [&] { table.lookUp(batches[run++ % kRowBatches]); });
  const Timing update =
      measure(settings.common.budget, [&] { table.update(batches[run++ % kRowBatches]); });
  const Timing group =
      measure(settings.common.budget, [&] { table.group(batches[run++ % kRowBatches]); });
  nlohmann::json line = rowsLine(settings, draw, lookUp, update);
  line["group"] = toJson(group);  // a part of the update, on its own
  printLine(line);
}

void runRows(const RowSettings& settings) {
  Workers workers(settings.common.threads);
  Table table(settings, workers);
  for (const RowDraw draw : settings.draws) runDraw(settings, draw, table);
}

}  // namespace

void addRows(CLI::App& program) {
  addRowCommand(program, "Random rows of a table looked up and updated", runRows);
}

}  // namespace parapet::bench
