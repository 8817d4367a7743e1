// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/survey.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/hash.h"
#include "engine/data/ingest/import/row_pipeline.h"

namespace parapet::data {
namespace {

constexpr std::uint64_t kMissing = 0x9e3779b97f4a7c15;

/// A cell as one number: equal cells have equal numbers, others hardly ever.
std::uint64_t cellKey(const ColumnValues& values, std::size_t row) {
  if (values.isMissing(row)) return kMissing;
  const auto keyAt = [&values](std::size_t at) {
    if (values.type == ValueType::kInteger) return static_cast<std::uint64_t>(values.integers[at]);
    if (values.type == ValueType::kNumber) return std::bit_cast<std::uint64_t>(values.numbers[at]);
    return hash64(values.texts[at]);
  };
  if (!values.isList()) return keyAt(row);
  std::uint64_t key = 1;
  for (auto at = values.offsets[row]; at < values.offsets[row + 1]; ++at)
    key = key * 0x100000001b3 + keyAt(static_cast<std::size_t>(at));
  return key;
}

/// Ordinals of ids, in the order of their first rows.
class Ordinals {
 public:
  std::uint32_t of(std::uint64_t key) {
    return ordinals_.try_emplace(key, static_cast<std::uint32_t>(ordinals_.size())).first->second;
  }
  [[nodiscard]] std::size_t size() const { return ordinals_.size(); }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> ordinals_;
};

/// Whether a cell is the same in all rows of an id.
class Follower {
 public:
  void add(std::uint32_t ordinal, std::uint64_t key) {
    if (!follows_) return;
    if (ordinal >= first_.size()) first_.resize(ordinal + 1, kUnset);
    std::uint64_t& first = first_[ordinal];
    if (first == kUnset) first = key;
    follows_ = first == key;
  }
  [[nodiscard]] bool follows() const { return follows_; }

 private:
  static constexpr std::uint64_t kUnset = 0x5bd1e9955bd1e995;
  std::vector<std::uint64_t> first_;
  bool follows_ = true;
};

class ColumnCounter {
 public:
  explicit ColumnCounter(std::string name) { survey_.name = std::move(name); }

  void add(const ColumnValues& values, std::size_t row, std::uint32_t user, std::uint32_t item) {
    const std::uint64_t key = cellKey(values, row);
    ofUser_.add(user, key);
    ofItem_.add(item, key);
    if (values.isMissing(row) || isNan(values, row)) {
      ++survey_.missing;
      return;
    }
    if (static_cast<std::int64_t>(seen_.size()) < SourceSurvey::kMaxDistinct) seen_.insert(key);
    if (values.isList()) return;
    if (values.type == ValueType::kText) {
      if (const auto part = experiment::splitPartFromName(trim(values.texts[row])))
        ++survey_.parts[static_cast<std::size_t>(*part)];
      return;
    }
    const double number = values.type == ValueType::kInteger
                              ? static_cast<double>(values.integers[row])
                              : values.numbers[row];
    if (!std::isfinite(number)) return;
    survey_.least = hasNumber_ ? std::min(survey_.least, number) : number;
    survey_.most = hasNumber_ ? std::max(survey_.most, number) : number;
    hasNumber_ = true;
    if (values_.size() <= ColumnSurvey::kMaxValues) values_.insert(number);
  }
  ColumnSurvey take() {
    survey_.distinct = static_cast<std::int64_t>(seen_.size());
    if (values_.size() <= ColumnSurvey::kMaxValues)
      survey_.values.assign(values_.begin(), values_.end());
    survey_.followsUser = ofUser_.follows();
    survey_.followsItem = ofItem_.follows();
    return std::move(survey_);
  }

 private:
  /// Writers without empty cells store NaN instead.
  static bool isNan(const ColumnValues& values, std::size_t row) {
    return !values.isList() && values.type == ValueType::kNumber && std::isnan(values.numbers[row]);
  }

  ColumnSurvey survey_;
  std::unordered_set<std::uint64_t> seen_;
  std::set<double> values_;
  Follower ofUser_, ofItem_;
  bool hasNumber_ = false;
};

/// Counts block by block; columns 0 and 1 are user and item.
class Survey {
 public:
  explicit Survey(const std::vector<ColumnRequest>& others) {
    for (const ColumnRequest& other : others) columns_.emplace_back(other.name);
  }

