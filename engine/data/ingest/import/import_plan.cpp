// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/import_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/record/problem.h"
#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/import/import_settings.h"
#include "engine/data/ingest/import/vocabulary_builder.h"
#include "engine/data/ingest/sources/corpus_source.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document.h"
#include "engine/experiment/query_context.h"

namespace parapet::data {
namespace {

// Columns hold f32.
constexpr double kLargest = std::numeric_limits<float>::max();

using record::documentError;

/// A column of the blocks to come, before it is known where it will stand: a request to the source,
/// or a derived column.
struct WantedColumn {
  bool isDerived = false;
  std::size_t index = 0;
};

/// The columns that are asked of a source, each once, and the derived ones.
class ColumnRequests {
 public:
  /// Both must outlive it.
  ColumnRequests(const experiment::Dataset& spec, const Source& source)
      : spec_(spec), source_(source), columns_(source.columns()), names_(namesOf(columns_)) {
    for (const auto& derived : spec.derived) names_.push_back(derived.name);
  }

  /// Asks for a column of the source or a derived one; `pointer` is where the document names it.
  ///
  /// Errors   InvalidDocument for a column that is not there, with why and what is, or a derived
  ///          one as a list.
  Result<WantedColumn> want(const std::string& name, std::optional<ValueType> type,
                            const std::string& pointer, const std::string& separator = {},
                            const std::string& weights = {}) {
    for (const auto& derived : spec_.derived)
      if (derived.name == name) return wantDerived(derived, pointer, separator);
    const auto found = std::ranges::find(columns_, name, &SourceColumn::name);
    if (found == columns_.end()) return absent(name, pointer);
    // Bad cells are a matter of the column, not of the setting that names it.
    constexpr std::string_view kName = "/from";
    const std::string column =
        pointer.ends_with(kName) ? pointer.substr(0, pointer.size() - kName.size()) : pointer;
    const ColumnRequest request{name, type.value_or(found->type), separator, weights, column};
    const auto isSame = [&](const ColumnRequest& other) {
      return other.name == name && other.type == request.type && other.separator == separator &&
             other.weightSeparator == weights;
    };
    const auto known = std::ranges::find_if(requests_, isSame);
    const auto index = static_cast<std::size_t>(known - requests_.begin());
    if (known == requests_.end()) requests_.push_back(request);
    return WantedColumn{false, index};
  }

  [[nodiscard]] const std::vector<ColumnRequest>& all() const { return requests_; }
  /// Names of the derived columns that are wanted.
  [[nodiscard]] const std::vector<std::string>& derived() const { return derived_; }
  /// The columns of the blocks that the source will give. One of them at most has a name that
  /// others find it by: that of a plain cell, in the source's own type if there is one of it.
  [[nodiscard]] std::vector<SourceColumn> layout() const {
    std::vector<SourceColumn> layout;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const ColumnRequest& request = requests_[i];
      const auto found = std::ranges::find(columns_, request.name, &SourceColumn::name);
      const bool isList = found->isList || !request.separator.empty();
      layout.push_back({speaksFor(i) ? request.name : std::string(), *request.type, isList});
      if (!request.weightSeparator.empty()) layout.push_back({{}, ValueType::kNumber, true});
    }
    return layout;
  }

  /// Where a request's column stands in the layout.
  [[nodiscard]] std::size_t blockColumnOf(std::size_t request) const {
    std::size_t column = request;
    for (std::size_t i = 0; i < request; ++i) column += !requests_[i].weightSeparator.empty();
    return column;
  }

 private:
  [[nodiscard]] Error absent(const std::string& name, const std::string& pointer) const {
    const std::string because = source_.absenceOf(name);
    return documentError(pointer, because.empty()
                                      ? fmt::format("there is no column \"{}\"{}; accepted: {}",
                                                    name, didYouMean(name, names_), listed(names_))
                                      : fmt::format("there is no column \"{}\": {}; accepted: {}",
                                                    name, because, listed(names_)));
  }

