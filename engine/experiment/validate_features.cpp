// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

/// Whether an example may have several ids of the feature.
bool isBag(const DocumentIndex& names, const Feature& feature) {
  if (feature.history || names.isText()) return true;
  const Column* column = names.columns.find(feature.column);
  return column != nullptr && column->separator.has_value();
}

void checkNumbers(const DocumentIndex& names, const Feature& feature, const Location& location) {
  const auto role = names.roleOf(feature.column);
  const std::vector<std::string>& numbers = names.numericColumns;
  if (role == ColumnRole::kNumeric) return;
  if (role && holdsIds(*role))
    (location / "table")
        .problem("the column \"" + feature.column + "\" holds ids, and table is null",
                 "a table with the vocabulary \"" + *names.vocabularyOf(feature.column) + "\"");
  else
    (location / "column")
        .problem(
            "the column \"" + feature.column + "\" is not numeric" +
                hint(feature.column, numbers, location),
            numbers.empty() ? "a column with the role \"number\"; there is none" : oneOf(numbers));
}

void checkIds(const DocumentIndex& names, const Feature& feature, const Location& location) {
  const std::string* vocabulary = names.vocabularyOf(feature.column);
  if (names.roleOf(feature.column) == ColumnRole::kNumeric) {
    (location / "table")
        .problem("the column \"" + feature.column + "\" is numeric, and a table looks up ids",
                 "null");
    return;
  }
  const bool misnamed =
      vocabulary != nullptr && names.duplicateTableVocabularies.contains(*vocabulary);
  if (!misnamed && !names.lacksTables)
    requireNamed(names.tables, feature.table, "table", location / "table");
  if (vocabulary == nullptr || names.vocabularies.find(*vocabulary) == nullptr) {
    const std::vector<std::string>& columns = names.idColumns;
    (location / "column")
        .problem("the column \"" + feature.column + "\" has no vocabulary" +
                     hint(feature.column, columns, location),
                 columns.empty() ? "a column with a vocabulary; there is none" : oneOf(columns));
    return;
  }
  const Table* table = names.tables.find(feature.table);
  if (table != nullptr && !table->vocabulary.empty() && table->vocabulary != *vocabulary)
    (location / "table")
        .problem(fmt::format("the table \"{}\" embeds the vocabulary \"{}\", and the column "
                             "\"{}\" has ids of \"{}\"",
                             table->name, table->vocabulary, feature.column, *vocabulary),
                 "a table with the vocabulary \"" + *vocabulary + "\"");
}

/// Warns of settings of bags and of numeric columns that have no effect.
void checkUnused(const DocumentIndex& names, const Feature& feature, const Location& location) {
  const bool numeric = feature.table.empty();
  if (feature.history) {
    constexpr const char* kUnused = "not used: the length of the history limits its items";
    if (feature.maxLength) (location / "max_length").warning(kUnused, "null");
    if (feature.truncationSide == TruncationSide::kStart)
      (location / "truncation_side").warning(kUnused, "\"end\"");
    return;
  }
  const bool bag = isBag(names, feature);
  const std::string single = numeric ? "a row of a numeric column has one value"
                                     : "a row of \"" + feature.column + "\" has one id";
  if (feature.maxLength && !bag) (location / "max_length").warning("not used: " + single, "null");
  if (feature.truncationSide == TruncationSide::kStart && !feature.maxLength)
    (location / "truncation_side")
        .warning("not used: max_length is null, so nothing is truncated", "\"end\"");
  if (!numeric && feature.transform != NumericTransform::kNone)
    (location / "transform")
        .warning("not used: the column holds ids, it is not numeric", "\"none\"");
}

