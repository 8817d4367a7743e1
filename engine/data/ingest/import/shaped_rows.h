// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/manifest.h"
#include "engine/data/ingest/import/import_plan.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// An id that its direct vocabulary has no row for.
struct UnfitId {
  std::int64_t line = 0;       ///< counted as in RejectedRow
  std::size_t vocabulary = 0;  ///< index into ImportPlan::vocabularies
  std::string reason;          ///< what was found, what is accepted
  std::string excerpt;         ///< printable start of the line
};

/// A row whose part of the split is none.
struct WrongPart {
  std::int64_t line = 0;  ///< counted as in RejectedRow
  std::string found;      ///< printable
  std::string excerpt;    ///< printable start of the line
};

/// The rows of one piece of a source that become rows of the data set, column by column.
struct ShapedRows {
  /// The ids of one column; integers or texts, by the type of the vocabulary.
  struct Ids {
    std::vector<std::int64_t> integers;
    std::vector<std::string_view> texts;
    std::vector<std::uint64_t> hashes;  ///< of the texts
    std::vector<std::uint8_t> missing;  ///< empty: none
    std::vector<std::int32_t> offsets;  ///< bags, [rows + 1]
    std::vector<float> weights;         ///< bags with weights, one per id
  };

  std::int64_t rows = 0;
  std::vector<Ids> ids;                    ///< as ImportPlan::ids
  std::vector<std::vector<float>> dense;   ///< as ImportPlan::denseColumns
  std::vector<float> labels;               ///< scaled
  std::vector<float> weights;              ///< empty: all 1
  std::vector<std::int64_t> times;         ///< empty: unknown
  std::vector<std::int32_t> microseconds;  ///< beyond them; empty: all 0
  std::vector<std::uint8_t> parts;         ///< experiment::SplitPart; empty: the rows do not say

  Source::Piece piece;
  RowBlock block;                      ///< what the rows were shaped from; keeps texts alive
  std::vector<std::uint8_t> keep;      ///< of each row of the block
  std::int64_t filteredOut = 0;        ///< rows that the filter left out
  std::optional<UnfitId> unfit;        ///< the first one of the piece; ends the import
  std::optional<WrongPart> wrongPart;  ///< the first row without a part; ends the import
};

/// Turns pieces into rows: parse, derived columns, filter, rules, scaling. A row that breaks a rule
/// becomes a rejected line of the block; an id that a direct vocabulary cannot hold is told as
/// unfit.
///
/// Thread   pure but for its output; any number of threads.
class RowShaper {
 public:
  RowShaper(const Source& source, const ImportPlan& plan) : source_(source), plan_(plan) {}

  /// Replaces `rows` by those of `rows.piece` whose position in the piece is in [first, last).
  Status shape(ShapedRows& rows, std::int64_t first, std::int64_t last) const;

 private:
  void checkRows(ShapedRows& rows) const;
  void checkIds(const PlannedColumn& column, ShapedRows& rows) const;
  void checkTextIds(const PlannedColumn& column, ShapedRows& rows) const;
  void checkBagWeights(const PlannedColumn& column, ShapedRows& rows) const;
  static void keepInside(ShapedRows& rows, std::int64_t first, std::int64_t last);
  void checkNumbers(const PlannedNumber& column, const NumberRules& rules, ShapedRows& rows) const;
  void checkTimes(ShapedRows& rows) const;
  void takeIds(const PlannedColumn& column, ShapedRows& rows, ShapedRows::Ids& ids) const;
  void takeNumbers(ShapedRows& rows) const;
  void takeParts(ShapedRows& rows) const;

  const Source& source_;
  const ImportPlan& plan_;
};

/// "3 sequences were truncated to 128 pieces".
std::string truncationWarning(std::int64_t sequences, const experiment::Dataset& spec);

/// Counts the rows of a data set of texts that stay, while they are read.
class TextRows {
 public:
  void add(const ShapedRows& rows);

  /// Warns of sequences that were truncated, and where the file of the validation lines has given
  /// no row. `manifest` has the lines of all files.
  ///
  /// Errors   Data with its path where the file of the training lines has given no row.
  Status check(const experiment::Dataset& spec, Manifest& manifest) const;

 private:
  std::int64_t truncated_ = 0;
  std::array<std::int64_t, 256> rowsOf_{};  // of each part, as ShapedRows has it
};

}  // namespace parapet::data
