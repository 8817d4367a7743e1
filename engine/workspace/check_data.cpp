// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/check_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "engine/base/npy.h"
#include "engine/base/record/location.h"
#include "engine/base/text.h"
#include "engine/data/dataset/batch_rows.h"
#include "engine/data/dataset/event_columns.h"
#include "engine/data/dataset/user_history.h"
#include "engine/experiment/metric_key.h"
#include "engine/experiment/model_shape.h"
#include "engine/experiment/query_context.h"
#include "engine/experiment/validate.h"
#include "engine/retrieval/candidates.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;
using experiment::Findings;
using record::Location;

/// The targets of cross entropy are probabilities.
void checkProbabilities(std::span<const float> labels, const Location& location,
                        const std::string& accepted) {
  std::int64_t outside = 0, between = 0, missing = 0;
  std::size_t first = 0;
  float least = std::numeric_limits<float>::infinity(), most = -least;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const float label = labels[row];
    const bool within = label >= 0.0F && label <= 1.0F;
    if (!within && outside++ == 0) first = row;
    missing += std::isnan(label) ? 1 : 0;
    // A comparison with NaN is false.
    if (label < least) least = label;
    if (label > most) most = label;
    between += label > 0.0F && label < 1.0F ? 1 : 0;
  }
  const auto rows = static_cast<std::int64_t>(labels.size());
  if (outside > 0) {
    const std::string range = missing == rows ? "none is a number"
                              : missing > 0   ? fmt::format("from {} to {}, and {} are no number",
                                                            least, most, formatCount(missing))
                                              : fmt::format("from {} to {}", least, most);
    location.problem(
        fmt::format(
            "bce takes labels in [0, 1], and {} of {} are not: {}, the first is {} (row {})",
            formatCount(outside), formatCount(rows), range,
            std::isnan(labels[first]) ? "no number" : fmt::format("{}", labels[first]), first + 1),
        accepted);
  } else if (between > 0) {
    location.warning(
        fmt::format("{} of {} labels are neither 0 nor 1; bce takes them as probabilities",
                    formatCount(between), formatCount(rows)));
  }
}

void checkLabels(const Experiment& experiment, const data::Dataset& dataset, const Location& root) {
  const auto isBce = [](const experiment::Loss& loss) {
    return experiment::traitsOf(loss.kind).takesLogits;
  };
  bool ofDataset = isBce(experiment.loss);
  for (std::size_t index = 0; index < experiment.model.heads.size(); ++index) {
    const experiment::Head& head = experiment.model.heads[index];
    if (!isBce(head.loss)) continue;
    if (head.label && dataset.isDense(*head.label))
      checkProbabilities(dataset.denseValues(*head.label),
                         root / "model" / "heads" / index / "label",
                         "a column of labels in [0, 1], or another loss");
    else if (!head.label)
      ofDataset = true;
  }
  if (ofDataset)
    checkProbabilities(
        dataset.labels(), root / "dataset" / "label" / "scale",
        "a scale whose ends are 0 and 1, a label column of 0 and 1, or another loss");
}

constexpr const char* kAcceptedWeights = "a column with weights above 0, or null";

bool allZero(std::span<const float> weights) {
  return !weights.empty() && std::ranges::all_of(weights, [](float weight) { return weight == 0; });
}

/// Nothing counts: neither a loss nor a metric, and no gradient is other than 0.
void checkExampleWeights(const Experiment& experiment, const data::Dataset& dataset,
                         const Location& location) {
  if (allZero(dataset.weights()))
    (location / "weight")
        .problem(
            fmt::format("all {} weights of column \"{}\" are 0: no row counts, so nothing can be "
                        "learned or measured",
                        formatCount(dataset.rows()), experiment.dataset.weight.value_or("")),
            kAcceptedWeights);
  const std::vector<experiment::Column>& columns = experiment.dataset.columns;
  for (std::size_t index = 0; index < columns.size(); ++index)
    if (columns[index].weights && dataset.idColumn(columns[index].name) &&
        allZero(dataset.bagWeights(columns[index].name)))
      (location / "columns" / index / "weights")
          .warning(
              fmt::format("all weights of the ids in column \"{}\" are 0: what a feature makes "
                          "of them is 0",
                          columns[index].name),
              "weights above 0, or null");
}

