// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/propose_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "engine/base/text.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/shape/time_text.h"
#include "engine/data/ingest/sources/delimited_parser.h"

namespace parapet::data {
namespace {

using experiment::ColumnRole;
using experiment::TimeUnit;

// Fewer rows show neither what occurs again nor how far values go.
constexpr std::size_t kMinRows = 20;
// Longer texts are reviews, not names.
constexpr std::size_t kMaxNameBytes = 80;
// Texts among numbers are damage up to this share of the cells; more are another kind of column.
constexpr double kMaxDamagedShare = 0.2;
constexpr double kFirstSecond = kStartOf1980, kLastSecond = kStartOf2100;

/// Counts over the cells of a column.
struct CellCounts {
  std::size_t filled = 0, distinct = 0;
  bool numbers = false;            ///< but for those that are damaged
  std::size_t damaged = 0;         ///< texts in a numeric column, in none of the other counts
  double least = 0.0, most = 0.0;  ///< of numbers
  bool whole = true, halves = true;
  bool counts = true;               ///< one more in every row: the number of the row
  bool wordy = false;               ///< a text of several words
  std::optional<TimeUnit> dates{};  ///< of what kind, if each is one; 20240531 is one, too
  bool isOrderClear = true;         ///< of day and month in the dates
  std::size_t bytes = 0;

  [[nodiscard]] bool tellSomething() const { return filled >= kMinRows && distinct >= 2; }
  [[nodiscard]] double meanBytes() const {
    return filled == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(filled);
  }
};

/// Whether a column holds numbers, maybe written as text, with some texts among them that are damage.
/// Catalogues and derived columns have texts that are never read as numbers.
bool isMostlyNumbers(const SourcePreview& preview, std::size_t column) {
  if (preview.columns[column].isList) return false;
  if (preview.columns[column].type != ValueType::kText) return true;
  if (column >= preview.sourceColumns || !preview.describes[column].empty()) return false;
  std::size_t filled = 0, numbers = 0;
  for (const auto& row : preview.rows) {
    if (!row[column] || row[column]->empty()) continue;
    ++filled;
    numbers += numberOfCell(*row[column]) ? 1 : 0;
  }
  return numbers > 0 &&
         static_cast<double>(filled - numbers) <= kMaxDamagedShare * static_cast<double>(filled);
}

/// How many cells are dates in each of the ways to write them.
struct DateCounts {
  std::size_t plain = 0;                     ///< the order of day and month is clear
  std::size_t dayFirst = 0, monthFirst = 0;  ///< of the others
  std::size_t slashes = 0;                   ///< of the others