  Result<WantedColumn> wantDerived(const experiment::Derived& derived, const std::string& pointer,
                                   const std::string& separator) {
    if (!separator.empty())
      return documentError(pointer,
                           fmt::format("\"{}\" is a derived column, which is no list of ids; a "
                                       "column of the source is accepted",
                                       derived.name));
    const auto known = std::ranges::find(derived_, derived.name);
    const auto index = static_cast<std::size_t>(known - derived_.begin());
    if (known != derived_.end()) return WantedColumn{true, index};
    const auto at = &derived - spec_.derived.data();
    const auto from = std::ranges::find(columns_, derived.from, &SourceColumn::name);
    if (from == columns_.end())
      return documentError(
          fmt::format("/dataset/derived/{}/from", at),
          fmt::format("the source has no column \"{}\"{}; accepted: {}", derived.from,
                      didYouMean(derived.from, namesOf(columns_)), listed(namesOf(columns_))));
    const bool whole =
        from->type == ValueType::kInteger || derived.kind != experiment::DerivedKind::kBuckets;
    const auto wanted =
        want(derived.from, whole ? ValueType::kInteger : ValueType::kNumber, pointer);
    if (!wanted) return wanted.error();
    derived_.push_back(derived.name);
    return WantedColumn{true, index};
  }

  [[nodiscard]] bool speaksFor(std::size_t i) const {
    const std::string& name = requests_[i].name;
    const auto own = std::ranges::find(columns_, name, &SourceColumn::name)->type;
    const auto isPlain = [&](const ColumnRequest& request) {
      return request.name == name && request.separator.empty();
    };
    auto speaker = std::ranges::find_if(requests_, [&](const ColumnRequest& request) {
      return isPlain(request) && request.type == own;
    });
    if (speaker == requests_.end()) speaker = std::ranges::find_if(requests_, isPlain);
    return speaker - requests_.begin() == static_cast<std::ptrdiff_t>(i);
  }

