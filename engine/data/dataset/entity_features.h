// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/row_set.h"

namespace parapet::data {

/// Where the columns of a data set describe a user or an item alone: for every row of its
/// vocabulary the last training row that it occurs in. So the features of an item (its genres, its
/// age) are found without an interaction.
///
/// "Last" is by time if the data set has times, the later row of equal ones, else by position.
///
/// Time     O(rows).
/// Memory   8 bytes per row of the vocabulary, twice that while it is made from times.
/// Thread   safe to read from many.
class EntityFeatures {
 public:
  static constexpr std::int64_t kNone = -1;

  EntityFeatures() = default;
  /// `key` is an id column of one id a row, that of the user or the item.
  ///
  /// Errors   InvalidArgument for an unknown column or one of bags, or a row that the data set has
  ///          not.
  EntityFeatures(const Dataset& dataset, std::string_view key, const RowSet& trainingRows);

  /// The row of the data set that describes an entity, kNone if no training row has it. Row 0 of
  /// the vocabulary is out-of-vocabulary, and has none. `entity` in [0, size).
  [[nodiscard]] std::int64_t rowOf(std::int64_t entity) const {
    return rows_[static_cast<std::size_t>(entity)];
  }
  /// rowOf() of every entity, [rows of the vocabulary].
  [[nodiscard]] std::span<const std::int64_t> rows() const { return rows_; }

 private:
  std::vector<std::int64_t> rows_;
};

}  // namespace parapet::data
