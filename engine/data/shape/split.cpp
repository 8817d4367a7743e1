// SPDX-License-Identifier: Apache-2.0
#include "engine/data/shape/split.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>

#include "engine/base/random.h"

namespace parapet::data {
namespace {

struct Part {
  const char* key;
  experiment::SplitAmount amount;
  std::int64_t rows = 0;
};

Error splitError(std::string pointer, std::string message) {
  return Error{ErrorCode::kInvalidDocument, std::move(message), std::move(pointer)};
}

Status resolve(Part& part, std::int64_t rows) {
  const double value = part.amount.value;
  const bool good = part.amount.isRatio ? value >= 0.0 && value <= 1.0
                                        : value >= 0.0 && value == std::floor(value);
  if (!good)
    return splitError(
        fmt::format("/dataset/split/{}", part.key),
        fmt::format("{} of {}; a share in (0, 1), or a whole number of rows from 0, is "
                    "accepted",
                    part.key, value));
  if (!part.amount.isRatio) {
    // Clamped so that the conversion is defined; the sum is refused anyway.
    part.rows = static_cast<std::int64_t>(std::min(value, static_cast<double>(rows) + 1.0));
    return {};
  }
  // 0.29 · 100 is a hair below 29 in binary; the nudge rounds it down to 29 and not to 28.
  part.rows =
      static_cast<std::int64_t>(std::floor(value * static_cast<double>(rows) * (1.0 + 1e-12)));
  return {};
}

// What rounding down has left over, if ratios make up the whole.
void giveRemainder(std::array<Part, 3>& parts, std::int64_t rows) {
  double ratios = 0.0;
  std::int64_t used = 0;
  Part* last = nullptr;
  for (Part& part : parts) {
    if (part.amount.isRatio) ratios += part.amount.value;
    used += part.rows;
    if (part.amount.value > 0.0) last = &part;
  }
  if (last && std::abs(ratios - 1.0) < 1e-9 && used < rows) last->rows += rows - used;
}

}  // namespace

Result<Split> makeSplit(std::int64_t rows, const experiment::Split& spec, std::uint64_t seed) {
  std::array<Part, 3> parts{
      {{"train", spec.train}, {"validation", spec.validation}, {"test", spec.test}}};
  for (Part& part : parts) PARAPET_TRY(resolve(part, rows));
  giveRemainder(parts, rows);
  const std::int64_t asked = parts[0].rows + parts[1].rows + parts[2].rows;
  if (asked > rows)
    return splitError(
        "/dataset/split",
        fmt::format("train {} + validation {} + test {} is more than the {} rows there are",
                    spec.train.value, spec.validation.value, spec.test.value, rows));
  if (parts[0].rows == 0)
    return splitError("/dataset/split",
                      fmt::format("train {} of {} rows is empty; at least one row is needed",
                                  spec.train.value, rows));

  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  shuffle(order, Random(spec.seed.value_or(seed), RandomPurpose::kSplit));
  Split split;
  auto next = order.begin();
  const auto take = [&](const Part& part) {
    const auto begin = next;
    next += part.rows;
    return std::vector<std::int64_t>(begin, next);
  };
  split.train = take(parts[0]);
  split.validation = take(parts[1]);
  split.test = take(parts[2]);
  return split;
}

}  // namespace parapet::data