  const experiment::Dataset& spec_;
  const Source& source_;
  std::span<const SourceColumn> columns_;  // of the source
  std::vector<std::string> names_;         // of these and the derived ones
  std::vector<ColumnRequest> requests_;
  std::vector<std::string> derived_;
};

using experiment::ColumnRole;
using experiment::VocabularyKind;

// Everything that the document wants of a block.
struct WantedColumns {
  std::vector<WantedColumn> ids;           // as ImportPlan::ids
  std::vector<WantedColumn> denseColumns;  // as ImportPlan::denseColumns
  std::optional<WantedColumn> time, label, weight, part;
  std::string timePointer;
};

// Vocabularies by the columns that use them; the first column of a role gives the role.
Status planVocabularies(const experiment::Dataset& spec,
                        const std::vector<experiment::Column>& columns, ImportPlan& plan) {
  for (std::size_t i = 0; i < spec.vocabularies.size(); ++i) {
    PlannedVocabulary vocabulary{.spec = spec.vocabularies[i],
                                 .pointer = fmt::format("/dataset/vocabularies/{}", i)};
    PARAPET_TRY(checkVocabulary(vocabulary.spec, vocabulary.pointer));
    vocabulary.spec = asImported(std::move(vocabulary.spec));
    if (std::ranges::any_of(plan.vocabularies, [&](const auto& other) {
          return other.spec.name == vocabulary.spec.name;
        }))
      return documentError(
          vocabulary.pointer + "/name",
          fmt::format("vocabulary \"{}\" is there twice; once is accepted", vocabulary.spec.name));
    std::vector<std::string> used;
    for (const auto& column : columns) {
      if (!experiment::holdsIds(column.role)) continue;
      used.push_back(column.vocabularyName());
      if (column.vocabularyName() != vocabulary.spec.name) continue;
      if (column.role == ColumnRole::kUser) vocabulary.role = "user";
      if (column.role == ColumnRole::kItem) vocabulary.role = "item";
    }
    vocabulary.usesRowZero = experiment::usesRowZero(spec, vocabulary.spec);
    if (std::ranges::find(used, vocabulary.spec.name) == used.end())
      return documentError(
          vocabulary.pointer + "/name",
          fmt::format("vocabulary \"{}\" belongs to no id column{}; accepted: {}",
                      vocabulary.spec.name, didYouMean(vocabulary.spec.name, used), join(used)));
    plan.vocabularies.push_back(std::move(vocabulary));
  }
  return {};
}

// Pointer of a column of the document; the standard columns have none of their own.
std::string pointerOf(const experiment::Dataset& spec, std::size_t column) {
  return spec.columns.empty() ? "/dataset/columns" : fmt::format("/dataset/columns/{}", column);
}

// The vocabulary of a column.
Result<std::size_t> vocabularyOf(const experiment::Column& column, const ImportPlan& plan) {
  const auto found = std::ranges::find_if(plan.vocabularies, [&](const auto& candidate) {
    return candidate.spec.name == column.vocabularyName();
  });
  if (found == plan.vocabularies.end())
    return documentError("/dataset/vocabularies",
                         fmt::format("column \"{}\" has no vocabulary; one named \"{}\" is needed",
                                     column.name, column.vocabularyName()));
  return static_cast<std::size_t>(found - plan.vocabularies.begin());
}

// Raw ids of a vocabulary are whole numbers if its rows are, or if one of its columns has whole
// numbers and no list that would have to be cut.
std::optional<ValueType> typeOfIds(const PlannedVocabulary& vocabulary,
                                   const std::vector<experiment::Column>& columns,
                                   std::span<const SourceColumn> source) {
  if (vocabulary.spec.kind == VocabularyKind::kDirect) return ValueType::kInteger;
  for (const experiment::Column& column : columns) {
    const auto found = std::ranges::find(source, column.originName(), &SourceColumn::name);
    if (experiment::holdsIds(column.role) && column.vocabularyName() == vocabulary.spec.name &&
        !column.separator && found != source.end() && found->type == ValueType::kInteger)
      return ValueType::kInteger;
  }
  return std::nullopt;
}

// Whom a column describes: that of a catalogue, or one that is derived from it.
std::string describedBy(const experiment::Dataset& spec, const Source& source,
                        const std::string& origin) {
  const auto derived = std::ranges::find(spec.derived, origin, &experiment::Derived::name);
  return std::string(source.describes(derived == spec.derived.end() ? origin : derived->from));
}

Status wantColumns(const experiment::Dataset& spec, const std::vector<experiment::Column>& columns,
                   const Source& from, ColumnRequests& requests, ImportPlan& plan,
                   WantedColumns& wanted) {
  const std::span<const SourceColumn> source = from.columns();
  std::vector<std::pair<PlannedColumn, WantedColumn>> ids;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const experiment::Column& column = columns[i];
    const std::string pointer = pointerOf(spec, i);
    if (column.role == ColumnRole::kTime) {
      wanted.timePointer = pointer;
      PARAPET_ASSIGN(wanted.time,
                     requests.want(column.originName(), ValueType::kInteger, pointer + "/from"));
      continue;
    }
    if (column.role == ColumnRole::kNumeric) {
      PARAPET_ASSIGN(const WantedColumn values,
                     requests.want(column.originName(), ValueType::kNumber, pointer + "/from"));
      plan.denseColumns.push_back(
          {column.name, pointer, 0, describedBy(spec, from, column.originName()), column.missing});
      wanted.denseColumns.push_back(values);
      continue;
    }
    PlannedColumn planned{.spec = column, .pointer = pointer};
    if (column.role == ColumnRole::kFeature)
      planned.describes = describedBy(spec, from, column.originName());
    PARAPET_ASSIGN(planned.vocabulary, vocabularyOf(column, plan));
    PARAPET_ASSIGN(const WantedColumn values,
                   requests.want(column.originName(),
                                 typeOfIds(plan.vocabularies[planned.vocabulary], columns, source),
                                 pointer + "/from", column.separator.value_or(""),
                                 column.weights.value_or("")));
    ids.emplace_back(std::move(planned), values);
  }
  // The order of the files: user, item, then as the document has them.
  std::ranges::stable_sort(ids, {}, [](const auto& id) {
    return id.first.isRequired() ? static_cast<int>(id.first.spec.role) : 2;
  });
  for (auto& [planned, values] : ids) {
    plan.ids.push_back(std::move(planned));
    wanted.ids.push_back(values);
  }
  return {};
}

