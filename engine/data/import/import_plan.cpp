// SPDX-License-Identifier: Apache-2.0
#include "engine/data/import/import_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/data/import/column_roles.h"
#include "engine/data/import/vocabulary_builder.h"

namespace parapet::data {
namespace {

using experiment::ColumnRole;
using experiment::VocabularyKind;

Error problem(std::string pointer, std::string message) {
  return Error{ErrorCode::kInvalidDocument, std::move(message), std::move(pointer)};
}

std::vector<std::string> namesOf(std::span<const SourceColumn> columns) {
  std::vector<std::string> names;
  for (const SourceColumn& column : columns) names.push_back(column.name);
  return names;
}

// The columns that are asked of the source, each once, and where blocks will have them.
class Requests {
 public:
  Requests(const experiment::Dataset& spec, std::span<const SourceColumn> source)
      : spec_(spec), source_(source), names_(namesOf(source)) {
    for (const auto& derived : spec.derived) names_.push_back(derived.name);
  }

  // Asks for a column of the source or a derived one; `pointer` is where the document names it.
  Status want(const std::string& name, std::optional<ValueType> type, const std::string& pointer,
              const std::string& separator = {}, const std::string& weights = {}) {
    for (const auto& derived : spec_.derived)
      if (derived.name == name) return wantDerived(derived, pointer, separator);
    if (std::ranges::find(source_, name, &SourceColumn::name) == source_.end())
      return problem(pointer, fmt::format("there is no column \"{}\"{}; accepted: {}", name,
                                          didYouMean(name, names_), join(names_)));
    const auto known = std::ranges::find_if(requests_, [&](const ColumnRequest& request) {
      return request.name == name && request.separator == separator;
    });
    if (known == requests_.end())
      requests_.push_back({name, type, separator, weights});
    else if (type && (!known->type || *type == ValueType::kInteger))
      known->type = type;  // whole numbers are the narrowest
    return {};
  }

  [[nodiscard]] const std::vector<ColumnRequest>& all() const { return requests_; }
  [[nodiscard]] const std::vector<std::string>& derived() const { return derived_; }

  // The columns of the blocks that the source will give.
  [[nodiscard]] std::vector<SourceColumn> layout() const {
    std::vector<SourceColumn> layout;
    for (const ColumnRequest& request : requests_) {
      const auto found = std::ranges::find(source_, request.name, &SourceColumn::name);
      const bool isList = found->isList || !request.separator.empty();
      layout.push_back({request.name, request.type.value_or(found->type), isList});
      if (!request.weightSeparator.empty())
        layout.push_back({request.name + " weights", ValueType::kNumber, true});
    }
    return layout;
  }

 private:
  Status wantDerived(const experiment::Derived& derived, const std::string& pointer,
                     const std::string& separator) {
    if (!separator.empty())
      return problem(pointer, fmt::format("\"{}\" is a derived column, which is no list of ids; a "
                                          "column of the source is accepted",
                                          derived.name));
    if (std::ranges::find(derived_, derived.name) != derived_.end()) return {};
    derived_.push_back(derived.name);
    const auto at = &derived - spec_.derived.data();
    const bool buckets = derived.kind == experiment::DerivedKind::kBuckets;
    if (std::ranges::find(source_, derived.from, &SourceColumn::name) == source_.end())
      return problem(
          fmt::format("/dataset/derived/{}/from", at),
          fmt::format("the source has no column \"{}\"{}; accepted: {}", derived.from,
                      didYouMean(derived.from, namesOf(source_)), join(namesOf(source_))));
    return want(derived.from, buckets ? ValueType::kNumber : ValueType::kInteger, pointer);
  }

