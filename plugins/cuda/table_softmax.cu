// SPDX-License-Identifier: Apache-2.0
// Cross entropy over all rows of a table: some rows at a time meet the whole table in one product,
// a block turns a line of logits into the line of their gradients, two more products make of these
// the gradients of rows and table.
#include "plugins/cuda/matmul.h"
#include "plugins/cuda/ops.h"
#include "plugins/cuda/ordered_keys.h"
#include "plugins/cuda/sums.h"

namespace parapet::cuda {
namespace {

/// The part of a row in the sums.
struct RowSums {
  double loss, hit, weight;
};

struct LogitLine {
  PpTableSoftmax a;
  std::int64_t begin;
  float* logits;
  RowSums* rows;

  PP_DEVICE void operator()(std::int64_t index) const {
    const std::int64_t i = begin + index;
    float* const line = logits + index * a.tableRows;
    std::uint64_t best = 0;
    for (std::int64_t v = thread(); v < a.tableRows; v += threads()) {
      if (a.bias) line[v] += a.bias[v];
      const std::uint64_t key = orderedKey(line[v], static_cast<std::uint32_t>(v));
      best = key > best ? key : best;
    }
    best = maxOverBlock(best);
    const float greatest = best == 0 ? 0.0f : scoreOf(best);
    double total = 0.0;
    for (std::int64_t v = thread(); v < a.tableRows; v += threads())
      total += static_cast<double>(std::exp(line[v] - greatest));
    total = sumOverBlock(total);
    const std::int32_t label = a.labels[i];
    const float weight = a.weight ? a.weight[i] : 1.0f;
    if (thread() == 0) {
      const auto w = static_cast<double>(weight);
      const double distance = static_cast<double>(greatest) - static_cast<double>(line[label]);
      const bool hit = best != 0 && candidateOf(best) == static_cast<std::uint32_t>(label);
      rows[i] = {w * (std::log(total) + distance), hit ? w : 0.0, w};
    }
    meet();
    const float scale = a.gradientScale * weight, share = static_cast<float>(1.0 / total);
    for (std::int64_t v = thread(); v < a.tableRows; v += threads()) {
      const float probability = std::exp(line[v] - greatest) * share;
      line[v] = scale * (v == label ? probability - 1.0f : probability);
    }
  }
};

}  // namespace

std::int32_t tableSoftmax(const PpCall* call, const PpTableSoftmax* args) {
  const PpTableSoftmax a = *args;
  const std::int64_t width = a.width, columns = a.tableRows;
  if (a.rows == 0) return done(call);
  Scratch scratch(call);
  auto* const rows = scratch.take<RowSums>(a.rows);
  // The products need some of it, too.
  const std::int64_t room = scratch.left<float>() / 4 * 3;
  const std::int64_t together = std::min(a.rows, std::max<std::int64_t>(1, room / columns));
  auto* const logits = scratch.take<float>(together * columns);
  for (std::int64_t begin = 0; begin < a.rows; begin += together) {
    const std::int64_t lines = std::min(together, a.rows - begin);
    const float* const hidden = a.hidden + begin * width;
    multiply(call, scratch,
             {lines, columns, width, 0, 1, hidden, width, a.table, width, 0.0f, logits, columns});
    forBlocks(call, lines, LogitLine{a, begin, logits, rows});
    if (a.dHidden)
      multiply(call, scratch,
               {lines, width, columns, 0, 0, logits, columns, a.table, width, 0.0f,
                a.dHidden + begin * width, width});
    if (a.dTable)
      multiply(
          call, scratch,
          {columns, width, lines, 1, 0, logits, columns, hidden, width, 1.0f, a.dTable, width});
    if (a.dBias)
      forElements(call, columns, [=] PP_DEVICE(std::int64_t v) {
        float sum = a.dBias[v];
        for (std::int64_t i = 0; i < lines; ++i) sum += logits[i * columns + v];
        a.dBias[v] = sum;
      });
  }
  sumAll<3>(
      call, scratch, a.rows,
      [=] PP_DEVICE(std::int64_t i) {
        return Sums<3>{{rows[i].loss, rows[i].hit, rows[i].weight}};
      },
      [=] PP_DEVICE(const Sums<3>& total) {
        for (int k = 0; k < 3; ++k) a.sums[k] += total.of[k];
      });
  return done(call);
}

}  // namespace parapet::cuda
