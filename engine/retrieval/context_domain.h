// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/row_set.h"
#include "engine/retrieval/query_encoder.h"

namespace parapet::retrieval {

/// A value that rows have of a context.
struct ContextOption {
  std::string value, title;  ///< raw id or number; title of the catalogue, may be empty
  std::int64_t rows = 0;     ///< training rows that have it
};

/// The values of a context.
struct ContextDomain {
  std::string name;
  bool isNumeric = false;
  /// An id column has at most `limit`, those of most training rows first, ties by row; words of an
  /// order (times of day, weekdays) stand in that order. A numeric column has none.
  std::vector<ContextOption> values;
  std::int64_t distinct = 0;  ///< values of an id column, those beyond the limit included
  /// Least and greatest value of a numeric column, or of ids that are integers without a gap; of
  /// words of an order the positions of the first and the last one in `values`.
  double min = 0.0, max = 0.0;
  /// Between neighbours on a scale: 1 where all values are integers; 0: any number.
  double step = 0.0;
  /// Numbers, ids that are at least six integers without a gap, such as hours, or words of an
  /// order: what a scale can show.
  bool isScale = false;
};

/// The values of a context of the data set; one pass over the rows of its column.
ContextDomain contextDomain(const data::Dataset& dataset, const ContextColumn& column,
                            const data::RowSet& training, std::size_t limit);

}  // namespace parapet::retrieval