Status checkRoles(const std::vector<experiment::Column>& columns,
                  std::span<const SourceColumn> source) {
  for (const auto& [role, name, most] :
       {std::tuple{ColumnRole::kUser, "user", true}, std::tuple{ColumnRole::kItem, "item", true},
        std::tuple{ColumnRole::kTime, "time", false}}) {
    const auto count = std::ranges::count(columns, role, &experiment::Column::role);
    if (count > 1 || (count == 0 && most))
      return documentError(
          "/dataset/columns",
          fmt::format("{} columns have the role \"{}\"; {} is accepted. The source has "
                      "the columns {}",
                      count, name, most ? "exactly one" : "at most one", listed(namesOf(source))));
  }
  return {};
}

// The block columns of wanted columns, once it is known where blocks have them.
class BlockLayout {
 public:
  BlockLayout(const ColumnRequests& requests, const DerivedColumns& derived)
      : requests_(requests), columns_(requests.layout()), sourceColumns_(columns_.size()) {
    columns_.insert(columns_.end(), derived.layout().begin(), derived.layout().end());
  }
  [[nodiscard]] const std::vector<SourceColumn>& columns() const { return columns_; }
  [[nodiscard]] std::size_t columnOf(const WantedColumn& wanted) const {
    if (!wanted.isDerived) return requests_.blockColumnOf(wanted.index);
    const auto found =
        std::ranges::find(columns_.begin() + static_cast<std::ptrdiff_t>(sourceColumns_),
                          columns_.end(), requests_.derived()[wanted.index], &SourceColumn::name);
    return static_cast<std::size_t>(found - columns_.begin());
  }

 private:
  const ColumnRequests& requests_;
  std::vector<SourceColumn> columns_;
  std::size_t sourceColumns_;
};

Status locateIds(const BlockLayout& layout, const std::vector<WantedColumn>& wanted,
                 ImportPlan& plan) {
  std::vector<bool> typed(plan.vocabularies.size());
  for (std::size_t i = 0; i < plan.ids.size(); ++i) {
    PlannedColumn& column = plan.ids[i];
    column.values = layout.columnOf(wanted[i]);
    if (column.spec.weights) column.weights = column.values + 1;
    const SourceColumn& found = layout.columns()[column.values];
    column.isBag = found.isList;
    if (column.isBag && column.spec.role != ColumnRole::kFeature)
      return documentError(
          column.pointer,
          fmt::format("column \"{}\" has lists of ids; the role \"feature\" is accepted",
                      column.spec.name));
    if (found.type == ValueType::kNumber)
      return documentError(
          column.pointer,
          fmt::format("column \"{}\" has fractions; whole numbers or texts are accepted "
                      "as ids (a derived column makes buckets of them)",
                      column.spec.name));
    PlannedVocabulary& vocabulary = plan.vocabularies[column.vocabulary];
    if (vocabulary.spec.kind == VocabularyKind::kDirect && found.type == ValueType::kText)
      return documentError(
          vocabulary.pointer + "/kind",
          fmt::format("column \"{}\" has texts; kind \"compressed\" or \"hash\" is "
                      "accepted",
                      column.spec.name));
    if (typed[column.vocabulary] && vocabulary.type != found.type)
      return documentError(column.pointer,
                           fmt::format("the columns of the vocabulary \"{}\" have texts and whole "
                                       "numbers; one of the two is accepted",
                                       vocabulary.spec.name));
    vocabulary.type = found.type;
    typed[column.vocabulary] = true;
  }
  return {};
}

// A number, label, weight or time: one number a row.
Result<std::size_t> locateNumber(const BlockLayout& layout, const WantedColumn& wanted,
                                 const std::string& pointer, const std::string& what) {
  const std::size_t columnIndex = layout.columnOf(wanted);
  const SourceColumn& found = layout.columns()[columnIndex];
  if (found.isList || found.type == ValueType::kText)
    return documentError(pointer, fmt::format("{} is a column of {}; one number a row is accepted",
                                              what, found.isList ? "lists" : "texts"));
  return columnIndex;
}

