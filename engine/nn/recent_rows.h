// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace parapet::nn {

/// Which rows of a table lie in the slots of a cache: those that were used last.
///
/// A step uses rows one by one. A row that is not in the cache takes the slot of the row that was
/// used longest ago, never of one that the current step has used.
class RecentRows {
 public:
  static constexpr std::int32_t kNone = -1;

  RecentRows(std::int64_t rows, std::int64_t places);

  [[nodiscard]] std::int64_t places() const { return static_cast<std::int64_t>(rows_.size()); }
  /// Slot of a row; kNone if it is not in the cache.
  [[nodiscard]] std::int32_t find(std::int32_t row) const {
    return places_[static_cast<std::size_t>(row)];
  }
  /// Row in a slot; kNone if the slot is empty.
  [[nodiscard]] std::int32_t rowIn(std::int32_t place) const {
    return rows_[static_cast<std::size_t>(place)];
  }

  void beginStep() { ++step_; }
  /// Marks the slot as used last; true if this is its first use in the step.
  bool use(std::int32_t place);
  struct Taken {
    std::int32_t place = kNone, left = kNone;  ///< and the row that lay there
  };
  /// Takes a slot for a row that is not in the cache, and uses it.
  ///
  /// Errors   InvalidArgument if the rows of this step take every slot.
  Taken take(std::int32_t row);
  void clear();
  [[nodiscard]] static std::int64_t bytesFor(std::int64_t rows, std::int64_t places);

 private:
  void unlink(std::int32_t place);
  void putFirst(std::int32_t place);

  std::vector<std::int32_t> places_;  ///< by row
  std::vector<std::int32_t> rows_;    ///< by slot
  // A list of slots, from the one used last to the one used longest ago.
  std::vector<std::int32_t> before_, after_;
  std::vector<std::int64_t> usedIn_;  ///< step
  std::int32_t first_ = kNone, last_ = kNone;
  std::int64_t step_ = 0;
};

}  // namespace parapet::nn
