// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

const Column* columnOf(const Dataset& dataset, const Feature& feature) {
  return findNamed(dataset.columns, feature.column);
}

/// Ids of several values, or the one number of a row.
bool isBag(const Dataset& dataset, const Feature& feature) {
  const Column* column = columnOf(dataset, feature);
  return column != nullptr && column->separator.has_value();
}

std::string orNone(const std::vector<std::string>& names) {
  return names.empty() ? "there is none" : join(names);
}

void checkNumbers(const Dataset& dataset, const Feature& feature, const Location& location) {
  const auto role = dataset.roleOf(feature.column);
  const std::vector<std::string> numbers = dataset.numberColumns();
  if (role == ColumnRole::kNumber) return;
  if (role && holdsIds(*role))
    (location / "table")
        .problem("the column \"" + feature.column + "\" holds ids, and no table is named",
                 "a table with the vocabulary \"" + *dataset.vocabularyOf(feature.column) + "\"");
  else
    (location / "column")
        .problem("the column \"" + feature.column + "\" holds no numbers" +
                     didYouMean(feature.column, numbers),
                 "a column with the role \"number\": " + orNone(numbers));
}

void checkIds(const Experiment& experiment, const Feature& feature, const Location& location) {
  const Dataset& dataset = experiment.dataset;
  const std::string* vocabulary = dataset.vocabularyOf(feature.column);
  if (dataset.roleOf(feature.column) == ColumnRole::kNumber) {
    (location / "table")
        .problem("the column \"" + feature.column + "\" holds numbers, which no table looks up",
                 "null");
    return;
  }
  requireNamed(experiment.tables, feature.table, "table", location / "table");
  if (vocabulary == nullptr || findNamed(dataset.vocabularies, *vocabulary) == nullptr) {
    const std::vector<std::string> names = dataset.idColumns();
    (location / "column")
        .problem("the column \"" + feature.column + "\" has no vocabulary" +
                     didYouMean(feature.column, names),
                 "a column with a vocabulary: " + join(names));
    return;
  }
  const Table* table = findNamed(experiment.tables, feature.table);
  if (table != nullptr && !table->vocabulary.empty() && table->vocabulary != *vocabulary)
    (location / "table")
        .problem(fmt::format("the table \"{}\" has the rows of the vocabulary \"{}\", and the "
                             "column \"{}\" those of \"{}\"",
                             table->name, table->vocabulary, feature.column, *vocabulary),
                 "a table with the vocabulary \"" + *vocabulary + "\"");
}

