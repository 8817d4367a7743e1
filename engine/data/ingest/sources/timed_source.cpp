// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/source_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/record/problem.h"
#include "engine/base/text.h"
#include "engine/data/ingest/shape/time_text.h"
#include "engine/data/ingest/sources/catalogue_file.h"

namespace parapet::data {
namespace {

using experiment::TimeColumn;
using experiment::TimeUnit;

constexpr std::int64_t kMicroseconds = 1'000'000;  // of a second

/// 0 for a text.
std::int64_t unitsPerSecond(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kSeconds:
      return 1;
    case TimeUnit::kMilliseconds:
      return 1'000;
    case TimeUnit::kMicroseconds:
      return 1'000'000;
    case TimeUnit::kNanoseconds:
      return 1'000'000'000;
    case TimeUnit::kText:
    case TimeUnit::kDayFirst:
    case TimeUnit::kMonthFirst:
      return 0;
  }
  throw InternalError("[unitsPerSecond] not a unit");
}

bool isText(TimeUnit unit) {
  return unitsPerSecond(unit) == 0;
}

DateOrder orderOf(TimeUnit unit) {
  return unit == TimeUnit::kDayFirst     ? DateOrder::kDayFirst
         : unit == TimeUnit::kMonthFirst ? DateOrder::kMonthFirst
                                         : DateOrder::kUnknown;
}

// Keeps a time's part of a second, for which there is room from the first one that is not 0.
void setMicroseconds(ColumnValues& cells, std::size_t row, std::int64_t microseconds) {
  if (microseconds == 0 && cells.microseconds.empty()) return;
  cells.microseconds.resize(cells.integers.size());
  cells.microseconds[row] = static_cast<std::int32_t>(microseconds);
}

// The cells become the moments that `momentOf` a row gives; one without is missing.
template <class MomentOf>
void toSeconds(ColumnValues& cells, std::size_t rows, const MomentOf& momentOf) {
  cells.integers.assign(rows, 0);
  if (cells.missing.empty()) cells.missing.assign(rows, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    if (cells.missing[row] != 0) continue;
    const std::optional<Moment> moment = momentOf(row);
    cells.missing[row] = moment ? 0 : 1;
    if (!moment) continue;
    cells.integers[row] = moment->seconds;
    setMicroseconds(cells, row, moment->microseconds);
  }
  if (std::ranges::find(cells.missing, 1) == cells.missing.end()) cells.missing.clear();
  cells.texts.clear();
  cells.numbers.clear();
  cells.type = ValueType::kInteger;
}

// A count with a fraction, cut off below a microsecond up to what a double rounds.
std::optional<Moment> momentOfCount(double count, double unitsPerSecond) {
  constexpr double kMaxSeconds = 9.2e18;
  const double time = count / unitsPerSecond;
  if (!(std::abs(time) < kMaxSeconds)) return std::nullopt;
  const double second = std::floor(time);
  const auto microseconds = std::llround((time - second) * static_cast<double>(kMicroseconds));
  return Moment{static_cast<std::int64_t>(second) + microseconds / kMicroseconds,
                static_cast<std::int32_t>(microseconds % kMicroseconds)};
}

void countToSeconds(ColumnValues& cells, std::int64_t unitsPerSecond) {
  for (std::size_t row = 0; row < cells.integers.size(); ++row) {
    std::int64_t& cell = cells.integers[row];
    // Rounded down, so that times before 1970 are cut off towards the past, too.
    std::int64_t rest = cell % unitsPerSecond;
    cell = cell / unitsPerSecond - (rest < 0 ? 1 : 0);
    if (rest < 0) rest += unitsPerSecond;
    setMicroseconds(cells, row,
                    unitsPerSecond > kMicroseconds ? rest / (unitsPerSecond / kMicroseconds)
                                                   : rest * (kMicroseconds / unitsPerSecond));
  }
}

/// A block column of the source below that is turned into seconds.
struct TimedColumn {
  std::size_t blockColumn;
  TimeUnit unit;
  bool hasFractions;  ///< of counts: the cells are numbers
  ValueType wanted;   ///< of seconds, whole or as numbers

  void apply(RowBlock& block) const {
    ColumnValues& cells = block.columns[blockColumn];
    cells.microseconds.clear();
    const std::int64_t perSecond = unitsPerSecond(unit);
    if (isText(unit))
      toSeconds(cells, cells.texts.size(), [&cells, order = orderOf(unit)](std::size_t row) {
        return parseTimeText(cells.texts[row], order);
      });
    else if (hasFractions)
      toSeconds(cells, cells.numbers.size(), [&cells, perSecond](std::size_t row) {
        return momentOfCount(cells.numbers[row], static_cast<double>(perSecond));
      });
    else
      countToSeconds(cells, perSecond);
    if (wanted != ValueType::kNumber) return;
    cells.numbers.assign(cells.integers.begin(), cells.integers.end());
    cells.integers.clear();
    cells.type = ValueType::kNumber;
  }
};

class TimedSource final : public Source {
 public:
  TimedSource(std::unique_ptr<Source> rows, std::vector<TimeColumn> times)
      : rows_(std::move(rows)), times_(std::move(times)), columns_(rows_->columns()) {
    for (SourceColumn& column : columns_)
      if (find(column.name)) column.type = ValueType::kInteger;
  }