  void add(const RowBlock& block) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(block.rows); ++row) {
      // An import accepts no empty id of a user or an item.
      const bool hasUser = !block.columns[0].isMissing(row);
      const bool hasItem = !block.columns[1].isMissing(row);
      missingUsers_ += !hasUser;
      missingItems_ += !hasItem;
      incomplete_ += !hasUser || !hasItem;
      if (!hasUser || !hasItem) continue;
      const std::uint32_t user = users_.of(cellKey(block.columns[0], row));
      const std::uint32_t item = items_.of(cellKey(block.columns[1], row));
      if (user == rowsOfUser_.size()) rowsOfUser_.push_back(0);
      ++rowsOfUser_[user];
      repeated_ += !pairs_.insert(std::uint64_t{user} << 32 | item).second;
      ++rows_;
      for (std::size_t c = 0; c < columns_.size(); ++c)
        columns_[c].add(block.columns[c + 2], row, user, item);
    }
    rejected_ += static_cast<std::int64_t>(block.rejected.size());
  }
  [[nodiscard]] std::int64_t rows() const { return rows_; }

  SourceSurvey take() {
    SourceSurvey survey;
    survey.rows = rows_;
    survey.rejected = rejected_;
    survey.missingUsers = missingUsers_;
    survey.missingItems = missingItems_;
    survey.incomplete = incomplete_;
    survey.users = static_cast<std::int64_t>(users_.size());
    survey.items = static_cast<std::int64_t>(items_.size());
    survey.repeatedPairs = repeated_;
    survey.usersWithThree =
        std::ranges::count_if(rowsOfUser_, [](std::int64_t count) { return count >= 3; });
    if (!rowsOfUser_.empty()) {
      const auto middle = rowsOfUser_.begin() + static_cast<std::ptrdiff_t>(rowsOfUser_.size() / 2);
      std::nth_element(rowsOfUser_.begin(), middle, rowsOfUser_.end());
      survey.medianRowsOfUser = *middle;
    }
    for (ColumnCounter& column : columns_) survey.columns.push_back(column.take());
    return survey;
  }

 private:
  Ordinals users_, items_;
  std::vector<std::int64_t> rowsOfUser_;
  std::unordered_set<std::uint64_t> pairs_;
  std::vector<ColumnCounter> columns_;
  std::int64_t rows_ = 0, rejected_ = 0, repeated_ = 0;
  std::int64_t missingUsers_ = 0, missingItems_ = 0, incomplete_ = 0;
};

}  // namespace

Result<SourceSurvey> surveySource(const experiment::Dataset& spec, const std::string& user,
                                  const std::string& item, const std::vector<ColumnRequest>& others,
                                  std::int64_t atMostRows, const WorkContext& context,
                                  const GeneratorFactory& makeGenerator) {
  PARAPET_ASSIGN(const auto source, openSource(spec, makeGenerator));
  std::vector<ColumnRequest> requests{{user, {}, "", ""}, {item, {}, "", ""}};
  requests.insert(requests.end(), others.begin(), others.end());
  PARAPET_TRY(source->select(requests));
  PARAPET_TRY(source->readCatalogues(CatalogueExtent::kStart, context));
  Survey counts(others);
  Source::Piece piece;
  RowBlock block;
  bool complete = false;
  while (counts.rows() < atMostRows) {
    if (context.cancelled()) return importCancelled();
    PARAPET_ASSIGN(const bool more, source->next(piece));
    complete = !more;
    if (!more) break;
    PARAPET_TRY(source->parse(piece, block));
    counts.add(block);
    context.report("looking at rows", source->done(), source->total());
  }
  SourceSurvey survey = counts.take();
  survey.complete = complete || source->done() >= source->total();
  const double share = source->done() == 0 ? 1.0
                                           : static_cast<double>(source->total()) /
                                                 static_cast<double>(source->done());
  survey.rowsExpected =
      survey.complete ? survey.rows : std::llround(share * static_cast<double>(survey.rows));
  return survey;
}

}  // namespace parapet::data
