// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/experiment/metric_key.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

void checkListLengths(const std::vector<std::int64_t>& k, const Place& place) {
  for (std::size_t index = 1; index < k.size(); ++index) {
    if (k[index] == k[index - 1]) {
      (place / index).problem(fmt::format("{} stands twice", k[index]), "lengths that differ");
    } else if (k[index] < k[index - 1]) {
      (place / index)
          .problem(fmt::format("{} comes after {}", k[index], k[index - 1]),
                   "lengths in ascending order");
    }
  }
}

void checkMetric(const std::string& key, const std::vector<std::int64_t>& k, const Place& place) {
  const std::vector<std::string> keys = validationKeys(k);
  const auto parsed = parseValidationKey(key);
  if (!parsed) {
    // "loss" is the training's; what is meant is likely the validation's.
    const std::string prefixed = "val_" + key;
    const std::string hint = parseValidationKey(prefixed)
                                 ? " (did you mean \"" + printable(prefixed) + "\"?)"
                                 : didYouMean(key, keys);
    place.problem("no validation measures \"" + printable(key) + "\"" + hint,
                  "one of: " + join(keys));
  } else if (parsed->k && std::ranges::find(k, *parsed->k) == k.end()) {
    place.problem(fmt::format("\"{}\" is not measured: evaluation.k has no {}", key, *parsed->k),
                  "one of: " + join(keys));
  }
}

}  // namespace

void validateTraining(const Experiment& experiment, const Place& root) {
  const Training& training = experiment.training;
  const std::vector<std::int64_t>& k = experiment.evaluation.k;
  const Place place = root / "training";
  const bool validates =
      training.validateEvery > 0 && experiment.dataset.split.validation.value > 0.0;
  checkListLengths(k, root / "evaluation" / "k");
  if (experiment.dataset.batch.replay && training.epochs == 1)
    (root / "dataset" / "batch" / "replay")
        .warning("not used: there is no epoch after the first", "null");

  if (training.earlyStopping) {
    const Place at = place / "early_stopping" / "metric";
    checkMetric(training.earlyStopping->metric, k, at);
    if (!validates)
      at.problem("nothing is validated, so this metric is never measured",
                 "validate_every of at least 1 and validation rows");
  }
  if (training.checkpoints.best) {
    const Place at = place / "checkpoints" / "best";
    checkMetric(*training.checkpoints.best, k, at);
    if (!validates) at.warning("nothing is validated, so there is no best checkpoint", "null");
  }
}

}  // namespace parapet::experiment