  const experiment::Dataset& spec_;
  std::span<const SourceColumn> source_;
  std::vector<std::string> names_;
  std::vector<ColumnRequest> requests_;
  std::vector<std::string> derived_;
};

// Vocabularies by the columns that use them; the first column of a role gives the role.
Status planVocabularies(const experiment::Dataset& spec,
                        const std::vector<experiment::Column>& columns, ImportPlan& plan) {
  for (std::size_t i = 0; i < spec.vocabularies.size(); ++i) {
    PlannedVocabulary vocabulary{.spec = spec.vocabularies[i],
                                 .pointer = fmt::format("/dataset/vocabularies/{}", i)};
    PARAPET_TRY(checkVocabulary(vocabulary.spec, vocabulary.pointer));
    if (std::ranges::any_of(plan.vocabularies, [&](const auto& other) {
          return other.spec.name == vocabulary.spec.name;
        }))
      return problem(
          vocabulary.pointer + "/name",
          fmt::format("vocabulary \"{}\" is there twice; once is accepted", vocabulary.spec.name));
    std::vector<std::string> used;
    for (const auto& column : columns) {
      if (column.role == ColumnRole::kTime) continue;
      used.push_back(column.vocabularyName());
      if (column.vocabularyName() != vocabulary.spec.name) continue;
      if (column.role == ColumnRole::kUser) vocabulary.role = "user";
      if (column.role == ColumnRole::kItem) vocabulary.role = "item";
    }
    if (std::ranges::find(used, vocabulary.spec.name) == used.end())
      return problem(
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

Status planIdColumns(const experiment::Dataset& spec,
                     const std::vector<experiment::Column>& columns, Requests& requests,
                     ImportPlan& plan) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const experiment::Column& column = columns[i];
    const std::string pointer = pointerOf(spec, i);
    if (column.role == ColumnRole::kTime) {
      PARAPET_TRY(requests.want(column.originName(), ValueType::kInteger, pointer + "/from"));
      continue;
    }
    const auto vocabulary = std::ranges::find_if(plan.vocabularies, [&](const auto& candidate) {
      return candidate.spec.name == column.vocabularyName();
    });
    if (vocabulary == plan.vocabularies.end())
      return problem("/dataset/vocabularies",
                     fmt::format("column \"{}\" has no vocabulary; one named \"{}\" is needed",
                                 column.name, column.vocabularyName()));
    const bool direct = vocabulary->spec.kind == VocabularyKind::kDirect;
    PARAPET_TRY(requests.want(
        column.originName(), direct ? std::optional(ValueType::kInteger) : std::nullopt,
        pointer + "/from", column.separator.value_or(""), column.weights.value_or("")));
    PlannedColumn planned{.spec = column};
    planned.vocabulary = static_cast<std::size_t>(vocabulary - plan.vocabularies.begin());
    plan.ids.push_back(std::move(planned));
  }
  // The order of the files: user, item, then as the document has them.
  std::ranges::stable_sort(plan.ids, {}, [](const PlannedColumn& column) {
    return column.isRequired() ? static_cast<int>(column.spec.role) : 2;
  });
  return {};
}

Status checkRoles(const std::vector<experiment::Column>& columns,
                  std::span<const SourceColumn> source) {
  for (const auto& [role, name, most] :
       {std::tuple{ColumnRole::kUser, "user", true}, std::tuple{ColumnRole::kItem, "item", true},
        std::tuple{ColumnRole::kTime, "time", false}}) {
    const auto count = std::ranges::count(columns, role, &experiment::Column::role);
    if (count > 1 || (count == 0 && most))
      return problem(
          "/dataset/columns",
          fmt::format("{} columns have the role \"{}\"; {} is accepted. The source has "
                      "the columns {}",
                      count, name, most ? "exactly one" : "at most one", join(namesOf(source))));
  }
  return {};
}

// Where a column of the document is in the shaped blocks.
std::size_t placeOf(const std::vector<SourceColumn>& layout, const std::string& name,
                    bool asList = false) {
  for (std::size_t i = 0; i < layout.size(); ++i)
    if (layout[i].name == name && (!asList || layout[i].isList)) return i;
  throw InternalError(fmt::format("[planImport] column \"{}\" was not asked for", name));
}

Status placeColumns(const std::vector<experiment::Column>& columns,
                    const std::vector<SourceColumn>& layout, ImportPlan& plan) {
  for (PlannedColumn& column : plan.ids) {
    column.values = placeOf(layout, column.spec.originName(), column.spec.separator.has_value());
    column.isBag = layout[column.values].isList;
    if (column.spec.weights) column.weights = column.values + 1;
    if (column.isBag && column.spec.role != ColumnRole::kFeature)
      return problem("/dataset/columns",
                     fmt::format("column \"{}\" has lists of ids; the role \"feature\" is accepted",
                                 column.spec.name));
    PlannedVocabulary& vocabulary = plan.vocabularies[column.vocabulary];
    // Numbers that are no whole ones are names like any other text.
    const ValueType type = layout[column.values].type;
    if (type == ValueType::kNumber)
      return problem("/dataset/columns",
                     fmt::format("column \"{}\" has fractions; whole numbers or texts are accepted "
                                 "as ids (a derived column makes buckets of them)",
                                 column.spec.name));
    vocabulary.type = type;
  }
  for (const PlannedColumn& column : plan.ids)
    if (layout[column.values].type != plan.vocabularies[column.vocabulary].type)
      return problem("/dataset/columns",
                     fmt::format("the columns of the vocabulary \"{}\" have texts and whole "
                                 "numbers; one of the two is accepted",
                                 plan.vocabularies[column.vocabulary].spec.name));
  for (const auto& column : columns)
    if (column.role == ColumnRole::kTime) plan.time = placeOf(layout, column.originName());
  return {};
}

}  // namespace

Result<ImportPlan> planImport(const experiment::Dataset& spec, Source& source) {
  const std::vector<SourceColumn>& found = source.columns();
  const std::vector<experiment::Column> columns = columnsOf(spec, found);
  PARAPET_TRY(checkRoles(columns, found));
  for (std::size_t i = 0; i < spec.derived.size(); ++i)
    if (std::ranges::find(found, spec.derived[i].name, &SourceColumn::name) != found.end())
      return problem(fmt::format("/dataset/derived/{}/name", i),
                     fmt::format("the source has a column \"{}\" already; another name is accepted",
                                 spec.derived[i].name));
  ImportPlan plan;
  plan.scale = spec.label.scale;
  PARAPET_TRY(planVocabularies(spec, columns, plan));
  Requests requests(spec, found);
  PARAPET_TRY(planIdColumns(spec, columns, requests, plan));
  if (spec.label.column)
    PARAPET_TRY(requests.want(*spec.label.column, ValueType::kNumber, "/dataset/label/column"));
  if (spec.weight) PARAPET_TRY(requests.want(*spec.weight, ValueType::kNumber, "/dataset/weight"));
  if (spec.filter) {
    PARAPET_ASSIGN(plan.filter, Filter::parse(*spec.filter));
    // A name that is not there gets the filter's own message, which shows the place.
    std::vector<SourceColumn> all(found.begin(), found.end());
    for (const auto& column : spec.derived) all.push_back({column.name, ValueType::kText, false});
    for (const std::string& name : plan.filter->columns())
      if (std::ranges::find(all, name, &SourceColumn::name) == all.end())
        return plan.filter->bind(all).error();
    for (const std::string& name : plan.filter->columns())
      PARAPET_TRY(requests.want(name, std::nullopt, "/dataset/filter"));
  }
  PARAPET_TRY(source.select(requests.all()));
  std::vector<SourceColumn> layout = requests.layout();
  PARAPET_ASSIGN(plan.derived, DerivedColumns::bind(spec.derived, requests.derived(), layout));
  layout.insert(layout.end(), plan.derived.layout().begin(), plan.derived.layout().end());
  PARAPET_TRY(placeColumns(columns, layout, plan));
  if (spec.label.column) plan.label = placeOf(layout, plan.labelName = *spec.label.column);
  if (spec.weight) plan.weight = placeOf(layout, plan.weightName = *spec.weight);
  if (plan.filter) {
    PARAPET_TRY(plan.filter->bind(layout));
    source.pushDown(plan.filter->bounds());
  }
  return plan;
}

Status planRanges(ImportPlan& plan, const Source& source) {
  for (PlannedVocabulary& vocabulary : plan.vocabularies) {
    PARAPET_ASSIGN(vocabulary.range,
                   idRange(vocabulary.spec, vocabulary.pointer, vocabulary.role, source));
  }
  return {};
}

}  // namespace parapet::data
