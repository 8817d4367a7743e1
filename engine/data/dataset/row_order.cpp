// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/row_order.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "engine/base/random.h"
#include "engine/base/result.h"

namespace parapet::data {
namespace {

using experiment::BatchOrder;

// A window is made of at least this many runs where that leaves them long enough to be read in one
// go: 32,768 ids of 4 bytes are 128 KiB.
constexpr std::int64_t kRunsPerWindow = 128;
constexpr std::int64_t kLongestRun = 32 * 1024;

// Windows of an epoch shuffle with streams of their own; the first is the epoch's, as for small
// sets.
std::uint64_t streamOf(std::int64_t epoch, std::int64_t window) {
  return static_cast<std::uint64_t>(epoch) | static_cast<std::uint64_t>(window) << 40;
}

}  // namespace

RowOrder::RowOrder(RowSet rows, const Options& options)
    : rows_(std::move(rows)),
      seed_(options.seed),
      rowRange_(options.rowRange.value_or(RowRange{0, rows_.size()})) {
  const std::int64_t size = rows_.size();
  if (options.window < 1 || options.batchRows < 1)
    throw InvalidArgument(fmt::format("[RowOrder] windows of {} rows, batches of {}; at least 1",
                                      options.window, options.batchRows));
  if (rowRange_.first < 0 || rowRange_.count < 0 || rowRange_.first > size - rowRange_.count ||
      rowRange_.first % options.batchRows != 0)
    throw InvalidArgument(fmt::format("[RowOrder] {} rows from {}; there are {} in batches of {}",
                                      rowRange_.count, rowRange_.first, size, options.batchRows));
  const bool fits = size <= options.window;
  window_ = fits
                ? size
                : std::max<std::int64_t>(1, options.window / options.batchRows) * options.batchRows;
  run_ = std::clamp<std::int64_t>(window_ / kRunsPerWindow, 1, kLongestRun);
  changes_ = options.order == BatchOrder::kEpoch;
  shuffled_ = changes_ || (options.order == BatchOrder::kOnce && (!fits || rows_.isAscending()));
  if (options.order == BatchOrder::kNone) rows_ = rows_.ascending();
}

RowWindow::RowWindow(const RowOrder& order, Ahead ahead) : order_(order), ahead_(std::move(ahead)) {
  rows_.reserve(static_cast<std::size_t>(std::min(order_.window_, order_.rows_.size())));
  if (order_.isWindowed() && order_.shuffled_)
    runs_.resize(static_cast<std::size_t>((order_.rows_.size() + order_.run_ - 1) / order_.run_));
}

std::int64_t RowWindow::epochOf(std::int64_t epoch) const {
  return order_.changes_ ? epoch : 0;
}

std::int64_t RowWindow::indexOf(std::int64_t position) const {
  return order_.window_ > 0 ? (order_.rowRange_.first + position) / order_.window_ : 0;
}

bool RowWindow::holds(std::int64_t epoch, std::int64_t position) const {
  return epoch_ == epochOf(epoch) && index_ == indexOf(position);
}

void RowWindow::start(std::int64_t epoch, std::int64_t position) {
  if (holds(epoch, position)) return;
  epoch_ = epochOf(epoch);
  index_ = indexOf(position);
  const std::int64_t size = std::min(order_.window_, order_.rows_.size() - index_ * order_.window_);
  rows_.resize(static_cast<std::size_t>(size));
  filled_ = 0;
  unshuffled_ = order_.shuffled_ ? size : 1;
  if (!runs_.empty() && runsEpoch_ != epoch_) orderRuns();
}

void RowWindow::orderRuns() {
  std::iota(runs_.begin(), runs_.end(), std::int64_t{0});
  // Window indices count from 0, so that no other purpose has this stream.
  shuffle(runs_, Random(order_.seed_, RandomPurpose::kShuffle, ~streamOf(epoch_, 0)));
  runsEpoch_ = epoch_;
  const auto lastRun = static_cast<std::int64_t>(runs_.size()) - 1;
  shortRun_ = std::find(runs_.begin(), runs_.end(), lastRun) - runs_.begin();
}

// Reads rows of the set until the end of the run that the next one is in, or of the window, or
// `steps` of them. All runs but the set's last are equally long; behind that one the sequence is
// shorter by what it lacks.
std::int64_t RowWindow::fill(std::int64_t steps) {
  const RowSet& set = order_.rows_;
  const std::int64_t position = index_ * order_.window_ + filled_;
  std::int64_t from = position, length = set.size() - position;
  if (!runs_.empty()) {
    const std::int64_t lacking = static_cast<std::int64_t>(runs_.size()) * order_.run_ - set.size();
    const bool behindShort = position >= (shortRun_ + 1) * order_.run_ - lacking;
    const std::int64_t filled = behindShort ? position + lacking : position;
    const std::int64_t offset = filled % order_.run_;
    from = runs_[static_cast<std::size_t>(filled / order_.run_)] * order_.run_ + offset;
    length = std::min(order_.run_ - offset, set.size() - from);
  }
  const std::int64_t count =
      std::min({length, steps, static_cast<std::int64_t>(rows_.size()) - filled_});
  const auto into =
      std::span(rows_).subspan(static_cast<std::size_t>(filled_), static_cast<std::size_t>(count));
  set.read(from, into);
  if (ahead_ && order_.isWindowed() && set.isAscending()) ahead_(into.front(), into.back() + 1);
  filled_ += count;
  return count;
}

bool RowWindow::advance(std::int64_t steps) {
  const auto size = static_cast<std::int64_t>(rows_.size());
  while (filled_ < size && steps > 0) steps -= fill(steps);
  if (filled_ < size) return false;
  if (unshuffled_ > 1 && steps > 0) {
    const std::int64_t to = std::max<std::int64_t>(1, unshuffled_ - steps);
    shuffleSome(rows_, Random(order_.seed_, RandomPurpose::kShuffle, streamOf(epoch_, index_)),
                unshuffled_, to);
    unshuffled_ = to;
  }
  return isComplete();
}

std::span<const std::int64_t> RowWindow::rows(std::int64_t position, std::int64_t count) const {
  const std::int64_t offset = order_.rowRange_.first + position - index_ * order_.window_;
  return std::span(rows_).subspan(static_cast<std::size_t>(offset),
                                  static_cast<std::size_t>(count));
}

std::int64_t RowWindow::end() const {
  return std::min((index_ + 1) * order_.window_ - order_.rowRange_.first, order_.size());
}

}  // namespace parapet::data