void checkWeightsOfParts(const Experiment& experiment, const data::Dataset& dataset,
                         const data::Split& split, const Location& location) {
  const std::span<const float> weights = dataset.weights();
  if (weights.empty() || allZero(weights)) return;
  const auto isWithout = [&](const data::RowSet& rows) {
    bool found = false;
    rows.forEach(
        [&](std::int64_t row) { found = found || weights[static_cast<std::size_t>(row)] > 0.0F; });
    return !rows.empty() && !found;
  };
  const std::string column = experiment.dataset.weight.value_or("");
  if (isWithout(split.train))
    location.problem(fmt::format("all training rows have weight 0 in column \"{}\": nothing can be "
                                 "learned",
                                 column),
                     kAcceptedWeights);
  for (const auto& [rows, name] :
       {std::pair(&split.validation, "validation"), std::pair(&split.test, "test")})
    if (isWithout(*rows))
      location.warning(fmt::format("all rows of the {} part have weight 0 in column \"{}\": it has "
                                   "no loss",
                                   name, column),
                       kAcceptedWeights);
}

/// Examples whose bags are truncated.
void checkLengths(const experiment::Feature& feature, const data::Dataset& dataset,
                  const Location& location) {
  const data::IdColumnInfo* info = dataset.idColumn(feature.column);
  if (feature.history || !feature.maxLength || !info || info->longestBag <= *feature.maxLength)
    return;
  const std::span<const std::int64_t> offsets = dataset.bagOffsets(feature.column);
  std::int64_t longer = 0, truncated = 0;
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    const std::int64_t excess = offsets[row + 1] - offsets[row] - *feature.maxLength;
    if (excess <= 0) continue;
    ++longer;
    truncated += excess;
  }
  const auto ids = [](std::int64_t count) {
    return fmt::format("{} id{}", formatCount(count), count == 1 ? "" : "s");
  };
  location.warning(
      fmt::format("{} of {} rows have more than {}, up to {}: {} {} not used", formatCount(longer),
                  formatCount(dataset.rows()), ids(*feature.maxLength), info->longestBag,
                  ids(truncated), truncated == 1 ? "is" : "are"),
      fmt::format("{} to use all, or null", info->longestBag));
}

/// Histories by time: of a source that could have had times and has none, and of rows whose order
/// nobody knows.
void checkHistories(const Experiment& experiment, const data::Dataset& dataset,
                    const Location& features, const std::stop_token& stop) {
  std::optional<std::int64_t> ties;
  for (std::size_t index = 0; index < experiment.features.size(); ++index) {
    const std::optional<experiment::History>& history = experiment.features[index].history;
    if (!history || history->order != experiment::EventOrder::kTime || dataset.rows() == 0)
      continue;
    const Location location = features / index / "history";
    if (dataset.times().empty()) {
      location.problem("the data have no times",
                       "a column of times, or {\"order\": \"data\"} if the rows of a user stand in "
                       "the order in which they happened");
      continue;
    }
    if (!ties)
      ties = data::UserHistory(data::EventColumns(dataset, stop), std::nullopt,
                               experiment::EventOrder::kTime)
                 .ties();
    if (*ties > 0)
      location.warning(
          fmt::format("{} of {} rows share their time with another row of their user: none of "
                      "these is in the history of the others",
                      formatCount(*ties), formatCount(dataset.rows())));
  }
}

