// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/experiment/layer_kind.h"
#include "engine/experiment/metric_key.h"
#include "engine/experiment/query_context.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

void checkListLengths(const std::vector<std::int64_t>& k, const Location& location) {
  for (std::size_t index = 1; index < k.size(); ++index) {
    if (k[index] == k[index - 1]) {
      (location / index).problem(fmt::format("{} appears twice", k[index]), "lengths that differ");
    } else if (k[index] < k[index - 1]) {
      (location / index)
          .problem(fmt::format("{} comes after {}", k[index], k[index - 1]),
                   "lengths in ascending order");
    }
  }
}

void checkMetric(const std::string& key, const Experiment& experiment, const Location& location) {
  const std::vector<std::string> keys = validationKeys(experiment);
  const auto isMeasured = [&](const std::string& wanted) {
    return std::ranges::find(keys, wanted) != keys.end();
  };
  if (isMeasured(key)) return;
  // How long a list can be is a matter of the data.
  const std::string accepted =
      oneOf(keys) +
      (hasTowers(experiment.model.kind) && experiment.evaluation.catalogue != CatalogueTime::kNever
           ? "; k up to the number of items"
           : "");
  const std::string family = key.substr(0, key.find('@') + 1);
  if (!family.empty() && std::ranges::any_of(keys, [&](const std::string& other) {
        return other.starts_with(family);
      })) {
    location.problem(fmt::format("\"{}\" is not measured: evaluation.k has no {}", printable(key),
                                 printable(key.substr(family.size()))),
                     accepted);
    return;
  }
  // "loss" is that of the training; the validation loss is likely meant.
  const std::string prefixed = "val_" + key;
  const std::string hint = isMeasured(prefixed) ? " (did you mean \"" + printable(prefixed) + "\"?)"
                                                : didYouMean(key, keys);
  location.problem("no validation of this model measures \"" + printable(key) + "\"" + hint,
                   accepted);
}

template <class T>
void checkRepeats(const std::vector<T>& values, const Location& location) {
  for (std::size_t index = 1; index < values.size(); ++index)
    if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index),
                  values[index]) != values.begin() + static_cast<std::ptrdiff_t>(index))
      (location / index).problem("it appears twice", "entries that differ");
}

// Columns with one id a row, and the activity of users.
void checkSegments(const Experiment& experiment, const Location& location) {
  const std::vector<std::string>& segments = experiment.evaluation.segments;
  std::vector<std::string> accepted{"activity"};
  // A user has no one value of a column.
  const bool ofRows = evaluationUnit(experiment) == EvaluationUnit::kExample;
  for (const std::string& column : experiment.dataset.idColumns()) {
    if (!ofRows) break;
    const auto found = std::ranges::find(experiment.dataset.columns, column, &Column::name);
    if (found == experiment.dataset.columns.end() || !found->separator) accepted.push_back(column);
  }
  for (std::size_t index = 0; index < segments.size(); ++index)
    if (std::ranges::find(accepted, segments[index]) == accepted.end())
      (location / index)
          .problem("\"" + printable(segments[index]) + "\" is no column with one id a row" +
                       (ofRows ? "" : ", or the unit is \"user\"") +
                       didYouMean(segments[index], accepted),
                   oneOf(accepted));
  checkRepeats(segments, location);
}

// Settings that a benchmark prescribes must not have other values beside it.
void checkProtocol(const Experiment& experiment, const Location& location) {
  const Evaluation& evaluation = experiment.evaluation;
  if (!evaluation.protocol) return;
  if (const char* unused = traitsOf(experiment.model.kind).whyWithoutLists) {
    (location / "protocol").warning(unused, "null");
    return;
  }
  const std::vector<std::string> contexts = contextColumns(experiment);
  if (!contexts.empty() || readsHistory(experiment))
    (location / "protocol")
        .problem("it asks for users, and the query side reads " +
                     (contexts.empty() ? "a history" : "\"" + printable(contexts.front()) + "\"") +
                     ", which differs from row to row of a user",
                 "null");
  if (evaluation.unit == EvaluationUnit::kExample)
    (location / "unit").problem("the protocol asks for users", "\"user\" or null");
  if (evaluation.excludeSeen)
    (location / "exclude_seen").problem("the protocol keeps seen items in the lists", "false");
  if (evaluation.seenPairs == SeenPairs::kDrop)
    (location / "seen_pairs").problem("the protocol keeps pairs that were seen", "\"keep\"");
}

