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

void validateOptimizer(const Optimizer& optimizer, const Place& place) {
  const bool adagrad = optimizer.kind == OptimizerKind::kAdagrad;
  // A weight whose gradient was always 0 would be updated by 0/0.
  if (optimizer.epsilon == 0.0 &&
      (optimizer.kind == OptimizerKind::kAdam || (adagrad && optimizer.initialAccumulator == 0.0)))
    (place / "epsilon")
        .problem(adagrad ? "epsilon and initial_accumulator are both 0: 0/0"
                         : "epsilon is 0: 0/0 where no gradient was seen",
                 "a number above 0, such as 1e-7");
}

void validateTraining(const Experiment& experiment, const Place& root) {
  const Training& training = experiment.training;
  const std::vector<std::int64_t>& k = experiment.evaluation.k;
  const Place place = root / "training";
  const bool validates =
      training.validateEvery > 0 && experiment.dataset.split.validation.value > 0.0;
  checkListLengths(k, root / "evaluation" / "k");

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
