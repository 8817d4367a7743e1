// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/user_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/log.h"
#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/data/dataset/user_groups.h"

namespace parapet::data {
namespace {

struct KeyedItem {
  std::int64_t key, row;
  std::int32_t item;
};

}  // namespace

UserHistory::UserHistory(const EventColumns& events, const std::optional<RowSet>& counted,
                         experiment::EventOrder order, const HistoryStorage& storage)
    : events_(events), byTime_(order == experiment::EventOrder::kTime) {
  if (byTime_ && events_.times.empty() && events_.rows > 0)
    throw InvalidArgument(
        "[UserHistory] the data set has no times; the order of the data is accepted");
  if (counted) bits_ = counted->bits(events_.rows);
  lastKey_ = std::numeric_limits<std::int64_t>::min();
  if (isInOrder())
    findUsers();
  else
    buildIndex(storage);
}

bool UserHistory::isInOrder() const {
  for (std::int64_t row = 1; row < events_.rows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    const std::int32_t user = events_.users[at], before = events_.users[at - 1];
    if (user < before || (user == before && keyOf(row) < keyOf(row - 1))) return false;
    if (events_.onConsumed && row % (1 << 18) == 0) events_.onConsumed(row - (1 << 18), row);
  }
  return true;
}

// Rows of the data set are the index: user u has the rows [first_[u], first_[u + 1]).
void UserHistory::findUsers() {
  first_.assign(static_cast<std::size_t>(events_.userCount) + 1, 0);
  std::int32_t user = -1;
  std::int64_t key = 0;
  bool isTie = false;
  events_.forEachRow([&](std::int64_t row) {
    const std::int32_t owner = events_.users[static_cast<std::size_t>(row)];
    ++first_[static_cast<std::size_t>(owner) + 1];
    if (!isCounted(row)) return;
    const bool isSame = owner == user && keyOf(row) == key;
    ties_ += isSame ? (isTie ? 1 : 2) : 0;
    isTie = isSame;
    user = owner;
    key = keyOf(row);
    ++counted_;
    lastKey_ = std::max(lastKey_, key);
  });
  for (std::size_t u = 1; u < first_.size(); ++u) first_[u] += first_[u - 1];
}

void UserHistory::takeStorage(const HistoryStorage& storage) {
  const auto count = static_cast<std::size_t>(counted_);
  const std::size_t bytes = count * (sizeof(std::int64_t) + sizeof(std::int32_t));
  if (!storage.folder.empty() && bytes > storage.maxMemoryBytes) {
    if (auto scratch = ScratchMemory::create(storage.folder, bytes))
      scratch_ = std::move(scratch).value();
    else
      log(LogLevel::kWarning,
          fmt::format("the index of histories takes {} of memory: {}",
                      formatBytes(static_cast<std::uint64_t>(bytes)), scratch.error().text()));
  }
  if (scratch_.bytes().empty()) memory_.resize((bytes + 7) / 8);
  auto* const begin = scratch_.bytes().empty()
                          ? memory_.data()
                          : reinterpret_cast<std::int64_t*>(scratch_.bytes().data());
  keys_ = {begin, count};
  items_ = {reinterpret_cast<std::int32_t*>(begin + count), count};
}

void UserHistory::buildIndex(const HistoryStorage& storage) {
  indexed_ = true;
  const UserGroups users(
      events_.users, events_.userCount, events_.onConsumed,
      bits_.empty() ? UserGroups::Keep() : [this](std::int64_t row) { return hasRow(bits_, row); });
  first_.reserve(static_cast<std::size_t>(events_.userCount) + 1);
  first_.push_back(0);
  for (const std::uint32_t count : users.counts()) first_.push_back(first_.back() + count);
  counted_ = first_.back();
  takeStorage(storage);
  users.forEach<KeyedItem>(
      [&](std::int64_t row) {
        return KeyedItem{keyOf(row), row, events_.items[static_cast<std::size_t>(row)]};
      },
      [&](std::int32_t user, std::span<KeyedItem> rows) {
        std::ranges::sort(rows, [](const KeyedItem& a, const KeyedItem& b) {
          return a.key != b.key ? a.key < b.key : a.row < b.row;
        });
        auto at = static_cast<std::size_t>(first_[static_cast<std::size_t>(user)]);
        for (std::size_t i = 0; i < rows.size(); ++i, ++at) {
          items_[at] = rows[i].item;
          keys_[at] = rows[i].key;
          ties_ += (i > 0 && rows[i].key == rows[i - 1].key) ||
                   (i + 1 < rows.size() && rows[i].key == rows[i + 1].key);
        }
        lastKey_ = std::max(lastKey_, rows.back().key);
      });
}

std::int64_t UserHistory::firstFrom(std::int32_t user, std::int64_t key) const {
  std::int64_t low = first_[static_cast<std::size_t>(user)],
               end = first_[static_cast<std::size_t>(user) + 1];
  while (low < end) {
    const std::int64_t middle = low + (end - low) / 2;
    if (keyAt(middle) < key)
      low = middle + 1;
    else
      end = middle;
  }
  return end;
}

std::int64_t UserHistory::rowsBetween(std::int64_t from, std::int64_t to) const {
  const std::int32_t user = events_.users[static_cast<std::size_t>(to)];
  if (user <= 0 || user >= events_.userCount) return 0;
  const std::int64_t begin = firstFrom(user, keyOf(from)), end = firstFrom(user, keyOf(to));
  if (indexed_ || bits_.empty()) return std::max<std::int64_t>(0, end - begin);
  std::int64_t count = 0;
  for (std::int64_t row = begin; row < end; ++row) count += isCounted(row);
  return count;
}

// The counted rows of a user that are before `key`, from the last one back; then oldest first.
std::int64_t UserHistory::append(std::int32_t user, std::int64_t key, std::int64_t oldest,
                                 std::int64_t length, std::vector<std::int32_t>& items) const {
  if (user <= 0 || user >= events_.userCount) return 0;
  const std::int64_t first = first_[static_cast<std::size_t>(user)];
  const std::size_t begin = items.size();
  std::int64_t count = 0;
  for (std::int64_t at = firstFrom(user, key); at-- > first && count < length;) {
    if (keyAt(at) < oldest) break;
    if (!indexed_ && !isCounted(at)) continue;
    items.push_back(indexed_ ? items_[static_cast<std::size_t>(at)]
                             : events_.items[static_cast<std::size_t>(at)]);
    ++count;
  }
  std::reverse(items.begin() + static_cast<std::ptrdiff_t>(begin), items.end());
  return count;
}

std::int64_t UserHistory::appendBefore(std::int64_t row, const HistoryWindow& window,
                                       std::vector<std::int32_t>& items) const {
  return append(events_.users[static_cast<std::size_t>(row)], keyOf(row),
                oldestOf(keyOf(row), window), window.length, items);
}

std::int64_t UserHistory::oldestOf(std::int64_t key, const HistoryWindow& window) const {
  // Far in the past there is no smaller key.
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  if (!window.withinSeconds) return kFirst;
  const std::int64_t within = events_.ticks(*window.withinSeconds);
  return key > kFirst + within ? key - within : kFirst;
}

std::int64_t UserHistory::appendLast(std::int32_t user, const HistoryWindow& window,
                                     std::vector<std::int32_t>& items) const {
  if (counted_ == 0) return 0;
  // The last row itself is within its time.
  constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max();
  return append(user, lastKey_ == kLatest ? kLatest : lastKey_ + 1, oldestOf(lastKey_, window),
                window.length, items);
}

std::uint64_t UserHistory::bytes() const {
  return memory_.size() * sizeof(std::int64_t) + first_.size() * sizeof(std::int64_t) +
         bits_.size() * sizeof(std::uint64_t);
}

}  // namespace parapet::data
