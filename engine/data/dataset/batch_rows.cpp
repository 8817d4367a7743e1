// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/batch_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/random.h"
#include "engine/base/result.h"
#include "engine/data/dataset/row_set.h"

namespace parapet::data {
namespace {

using experiment::BatchOrder;

// Users shuffle with streams of their own, which no order of rows or lists has: their epoch is
// above the 32 bits of the user, and the highest bit is set.
std::uint64_t userStream(std::int64_t shuffle, std::int64_t user) {
  return std::uint64_t{1} << 63 | static_cast<std::uint64_t>(shuffle) << 32 |
         static_cast<std::uint64_t>(user);
}

// Rows of the next window that are made at a time: a fraction of a millisecond.
constexpr std::int64_t kRowsAhead = 8 * 1024;

}  // namespace

ListOrder::ListOrder(const EventColumns& events, const RowSet& rows, const Options& options)
    : options_(options) {
  if (options.listRows() < 1 || options.listRows() > options.batchRows)
    throw InvalidArgument(
        fmt::format("[ListOrder] lists of {} rows, batches of {}; at least 1, and "
                    "no more than fit a batch",
                    options.listRows(), options.batchRows));
  const RowBits bits = rows.bits(events.rows);
  const UserGroups groups(events.users, events.userCount, events.onConsumed,
                          [&bits](std::int64_t row) { return hasRow(bits, row); });
  rows_.reserve(static_cast<std::size_t>(rows.size()));
  if (options.windows)
    cutWindows(groups, events);
  else
    cutGroups(groups);
  firstLists_.push_back(static_cast<std::int64_t>(firstRows_.size()));
  firstRows_.push_back(size());
}

void ListOrder::cutGroups(const UserGroups& users) {
  const auto cut = [&](std::int32_t, std::span<std::int64_t> ofUser) {
    const std::int64_t first = size();
    firstLists_.push_back(static_cast<std::int64_t>(firstRows_.size()));
    rows_.insert(rows_.end(), ofUser.begin(), ofUser.end());
    for (std::int64_t row = first; row < size(); row += options_.groupSize)
      firstRows_.push_back(row);
  };
  users.forEach<std::int64_t>([](std::int64_t row) { return row; }, cut);
}

// Rows of one time have the same items before them: those before the first of them.
void ListOrder::cutWindows(const UserGroups& users, const EventColumns& events) {
  struct Row {
    std::int64_t key, row, before;
  };
  const bool byTime = options_.windows->order == experiment::EventOrder::kTime;
  if (byTime && events.times.empty() && events.rows > 0)
    throw InvalidArgument("[ListOrder] windows by time, and the data set has no times");
  const std::int64_t length = options_.windows->length, stride = options_.windows->stride;
  std::vector<std::int64_t> ends;
  users.forEach<Row>(
      [&](std::int64_t row) {
        return Row{byTime ? events.tickOf(row) : row, row, 0};
      },
      [&](std::int32_t user, std::span<Row> all) {
        if (user == 0) return;
        std::ranges::sort(all, [](const Row& a, const Row& b) {
          return a.key != b.key ? a.key < b.key : a.row < b.row;
        });
        std::size_t first = 0;  // with something before it
        for (std::size_t i = 1; i < all.size(); ++i) {
          const bool isTie = all[i].key == all[i - 1].key;
          all[i].before = isTie ? all[i - 1].before : static_cast<std::int64_t>(i);
          if (first == 0 && all[i].before > 0) first = i;
        }
        if (first == 0) return;
        ends.clear();
        for (std::size_t end = all.size(), begin = end; end > first; end = begin) {
          ends.push_back(static_cast<std::int64_t>(end));
          const std::int64_t oldest = all[end - 1].before - length;
          while (begin > first && end - begin < static_cast<std::size_t>(stride) &&
                 all[begin - 1].before > oldest)
            --begin;
        }
        const std::int64_t offset = size() - static_cast<std::int64_t>(first);
        for (std::size_t i = first; i < all.size(); ++i) rows_.push_back(all[i].row);
        firstLists_.push_back(static_cast<std::int64_t>(firstRows_.size()));
        firstRows_.push_back(offset + static_cast<std::int64_t>(first));
        for (auto end = ends.rbegin(); end + 1 != ends.rend(); ++end)
          firstRows_.push_back(offset + *end);
      });
}

std::int64_t ListOrder::shuffleOf(std::int64_t epoch) const {
  return options_.order == BatchOrder::kEpoch ? epoch : 0;
}

void ListOrder::layOut(std::int64_t epoch, Epoch& out) const {
  out.lists.resize(firstRows_.size() - 1);
  // Two batches that follow one another have more rows than one can hold.
  out.firstLists.reserve(static_cast<std::size_t>(2 * size() / options_.batchRows + 2));
  std::iota(out.lists.begin(), out.lists.end(), std::int64_t{0});
  if (options_.order != BatchOrder::kNone)
    shuffle(out.lists, Random(options_.seed, RandomPurpose::kShuffle,
                              static_cast<std::uint64_t>(shuffleOf(epoch))));
  out.firstLists.clear();
  std::int64_t rows = 0;
  for (std::size_t i = 0; i < out.lists.size(); ++i) {
    const std::int64_t length = options_.windows ? options_.listRows() : lengthOf(out.lists[i]);
    if (i == 0 || rows + length > options_.batchRows) {
      out.firstLists.push_back(static_cast<std::int64_t>(i));
      rows = 0;
    }
    rows += length;
  }
  const bool isShort = rows < options_.batchRows;
  if (out.lists.empty() || !options_.dropRemainder || !isShort)
    out.firstLists.push_back(static_cast<std::int64_t>(out.lists.size()));
}

void ListOrder::orderRows(std::int64_t epoch, std::vector<std::int64_t>& rows) const {
  if (options_.order == BatchOrder::kNone || options_.windows) return;
  for (std::size_t user = 0; user + 1 < firstLists_.size(); ++user) {
    const std::int64_t first = firstRows_[static_cast<std::size_t>(firstLists_[user])];
    const std::int64_t last = firstRows_[static_cast<std::size_t>(firstLists_[user + 1])];
    const auto ofUser = std::span(rows).subspan(static_cast<std::size_t>(first),
                                                static_cast<std::size_t>(last - first));
    std::ranges::sort(ofUser);
    shuffle(ofUser, Random(options_.seed, RandomPurpose::kShuffle,
                           userStream(shuffleOf(epoch), static_cast<std::int64_t>(user))));
  }
}

std::int64_t ListOrder::batches(std::int64_t epoch) const {
  Epoch layout;
  layOut(epoch, layout);
  return static_cast<std::int64_t>(layout.firstLists.size()) - 1;
}

ListRows::ListRows(const ListOrder& order, FixedBatches fixedBatches)
    : order_(order), fixedBatches_(fixedBatches), rows_(order.rows_) {
  batch_.reserve(static_cast<std::size_t>(order.options_.batchRows));
  offsets_.reserve(static_cast<std::size_t>(order.options_.batchRows) + 1);
}

void ListRows::start(std::int64_t epoch) {
  const std::int64_t orderEpoch = fixedBatches_.orderOf(epoch);
  if (shuffle_ == order_.shuffleOf(orderEpoch)) return;
  shuffle_ = order_.shuffleOf(orderEpoch);
  order_.layOut(orderEpoch, layout_);
  order_.orderRows(orderEpoch, rows_);
}

std::int64_t ListRows::batches(std::int64_t epoch) {
  start(epoch);
  return fixedBatches_.countOf(epoch, static_cast<std::int64_t>(layout_.firstLists.size()) - 1);
}

BatchRows::Rows ListRows::of(std::int64_t epoch, std::int64_t batch) {
  start(epoch);
  batch_.clear();
  offsets_.assign(1, 0);
  const auto at = static_cast<std::size_t>(batch);
  for (std::int64_t i = layout_.firstLists[at]; i < layout_.firstLists[at + 1]; ++i) {
    const std::int64_t list = layout_.lists[static_cast<std::size_t>(i)];
    const auto first = rows_.begin() + order_.firstRows_[static_cast<std::size_t>(list)];
    batch_.insert(batch_.end(), first, first + order_.lengthOf(list));
    offsets_.push_back(static_cast<std::int32_t>(batch_.size()));
  }
  return {batch_, offsets_};
}

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