Status wantFilter(const experiment::Dataset& spec, std::span<const SourceColumn> source,
                  ColumnRequests& requests, ImportPlan& plan) {
  PARAPET_ASSIGN(plan.filter, Filter::parse(*filterOf(spec)));
  // A name that is not there gets the filter's own message, which shows the position.
  std::vector<SourceColumn> all(source.begin(), source.end());
  for (const auto& column : spec.derived) all.push_back({column.name, ValueType::kText, false});
  for (const std::string& name : plan.filter->columns())
    if (std::ranges::find(all, name, &SourceColumn::name) == all.end())
      return plan.filter->bind(all).error();
  for (const std::string& name : plan.filter->columns())
    PARAPET_TRY(requests.want(name, std::nullopt, "/dataset/filter"));
  return {};
}

// Lines of text: one column of pieces, and what the filter reads.
Result<ImportPlan> planText(const experiment::Dataset& spec, Source& source) {
  ImportPlan plan;
  plan.hasLabels = false;
  plan.hasParts = spec.split.kind == experiment::SplitKind::kFiles;
  PARAPET_ASSIGN(PieceVocabulary pieces, openPieces(spec));
  PlannedVocabulary vocabulary;
  vocabulary.pointer = "/dataset/text/vocabulary";
  vocabulary.usesRowZero = true;
  vocabulary.spec.name = experiment::kTokensColumn;
  vocabulary.pieces = std::make_shared<const PieceVocabulary>(std::move(pieces));
  plan.vocabularies.push_back(std::move(vocabulary));
  PlannedColumn tokens{.spec = {.name = experiment::kTokensColumn}, .pointer = "/dataset/text"};
  tokens.isBag = true;
  ColumnRequests requests(spec, source);
  PARAPET_ASSIGN(const WantedColumn wanted,
                 requests.want(tokens.spec.name, ValueType::kInteger, tokens.pointer));
  if (filterOf(spec)) PARAPET_TRY(wantFilter(spec, source.columns(), requests, plan));
  PARAPET_TRY(source.select(requests.all()));
  PARAPET_ASSIGN(plan.derived,
                 DerivedColumns::bind(spec.derived, requests.derived(), requests.layout()));
  const BlockLayout layout(requests, plan.derived);
  tokens.values = layout.columnOf(wanted);
  plan.ids.push_back(std::move(tokens));
  if (plan.filter) PARAPET_TRY(plan.filter->bind(layout.columns()));
  return plan;
}

}  // namespace

std::string IdRange::reasonAgainst(std::string_view column, std::int64_t id) const {
  if (id < 0) return fmt::format("{} id {} is negative; ids from 0 are accepted", column, id);
  if (id < first)
    return fmt::format("{} id {}: row 0 is reserved; a direct vocabulary accepts ids from {}",
                       column, id, first);
  return fmt::format("{} id {} is too large; ids up to {} are accepted ({})", column, id, last,
                     lastBecause);
}

bool NumberRules::accept(double value) const {
  // Written so that NaN fails.
  return scale ? value >= (*scale)[0] && value <= (*scale)[1]
               : value >= (isWeight ? 0.0 : -kLargest) && value <= kLargest;
}

std::string NumberRules::reasonAgainst(std::string_view column, double value) const {
  if (!std::isfinite(value))
    return fmt::format("{} {}; a finite number is accepted", column, value);
  if (scale)
    return fmt::format("{} {} is outside the label scale; {} to {} is accepted", column, value,
                       (*scale)[0], (*scale)[1]);
  if (value > kLargest || value < -kLargest)
    return fmt::format("{} {} is too large; numbers up to {:.4g} are accepted", column, value,
                       kLargest);
  return fmt::format("{} {} is a negative weight; weights from 0 are accepted", column, value);
}

