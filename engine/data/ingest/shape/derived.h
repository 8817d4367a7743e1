// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/row_block.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Columns that are computed from other columns of a block.
///
///   hour, month                     kInteger: 0 … 23, 1 … 12
///   time_of_day, weekday, weekend   kText, as DerivedKind says
///   buckets                         kText: "< 18", "18 – 25", …, "≥ 65"; a bound belongs to the
///                                   bucket above it
///
/// Thread   immutable; safe to read from many.
class DerivedColumns {
 public:
  /// Columns of `derived` that `wanted` names, computed from blocks with `columns`. Appended to a
  /// block, they stand behind its columns, in the order of layout().
  ///
  /// Errors   InvalidDocument at /dataset/derived/<i>/… for a `from` that is not there, or is no
  ///          number; bounds that do not ascend; a name that a column has already.
  static Result<DerivedColumns> bind(std::span<const experiment::Derived> derived,
                                     std::span<const std::string> wanted,
                                     std::span<const SourceColumn> columns);
  /// Names and types of the derived columns.
  [[nodiscard]] const std::vector<SourceColumn>& layout() const { return layout_; }
  /// Computes them for every row of the block. A missing value gives a missing value, and so does a
  /// number that is no moment (NaN, beyond int64). Texts live as long as this object.
  ///
  /// Errors   InvalidArgument for a block with other columns than those of bind().
  void append(RowBlock& block) const;

 private:
  struct Step {
    experiment::Derived spec;
    std::size_t from = 0;  // column of the block
    ValueType fromType = ValueType::kInteger;
    std::vector<std::string> buckets;  // their texts, one more than bounds
  };
  std::vector<Step> steps_;
  std::vector<SourceColumn> layout_;
  std::size_t columns_ = 0;  // of the blocks
};

}  // namespace parapet::data