/// Ids that hash to one row.
void checkCollisions(const Experiment& experiment, const data::Dataset& dataset,
                     const Location& vocabularies) {
  for (std::size_t index = 0; index < experiment.dataset.vocabularies.size(); ++index) {
    const auto& known = dataset.vocabularies();
    const auto found = std::ranges::find(known, experiment.dataset.vocabularies[index].name,
                                         &data::Vocabulary::name);
    if (found == known.end()) continue;
    if (const std::string text = found->collisionText(); !text.empty())
      (vocabularies / index / "size")
          .warning(text, fmt::format("more than {} rows", formatCount(found->entries())));
  }
}

template <class Value>
bool isConstant(std::span<const Value> values) {
  return values.size() > 1 &&
         std::ranges::all_of(values, [&](const Value& value) { return value == values.front(); });
}

/// Columns with one value tell no row from another: nothing can be learned from them. Passes end at the first
/// row that differs.
void checkConstants(const Experiment& experiment, const data::Dataset& dataset,
                    const Location& root) {
  const experiment::Dataset& spec = experiment.dataset;
  const Location columns = root / "dataset" / "columns";
  const std::string rows = formatCount(dataset.rows());
  for (std::size_t index = 0; index < spec.columns.size(); ++index) {
    const std::string& name = spec.columns[index].name;
    const std::string where = fmt::format("all {} rows have ", rows);
    if (spec.columns[index].role == experiment::ColumnRole::kTime) {
      if (isConstant(dataset.times()) && dataset.timeMicroseconds().empty())
        (columns / index).warning(where + "the same time: they have no order", "other data");
    } else if (dataset.isDense(name)) {
      if (const auto values = dataset.denseValues(name); isConstant(values))
        (columns / index)
            .warning(fmt::format("{}{} in the column \"{}\": nothing can be learned from it", where,
                                 values.front(), printable(name)),
                     "a column with several values, or none");
    } else if (dataset.idColumn(name) && dataset.bagOffsets(name).empty() &&
               isConstant(dataset.ids(name))) {
      (columns / index)
          .warning(fmt::format("{}one id in the column \"{}\": nothing can be learned from it",
                               where, printable(name)),
                   "a column with several ids, or none");
    }
  }
  // Without a column every label is 1, and a loss that compares labels is refused.
  if (spec.label.column && isConstant(dataset.labels()))
    (root / "dataset" / "label" / "column")
        .warning(fmt::format("all {} labels are {}: no model can do better than to say so", rows,
                             dataset.rawLabel(dataset.labels().front())),
                 "a column with several labels, or null");
  if (const auto weights = dataset.weights(); isConstant(weights) && weights.front() > 0.0F)
    (root / "dataset" / "weight")
        .warning(fmt::format("all {} weights are {}: they change nothing", rows, weights.front()),
                 "a column with several weights, or null");
}

void checkVectors(const experiment::Table& table, const data::Dataset& dataset,
                  const Location& location) {
  if (table.initializer.kind != experiment::InitializerKind::kVectors) return;
  const std::int64_t width = dataset.vectors(table.initializer.vectors).width;
  if (width != table.embeddingDim)
    location.problem(
        fmt::format("the pretrained embeddings \"{}\" have width {}, and the table has width {}",
                    table.initializer.vectors, width, table.embeddingDim),
        fmt::format("an embedding_dim of {}, or embeddings of width {}", width,
                    table.embeddingDim));
}

/// A file of initial weights [rows, cols]; rows < 0: any count.
void checkFile(const experiment::Initializer& initializer, std::int64_t rows, std::int64_t cols,
               const Location& location) {
  if (initializer.kind != experiment::InitializerKind::kFile) return;
  const auto file = NpyFile::openFloats(initializer.path);
  const std::string accepted = rows < 0 ? fmt::format("an array of {} columns", cols)
                                        : fmt::format("an array of the shape [{}, {}]", rows, cols);
  if (!file) {
    location.problem(file.error().text(), accepted);
    return;
  }
  const std::vector<std::int64_t>& shape = file->shape();
  if (shape.size() != 2 || shape[1] != cols || (rows >= 0 && shape[0] != rows))
    location.problem(fmt::format("{} has the shape [{}]", initializer.path, fmt::join(shape, ", ")),
                     accepted);
}

