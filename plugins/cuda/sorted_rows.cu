// SPDX-License-Identifier: Apache-2.0
// Values sorted by the row that they name, groups of equal rows, and the sums of such groups. A
// pass of the sort counts the bytes of each tile of kThreads values, sums the counts up over tiles,
// and moves each value behind the equal ones before it: no atomic decides an order.
#include "plugins/cuda/sorted_rows.h"

#include "plugins/cuda/ops.h"
#include "plugins/cuda/sums.h"

namespace parapet::cuda {
namespace {

constexpr std::int64_t kDigits = 256, kEach = 8, kSumTile = kThreads * kEach;

/// Σ over the threads before this one.
PP_DEVICE std::int32_t sumBeforeInBlock(std::int32_t value) {
  PP_SHARED std::int32_t sums[2][kThreads];
  int from = 0;
  sums[0][thread()] = value;
  meet();
  for (std::int64_t step = 1; step < kThreads; step *= 2, from = 1 - from) {
    sums[1 - from][thread()] =
        sums[from][thread()] + (thread() >= step ? sums[from][thread() - step] : 0);
    meet();
  }
  const std::int32_t before = sums[from][thread()] - value;
  meet();
  return before;
}

PP_DEVICE std::int32_t digitOf(std::int32_t row, int shift) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(row) >> shift & (kDigits - 1));
}

/// A pass over the byte at `shift`; values null: their own numbers.
void sortByDigit(const PpCall* call, Scratch scratch, int shift, std::int64_t count,
                 const std::int32_t* rows, const std::int32_t* values, std::int32_t* sortedRows,
                 std::int32_t* sortedValues) {
  const std::int64_t tiles = ceilDivide(count, kThreads);
  auto* const counts = scratch.take<std::int32_t>(kDigits * tiles);
  forBlocks(call, tiles, [=] PP_DEVICE(std::int64_t tile) {
    PP_SHARED std::int32_t found[kDigits];
    found[thread()] = 0;
    meet();
    const std::int64_t n = tile * kThreads + thread();
    if (n < count) addAtomically(&found[digitOf(rows[n], shift)], 1);
    meet();
    counts[thread() * tiles + tile] = found[thread()];
  });
  sumBefore(call, scratch, counts, kDigits * tiles, nullptr);
  forBlocks(call, tiles, [=] PP_DEVICE(std::int64_t tile) {
    PP_SHARED std::int32_t digits[kThreads];
    const std::int64_t n = tile * kThreads + thread();
    const std::int32_t digit = n < count ? digitOf(rows[n], shift) : -1;
    digits[thread()] = digit;
    meet();
    if (digit < 0) return;
    std::int32_t to = counts[digit * tiles + tile];
    for (std::int64_t t = 0; t < thread(); ++t) to += digits[t] == digit ? 1 : 0;
    sortedRows[to] = rows[n];
    sortedValues[to] = values ? values[n] : static_cast<std::int32_t>(n);
  });
}

}  // namespace

void sumBefore(const PpCall* call, Scratch& scratch, std::int32_t* data, std::int64_t count,
               std::int32_t* total) {
  const std::int64_t tiles = ceilDivide(count, kSumTile);
  auto* const sums = scratch.take<std::int32_t>(tiles);
  forBlocks(call, tiles, [=] PP_DEVICE(std::int64_t tile) {
    std::int32_t sum = 0;
    for (std::int64_t i = 0; i < kEach; ++i) {
      const std::int64_t at = tile * kSumTile + thread() * kEach + i;
      if (at < count) sum += data[at];
    }
    sum = sumOverBlock(sum);
    if (thread() == 0) sums[tile] = sum;
  });
  forBlocks(call, 1, [=] PP_DEVICE(std::int64_t) {
    std::int32_t carried = 0;
    for (std::int64_t first = 0; first < tiles; first += kThreads) {
      const std::int64_t at = first + thread();
      const std::int32_t value = at < tiles ? sums[at] : 0;
      const std::int32_t before = sumBeforeInBlock(value);
      if (at < tiles) sums[at] = carried + before;
      carried += sumOverBlock(value);
    }
    if (total && thread() == 0) *total = carried;
  });
  forBlocks(call, tiles, [=] PP_DEVICE(std::int64_t tile) {
    std::int32_t mine[kEach], sum = 0;
    for (std::int64_t i = 0; i < kEach; ++i) {
      const std::int64_t at = tile * kSumTile + thread() * kEach + i;
      mine[i] = at < count ? data[at] : 0;
      sum += mine[i];
    }
    std::int32_t before = sums[tile] + sumBeforeInBlock(sum);
    for (std::int64_t i = 0; i < kEach; ++i) {
      const std::int64_t at = tile * kSumTile + thread() * kEach + i;
      if (at < count) data[at] = before;
      before += mine[i];
    }
  });
}