/// Settings of bags and of numbers, where there are none.
void checkUnused(const Dataset& dataset, const Feature& feature, const Location& location) {
  const bool number = feature.table.empty();
  const bool bag = isBag(dataset, feature);
  const std::string single =
      number ? "a row has one number" : "a row of \"" + feature.column + "\" has one id";
  if (feature.maxLength && !bag) (location / "max_length").warning("not used: " + single, "null");
  if (feature.keep == KeptIds::kLast && !feature.maxLength)
    (location / "keep").warning("not used: max_length is null, so all ids stay", "\"first\"");
  if (!number && feature.transform != NumberTransform::kNone)
    (location / "transform").warning("not used: the column holds ids, not numbers", "\"none\"");
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// Rows of a global batch; nullopt if that cannot be known.
std::optional<std::int64_t> batchRows(const Experiment& experiment) {
  const Batch& batch = experiment.dataset.batch;
  if (batch.size) return batch.size;
  const auto devices = expandDevices(experiment.mesh.devices);
  if (!batch.perDevice || !devices.ok()) return std::nullopt;
  return *batch.perDevice * static_cast<std::int64_t>(devices->size());
}

void checkRows(const Experiment& experiment, std::int64_t found, const Location& location) {
  const auto rows = batchRows(experiment);
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

void checkInputShape(const Experiment& experiment, const Feature& feature,
                     const Location& location) {
  const std::vector<std::int64_t>& shape = *feature.inputShape;
  checkRows(experiment, shape[0], location);
  const bool bag = isBag(experiment.dataset, feature);
  if (shape.size() > 2)
    location.problem("the shape " + shapeText(shape) + " has more than two dimensions",
                     "[global batch], or [global batch, longest row]");
  if (shape.size() != 2) return;
  const Location length = location / std::size_t{1};
  if (!bag && shape[1] != 1)
    length.problem(
        fmt::format("{} values a row, and the column \"{}\" has one", shape[1], feature.column),
        "1, or [global batch]");
  else if (bag && !feature.maxLength)
    length.problem(
        fmt::format("{} ids a row, and max_length is null: rows have any length", shape[1]),
        fmt::format("a max_length of {}, or [global batch]", shape[1]));
  else if (bag && shape[1] != *feature.maxLength)
    length.problem(fmt::format("{} ids a row, and max_length is {}", shape[1], *feature.maxLength),
                   fmt::format("{}", *feature.maxLength));
}

void checkOutputShape(const Experiment& experiment, const Feature& feature,
                      const Location& location) {
  const std::vector<std::int64_t>& shape = *feature.outputShape;
  checkRows(experiment, shape[0], location);
  const Table* table = findNamed(experiment.tables, feature.table);
  if (!feature.table.empty() && table == nullptr) return;
  const std::int64_t width = table ? table->embeddingDim : 1;
  if (shape.size() != 2)
    location.problem("the shape " + shapeText(shape) + " has not two dimensions",
                     fmt::format("[global batch, {}]", width));
  else if (shape[1] != width)
    (location / std::size_t{1})
        .problem(table ? fmt::format("{} wide, and the table \"{}\" is {} wide", shape[1],
                                     table->name, width)
                       : fmt::format("{} wide, and a number is 1 wide", shape[1]),
                 fmt::format("{}", width));
}

/// Of two towers neither may know the other's side: candidates are scored for users that come
/// later, and a query is asked before there is an item.
void checkTower(const Dataset& dataset, const Feature& feature, const Location& location) {
  const bool query = feature.tower == Tower::kQuery;
  const auto role = dataset.roleOf(feature.column);
  const bool foreign =
      query ? role == ColumnRole::kItem : role == ColumnRole::kUser || role == ColumnRole::kContext;
  if (foreign)
    (location / "column")
        .problem(fmt::format("the {} tower cannot read the column \"{}\"",
                             query ? "query" : "candidate", feature.column),
                 query ? "a column of users or of the context" : "a column of items");
}

/// Whether one name is a folder of the other, so that it would stand for both.
bool isFolderOf(const std::string& folder, const std::string& name) {
  return name.size() > folder.size() && name.starts_with(folder) && name[folder.size()] == '/';
}

void checkNames(const std::vector<Feature>& features, const Location& location) {
  refuseDuplicateNames(features, location);
  for (std::size_t index = 0; index < features.size(); ++index) {
    const Feature& feature = features[index];
    const Location at = location / index;
    if (feature.name == "query" || feature.name == "candidate")
      (at / "name").problem("\"" + feature.name + "\" is the output of a tower", "another name");
    for (std::size_t other = 0; other < features.size() && !feature.name.empty(); ++other) {
      if (isFolderOf(features[other].name, feature.name))
        (at / "name")
            .problem(fmt::format("\"{}\" is a feature, so it cannot hold \"{}\"",
                                 features[other].name, feature.name),
                     "a name that is in no other feature");
      const bool same =
          other < index && features[other].column == feature.column &&
          features[other].table == feature.table && features[other].tower == feature.tower &&
          features[other].maxLength == feature.maxLength && features[other].keep == feature.keep &&
          features[other].weighted == feature.weighted &&
          features[other].transform == feature.transform;
      if (same && features[other].name != feature.name)
        at.warning("it gives the same as \"" + features[other].name + "\"");
    }
  }
}

}  // namespace

void validateFeatures(const Experiment& experiment, const Location& root) {
  checkNames(experiment.features, root / "features");
  for (std::size_t index = 0; index < experiment.features.size(); ++index) {
    const Feature& feature = experiment.features[index];
    const Location at = root / "features" / index;
    if (feature.column.empty()) continue;  // it could not be read, which was noted
    if (feature.table.empty())
      checkNumbers(experiment.dataset, feature, at);
    else
      checkIds(experiment, feature, at);
    checkUnused(experiment.dataset, feature, at);
    if (feature.inputShape) checkInputShape(experiment, feature, at / "input_shape");
    if (feature.outputShape) checkOutputShape(experiment, feature, at / "output_shape");
    if (experiment.model.kind == ModelKind::kRetrieval) checkTower(experiment.dataset, feature, at);
  }
}

}  // namespace parapet::experiment
