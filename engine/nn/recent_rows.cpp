// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/recent_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/index.h"
#include "engine/base/result.h"

namespace parapet::nn {

RecentRows::RecentRows(std::int64_t rows, std::int64_t places)
    : places_(static_cast<std::size_t>(rows)),
      rows_(static_cast<std::size_t>(places)),
      before_(rows_.size()),
      after_(rows_.size()),
      usedIn_(rows_.size()) {
  if (places < 1 || places > rows)
    throw InvalidArgument(fmt::format("[nn.RecentRows] {} places for {} rows; accepted are 1 … {}",
                                      places, rows, rows));
  clear();
}

void RecentRows::clear() {
  std::ranges::fill(places_, kNone);
  std::ranges::fill(rows_, kNone);
  std::ranges::fill(usedIn_, 0);
  step_ = 1;
  first_ = last_ = kNone;
  for (std::int32_t place = static_cast<std::int32_t>(rows_.size()); place-- > 0;) putFirst(place);
}

std::int64_t RecentRows::bytesFor(std::int64_t rows, std::int64_t places) {
  constexpr std::int64_t kId = sizeof(std::int32_t), kStep = sizeof(std::int64_t);
  return rows * kId + places * (3 * kId + kStep);
}

void RecentRows::unlink(std::int32_t place) {
  const std::int32_t before = before_[at(place)], after = after_[at(place)];
  (before == kNone ? first_ : after_[at(before)]) = after;
  (after == kNone ? last_ : before_[at(after)]) = before;
}

void RecentRows::putFirst(std::int32_t place) {
  before_[at(place)] = kNone;
  after_[at(place)] = first_;
  (first_ == kNone ? last_ : before_[at(first_)]) = place;
  first_ = place;
}

bool RecentRows::use(std::int32_t place) {
  if (std::exchange(usedIn_[at(place)], step_) == step_) return false;
  unlink(place);
  putFirst(place);
  return true;
}

RecentRows::Taken RecentRows::take(std::int32_t row) {
  const std::int32_t place = last_;
  if (usedIn_[at(place)] == step_)
    throw InvalidArgument(fmt::format(
        "[nn.RecentRows] a step uses more than the {} rows that there are places for", places()));
  const std::int32_t left = std::exchange(rows_[at(place)], row);
  if (left != kNone) places_[at(left)] = kNone;
  places_[at(row)] = place;
  use(place);
  return {place, left};
}

}  // namespace parapet::nn