void checkCatalogue(const Experiment& experiment, const Location& location) {
  const Evaluation& evaluation = experiment.evaluation;
  checkRepeats(evaluation.metrics, location / "metrics");
  checkSegments(experiment, location / "segments");
  checkProtocol(experiment, location);
  if (const char* unused = traitsOf(experiment.model.kind).whyWithoutLists) {
    if (evaluation.unit) (location / "unit").warning(unused, "null");
    if (evaluation.sample) (location / "sample").warning(unused, "null");
    if (!evaluation.segments.empty()) (location / "segments").warning(unused, "[]");
    return;
  }
  if (!experiment.dataset.label.column && evaluation.relevanceThreshold.value_or(1.0) > 1.0)
    (location / "relevance_threshold")
        .warning(fmt::format("no held-out row can be relevant: without a label every row counts 1, "
                             "the threshold is {}",
                             *evaluation.relevanceThreshold),
                 "null");
  const std::vector<std::string> contexts = contextColumns(experiment);
  const bool ofRow = !contexts.empty() || readsHistory(experiment);
  if (evaluation.unit == EvaluationUnit::kUser && ofRow)
    (location / "unit")
        .problem("the query side reads " +
                     (contexts.empty() ? "a history" : "\"" + printable(contexts.front()) + "\"") +
                     ", which differs from row to row of a user",
                 "\"example\" or null");
  if (evaluation.catalogue == CatalogueTime::kEnd && experiment.training.earlyStopping)
    (location / "catalogue")
        .warning("a run that stops early measures no lists: it does not know its last validation",
                 "\"validation\"");
  if (evaluationUnit(experiment) == EvaluationUnit::kExample && evaluation.excludeSeen &&
      evaluation.seenPairs == SeenPairs::kKeep)
    (location / "seen_pairs")
        .warning(
            "held-out rows whose item the user has in training rows are misses: exclude_seen "
            "leaves it out of the list",
            "\"drop\"");
}

/// Layers that let a position see what comes after it, or that make more of a sequence than its
/// last position.
void checkCausal(const std::vector<Layer>& layers, const Location& location) {
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const Layer& layer = layers[index];
    const LayerTraits& traits = traitsOf(layer.kind);
    if (traits.has("causal") && !layer.causal)
      (location / index / "causal")
          .problem("a position would read the items that it is to predict", "true");
    if (traits.rows == LayerRows::kPooled && layer.by != PoolKind::kLast)
      (location / index / "by")
          .problem("all positions are trained, and each row reads the last one before it",
                   "\"last\", or training.objective \"each_row\"");
  }
}

void checkSharedHistory(const Experiment& experiment, const Location& location) {
  const History* first = nullptr;
  for (std::size_t index = 0; index < experiment.features.size(); ++index) {
    const Feature& feature = experiment.features[index];
    const Location at = location / "features" / index;
    if (!feature.sequence) continue;
    if (!feature.history) {
      (at / "sequence")
          .problem(
              "with training.objective \"all_positions\" the sequence is that of a user's rows, "
              "and this one belongs to a single row",
              "false, or a history");
      continue;
    }
    if (feature.history->withinSeconds)
      (at / "history" / "within_seconds")
          .problem("the rows of a sequence share what came before them, however long ago", "null");
    if (!first) first = &*feature.history;
    if (first->length != feature.history->length || first->order != feature.history->order)
      (at / "history")
          .problem("the sequences of a step are cut into windows together",
                   fmt::format("the length {} and the order of the first one", first->length));
  }
  if (first) return;
  (location / "training" / "objective")
      .problem(
          "it trains the positions of a sequence, and no feature is one",
          "\"each_row\", or a feature with a history and sequence true, whose order is that of "
          "times or of the data");
}