SortedRows sortRows(const PpCall* call, Scratch& scratch, const std::int32_t* rows,
                    std::int64_t count, std::int64_t tableRows) {
  std::int32_t *sorted[2], *values[2];
  for (int i = 0; i < 2; ++i) {
    sorted[i] = scratch.take<std::int32_t>(count);
    values[i] = scratch.take<std::int32_t>(count);
  }
  const int passes = sortPasses(tableRows);
  for (int pass = 0; pass < passes; ++pass) {
    const int to = pass % 2;
    sortByDigit(call, scratch, 8 * pass, count, pass == 0 ? rows : sorted[1 - to],
                pass == 0 ? nullptr : values[1 - to], sorted[to], values[to]);
  }
  const int last = (passes - 1) % 2;
  return {sorted[last], values[last]};
}

std::int32_t groupRows(const PpCall* call, const PpGroupRows* args) {
  const PpGroupRows a = *args;
  if (a.count == 0) {
    forElements(call, 1, [a] PP_DEVICE(std::int64_t) { *a.groupCount = 0; });
    return done(call);
  }
  Scratch scratch(call);
  const SortedRows sorted = sortRows(call, scratch, a.rows, a.count, a.tableRows);
  auto* const groups = scratch.take<std::int32_t>(1);
  forElements(call, a.count, [a, sorted] PP_DEVICE(std::int64_t i) {
    a.scratch[i] = i == 0 || sorted.rows[i] != sorted.rows[i - 1] ? 1 : 0;
  });
  sumBefore(call, scratch, a.scratch, a.count, groups);
  forElements(call, a.count, [a, sorted, groups] PP_DEVICE(std::int64_t i) {
    const std::int32_t row = sorted.rows[i], value = sorted.values[i];
    const bool followed = i + 1 < a.count && sorted.rows[i + 1] == row;
    a.next[value] = followed ? sorted.values[i + 1] : -1;
    if (i == 0) *a.groupCount = *groups;
    if (i > 0 && sorted.rows[i - 1] == row) return;
    a.groupRows[a.scratch[i]] = row;
    a.first[a.scratch[i]] = value;
  });
  return done(call);
}

// Takes as many values at a time as there is room to sort. The sum of a row goes on where the
// values before have left it, so that nothing is added up in another order.
std::int32_t scatterRows(const PpCall* call, const PpScatterRows* args) {
  constexpr std::int64_t kBytesEach = 21,
                         kRounding = 4096;  // of sortRows: 20 and the sums of tiles
  const PpScatterRows a = *args;
  if (!a.accumulate)
    forElements(call, a.outRows * a.width, [a] PP_DEVICE(std::int64_t i) { a.out[i] = 0.0f; });
  const Scratch scratch(call);
  const std::int64_t room = (scratch.left<std::byte>() - kRounding) / kBytesEach;
  const std::int64_t together = std::max(room, kThreads);
  for (std::int64_t begin = 0; begin < a.count; begin += together) {
    Scratch own = scratch;
    const std::int64_t count = std::min(together, a.count - begin);
    const float* const in = a.in + begin * a.width;
    const SortedRows sorted = sortRows(call, own, a.rows + begin, count, a.outRows);
    forRows(call, count, a.width, [=] PP_DEVICE(std::int64_t i, std::int64_t d) {
      const std::int32_t row = sorted.rows[i];
      if (i > 0 && sorted.rows[i - 1] == row) return;
      float sum = a.out[row * a.width + d];
      for (std::int64_t n = i; n < count && sorted.rows[n] == row; ++n)
        sum += in[sorted.values[n] * a.width + d];
      a.out[row * a.width + d] = sum;
    });
  }
  return done(call);
}

}  // namespace parapet::cuda