using experiment::Problem;

constexpr const char* kStoppingPointer = "/training/early_stopping/metric";
constexpr const char* kBestPointer = "/training/checkpoints/best";

/// Whether a setting names a metric that a run goes by.
bool isTracked(const std::string& pointer) {
  return pointer == kStoppingPointer || pointer == kBestPointer;
}

/// How many items a list can hold; nullopt of models without lists of the catalogue.
std::optional<std::int64_t> candidatesOf(const Experiment& experiment, const data::Dataset& dataset,
                                         const data::Split& split, std::stop_token stop = {}) {
  if (!experiment::hasTowers(experiment.model.kind) ||
      experiment.evaluation.catalogue == experiment::CatalogueTime::kNever)
    return std::nullopt;
  const auto columnOf = [&](experiment::ColumnRole role, const char* standard) {
    const auto& columns = experiment.dataset.columns;
    const auto found = std::ranges::find(columns, role, &experiment::Column::role);
    return found == columns.end() ? std::string(standard) : found->name;
  };
  const std::string user = columnOf(experiment::ColumnRole::kUser, "user"),
                    item = columnOf(experiment::ColumnRole::kItem, "item");
  if (!dataset.idColumn(user) || !dataset.idColumn(item)) return std::nullopt;
  const retrieval::Interactions interactions(dataset, user, item, split, std::move(stop));
  return retrieval::candidateCount(interactions, retrieval::coldItems(experiment, dataset, item));
}

/// The k of a metric of lists of the catalogue, whichever split it is of; nullopt of all others.
std::optional<std::int64_t> lengthOf(const Experiment& experiment, const std::string& metric) {
  const std::string name = metric.substr(metric.find('_') + 1);
  for (const experiment::RankingMetric each : experiment.evaluation.metrics)
    if (const std::string key = traitsOf(each).key(); key.ends_with('@') && name.starts_with(key))
      return parseInt(name.substr(key.size()));
  return std::nullopt;
}

bool isBeyond(const Experiment& experiment, const std::string& metric, std::int64_t candidates) {
  const auto length = lengthOf(experiment, metric);
  return length && *length > candidates;
}

std::string candidateText(std::int64_t candidates) {
  return fmt::format("{} candidate{}", formatCount(candidates), candidates == 1 ? "" : "s");
}

/// Without those of lists that would be longer than the catalogue.
std::string measuredKeys(const Experiment& experiment, std::int64_t candidates) {
  std::vector<std::string> keys = experiment::validationKeys(experiment);
  std::erase_if(keys,
                [&](const std::string& key) { return isBeyond(experiment, key, candidates); });
  return experiment::oneOf(keys);
}

Problem beyond(const Experiment& experiment, const std::string& metric, std::int64_t candidates) {
  return {"",
          fmt::format("\"{}\" is never measured: a list has {} at most", printable(metric),
                      candidateText(candidates)),
          measuredKeys(experiment, candidates)};
}

/// Sequences that training is made of; nullopt where each row has a history of its own, or rows have no
/// order, which checkData() refuses.
std::optional<std::int64_t> sequencesOf(const Experiment& experiment, const data::Dataset& dataset,
                                        const data::Split& split) {
  const auto windows = experiment::sequenceWindows(experiment);
  const data::EventColumns events(dataset);
  if (!windows || (windows->order == experiment::EventOrder::kTime && events.times.empty()))
    return std::nullopt;
  return data::ListOrder(events, split.train, {.batchRows = windows->stride, .windows = windows})
      .lists();
}