/// Next item at every position: what one encoding of a user's rows can serve.
void checkObjective(const Experiment& experiment, const Location& root) {
  const Training& training = experiment.training;
  const Location location = root / "training";
  if (training.objective == Objective::kEachRow) {
    if (training.stride)
      (location / "stride").warning("not used: every row has a history of its own", "null");
    return;
  }
  if (!hasTowers(experiment.model.kind)) {
    (location / "objective")
        .problem(readsText(experiment.model.kind)
                     ? "it predicts the next item, and the model reads texts"
                     : "it needs a query that is computed without the candidate, and a ranking "
                       "model reads both together",
                 "\"each_row\", or a model of kind \"retrieval\"");
    return;
  }
  checkSharedHistory(experiment, root);
  checkCausal(experiment.model.query, root / "model" / "query");
  if (!usesNegatives(experiment.loss.kind))
    (root / "loss" / "kind")
        .problem("it compares a score with a label, and the next item is compared with others",
                 "a loss with negatives, such as \"sampled_softmax\" or \"in_batch_softmax\"");
  const Dataset& dataset = experiment.dataset;
  if (dataset.batch.groupSize)
    (root / "dataset" / "batch" / "group_size")
        .problem("batches are made of whole sequences", "null");
  if (dataset.split.kind == SplitKind::kBatches)
    (root / "dataset" / "split" / "kind")
        .problem("batches are made of whole sequences, and this split is one of batches",
                 "any other kind");
  const auto windows = sequenceWindows(experiment);
  if (windows && training.stride.value_or(1) > windows->length)
    (location / "stride")
        .problem(fmt::format("windows {} rows apart, and a history of {}: rows between them would "
                             "not be predicted",
                             *training.stride, windows->length),
                 fmt::format("1 … {}, or null", windows->length));
}

}  // namespace

void validateTraining(const Experiment& experiment, const Location& root) {
  const Training& training = experiment.training;
  const Location location = root / "training";
  const Split& split = experiment.dataset.split;
  const bool validates = training.validateEvery > 0 &&
                         (split.kind == SplitKind::kColumn || split.kind == SplitKind::kFiles ||
                          split.validation.value > 0.0);
  checkObjective(experiment, root);
  checkListLengths(experiment.evaluation.k, root / "evaluation" / "k");
  checkCatalogue(experiment, root / "evaluation");
  if (experiment.dataset.batch.replayBatches && training.epochs == 1)
    (root / "dataset" / "batch" / "replay_batches")
        .warning("not used: there is no epoch after the first", "null");

  if (validates && training.validateEvery > training.epochs)
    (location / "validate_every")
        .warning(fmt::format("no epoch is validated: the run ends after {}", training.epochs),
                 fmt::format("1 … {}, or 0", training.epochs));
  if (training.fork && training.fork->run.empty())
    (location / "fork" / "run")
        .problem("no run is named", "the id of a run, or a unique prefix of one");
  if (training.tensorboard && training.tensorboard->empty())
    (location / "tensorboard").problem("no folder is named", "a folder, or null");
  if (training.earlyStopping) {
    const Location at = location / "early_stopping" / "metric";
    checkMetric(training.earlyStopping->metric, experiment, at);
    if (!validates)
      at.problem("nothing is validated, so this metric is never measured",
                 "validate_every of at least 1 and validation rows");
  }
  if (training.checkpoints.best) {
    const Location at = location / "checkpoints" / "best";
    checkMetric(*training.checkpoints.best, experiment, at);
    if (!validates) at.warning("nothing is validated, so there is no best checkpoint", "null");
  }
}

}  // namespace parapet::experiment
