// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/common/samples.h"

#include <algorithm>
#include <cmath>

#include "engine/base/random.h"

namespace parapet::bench {
namespace {

constexpr std::int64_t kFillBlock = 1 << 18;
// Prime and larger than any table here, so that multiplying by it permutes the rows.
constexpr std::int64_t kScatter = 2'654'435'761;

}  // namespace

void fillUniform(std::span<float> values, std::uint64_t seed, Workers& workers) {
  const Random random(seed, RandomPurpose::kGenerator);
  const auto count = static_cast<std::int64_t>(values.size());
  workers.parallelFor((count + kFillBlock - 1) / kFillBlock, [&](std::int64_t block) {
    const std::int64_t end = std::min(count, (block + 1) * kFillBlock);
    for (std::int64_t i = block * kFillBlock; i < end; i += 4) {
      const auto words = random.words(static_cast<std::uint64_t>(i / 4));
      for (std::int64_t j = 0; j < std::min<std::int64_t>(4, end - i); ++j)
        values[static_cast<std::size_t>(i + j)] =
            static_cast<float>(words[static_cast<std::size_t>(j)] >> 8) * 0x1p-24f - 0.5f;
    }
  });
}

void fillConstant(std::span<float> values, float value, Workers& workers) {
  const auto count = static_cast<std::int64_t>(values.size());
  workers.parallelFor((count + kFillBlock - 1) / kFillBlock, [&](std::int64_t block) {
    const std::int64_t end = std::min(count, (block + 1) * kFillBlock);
    std::fill(values.begin() + block * kFillBlock, values.begin() + end, value);
  });
}

std::vector<std::int32_t> drawRows(RowDraw draw, std::int64_t tableRows, std::int64_t count,
                                   std::uint64_t seed) {
  const Random random(seed, RandomPurpose::kSampling);
  std::vector<std::int32_t> rows(static_cast<std::size_t>(count));
  const double logRows = std::log(static_cast<double>(tableRows) + 1.0);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    std::int64_t row = 0;
    if (draw == RowDraw::kUniform) {
      row = static_cast<std::int64_t>(random.below(index, static_cast<std::uint64_t>(tableRows)));
    } else {
      const double u = static_cast<double>(random.bits64(index) >> 11) * 0x1p-53;
      const auto rank = static_cast<std::int64_t>(std::exp(u * logRows)) - 1;
      row = std::min(rank, tableRows - 1) * kScatter % tableRows;
    }
    rows[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(row);
  }
  return rows;
}

}  // namespace parapet::bench