  [[nodiscard]] const std::vector<SourceColumn>& columns() const override { return columns_; }
  [[nodiscard]] std::string absenceOf(std::string_view column) const override {
    return rows_->absenceOf(column);
  }
  Status select(std::span<const ColumnRequest> requests) override {
    std::vector<ColumnRequest> own(requests.begin(), requests.end());
    timed_.clear();
    std::size_t blockColumn = 0;
    for (ColumnRequest& request : own) {
      if (const TimeColumn* time = find(request.name)) {
        const ValueType wanted = request.type.value_or(ValueType::kInteger);
        if (wanted == ValueType::kText || !request.separator.empty())
          return wrongRequest(fmt::format(
              "column \"{}\" is in dataset.times, so it is whole seconds, not text or a list",
              request.name));
        const auto stored = std::ranges::find(rows_->columns(), request.name, &SourceColumn::name);
        request.type = isText(time->unit) ? ValueType::kText : stored->type;
        timed_.push_back({blockColumn, time->unit, request.type == ValueType::kNumber, wanted});
      }
      const bool hasWeights = !request.separator.empty() && !request.weightSeparator.empty();
      blockColumn += hasWeights ? 2 : 1;
    }
    return rows_->select(own);
  }
  void pushDown(std::span<const ColumnBound> bounds) override {
    // Stored times are in another unit.
    std::vector<ColumnBound> own(bounds.begin(), bounds.end());
    std::erase_if(own, [this](const ColumnBound& bound) { return find(bound.column) != nullptr; });
    rows_->pushDown(own);
  }
  Result<bool> next(Piece& piece) override { return rows_->next(piece); }
  Status parse(const Piece& piece, RowBlock& block) const override {
    PARAPET_TRY(rows_->parse(piece, block));
    for (const TimedColumn& column : timed_) column.apply(block);
    return {};
  }
  [[nodiscard]] std::string excerpt(const Piece& piece, std::int64_t line) const override {
    return rows_->excerpt(piece, line);
  }

  Status hashInto(Hasher& hasher, const WorkContext& context) const override {
    return rows_->hashInto(hasher, context);
  }
  Result<std::vector<std::unique_ptr<CatalogueFile>>> openCatalogues() const override {
    return rows_->openCatalogues();
  }
  Status readCatalogues(CatalogueExtent extent, const WorkContext& context) override {
    return rows_->readCatalogues(extent, context);
  }
  [[nodiscard]] const CatalogueTable* catalogue(std::string_view role) const override {
    return rows_->catalogue(role);
  }
  [[nodiscard]] std::string catalogueName(std::string_view role) const override {
    return rows_->catalogueName(role);
  }
  [[nodiscard]] std::string_view describes(std::string_view column) const override {
    return rows_->describes(column);
  }
  void readEntities(std::string_view role, std::span<const std::string_view> ids,
                    RowBlock& block) const override {
    rows_->readEntities(role, ids, block);
    for (const TimedColumn& column : timed_) column.apply(block);
  }
  [[nodiscard]] std::string fileName() const override { return rows_->fileName(); }
  [[nodiscard]] std::int64_t linesBefore() const override { return rows_->linesBefore(); }
  [[nodiscard]] std::int64_t done() const override { return rows_->done(); }
  [[nodiscard]] std::int64_t total() const override { return rows_->total(); }
  [[nodiscard]] std::vector<const Quarantine*> quarantines() const override {
    return rows_->quarantines();
  }
  [[nodiscard]] std::vector<std::string> warnings() const override { return rows_->warnings(); }

 private:
  [[nodiscard]] const TimeColumn* find(std::string_view column) const {
    const auto found = std::ranges::find(times_, column, &TimeColumn::column);
    return found == times_.end() ? nullptr : &*found;
  }

  std::unique_ptr<Source> rows_;
  std::vector<TimeColumn> times_;
  std::vector<SourceColumn> columns_;
  std::vector<TimedColumn> timed_;
};

/// nullopt if the cells of the column can be such times.
std::optional<std::string> whyNotTimes(const TimeColumn& time, const Source& rows) {
  const auto& columns = rows.columns();
  const auto found = std::ranges::find(columns, time.column, &SourceColumn::name);
  const std::vector<std::string> names = namesOf(columns);
  if (found == columns.end())
    return fmt::format("the source has no column \"{}\"{}; accepted: {}", time.column,
                       didYouMean(time.column, names), listed(names));
  if (found->isList) return fmt::format("column \"{}\" has several values a row", time.column);
  if (isText(time.unit) && found->type == ValueType::kNumber)
    return fmt::format(
        "column \"{}\" has numbers with a point, no text; dates or whole numbers as in 20240531 "
        "are "
        "accepted",
        time.column);
  if (!isText(time.unit) && found->type == ValueType::kText)
    return fmt::format(
        "column \"{}\" has texts, no numbers; \"text\", \"day_first\" or "
        "\"month_first\" is accepted if it has dates",
        time.column);
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<Source>> readTimes(std::unique_ptr<Source> rows,
                                          const experiment::Dataset& spec) {
  if (spec.times.empty()) return rows;
  for (std::size_t i = 0; i < spec.times.size(); ++i)
    if (const auto reason = whyNotTimes(spec.times[i], *rows))
      return record::documentError(fmt::format("/dataset/times/{}/column", i), *reason);
  return std::unique_ptr<Source>(std::make_unique<TimedSource>(std::move(rows), spec.times));
}

}  // namespace parapet::data
