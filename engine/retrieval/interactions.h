// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/split/split.h"
#include "engine/experiment/document.h"

namespace parapet::retrieval {

/// A value that is made when it is first asked for. Making that throws leaves it unmade, for the next
/// who asks: std::call_once promises that too, but hangs then under ThreadSanitizer and where
/// pthread_once is not unwound.
///
/// Thread   any; others wait while it is made.
template <class Value>
class MadeOnce {
 public:
  template <class Make>
  const Value& get(const Make& make) const {
    const std::lock_guard lock(mutex_);
    if (!value_) value_.emplace(make());
    return *value_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::optional<Value> value_;
};

/// The items of a user that are left out of the answer.
enum class SeenItems {
  kKeep,          ///< nothing is left out
  kExcludeTrain,  ///< items of the user's training rows
  kExcludeAll,    ///< items of every imported row of the user
};

/// Items of each user, by part of the split: lists of items (data::ItemIndex) per user row, in CSR
/// form. Item 0, an id out of vocabulary, may be among them.
/// Everything is computed on first use, in passes that release the memory of the columns as they
/// go.
///
/// Memory   one bit per row and part; a list has 4 bytes per distinct (user, item) and 8 per user.
/// Thread   any; the first caller that needs a list computes it while others wait.
class Interactions {
 public:
  /// Once `stop` fires, what is not known yet is not found any more: data::PassStopped is thrown.
  Interactions(const data::Dataset& dataset, const std::string& userColumn,
               const std::string& itemColumn, const data::Split& split, std::stop_token stop = {});
  /// Items of the same columns under another split.
  Interactions(const Interactions& of, const data::Split& split, std::stop_token stop);

  /// Ascending distinct items of the user's rows in a part.
  [[nodiscard]] std::span<const std::int32_t> items(experiment::SplitPart part,
                                                    std::int32_t user) const;
  /// Ascending distinct items of all imported rows of the user.
  [[nodiscard]] std::span<const std::int32_t> allItems(std::int32_t user) const;
  /// Items of the user that are left out of its lists, ascending.
  [[nodiscard]] std::span<const std::int32_t> seen(SeenItems which, std::int32_t user) const;
  /// Rows of the data set that belong to the user, in data order; searched for in every call.
  [[nodiscard]] std::vector<std::int64_t> rows(std::int32_t user) const;
  /// The part of a row; of one that is in several, the last of train, validation, test.
  [[nodiscard]] experiment::SplitPart partOf(std::int64_t row) const;
  /// The items of the item column.
  [[nodiscard]] const data::ItemIndex& index() const { return index_; }
  /// The item of a row of the data set.
  [[nodiscard]] std::int32_t item(std::int64_t row) const {
    return index_.ofEntry(events_.itemEntries[static_cast<std::size_t>(row)]);
  }
  /// The rows of train, validation or test.
  [[nodiscard]] const data::RowSet& partRows(experiment::SplitPart part) const {
    return parts_[static_cast<std::size_t>(part)];
  }
  /// Training rows of each item.
  [[nodiscard]] std::span<const std::int64_t> popularity() const { return counts().ofItem; }
  /// Training rows of each user.
  [[nodiscard]] std::int64_t activity(std::int32_t user) const {
    return counts().ofUser[static_cast<std::size_t>(user)];
  }
  [[nodiscard]] std::int32_t users() const { return static_cast<std::int32_t>(events_.userCount); }

  /// Ascending distinct items of the user's rows in `part` whose label is at least `from` (raw).
  [[nodiscard]] std::span<const std::int32_t> relevant(experiment::SplitPart part,
                                                       std::int32_t user,
                                                       std::optional<double> from) const;

 private:
  struct Lists {
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> values;
    [[nodiscard]] std::span<const std::int32_t> of(std::int32_t user) const;
  };
  struct Counts {
    std::vector<std::int64_t> ofItem;
    std::vector<std::uint32_t> ofUser;
  };
  /// The rows that are listed: those of a part (none: all) with a label of at least `from`.
  using Wanted = std::pair<std::optional<experiment::SplitPart>, std::optional<double>>;
  using Bits = std::vector<std::uint64_t>;

  [[nodiscard]] const Lists& lists(const Wanted& wanted) const;
  [[nodiscard]] Lists collect(const Wanted& wanted) const;
  [[nodiscard]] const Counts& counts() const;
  [[nodiscard]] const Bits& bits(experiment::SplitPart part) const;

  const data::Dataset& dataset_;
  const data::ItemIndex& index_;
  data::EventColumns events_;
  data::RowSet parts_[3];  ///< train, validation, test
  MadeOnce<Bits> bits_[3];
  MadeOnce<Counts> counts_;
  mutable std::mutex mutex_;  ///< guards the map; lists never move
  mutable std::map<Wanted, std::unique_ptr<const Lists>> lists_;
};

}  // namespace parapet::retrieval
