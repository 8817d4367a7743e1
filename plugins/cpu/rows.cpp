// SPDX-License-Identifier: Apache-2.0
// Rows of tables: gathered, and the values of a batch grouped by them.
// Bags of rows, summed in registers: a bag is written once, however many rows it has.
#include "plugins/cpu/floats.h"
#include "plugins/cpu/kernels.h"

namespace parapet::plugin {

std::int32_t gatherRows(const PpCall* call, const PpGatherRows* args) {
  const PpGatherRows a = *args;
  const bool ahead = a.tableRows * a.width > kCachedElements;
  forBlocks(call, a.count, rowGrain(a.width), [=](std::int64_t begin, std::int64_t end) {
    withNarrowWidth(a.width, [=](auto width) {
      for (std::int64_t n = begin; n < end; ++n) {
        if (ahead && n + kRowsAhead < end)
          prefetchRow(a.table + a.rows[n + kRowsAhead] * width, width);
        const float* from = a.table + a.rows[n] * width;
        float* to = a.out + n * width;
        forNarrowChunks(width, [=]<class Number, int N>(std::int64_t d) {
          for (int i = 0; i < N; ++i)
            store(to + d + i * kWidth<Number>, load<Number>(from + d + i * kWidth<Number>));
        });
      }
    });
  });
  return PP_OK;
}

// A pass backwards links each value to the next one of its row. The groups of a single value are
// put first, so that the branch at the end of a group can be foreseen. No branch depends on the
// data: about half of a batch's ids are new, which no predictor guesses.
std::int32_t groupRows(const PpCall*, const PpGroupRows* args) {
  const PpGroupRows a = *args;
  // An index for each row of the table: of a large one it has to come from memory.
  constexpr std::int64_t kAhead = 24;
  const bool ahead = a.tableRows > kCachedElements;
  std::int64_t groups = 0;
  for (std::int64_t n = a.count; n-- > 0;) {
    if (ahead && n >= kAhead) __builtin_prefetch(a.indexOfRow + a.rows[n - kAhead], 1);
    const std::int32_t row = a.rows[n];
    const std::int32_t later = a.indexOfRow[row];
    a.next[n] = later;
    a.indexOfRow[row] = static_cast<std::int32_t>(n);
    a.scratch[groups] = row;
    groups += static_cast<std::uint32_t>(later) >> 31;
  }
  std::int64_t singles = 0, others = groups;
  for (std::int64_t u = 0; u < groups; ++u) {
    if (ahead && u + kAhead < groups) __builtin_prefetch(a.indexOfRow + a.scratch[u + kAhead], 1);
    const std::int32_t row = a.scratch[u];
    const std::int32_t first = a.indexOfRow[row];
    a.indexOfRow[row] = -1;
    const std::int64_t isSingle = static_cast<std::uint32_t>(a.next[first]) >> 31;
    others -= 1 - isSingle;
    const std::int64_t at = others ^ ((singles ^ others) & -isSingle);
    singles += isSingle;
    a.first[at] = first;
    a.groupRows[at] = row;
  }
  *a.groupCount = groups;
  return PP_OK;
}

std::int32_t bagRows(const PpCall* call, const PpBagRows* args) {
  using tensor::BagValues;
  const PpBagRows a = *args;
  const bool ahead = a.tableRows * a.width > kCachedElements;
  forBlocks(call, a.bags, tensor::bagGrain(a), [=](std::int64_t begin, std::int64_t end) {
    const std::int64_t last = BagValues(a.offsets, end - 1).end;
    withWidth(a.width, [=](auto width) {
      for (std::int64_t b = begin; b < end; ++b) {
        const BagValues values(a.offsets, b);
        if (ahead)
          for (std::int64_t n = values.begin; n < values.end && n + kRowsAhead < last; ++n)
            prefetchRow(a.table + a.rows[n + kRowsAhead] * width, width);
        float* to = a.out + b * width;
        forChunks(width, [=]<class Number, int N>(std::int64_t d) {
          Number sum[N] = {};
          for (std::int64_t n = values.begin; n < values.end; ++n) {
            const float* from = a.table + a.rows[n] * width + d;
            const float scale = a.scales ? a.scales[n] : 1.0f;
            for (int i = 0; i < N; ++i) sum[i] += scale * load<Number>(from + i * kWidth<Number>);
          }
          for (int i = 0; i < N; ++i) store(to + d + i * kWidth<Number>, sum[i]);
        });
      }
    });
  });
  return PP_OK;
}

}  // namespace parapet::plugin