Result<ImportPlan> planImport(const experiment::Dataset& spec, Source& source) {
  if (spec.isText()) return planText(spec, source);
  const std::vector<SourceColumn>& found = source.columns();
  const std::vector<experiment::Column> columns = columnsOf(spec, found);
  PARAPET_TRY(checkRoles(columns, found));
  for (std::size_t i = 0; i < spec.derived.size(); ++i)
    if (std::ranges::find(found, spec.derived[i].name, &SourceColumn::name) != found.end())
      return documentError(
          fmt::format("/dataset/derived/{}/name", i),
          fmt::format("the source has a column \"{}\" already; another name is accepted",
                      spec.derived[i].name));
  ImportPlan plan;
  plan.scale = spec.label.scale;
  PARAPET_TRY(planVocabularies(spec, columns, plan));
  ColumnRequests requests(spec, source);
  WantedColumns wanted;
  PARAPET_TRY(wantColumns(spec, columns, source, requests, plan, wanted));
  if (spec.label.column) {
    plan.labelName = *spec.label.column;
    PARAPET_ASSIGN(wanted.label,
                   requests.want(plan.labelName, ValueType::kNumber, "/dataset/label/column"));
  }
  if (spec.weight) {
    plan.weightName = *spec.weight;
    PARAPET_ASSIGN(wanted.weight,
                   requests.want(plan.weightName, ValueType::kNumber, "/dataset/weight"));
  }
  plan.hasParts = spec.split.kind == experiment::SplitKind::kFiles;
  if (spec.split.kind == experiment::SplitKind::kColumn) {
    plan.hasParts = true;
    plan.partName = spec.split.column;
    PARAPET_ASSIGN(wanted.part,
                   requests.want(plan.partName, ValueType::kText, "/dataset/split/column"));
  }
  if (spec.filter) PARAPET_TRY(wantFilter(spec, found, requests, plan));
  PARAPET_TRY(source.select(requests.all()));
  PARAPET_ASSIGN(plan.derived,
                 DerivedColumns::bind(spec.derived, requests.derived(), requests.layout()));
  const BlockLayout layout(requests, plan.derived);
  PARAPET_TRY(locateIds(layout, wanted.ids, plan));
  for (std::size_t i = 0; i < plan.denseColumns.size(); ++i) {
    PlannedNumber& number = plan.denseColumns[i];
    PARAPET_ASSIGN(number.values,
                   locateNumber(layout, wanted.denseColumns[i], number.pointer,
                                fmt::format("the dense feature \"{}\"", number.name)));
  }
  if (wanted.time) {
    plan.timePointer = wanted.timePointer;
    plan.timeIsRead = !spec.times.empty();
    PARAPET_ASSIGN(plan.time, locateNumber(layout, *wanted.time, wanted.timePointer, "the time"));
  }
  if (wanted.label) {
    PARAPET_ASSIGN(plan.label,
                   locateNumber(layout, *wanted.label, "/dataset/label/column", "the label"));
  }
  if (wanted.weight) {
    PARAPET_ASSIGN(plan.weight,
                   locateNumber(layout, *wanted.weight, "/dataset/weight", "the weight"));
  }
  if (wanted.part) {
    plan.part = layout.columnOf(*wanted.part);
    const SourceColumn& cells = layout.columns()[*plan.part];
    if (cells.isList || cells.type != ValueType::kText)
      return documentError("/dataset/split/column",
                           fmt::format("\"{}\" is a column of {}; cells with \"train\", "
                                       "\"validation\" or \"test\" are accepted",
                                       plan.partName, cells.isList ? "lists" : "numbers"));
  }
  if (plan.filter) {
    PARAPET_TRY(plan.filter->bind(layout.columns()));
    // Pieces that are left out would not count as rows, and a slice counts rows.
    if (!spec.slice) source.pushDown(plan.filter->bounds());
  }
  return plan;
}

Status planRanges(ImportPlan& plan, const Source& source) {
  for (PlannedVocabulary& vocabulary : plan.vocabularies) {
    if (vocabulary.pieces) {
      vocabulary.range.last = vocabulary.pieces->size() - 1;
      continue;
    }
    PARAPET_ASSIGN(vocabulary.range,
                   idRange(vocabulary.spec, vocabulary.pointer, vocabulary.role, source));
    if (vocabulary.usesRowZero) vocabulary.range.first = 0;
  }
  return {};
}

}  // namespace parapet::data