  void count(std::string_view text) {
    if (parseTimeText(text)) {
      ++plain;
      return;
    }
    const bool day = parseTimeText(text, DateOrder::kDayFirst).has_value();
    const bool month = parseTimeText(text, DateOrder::kMonthFirst).has_value();
    dayFirst += day;
    monthFirst += month;
    slashes += (day || month) && text.find('/') != std::string_view::npos;
  }
  [[nodiscard]] std::size_t most() const { return plain + std::max(dayFirst, monthFirst); }
  /// Where both orders fit, slashes stand in dates of the United States more often than elsewhere.
  [[nodiscard]] TimeUnit unit() const {
    if (dayFirst == 0 && monthFirst == 0) return TimeUnit::kText;
    const bool isMonthFirst = monthFirst > dayFirst || (monthFirst == dayFirst && slashes > 0);
    return isMonthFirst ? TimeUnit::kMonthFirst : TimeUnit::kDayFirst;
  }
};

CellCounts lookAt(const SourcePreview& preview, std::size_t column) {
  CellCounts cells;
  cells.numbers = isMostlyNumbers(preview, column);
  const bool isText = preview.columns[column].type == ValueType::kText;
  std::unordered_set<std::string_view> seen;
  double before = 0.0;
  std::size_t cellsFilled = 0;
  DateCounts dates;
  for (const auto& row : preview.rows) {
    if (!row[column] || row[column]->empty()) continue;
    const std::string& text = *row[column];
    ++cellsFilled;
    dates.count(text);
    const auto number = cells.numbers ? numberOfCell(text) : std::nullopt;
    if (cells.numbers && !number && isText) ++cells.damaged;
    const double value = cells.numbers ? number.value_or(std::nan("")) : 0.0;
    if (std::isnan(value)) continue;  // writers without empty cells store NaN instead
    seen.insert(text);
    cells.bytes += text.size();
    cells.wordy = cells.wordy || trim(text).find(' ') != std::string_view::npos;
    if (cells.numbers) {
      cells.whole = cells.whole && value == std::floor(value);
      cells.halves = cells.halves && 2.0 * value == std::floor(2.0 * value);
      cells.counts = cells.counts && (cells.filled == 0 || value == before + 1.0);
      cells.least = cells.filled == 0 ? value : std::min(cells.least, value);
      cells.most = cells.filled == 0 ? value : std::max(cells.most, value);
      before = value;
    } else {
      cells.counts = false;
    }
    ++cells.filled;
  }
  cells.distinct = seen.size();
  // Few texts are dates by chance; whole numbers may be.
  const double damaged = isText ? kMaxDamagedShare * static_cast<double>(cellsFilled) : 0.0;
  if (static_cast<double>(cellsFilled - dates.most()) <= damaged) cells.dates = dates.unit();
  cells.isOrderClear = dates.dayFirst != dates.monthFirst || dates.dayFirst == 0;
  return cells;
}

/// Stars, whole or half: at least four of them between 0 or 1 and 5 or 10, or grades from 1 to 6.
bool isRating(const CellCounts& cells) {
  const bool low = cells.least >= 0.0 && cells.least <= 1.0;
  const bool high = cells.most == 5.0 || cells.most == 10.0 ||
                    (cells.most == 6.0 && cells.least == 1.0 && cells.whole);
  return cells.tellSomething() && cells.halves && low && high && cells.distinct >= 4;
}

bool isYesOrNo(const CellCounts& cells) {
  return cells.tellSomething() && cells.distinct == 2 && cells.most == 1.0 &&
         (cells.least == 0.0 || cells.least == -1.0);
}

/// The unit of whole numbers that are all times between 1980 and 2100; nullopt if they are seconds,
/// or no such times.
std::optional<TimeUnit> unitOf(const CellCounts& cells) {
  for (const auto& [unit, perSecond] :
       {std::pair{TimeUnit::kMilliseconds, 1e3}, std::pair{TimeUnit::kMicroseconds, 1e6},
        std::pair{TimeUnit::kNanoseconds, 1e9}})
    if (cells.least >= perSecond * kFirstSecond && cells.most <= perSecond * kLastSecond)
      return unit;
  return std::nullopt;
}

/// Whole numbers of which some are seconds and others in a finer unit.
bool areMixedUnits(const CellCounts& cells) {
  return cells.least >= kFirstSecond && cells.least <= kLastSecond && cells.most > kLastSecond;
}

/// Whole numbers as in 20240531 are seconds of 1970 otherwise.
bool areDays(const CellCounts& cells) {
  return cells.filled > 0 && cells.dates && !unitOf(cells) &&
         std::max(std::abs(cells.least), std::abs(cells.most)) < kFirstSecond;
}

bool areSeconds(const CellCounts& cells) {
  return cells.least >= kFirstSecond && cells.most <= kLastSecond;
}

/// Whether cells of a column can be times: whole numbers, seconds with a fraction, or dates.
bool mayBeTimes(const SourceColumn& column, const CellCounts& cells) {
  if (column.isList) return false;
  if (column.type == ValueType::kNumber)
    return cells.filled > 0 && (areSeconds(cells) || unitOf(cells));
  return column.type == ValueType::kInteger || (cells.filled > 0 && cells.dates);
}

/// Whether they are, whatever the column is called.
bool areTimes(const SourceColumn& column, const CellCounts& cells) {
  if (!mayBeTimes(column, cells) || !cells.tellSomething() || 2 * cells.distinct <= cells.filled)
    return false;
  return column.type == ValueType::kText ||
         ((cells.whole || column.type == ValueType::kNumber) &&
          (areSeconds(cells) || unitOf(cells) || areDays(cells)));
}

/// Ids and names occur again; what never does is a number of the row or a remark.
bool isId(const SourceColumn& column, const CellCounts& cells) {
  if (!cells.tellSomething() || column.isList || column.type == ValueType::kNumber) return false;
  return !cells.counts && cells.distinct < cells.filled &&
         cells.meanBytes() <= static_cast<double>(kMaxNameBytes);
}

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, plainName(name)) != words.end();
}

/// Uses that no role has by its name: "label", "weight", "context", "feature", "number" or "".
std::string_view otherUseOf(const SourceColumn& column, const CellCounts& cells) {
  const bool number = cells.numbers;
  if (number &&
      isOneOf(column.name, {"rating", "ratings", "bookrating", "userrating", "starrating", "label",
                            "score", "stars", "target", "overall", "click", "clicked", "islike",
                            "liked", "bewertung", "wertung", "sterne"}))
    return "label";
  if (number && isOneOf(column.name, {"weight", "sampleweight", "exampleweight"})) return "weight";
  if (!column.isList &&
      isOneOf(column.name,
              {"hour", "timeofday", "daytime", "weekday", "isweekend", "homework", "weather",
               "season", "country", "region", "city", "device", "os", "platform", "browser",
               "isorganic", "channel", "placement", "position"}))
    return "context";
  if (isOneOf(column.name, {"genre", "genres", "category", "categories", "tags", "interests",
                            "brand", "gender", "occupation", "agegroup"}))
    return "feature";
  if (number && cells.damaged == 0 &&
      isOneOf(column.name, {"age", "year", "price", "duration", "dwell", "views"}))
    return "number";
  return "";
}