/// A sequence has ids in an order, and a length that buffers are made for.
void checkSequence(const DocumentIndex& names, const Feature& feature, const Location& location) {
  if (!feature.sequence) return;
  const Location at = location / "sequence";
  if (feature.table.empty() || !isBag(names, feature)) {
    at.problem(feature.table.empty()
                   ? "a numeric column has no ids"
                   : fmt::format("an example has one id of the column \"{}\"", feature.column),
               "false, or a feature with a history or of a column with a separator");
    return;
  }
  if (!feature.history && !feature.maxLength)
    (location / "max_length")
        .problem("a sequence has a longest length, and max_length is null", "a max. length");
  const Column* column = names.columns.find(feature.column);
  if (feature.outputShape)
    (location / "output_shape")
        .problem("a sequence has as many rows as there are ids, so its shape is not fixed", "null");
  if (feature.weighted && column != nullptr && column->weights)
    (location / "weighted")
        .problem("the ids of a sequence have no weights, and those of the column do", "false");
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

void checkRows(const Experiment& experiment, const DocumentIndex& names, std::int64_t found,
               const Location& location) {
  const auto rows = names.batchSize;
  if (!rows || found == *rows) return;
  const Batch& batch = experiment.dataset.batch;
  const std::int64_t devices = batch.perDevice && !batch.size ? *rows / *batch.perDevice : 1;
  std::string message = fmt::format("{} rows, and a global batch has {}", found, *rows);
  if (devices > 1)
    message += found % devices != 0
                   ? fmt::format("; {} does not divide over {} devices", found, devices)
                   : fmt::format(": {} on each of {} devices", *batch.perDevice, devices);
  (location / std::size_t{0}).problem(message, fmt::format("{}", *rows));
}

void checkInputShape(const Experiment& experiment, const DocumentIndex& names,
                     const Feature& feature, const Location& location) {
  const std::vector<std::int64_t>& shape = *feature.inputShape;
  checkRows(experiment, names, shape[0], location);
  const bool bag = isBag(names, feature);
  const bool ofHistory = feature.history.has_value();
  const auto longest = ofHistory ? std::optional(feature.history->length) : feature.maxLength;
  const std::string setting = ofHistory ? "the history's length" : "max_length";
  if (shape.size() > 2)
    location.problem("the shape " + shapeText(shape) + " has more than two dimensions",
                     "[global batch], or [global batch, longest row]");
  if (shape.size() != 2) return;
  const Location length = location / std::size_t{1};
  if (!bag && shape[1] != 1)
    length.problem(
        fmt::format("{} values a row, and the column \"{}\" has one", shape[1], feature.column),
        "1, or [global batch]");
  else if (bag && !longest)
    length.problem(
        fmt::format("{} ids a row, and max_length is null: rows have any length", shape[1]),
        fmt::format("a max_length of {}, or [global batch]", shape[1]));
  else if (bag && shape[1] != *longest)
    length.problem(fmt::format("{} ids a row, and {} is {}", shape[1], setting, *longest),
                   fmt::format("{}", *longest));
}

void checkOutputShape(const Experiment& experiment, const DocumentIndex& names,
                      const Feature& feature, const Location& location) {
  const std::vector<std::int64_t>& shape = *feature.outputShape;
  checkRows(experiment, names, shape[0], location);
  const Table* table = names.tables.find(feature.table);
  if (feature.sequence || (!feature.table.empty() && table == nullptr)) return;
  const std::int64_t width = table ? table->embeddingDim : 1;
  if (shape.size() != 2)
    location.problem("the shape " + shapeText(shape) + " has not two dimensions",
                     fmt::format("[global batch, {}]", width));
  else if (shape[1] != width)
    (location / std::size_t{1})
        .problem(table ? fmt::format("{} wide, and the table \"{}\" is {} wide", shape[1],
                                     table->name, width)
                       : fmt::format("{} wide, and a numeric column is 1 wide", shape[1]),
                 fmt::format("{}", width));
}

/// A history is that of the user: items in the query tower, in an order that the data have.
void checkHistory(const Experiment& experiment, const DocumentIndex& names, const Feature& feature,
                  const Location& location) {
  const Dataset& dataset = experiment.dataset;
  const History& history = *feature.history;
  if (const auto role = names.roleOf(feature.column); role && role != ColumnRole::kItem) {
    const auto items = std::ranges::find(dataset.columns, ColumnRole::kItem, &Column::role);
    (location / "column")
        .problem(
            fmt::format("a history holds items, and the column \"{}\" does not", feature.column),
            "\"" + (items == dataset.columns.end() ? std::string("item") : items->name) + "\"");
  }
  if (feature.tower == Tower::kCandidate)
    (location / "tower")
        .problem("a history is of the user, and the candidate tower describes items", "\"query\"");
  const bool timed =
      dataset.columns.empty() ||
      std::ranges::find(dataset.columns, ColumnRole::kTime, &Column::role) != dataset.columns.end();
  if (history.order == EventOrder::kTime && !timed)
    (location / "history")
        .problem(
            "rows have no time: no column has the role \"time\"",
            "a column of times, or {\"order\": \"data\"} if the rows of a user stand in the order "
            "in which they happened");
  if (history.order == EventOrder::kData && history.withinSeconds)
    (location / "history" / "within_seconds")
        .problem("the order of the data has no seconds", "null, or the order \"time\"");
  const SplitKind split = dataset.split.kind;
  if (history.rows == HistoryRows::kAll && split != SplitKind::kLeaveLast &&
      split != SplitKind::kTemporal)
    (location / "history" / "rows")
        .warning("held-out rows are in the histories of training rows that come later",
                 "\"train\", or a split by time");
}

/// Neither of two towers may read the features of the other: candidates are encoded before the user
/// is known, and queries before the item is.
void checkTower(const DocumentIndex& names, const Feature& feature, const Location& location) {
  const bool query = feature.tower == Tower::kQuery;
  const auto role = names.roleOf(feature.column);
  const bool foreign =
      query ? role == ColumnRole::kItem : role == ColumnRole::kUser || role == ColumnRole::kContext;
  if (foreign)
    (location / "column")
        .problem(fmt::format("the {} tower cannot read the column \"{}\"",
                             query ? "query" : "candidate", feature.column),
                 query ? "a column of users or of the context" : "a column of items");
}

/// The folders of a name: "a" and "a/b" of "a/b/c".
std::vector<std::string_view> foldersOf(std::string_view name) {
  std::vector<std::string_view> folders;
  for (std::size_t end = name.find('/'); end != std::string_view::npos;
       end = name.find('/', end + 1))
    folders.push_back(name.substr(0, end));
  return folders;
}

/// A name that is a folder of another one would be ambiguous.
void checkNames(const std::vector<Feature>& features, const Location& location) {
  refuseDuplicateNames(features, location);
  const NameIndex<Feature> names(features);
  for (std::size_t index = 0; index < features.size(); ++index) {
    const Feature& feature = features[index];
    const Location at = location / index / "name";
    if (feature.name == "query" || feature.name == "candidate")
      at.problem("\"" + feature.name + "\" is the output of a tower", "another name");
    for (const std::string_view folder : foldersOf(feature.name))
      if (names.find(folder) != nullptr)
        at.problem(
            fmt::format("\"{}\" is a feature, so it cannot hold \"{}\"", folder, feature.name),
            "a name that is in no other feature");
  }
}

/// Warns of features that differ in nothing but their name.
void warnOfEqual(const std::vector<Feature>& features, const Location& location) {
  const auto settingsOf = [](const Feature& feature) {
    return std::tie(feature.column, feature.table, feature.tower, feature.history,
                    feature.maxLength, feature.truncationSide, feature.weighted, feature.transform,
                    feature.sequence);
  };
  std::map<decltype(settingsOf(features[0])), const Feature*> known;
  for (std::size_t index = 0; index < features.size(); ++index) {
    const auto [first, isNew] = known.emplace(settingsOf(features[index]), &features[index]);
    if (!isNew && first->second->name != features[index].name)
      (location / index).warning("it is equal to \"" + first->second->name + "\"");
  }
}

/// A column has the role of a context so that lists may depend on it; what nothing reads is imported for nothing.
/// Users, items and times count without a feature: for lists, histories and splits.
void warnOfUnreadColumns(const Experiment& experiment, const DocumentIndex& index,
                         const Location& columns) {
  if (index.isText() || index.lacksFeatures || experiment.features.empty()) return;
  std::set<std::string_view> read(experiment.evaluation.segments.begin(),
                                  experiment.evaluation.segments.end());
  for (const Feature& feature : experiment.features) read.insert(feature.column);
  for (const Head& head : experiment.model.heads)
    if (head.label) read.insert(*head.label);
  const auto& all = experiment.dataset.columns;
  for (std::size_t column = 0; column < all.size(); ++column) {
    const ColumnRole role = all[column].role;
    if (role == ColumnRole::kUser || role == ColumnRole::kItem || role == ColumnRole::kTime ||
        all[column].name.empty() || read.contains(all[column].name))
      continue;
    const std::string name = printable(all[column].name);
    (columns / column)
        .warning(
            role == ColumnRole::kContext
                ? fmt::format("no feature reads the context \"{}\": no list depends on it", name)
                : fmt::format("nothing reads the column \"{}\": the model does not see it", name),
            "a feature that reads it, or another role");
  }
}

}  // namespace

void validateFeatures(const Experiment& experiment, const DocumentIndex& index,
                      const Location& root) {
  checkNames(experiment.features, root / "features");
  warnOfEqual(experiment.features, root / "features");
  warnOfUnreadColumns(experiment, index, root / "dataset" / "columns");
  for (std::size_t position = 0; position < experiment.features.size(); ++position) {
    const Feature& feature = experiment.features[position];
    const Location at = root / "features" / position;
    // The feature, or the role of its column, could not be read, which was noted.
    if (feature.column.empty() || index.unreadRoles.contains(feature.column)) continue;
    if (feature.table.empty())
      checkNumbers(index, feature, at);
    else
      checkIds(index, feature, at);
    checkUnused(index, feature, at);
    checkSequence(index, feature, at);
    if (feature.inputShape) checkInputShape(experiment, index, feature, at / "input_shape");
    if (feature.outputShape) checkOutputShape(experiment, index, feature, at / "output_shape");
    if (feature.history)
      checkHistory(experiment, index, feature, at);
    else if (hasTowers(experiment.model.kind))
      checkTower(index, feature, at);
  }
}

}  // namespace parapet::experiment
