// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/window_rows.h"

#include <algorithm>

namespace parapet::data {
namespace {

// Rows of the next window that are made at a time: a fraction of a millisecond.
constexpr std::int64_t kRowsAhead = 8 * 1024;

}  // namespace

WindowRows::WindowRows(const Dataset& dataset, const RowOrder& order, Options options)
    : dataset_(dataset),
      order_(order),
      options_(options),
      windows_{RowWindow(order, ahead()), RowWindow(order, ahead())} {}

RowWindow::Ahead WindowRows::ahead() const {
  return [this](std::int64_t first, std::int64_t last) { dataset_.readAhead(first, last); };
}

std::int64_t WindowRows::batches(std::int64_t epoch) {
  return options_.fixedBatches.countOf(epoch, options_.batches);
}

BatchRows::Rows WindowRows::of(std::int64_t epoch, std::int64_t batch) {
  const std::int64_t orderEpoch = options_.fixedBatches.orderOf(epoch);
  const std::int64_t position = batch * options_.batchRows;
  if (!windows_[current_].holds(orderEpoch, position)) changeWindow(orderEpoch, position);
  epoch_ = epoch;
  return {
      windows_[current_].rows(position, std::min(options_.batchRows, order_.size() - position))};
}

void WindowRows::changeWindow(std::int64_t orderEpoch, std::int64_t position) {
  if (order_.isWindowed()) dataset_.release(0, dataset_.rows());
  current_ = 1 - current_;
  windows_[current_].start(orderEpoch, position);
  while (!windows_[current_].advance(kRowsAhead)) {
  }
}

// Goes on with the window behind the current one; before the first batch with that of epoch 1,
// where most begin.
bool WindowRows::prepareAhead() {
  std::int64_t epoch = 1, position = 0;
  if (epoch_ >= 0) {
    const std::int64_t used = std::min(order_.size(), batches(epoch_) * options_.batchRows);
    const std::int64_t end = windows_[current_].end();
    epoch = options_.fixedBatches.orderOf(end >= used ? epoch_ + 1 : epoch_);
    position = end >= used ? 0 : end;
  }
  if (windows_[current_].holds(epoch, position)) return false;
  RowWindow& next = windows_[1 - current_];
  if (next.holds(epoch, position) && next.isComplete()) return false;
  next.start(epoch, position);
  next.advance(kRowsAhead);
  return true;
}

}  // namespace parapet::data
