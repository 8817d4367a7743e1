// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/scratch_memory.h"
#include "engine/data/dataset/event_columns.h"
#include "engine/data/dataset/row_set.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// How much of what came before is looked at; see experiment::History.
struct HistoryWindow {
  std::int64_t length = 20;
  std::optional<std::int64_t> withinSeconds{};
};

/// Where an index is kept.
struct HistoryStorage {
  std::filesystem::path folder{};  ///< of scratch files; empty: none, all stays in memory
  std::uint64_t maxMemoryBytes = std::uint64_t{256} << 20;  ///< a larger index is in a file
};

/// The histories of the users of a data set: for every row the items of earlier rows of its user.
///
///   before(r) = items of the counted rows q of user(r) with key(q) < key(r),
///               and key(q) ≥ key(r) − withinSeconds if that is given,
///               by ascending (key, row); of these the last `length`
///
/// key: the time of a row, as exact as the data have it, or with kData the row itself. Rows of one
/// time are not before each other: their order is not known, and a row that the data have twice must
/// not tell its own item.
/// User 0 stands for all users out of the vocabulary, and has no history.
///
/// The counted rows lie user by user in the order of their keys: where the data are in that order
/// already, in the data themselves, else in an index of 12 bytes a counted row. A large one is in a
/// file without a name, so that memory does not bound the data; without room on the disk it stays
/// in memory, and that is logged.
///
/// Time     O(rows·log(rows of a user)) to build; O(log(rows of the user) + length) a history, and
///          where the data themselves are the index also the rows between that do not count.
/// Thread   const, so any number of threads.
class UserHistory {
 public:
  /// `counted`: the rows that histories are made of; nullopt: all. `events` must outlive it, and
  /// have times for kTime (InvalidArgument).
  UserHistory(const EventColumns& events, const std::optional<RowSet>& counted,
              experiment::EventOrder order, const HistoryStorage& storage = {});
  UserHistory(const UserHistory&) = delete;
  UserHistory& operator=(const UserHistory&) = delete;

  /// Appends before(row), oldest first; returns how many items these are.
  std::int64_t appendBefore(std::int64_t row, const HistoryWindow& window,
                            std::vector<std::int32_t>& items) const;
  /// Appends what a user has at the end of the data: a row after the last counted one would have it
  /// before it, within the tick of that row.
  std::int64_t appendLast(std::int32_t user, const HistoryWindow& window,
                          std::vector<std::int32_t>& items) const;
  /// Counted rows that are before `to` and not before `from`, a row of the same user.
  [[nodiscard]] std::int64_t rowsBetween(std::int64_t from, std::int64_t to) const;
  /// Counted rows that share their key with another counted row of their user.
  [[nodiscard]] std::int64_t ties() const { return ties_; }
  [[nodiscard]] std::int64_t countedRows() const { return counted_; }
  /// Bytes of memory; a scratch file does not count.
  [[nodiscard]] std::uint64_t bytes() const;
  /// See ScratchMemory::intact.
  [[nodiscard]] Status intact() const { return scratch_.intact(); }

 private:
  [[nodiscard]] std::int64_t keyOf(std::int64_t row) const {
    return byTime_ ? events_.tickOf(row) : row;
  }
  [[nodiscard]] bool isCounted(std::int64_t row) const {
    return bits_.empty() || hasRow(bits_, row);
  }
  /// Whether users ascend and the keys of each, as in the order of the index.
  [[nodiscard]] bool isInOrder() const;
  void findUsers();
  void buildIndex(const HistoryStorage& storage);
  void takeStorage(const HistoryStorage& storage);
  [[nodiscard]] std::int64_t keyAt(std::int64_t at) const {
    return indexed_ ? keys_[static_cast<std::size_t>(at)] : keyOf(at);
  }
  // The first entry of a user that is not before the key.
  [[nodiscard]] std::int64_t firstFrom(std::int32_t user, std::int64_t key) const;
  // The last `length` items of the user with `oldest` ≤ key < `key`.
  std::int64_t append(std::int32_t user, std::int64_t key, std::int64_t oldest, std::int64_t length,
                      std::vector<std::int32_t>& items) const;
  // The smallest key that is within the window before `key`.
  [[nodiscard]] std::int64_t oldestOf(std::int64_t key, const HistoryWindow& window) const;

  EventColumns events_;
  bool byTime_;
  RowBits bits_;  ///< counted rows; empty: all
  std::int64_t counted_ = 0, ties_ = 0;
  std::int64_t lastKey_ = 0;         ///< the largest of a counted row
  std::vector<std::int64_t> first_;  ///< by user, and the end: into the index, or rows
  bool indexed_ = false;
  ScratchMemory scratch_;             ///< the index, in a scratch file
  std::vector<std::int64_t> memory_;  ///< the index, in memory
  std::span<std::int64_t> keys_;      ///< of counted rows by (user, key, row)
  std::span<std::int32_t> items_;
};

/// Histories as a column of batches.
struct HistoryColumn {
  std::shared_ptr<const UserHistory> history{};
  HistoryWindow window{};
  /// Rows come as lists of windows: the first row of each has the history of its last one, the
  /// others none.
  bool isShared = false;
};

}  // namespace parapet::data