/// More draws than items: what is drawn again says nothing new.
void checkNegatives(const Experiment& experiment, const data::Dataset& dataset,
                    const Location& location) {
  const auto& columns = experiment.dataset.columns;
  const auto found =
      std::ranges::find(columns, experiment::ColumnRole::kItem, &experiment::Column::role);
  const std::string column = found == columns.end() ? std::string("item") : found->name;
  const auto& extra = experiment.loss.extraNegatives;
  if (!extra || !dataset.idColumn(column)) return;
  const std::int64_t items = dataset.vocabularyOf(column).size() - 1;
  if (items > 0 && extra->count > items)
    (location / "count")
        .warning(fmt::format("{} negatives are drawn of {} items: some come several times",
                             formatCount(extra->count), formatCount(items)),
                 fmt::format("1 … {}", items));
}

}  // namespace

Findings checkData(const Experiment& experiment, const data::Dataset& dataset,
                   std::stop_token stop) {
  Findings findings;
  const Location root("", findings);
  checkLabels(experiment, dataset, root);
  checkExampleWeights(experiment, dataset, root / "dataset");
  checkConstants(experiment, dataset, root);
  checkNegatives(experiment, dataset, root / "loss" / "extra_negatives");
  for (std::size_t index = 0; index < experiment.features.size(); ++index)
    checkLengths(experiment.features[index], dataset, root / "features" / index / "max_length");
  checkHistories(experiment, dataset, root / "features", stop);
  checkCollisions(experiment, dataset, root / "dataset" / "vocabularies");
  for (std::size_t index = 0; index < experiment.tables.size(); ++index)
    checkVectors(experiment.tables[index], dataset,
                 root / "tables" / index / "initializer" / "vectors");
  return findings;
}

Findings checkSplit(const Experiment& experiment, const data::Dataset& dataset,
                    const data::Split& split, std::int64_t batchRows) {
  Findings findings;
  checkWeightsOfParts(experiment, dataset, split, Location("", findings) / "dataset" / "weight");
  const experiment::Batch& batch = experiment.dataset.batch;
  const auto sequences = sequencesOf(experiment, dataset, split);
  if (sequences == 0) {
    (Location("", findings) / "training" / "objective")
        .problem(
            "no position predicts a row: no user has a training row that is later than another",
            "\"each_row\", or data in which users have several rows one after another");
    return findings;
  }
  const std::int64_t count = sequences.value_or(split.train.size());
  const char* const unit = sequences ? "sequences" : "rows";
  if (split.reshuffled || !batch.dropRemainder || batchRows <= count) return findings;
  (Location("", findings) / "dataset" / "batch" / (batch.perDevice ? "per_device" : "size"))
      .problem(
          fmt::format("{} training {} make no full batch of {}, and drop_remainder is set",
                      formatCount(count), unit, formatCount(batchRows)),
          fmt::format("a global batch of at most {} {}, or drop_remainder false", count, unit));
  return findings;
}

Findings checkLeaks(const Experiment& experiment, std::span<const data::LeakFinding> leaks) {
  Findings findings;
  const Location split = Location("", findings) / "dataset" / "split";
  const auto kind = experiment.dataset.split.kind;
  const bool dropsCold =
      kind != experiment::SplitKind::kRandom && kind != experiment::SplitKind::kBatches;
  for (const data::LeakFinding& leak : leaks) {
    if (leak.severity != data::LeakSeverity::kWarning) continue;
    const char* side = leak.kind == "cold_users"   ? "cold_users"
                       : leak.kind == "cold_items" ? "cold_items"
                                                   : nullptr;
    if (side)
      (split / side)
          .warning(leak.message + ": it is asked for what it cannot know",
                   dropsCold ? "\"drop\", or a split that leaves each user training rows"
                             : "a split that leaves each user training rows, such as leave_last");
    else if (leak.kind == "known_pairs" &&
             experiment.evaluation.seenPairs == experiment::SeenPairs::kDrop)
      continue;
    else if (leak.kind == "known_pairs")
      (Location("", findings) / "evaluation" / "seen_pairs")
          .warning(leak.message + ": it is known before it is asked for", "\"drop\"");
    else
      split.warning(
          leak.message + ": results look better than they are",
          leak.kind == "duplicates" ? "data without the copies" : "parts without common rows");
  }
  return findings;
}

