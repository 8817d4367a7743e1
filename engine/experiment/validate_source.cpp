// SPDX-License-Identifier: Apache-2.0
// Rules that follow from the source before any file is read: the columns of generated data and the
// types of known columns.
#include <fmt/format.h>

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/text.h"
#include "engine/experiment/source_columns.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

using Type = SourceColumn::Type;

void checkLimits(const Generator& generator, const Location& location) {
  const GeneratorLimits limits = limitsOf(generator);
  const auto check = [&](const char* key, std::int64_t found, std::int64_t min, std::int64_t max,
                         const std::string& because) {
    if (found < min || found > max)
      (location / key)
          .problem(fmt::format("{} {}{}", formatCount(found), key, because),
                   fmt::format("{} to {}", formatCount(min), formatCount(max)));
  };
  check("users", generator.users, 1, limits.maxUsers, "");
  check("items", generator.items, limits.minItems, limits.maxItems, "");
  const bool pairs = generator.kind == GeneratorKind::kMovies;
  check("events", generator.events, 1, limits.maxEvents,
        pairs ? fmt::format(": {} users rate {} movies at most once each",
                            formatCount(generator.users), formatCount(generator.items))
              : "");
}

/// Types of the columns of the source, as far as the document alone shows them, and of derived ones.
class Columns {
 public:
  explicit Columns(const Dataset& dataset) {
    if (dataset.source == SourceKind::kGenerated)
      known_ = generatedColumns(dataset.generator.value_or(Generator{}).kind);
    else if (dataset.source == SourceKind::kMovielens)
      known_ = movieColumns();
    // The columns of a file beside the data are known when the file is read.
    if (!dataset.catalogues.empty()) isOpen_ = true;
    for (const Derived& derived : dataset.derived)
      derived_.emplace(derived.name, typeOf(derived.kind));
  }

  [[nodiscard]] bool isDerived(const std::string& name) const { return derived_.contains(name); }
  /// nullopt if the type is not known.
  [[nodiscard]] std::optional<Type> typeOfColumn(const std::string& name) const {
    if (const auto derived = derived_.find(name); derived != derived_.end()) return derived->second;
    const SourceColumn* found = findColumn(known_, name);
    return found ? std::optional(found->type) : std::nullopt;
  }
  /// Refuses the name of a column that the source cannot have.
  void require(const std::string& name, const Location& location) const {
    if (known_.empty() || isOpen_ || typeOfColumn(name)) return;
    std::vector<std::string> names;
    for (const SourceColumn& column : known_) names.emplace_back(column.name);
    location.problem("the source has no column \"" + name + "\"" + hint(name, names, location),
                     oneOf(names));
  }
  void requireNumbers(const std::string& name, const Location& location) const {
    require(name, location);
    const auto type = typeOfColumn(name);
    if (type == Type::kText || type == Type::kIntegers)
      location.problem(fmt::format("the column \"{}\" has {}", name,
                                   type == Type::kText ? "texts" : "several ids per row"),
                       "a column with one number per row");
  }
  void requireTexts(const std::string& name, const Location& location) const {
    require(name, location);
    if (const auto type = typeOfColumn(name); type && *type != Type::kText)
      location.problem(fmt::format("the column \"{}\" has numbers", name),
                       "a column whose cells are \"train\", \"validation\" or \"test\"");
  }

 private:
  std::span<const SourceColumn> known_;  ///< empty: files decide
  bool isOpen_ = false;                  ///< catalogues have columns besides

  std::unordered_map<std::string, Type> derived_;
};

/// Refuses direct vocabularies of columns with texts.
void checkDirect(const Dataset& dataset, const Columns& columns, const Location& location) {
  std::unordered_map<std::string_view, const Column*> ofText;
  for (const Column& column : dataset.columns)
    if (holdsIds(column.role) && columns.typeOfColumn(column.originName()) == Type::kText)
      ofText.emplace(column.vocabularyName(), &column);
  for (std::size_t index = 0; index < dataset.vocabularies.size(); ++index) {
    const Vocabulary& vocabulary = dataset.vocabularies[index];
    const auto found = ofText.find(vocabulary.name);
    if (vocabulary.kind == VocabularyKind::kDirect && found != ofText.end())
      (location / "vocabularies" / index / "kind")
          .problem(fmt::format("the column \"{}\" has texts, and a \"direct\" vocabulary (the "
                               "default) takes integers",
                               found->second->name),
                   "\"compressed\" or \"hash\"");
  }
}

void checkColumn(const Column& column, const Columns& columns, const Location& at) {
  const std::string& origin = column.originName();
  const Location from = at / (column.from ? "from" : "name");
  if (!holdsIds(column.role)) return columns.requireNumbers(origin, from);
  columns.require(origin, from);
  if (column.separator && columns.isDerived(origin))
    (at / "separator")
        .problem("\"" + origin + "\" is a derived column, which has one value per row",
                 "null, or a column of the source");
}

/// Every id column needs its vocabulary. Those that features read are checked with the features.
void requireVocabularies(const Experiment& experiment, const DocumentIndex& names,
                         const Location& location) {
  std::unordered_set<std::string_view> read;
  for (const Feature& feature : experiment.features) read.insert(feature.column);
  const std::vector<Column>& columns = experiment.dataset.columns;
  for (std::size_t index = 0; index < columns.size(); ++index) {
    const Column& column = columns[index];
    if (!holdsIds(column.role) || read.contains(column.name) || column.name.empty() ||
        names.unreadRoles.contains(column.name))
      continue;
    if (names.vocabularies.find(column.vocabularyName()) == nullptr)
      (location / "columns" / index / (column.vocabulary ? "vocabulary" : "name"))
          .problem(fmt::format("the column \"{}\" holds ids, and no vocabulary is named \"{}\"",
                               column.name, column.vocabularyName()),
                   fmt::format("an entry {{\"name\": \"{}\"}} of /dataset/vocabularies",
                               column.vocabularyName()));
  }
}

}  // namespace

void validateSource(const Experiment& experiment, const DocumentIndex& index,
                    const Location& root) {
  const Dataset& dataset = experiment.dataset;
  const Location location = root / "dataset";
  if (dataset.source == SourceKind::kGenerated)
    checkLimits(dataset.generator.value_or(Generator{}), location / "generator");
  const Columns columns(dataset);
  for (std::size_t position = 0; position < dataset.columns.size(); ++position)
    if (!index.unreadRoles.contains(dataset.columns[position].name))
      checkColumn(dataset.columns[position], columns, location / "columns" / position);
  for (std::size_t position = 0; position < dataset.derived.size(); ++position)
    columns.requireNumbers(dataset.derived[position].from,
                           location / "derived" / position / "from");
  if (dataset.label.column)
    columns.requireNumbers(*dataset.label.column, location / "label" / "column");
  if (dataset.weight) columns.requireNumbers(*dataset.weight, location / "weight");
  if (dataset.split.kind == SplitKind::kColumn)
    columns.requireTexts(dataset.split.column, location / "split" / "column");
  checkDirect(dataset, columns, location);
  requireVocabularies(experiment, index, location);
}

}  // namespace parapet::experiment
