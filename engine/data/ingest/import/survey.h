// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/dataset/row_generator.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Counts over the cells of a column in many rows.
struct ColumnSurvey {
  std::string name;                ///< of the source
  std::int64_t missing = 0;        ///< empty cells and NaN
  std::int64_t distinct = 0;       ///< different cells, counted up to SourceSurvey::kMaxDistinct
  double least = 0.0, most = 0.0;  ///< of numbers
  std::vector<double> values;  ///< the different numbers, ascending; none if more than kMaxValues
  bool followsUser = true;     ///< every row of a user has the same cell
  bool followsItem = true;     ///< every row of an item has the same cell
  std::array<std::int64_t, 4> parts{};  ///< texts: cells that name each experiment::SplitPart

  static constexpr std::size_t kMaxValues = 21;  ///< of a scale: more are amounts, not grades
};

/// Counts over the rows of a source: how many there are of each user, what comes again.
struct SourceSurvey {
  static constexpr std::int64_t kMaxDistinct = 100'000;

  std::int64_t rows = 0;      ///< rows with both ids
  std::int64_t rejected = 0;  ///< lines that cannot be read
  /// Rows without the id of a user, without that of an item, and without one of them.
  std::int64_t missingUsers = 0, missingItems = 0, incomplete = 0;
  std::int64_t rowsExpected = 0;  ///< of the whole source; an estimate unless `complete`
  bool complete = false;
  std::int64_t users = 0, items = 0;
  std::int64_t repeatedPairs = 0;     ///< rows with the user and item of an earlier one
  std::int64_t medianRowsOfUser = 0;  ///< of the users
  std::int64_t usersWithThree = 0;    ///< users with at least three rows
  std::vector<ColumnSurvey> columns;  ///< as asked for

  [[nodiscard]] double repeatedShare() const {
    return rows == 0 ? 0.0 : static_cast<double>(repeatedPairs) / static_cast<double>(rows);
  }
};

/// Reads rows of a source: the columns of user and item by their names in the source, and `others`.
///
/// Memory   about 40 bytes per row that is read, and 16 per user, item and column.
/// Errors   those of the source; kCancelled.
Result<SourceSurvey> surveySource(const experiment::Dataset& spec, const std::string& user,
                                  const std::string& item, const std::vector<ColumnRequest>& others,
                                  std::int64_t atMostRows, const WorkContext& context,
                                  const GeneratorFactory& makeGenerator);

}  // namespace parapet::data
