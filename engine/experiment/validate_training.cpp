// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/experiment/metric_key.h"
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
  const std::string family = key.substr(0, key.find('@') + 1);
  if (!family.empty() && std::ranges::any_of(keys, [&](const std::string& other) {
        return other.starts_with(family);
      })) {
    location.problem(fmt::format("\"{}\" is not measured: evaluation.k has no {}", printable(key),
                                 printable(key.substr(family.size()))),
                     oneOf(keys));
    return;
  }
  // "loss" is that of the training; the validation loss is likely meant.
  const std::string prefixed = "val_" + key;
  const std::string hint = isMeasured(prefixed) ? " (did you mean \"" + printable(prefixed) + "\"?)"
                                                : didYouMean(key, keys);
  location.problem("no validation of this model measures \"" + printable(key) + "\"" + hint,
                   oneOf(keys));
}

}  // namespace

void validateTraining(const Experiment& experiment, const Location& root) {
  const Training& training = experiment.training;
  const Location location = root / "training";
  const bool validates =
      training.validateEvery > 0 && experiment.dataset.split.validation.value > 0.0;
  checkListLengths(experiment.evaluation.k, root / "evaluation" / "k");
  if (experiment.dataset.batch.replayBatches && training.epochs == 1)
    (root / "dataset" / "batch" / "replay_batches")
        .warning("not used: there is no epoch after the first", "null");

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