std::string wholeText(double value) {
  return fmt::format("{:.10g}", value);
}

std::string_view sentenceOf(const std::optional<TimeUnit>& unit) {
  if (!unit) return "seconds since 1970";
  switch (*unit) {
    case TimeUnit::kSeconds:
      return "seconds since 1970, with fractions";
    case TimeUnit::kMilliseconds:
      return "milliseconds since 1970";
    case TimeUnit::kMicroseconds:
      return "microseconds since 1970";
    case TimeUnit::kNanoseconds:
      return "nanoseconds since 1970";
    case TimeUnit::kText:
      return "dates, in UTC where they name no offset";
    case TimeUnit::kDayFirst:
      return "dates with the day first, in UTC where they name no offset";
    case TimeUnit::kMonthFirst:
      return "dates with the month first, in UTC where they name no offset";
  }
  return {};
}

/// Proposes one use after the other; what is taken is not proposed again.
class Proposer {
 public:
  explicit Proposer(const SourcePreview& preview)
      : preview_(preview), used_(preview.columns.size(), false) {
    cells_.reserve(preview.columns.size());
    for (std::size_t column = 0; column < preview.columns.size(); ++column)
      cells_.push_back(lookAt(preview, column));
  }

  std::vector<RoleProposal> propose() {
    for (const auto& role : {ColumnRole::kUser, ColumnRole::kItem, ColumnRole::kTime}) byName(role);
    otherNames();
    if (!has("time")) timeByCells();
    if (!has("label")) labelByCells();
    idsByCells();
    inOrder();
    return std::move(proposals_);
  }

 private:
  [[nodiscard]] bool has(std::string_view use) const {
    return std::ranges::find(proposals_, use, &RoleProposal::use) != proposals_.end();
  }
  void take(std::size_t column, std::string_view use, std::string reason) {
    used_[column] = true;
    proposals_.push_back({preview_.columns[column].name, std::string(use), std::move(reason)});
  }

  /// "3,000 cells", or those "of the first 5,000 rows" where the file may have more.
  [[nodiscard]] std::string cellsText(std::size_t count) const {
    const std::int64_t shown = std::ssize(preview_.rows);
    const std::string cells = formatCount(static_cast<std::int64_t>(count)) + " cells";
    return preview_.complete && shown == preview_.rowsRead
               ? cells
               : fmt::format("{} of the first {} rows", cells, formatCount(shown));
  }

  /// "; 12 of 3,000 cells are no numbers"
  [[nodiscard]] std::string damageOf(std::size_t column) const {
    const auto [filled, damaged] = std::pair(cells_[column].filled, cells_[column].damaged);
    if (damaged == 0) return {};
    return fmt::format("; {} of {} are no numbers, and lines with such a cell are rejected",
                       formatCount(static_cast<std::int64_t>(damaged)),
                       cellsText(filled + damaged));
  }

  void takeTime(std::size_t column, const std::string& reason) {
    const CellCounts& cells = cells_[column];
    const ValueType type = preview_.columns[column].type;
    std::optional<TimeUnit> unit = unitOf(cells);
    if (type == ValueType::kNumber && !unit) unit = TimeUnit::kSeconds;
    std::string_view doubt;
    if (type == ValueType::kText || areDays(cells)) {
      unit = cells.dates.value_or(TimeUnit::kText);
      if (!cells.isOrderClear)
        doubt = "; no number above 12 tells days from months, \"unit\" of /dataset/times does";
    } else if (!unit && areMixedUnits(cells)) {
      doubt = "; some cells are after the year 2100, as those in milliseconds would be";
    }
    take(column, "time", fmt::format("{}; {}{}", reason, sentenceOf(unit), doubt));
    proposals_.back().unit = unit;
  }

  void byName(ColumnRole role) {
    for (const auto& nameTells : {&roleOfName, &roleOfWord})
      for (std::size_t column = 0; column < used_.size(); ++column) {
        const SourceColumn& each = preview_.columns[column];
        const bool fits = role == ColumnRole::kTime
                              ? mayBeTimes(each, cells_[column])
                              : !each.isList && each.type != ValueType::kNumber;
        if (used_[column] || !fits || nameTells(each.name) != role) continue;
        if (role == ColumnRole::kTime) return takeTime(column, "its name");
        return take(column, roleName(role), "its name");
      }
  }