Findings checkInitialFiles(const Experiment& experiment,
                           const std::map<std::string, std::int64_t>& vocabularyRows) {
  Findings findings;
  const Location root("", findings);
  for (std::size_t index = 0; index < experiment.tables.size(); ++index) {
    const experiment::Table& table = experiment.tables[index];
    const auto rows = vocabularyRows.find(table.vocabulary);
    checkFile(table.initializer, rows == vocabularyRows.end() ? -1 : rows->second,
              table.embeddingDim, root / "tables" / index / "initializer" / "path");
  }
  const experiment::ModelShape shape = experiment::inferModel(experiment);
  for (const experiment::ShapeLayer& layer : shape.layers)
    for (const experiment::LayerWeight& weight : layer.weights)
      if (weight.start == experiment::LayerWeight::Start::kInitializer)
        checkFile(layer.layer->initializer, weight.rows, weight.cols,
                  root.at(layer.pointer) / "initializer" / "path");
  return findings;
}

std::optional<Problem> neverMeasured(const Experiment& experiment, const data::Dataset& dataset,
                                     const data::Split& split, const std::string& metric,
                                     std::stop_token stop) {
  const auto candidates = candidatesOf(experiment, dataset, split, std::move(stop));
  if (!candidates || !isBeyond(experiment, metric, *candidates)) return std::nullopt;
  return beyond(experiment, metric, *candidates);
}

experiment::Findings checkListLengths(const Experiment& experiment, const data::Dataset& dataset,
                                      const data::Split& split, std::stop_token stop) {
  experiment::Findings findings;
  const auto candidates = candidatesOf(experiment, dataset, split, std::move(stop));
  if (!candidates) return findings;
  const record::Location root("", findings);
  const std::vector<std::int64_t>& k = experiment.evaluation.k;
  const bool none = std::ranges::all_of(k, [&](auto length) { return length > *candidates; });
  for (std::size_t i = 0; i < k.size(); ++i)
    if (k[i] > *candidates)
      (root / "evaluation" / "k" / i)
          .warning(fmt::format("a list has {} at most, and is not measured at {}{}",
                               candidateText(*candidates), formatCount(k[i]),
                               none ? fmt::format(", but at {}", *candidates) : ""),
                   fmt::format("1 … {}", *candidates));
  const auto refuse = [&](const char* pointer, const std::string& metric) {
    if (isBeyond(experiment, metric, *candidates)) {
      const Problem problem = beyond(experiment, metric, *candidates);
      root.at(pointer).problem(problem.message, problem.accepted);
    }
  };
  if (experiment.training.earlyStopping)
    refuse(kStoppingPointer, experiment.training.earlyStopping->metric);
  if (experiment.training.checkpoints.best)
    refuse(kBestPointer, *experiment.training.checkpoints.best);
  return findings;
}

void tolerateNeverMeasured(experiment::Findings& findings) {
  auto& [problems, warnings] = findings;
  const auto isTolerated = [](const Problem& problem) { return isTracked(problem.pointer); };
  std::ranges::copy_if(problems, std::back_inserter(warnings), isTolerated);
  std::erase_if(problems, isTolerated);
}

void narrowOffers(const Experiment& experiment, const data::Dataset& dataset,
                  const data::Split& split, experiment::Findings& findings) {
  const auto candidates = candidatesOf(experiment, dataset, split);
  const std::string all = experiment::oneOf(experiment::validationKeys(experiment));
  if (!candidates) return;
  for (Problem& problem : findings.problems)
    if (isTracked(problem.pointer) && problem.accepted.starts_with(all))
      problem.accepted = measuredKeys(experiment, *candidates);
}

}  // namespace parapet::workspace
