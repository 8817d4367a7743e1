// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/row_block.h"
#include "engine/data/ingest/sources/source.h"

namespace parapet::data {

/// A condition on the rows that stay: comparisons of columns with constants, joined by and, or, not.
///
///   event_type in ("like", "undislike") or (event_type = "listen" and played_ratio_pct >= 50)
///
/// A comparison with a missing value is neither true nor false, as in SQL; a row stays if the
/// whole is true. `is missing` and `is not missing` ask for it.
///
/// Thread   immutable; safe to read from many.
class Filter {
 public:
  /// Errors   InvalidDocument at /dataset/filter; the message has the expression, a line with a
  ///          caret under the position, what was found there and what is accepted.
  static Result<Filter> parse(std::string_view expression);
  /// Names of the columns that it reads, each once, in the order of their first use.
  [[nodiscard]] const std::vector<std::string>& columns() const;
  /// Fits it to blocks with these columns (name and type, in the blocks' order).
  ///
  /// Errors   InvalidDocument with a caret for a name that is not there (did you mean), a list
  ///          column, or a comparison of texts with numbers.
  Status bind(std::span<const SourceColumn> columns);
  /// keep[i] = 1 if row i stays, [block.rows]. After bind().
  void select(const RowBlock& block, std::vector<std::uint8_t>& keep) const;
  /// Bounds that every row that stays satisfies, column by column.
  [[nodiscard]] std::vector<ColumnBound> bounds() const;

 private:
  struct State;
  explicit Filter(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

}  // namespace parapet::data
