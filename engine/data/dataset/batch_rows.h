// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/event_columns.h"
#include "engine/data/dataset/row_order.h"
#include "engine/data/dataset/row_set.h"
#include "engine/data/dataset/user_groups.h"
#include "engine/experiment/document.h"
#include "engine/experiment/query_context.h"

namespace parapet::data {

/// Epochs after the first that are made of the first batches of the first epoch alone.
struct FixedBatches {
  std::optional<std::int64_t> batches{};  ///< null: every epoch has its own batches

  [[nodiscard]] bool isFixed(std::int64_t epoch) const { return batches && epoch > 1; }
  /// The epoch whose order an epoch has.
  [[nodiscard]] std::int64_t orderOf(std::int64_t epoch) const {
    return isFixed(epoch) ? 1 : epoch;
  }
  /// Batches of an epoch whose order has so many.
  [[nodiscard]] std::int64_t countOf(std::int64_t epoch, std::int64_t ofOrder) const {
    return isFixed(epoch) ? std::min(*batches, ofOrder) : ofOrder;
  }
};

/// Chooses the rows of the batches of an epoch. Epochs count from 1.
///
/// Thread   one caller at a time.
class BatchRows {
 public:
  struct Rows {
    std::span<const std::int64_t> rows;
    std::span<const std::int32_t> lists{};  ///< as Batch::lists
  };

  virtual ~BatchRows() = default;
  [[nodiscard]] virtual std::int64_t batches(std::int64_t epoch) = 0;
  /// The rows of a batch, until the next call. Cheap for the batch that follows the last one.
  [[nodiscard]] virtual Rows of(std::int64_t epoch, std::int64_t batch) = 0;
  /// Makes a part of what comes behind the batch that was asked for last, or of the first epoch.
  /// False if there is nothing to do.
  virtual bool prepareAhead() { return false; }
};

/// Rows as lists of one user each, and batches of whole lists, a pure function of (seed, epoch).
///
/// The rows of a user, in an order shuffled by epoch, are cut into lists of `groupSize` rows, the
/// last of which may be shorter. The lists are put in an order shuffled by epoch. Batches take
/// lists as long as they fit: a batch is closed by the first list that does not, which begins the
/// next one. So the number of batches differs from epoch to epoch. `kOnce` is the order of epoch 0
/// in every epoch; `kNone` shuffles nothing: users ascend, and their rows.
///
/// With windows the rows of a user stay in order, and a list is for one sequence: at most `stride`
/// rows, such that the last item before each of them is among the last `length` items before the
/// last of them. Lists are cut from the newest row on, so that the oldest one is the short one. A
/// row with nothing before it is in no list, and a user outside of the vocabulary has none. A batch
/// has as many lists as fit if all are full.
///
/// Memory   8 bytes a row and 8 a list; ListRows has as much again.
/// Thread   const, so any number of threads.
class ListOrder {
 public:
  struct Options {
    experiment::BatchOrder order = experiment::BatchOrder::kOnce;
    std::uint64_t seed = 0;
    std::int64_t groupSize = 2;  ///< without windows
    std::int64_t batchRows = 2;  ///< at most, and at least the rows of a list
    std::optional<experiment::SequenceWindows> windows{};
    [[nodiscard]] std::int64_t listRows() const { return windows ? windows->stride : groupSize; }
    /// The last batch is left out if it has fewer rows; others that have fewer are no remainders.
    bool dropRemainder = false;
  };
  /// InvalidArgument if a list does not fit a batch, a row is outside of the data, or windows go by
  /// times that the data have not.
  ListOrder(const EventColumns& events, const RowSet& rows, const Options& options);

  /// The lists of an epoch.
  struct Epoch {
    std::vector<std::int64_t> lists;  ///< indices of the lists, in their order
    std::vector<std::int64_t>
        firstLists;  ///< [batches + 1]: batch b has lists from its entry to the next
  };

  /// Rows of all lists, user after user.
  [[nodiscard]] std::span<const std::int64_t> rows() const { return rows_; }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(rows_.size()); }
  [[nodiscard]] std::int64_t lists() const {
    return static_cast<std::int64_t>(firstRows_.size()) - 1;
  }
  [[nodiscard]] std::int64_t batches(std::int64_t epoch) const;
  /// The epoch whose shuffle an epoch has; epochs with the same one are alike.
  [[nodiscard]] std::int64_t shuffleOf(std::int64_t epoch) const;

 private:
  friend class ListRows;
  [[nodiscard]] std::int64_t lengthOf(std::int64_t list) const {
    return firstRows_[static_cast<std::size_t>(list) + 1] -
           firstRows_[static_cast<std::size_t>(list)];
  }
  void cutGroups(const UserGroups& users);
  void cutWindows(const UserGroups& users, const EventColumns& events);
  void layOut(std::int64_t epoch, Epoch& out) const;
  /// Puts the rows of every user, which begin in any order, into that of the epoch.
  void orderRows(std::int64_t epoch, std::vector<std::int64_t>& rows) const;

  Options options_;
  std::vector<std::int64_t> rows_;        // user after user, ascending
  std::vector<std::int64_t> firstRows_;   // of each list in rows_, and the end
  std::vector<std::int64_t> firstLists_;  // of each user that has rows, and the end
};

/// The batches of a ListOrder. An epoch begins with a pass over all rows if its order differs.
class ListRows final : public BatchRows {
 public:
  /// `order` must outlive it.
  ListRows(const ListOrder& order, FixedBatches fixedBatches);

  [[nodiscard]] std::int64_t batches(std::int64_t epoch) override;
  [[nodiscard]] Rows of(std::int64_t epoch, std::int64_t batch) override;

 private:
  void start(std::int64_t epoch);

  const ListOrder& order_;
  FixedBatches fixedBatches_;
  std::int64_t shuffle_ = -1;  // the one that layout_ and rows_ have
  ListOrder::Epoch layout_;
  std::vector<std::int64_t> rows_;  // as order_.rows_, each user's in the order of the epoch
  std::vector<std::int64_t> batch_;
  std::vector<std::int32_t> offsets_;
};

/// Batches of rows that stand alone: equal ranges of a RowOrder, read a window at a time. The
/// window behind the current one is made ahead.
///
/// When all batches of a window are made, the pages of the columns that it was read from are given
/// back (see Dataset::release), so a set may be larger than memory.
class WindowRows final : public BatchRows {
 public:
  struct Options {
    std::int64_t batchRows = 1;
    std::int64_t batches = 1;  ///< of an epoch with batches of its own; the last may be short
    FixedBatches fixedBatches{};
  };
  /// `dataset` and `order` must outlive it.
  WindowRows(const Dataset& dataset, const RowOrder& order, Options options);

  [[nodiscard]] std::int64_t batches(std::int64_t epoch) override;
  [[nodiscard]] Rows of(std::int64_t epoch, std::int64_t batch) override;
  bool prepareAhead() override;

 private:
  [[nodiscard]] RowWindow::Ahead ahead() const;
  void changeWindow(std::int64_t orderEpoch, std::int64_t position);

  const Dataset& dataset_;
  const RowOrder& order_;
  const Options options_;
  RowWindow windows_[2];
  int current_ = 0;          // of windows_; the other one is made ahead
  std::int64_t epoch_ = -1;  // of the batch asked for last
};

}  // namespace parapet::data
