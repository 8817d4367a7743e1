// SPDX-License-Identifier: Apache-2.0
// Bags of rows, summed in registers: a bag is written once, however many rows it has.
#include "plugins/cpu/floats.h"
#include "plugins/cpu/kernels.h"

namespace parapet::plugin {

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
