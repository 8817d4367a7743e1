// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/ingest/shape/derived.h"
#include "engine/data/ingest/shape/filter.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/data/text/piece_vocabulary.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// The effect of an id outside the range of its column.
enum class UnfitIds {
  kRejectLine,  ///< the line of the row is rejected
  kFailImport,  ///< of a direct vocabulary: the document says that ids are rows, and they are not
};

/// Ids that a column may hold, and the words for those that it may not.
struct IdRange {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  UnfitIds unfit = UnfitIds::kRejectLine;
  std::string lastBecause{};  ///< what `last` comes from

  [[nodiscard]] bool holds(std::int64_t id) const { return id >= first && id <= last; }

  /// Why an id outside the range is none; `column` is named.
  [[nodiscard]] std::string reasonAgainst(std::string_view column, std::int64_t id) const;
};

/// Numbers that a label, a weight or a dense feature may hold: those of f32.
struct NumberRules {
  std::optional<std::array<double, 2>> scale{};  ///< [lo, hi]; values outside are rejected
  bool isWeight = false;                         ///< must not be negative

  [[nodiscard]] bool accept(double value) const;
  [[nodiscard]] std::string reasonAgainst(std::string_view column, double value) const;
};

/// A vocabulary of the data set, and which ids its columns may hold.
struct PlannedVocabulary {
  experiment::Vocabulary spec;
  std::string pointer;  ///< "/dataset/vocabularies/0"
  std::string role{};   ///< "user" or "item" if that column uses it, for catalogues; else ""
  ValueType type = ValueType::kInteger;  ///< of the raw ids: kInteger or kText
  IdRange range{};
  bool usesRowZero = false;  ///< row 0 is that of the id 0 (experiment::usesRowZero)
  /// Tokens of texts, whose ids are the rows; null for other columns.
  std::shared_ptr<const PieceVocabulary> pieces{};
};

/// An id column of the data set, and where blocks have it.
struct PlannedColumn {
  experiment::Column spec;
  std::string pointer;                   ///< "/dataset/columns/0"
  std::size_t vocabulary = 0;            ///< index into ImportPlan::vocabularies
  std::size_t values = 0;                ///< column of the block
  std::optional<std::size_t> weights{};  ///< column of the block with the weights of a bag
  bool isBag = false;
  std::string describes{};  ///< "user" or "item" if a catalogue knows it of their ids, else ""
  [[nodiscard]] bool isRequired() const {
    return spec.role == experiment::ColumnRole::kUser || spec.role == experiment::ColumnRole::kItem;
  }
};

/// A dense (numeric) feature of the data set, and where blocks have it.
struct PlannedNumber {
  std::string name;
  std::string pointer;      ///< "/dataset/columns/3"
  std::size_t values = 0;   ///< column of the block
  std::string describes{};  ///< as that of PlannedColumn
  experiment::MissingNumbers missing = experiment::MissingNumbers::kReject;
};

/// The plan by which an import treats the blocks of a source: which columns it reads, which rows
/// stay, what the columns become.
struct ImportPlan {
  std::vector<PlannedVocabulary> vocabularies;
  std::vector<PlannedColumn> ids;                        ///< user first, item second; or tokens
  std::vector<PlannedNumber> denseColumns;               ///< in the order of the document
  std::optional<std::size_t> time, label, weight, part;  ///< columns of the block
  std::string labelName, weightName, timePointer, partName;
  bool timeIsRead = false;  ///< from cells that are not seconds (dataset.times)
  bool hasLabels = true;    ///< without a column of labels all are 1; texts have none
  bool hasParts =
      false;  ///< rows say to which part of the split they belong: by a column, or a file
  std::optional<std::array<double, 2>> scale;
  std::optional<Filter> filter;
  DerivedColumns derived;
};

/// Fits the document to the source and tells the source which columns are wanted.
///
/// Errors   InvalidDocument with the pointer of the setting that does not fit: a column that is not
///          there (with what is), no user or item, a vocabulary that is missing or unused, a
///          direct vocabulary of text ids, a filter or derived column that cannot be computed.
Result<ImportPlan> planImport(const experiment::Dataset& spec, Source& source);

/// Fills in the ranges of the vocabularies, which may depend on the source's catalogues.
///
/// Errors   InvalidDocument at a size that needs a catalogue that the source has not.
Status planRanges(ImportPlan& plan, const Source& source);

}  // namespace parapet::data