  void otherNames() {
    for (std::size_t column = 0; column < used_.size(); ++column) {
      const std::string_view use = otherUseOf(preview_.columns[column], cells_[column]);
      const bool once = use == "label" || use == "weight";
      if (!used_[column] && !use.empty() && !(once && has(use)))
        take(column, use, "its name" + damageOf(column));
    }
    // A label where nothing else is one: beside a rating, a grade may be that of a pupil.
    for (std::size_t column = 0; column < used_.size() && !has("label"); ++column)
      if (!used_[column] && cells_[column].numbers &&
          isOneOf(preview_.columns[column].name, {"grade", "mark", "points", "rate"}))
        take(column, "label", "its name" + damageOf(column));
  }

  void timeByCells() {
    for (std::size_t column = 0; column < used_.size(); ++column)
      if (!used_[column] && areTimes(preview_.columns[column], cells_[column]))
        return takeTime(column, "each of its cells is a time");
  }

  [[nodiscard]] std::vector<std::size_t> freeIds() const {
    std::vector<std::size_t> ids;
    for (std::size_t column = 0; column < used_.size(); ++column)
      if (!used_[column] && isId(preview_.columns[column], cells_[column])) ids.push_back(column);
    return ids;
  }

  void labelByCells() {
    const std::size_t wanted = (has("user") ? 0U : 1U) + (has("item") ? 0U : 1U);
    const std::vector<std::size_t> ids = freeIds();
    for (const auto& isLabel : {&isRating, &isYesOrNo})
      // Labels stand behind the ids that they are about.
      for (std::size_t column = used_.size(); column-- > 0;) {
        const CellCounts& cells = cells_[column];
        if (used_[column] || !cells.numbers || !isLabel(cells)) continue;
        const bool isAlsoId = std::ranges::find(ids, column) != ids.end();
        if (ids.size() - (isAlsoId ? 1U : 0U) < wanted) continue;
        const auto [least, most] = std::pair(wholeText(cells.least), wholeText(cells.most));
        return take(column, "label",
                    (isLabel == &isRating ? fmt::format("ratings from {} to {}", least, most)
                                          : fmt::format("the two values {} and {}", least, most)) +
                        damageOf(column));
      }
  }

  void idsByCells() {
    std::vector<std::size_t> ids = freeIds();
    std::ranges::stable_sort(ids, std::greater{},
                             [this](std::size_t column) { return cells_[column].distinct; });
    const auto reason = [this](std::size_t column) {
      return fmt::format("{} different {} in {}",
                         formatCount(static_cast<std::int64_t>(cells_[column].distinct)),
                         preview_.columns[column].type == ValueType::kText ? "texts" : "ids",
                         cellsText(cells_[column].filled));
    };
    if (!has("user") && !has("item") && ids.size() >= 2) {
      std::size_t user = std::min(ids[0], ids[1]), item = std::max(ids[0], ids[1]);
      if (cells_[user].wordy && !cells_[item].wordy) std::swap(user, item);
      take(user, "user", reason(user));
      take(item, "item", reason(item));
    } else if (!ids.empty() && has("user") != has("item")) {
      take(ids.front(), has("user") ? "item" : "user", reason(ids.front()));
    }
  }

  void inOrder() {
    const auto orderOf = [this](const RoleProposal& proposal) {
      constexpr std::array<std::string_view, 3> kFirst{"user", "item", "time"};
      const auto* first = std::ranges::find(kFirst, proposal.use);
      if (first != kFirst.end()) return static_cast<std::ptrdiff_t>(first - kFirst.begin());
      return 3 + (std::ranges::find(preview_.columns, proposal.column, &SourceColumn::name) -
                  preview_.columns.begin());
    };
    std::vector<std::pair<std::ptrdiff_t, RoleProposal>> placed;
    for (RoleProposal& proposal : proposals_) {
      const auto order = orderOf(proposal);
      placed.emplace_back(order, std::move(proposal));
    }
    std::ranges::stable_sort(placed, {}, &decltype(placed)::value_type::first);
    proposals_.clear();
    for (auto& [order, proposal] : placed) proposals_.push_back(std::move(proposal));
  }

  const SourcePreview& preview_;
  std::vector<CellCounts> cells_;
  std::vector<bool> used_;
  std::vector<RoleProposal> proposals_;
};

}  // namespace

std::vector<RoleProposal> proposeRoles(const SourcePreview& preview) {
  return Proposer(preview).propose();
}

std::optional<std::array<double, 2>> ratingScale(const SourcePreview& preview,
                                                 std::string_view column) {
  const auto found = std::ranges::find(preview.columns, column, &SourceColumn::name);
  if (found == preview.columns.end()) return std::nullopt;
  const CellCounts cells =
      lookAt(preview, static_cast<std::size_t>(found - preview.columns.begin()));
  if (!cells.numbers || !isRating(cells)) return std::nullopt;
  return std::array{cells.least, cells.most};
}

}  // namespace parapet::data
