// SPDX-License-Identifier: Apache-2.0
// Rows of tables: gathered, and grouped by the places that name them.
#include "plugins/cpu/floats.h"
#include "plugins/cpu/kernels.h"

namespace parapet::plugin {

std::int32_t gatherRows(const PpCall* call, const PpGatherRows* args) {
  const std::int64_t width = args->width;
  const bool ahead = args->tableRows * width > kCachedNumbers;
  forBlocks(call, args->count, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      if (ahead && n + kRowsAhead < end)
        prefetchRow(args->table + args->rows[n + kRowsAhead] * width, width);
      const float* from = args->table + args->rows[n] * width;
      float* to = args->out + n * width;
      forChunks(width, [&]<class Number, int N>(std::int64_t d) {
        for (int i = 0; i < N; ++i)
          store(to + d + i * kWidth<Number>, load<Number>(from + d + i * kWidth<Number>));
      });
    }
  });
  return PP_OK;
}

// A pass backwards links each place to the next one of its row. The groups of a single place are
// put first, so that the branch at the end of a group can be foreseen. No branch depends on the
// data: about half of a batch's ids are new, which no predictor guesses.
std::int32_t groupRows(const PpCall*, const PpGroupRows* args) {
  std::int32_t* const placeOfRow = args->placeOfRow;
  std::int32_t* const next = args->next;
  std::int64_t groups = 0;
  for (std::int64_t n = args->count; n-- > 0;) {
    const std::int32_t row = args->rows[n];
    const std::int32_t later = placeOfRow[row];
    next[n] = later;
    placeOfRow[row] = static_cast<std::int32_t>(n);
    args->scratch[groups] = row;
    groups += static_cast<std::uint32_t>(later) >> 31;
  }
  std::int64_t singles = 0, others = groups;
  for (std::int64_t u = 0; u < groups; ++u) {
    const std::int32_t row = args->scratch[u];
    const std::int32_t first = placeOfRow[row];
    placeOfRow[row] = -1;
    const std::int64_t isSingle = static_cast<std::uint32_t>(next[first]) >> 31;
    others -= 1 - isSingle;
    const std::int64_t at = others ^ ((singles ^ others) & -isSingle);
    singles += isSingle;
    args->first[at] = first;
    args->groupRows[at] = row;
  }
  *args->groupCount = groups;
  return PP_OK;
}

}  // namespace parapet::plugin
