// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "engine/experiment/document.h"
#include "engine/experiment/layer_kind.h"
#include "engine/experiment/layout.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

/// A weight whose gradient was always 0 must not be updated by 0/0.
void checkDivisor(const Optimizer& optimizer, const Location& location) {
  const bool accumulates =
      optimizer.kind == OptimizerKind::kAdagrad || optimizer.kind == OptimizerKind::kRowwiseAdagrad;
  const bool adam =
      optimizer.kind == OptimizerKind::kAdam || optimizer.kind == OptimizerKind::kAdamW;
  if (accumulates && optimizer.epsilon == 0.0 && optimizer.initialAccumulator == 0.0)
    (location / "epsilon")
        .problem("epsilon and initial_accumulator are both 0: 0/0",
                 "a number above 0, such as 1e-7");
  if (adam && optimizer.epsilon == 0.0)
    (location / "epsilon")
        .problem("epsilon is 0: 0/0 where no gradient was seen", "a number above 0, such as 1e-7");
  const bool powers = optimizer.learningRatePower < 0.0;  // 0⁻ᵖ is 0, and 0⁰ is 1
  if (optimizer.kind == OptimizerKind::kFtrl && powers && optimizer.initialAccumulator == 0.0 &&
      optimizer.beta == 0.0 && optimizer.l2 == 0.0)
    (location / "initial_accumulator")
        .problem("initial_accumulator, beta and l2 are all 0: 0/0 where no gradient was seen",
                 "a number above 0, such as 0.1");
}

void checkClipping(const Optimizer& optimizer, const Location& location) {
  const char* first = nullptr;
  for (const auto& [key, value] :
       {std::pair{"clip_value", &optimizer.clipValue}, std::pair{"clip_norm", &optimizer.clipNorm},
        std::pair{"global_clip_norm", &optimizer.globalClipNorm}}) {
    if (!*value) continue;
    if (first)
      (location / key)
          .problem(fmt::format("{} is given as well: gradients are clipped in one way", first),
                   "null, or " + std::string(first) + " null");
    else
      first = key;
  }
}

/// Settings under which no run changes the rate by kMinScheduleChange of it, however long it is.
void checkThatItDecays(const Schedule& schedule, double learningRate, const Location& location) {
  const auto say = [&](const char* setting, double from, double to, const char* accepted) {
    if (from - to >= kMinScheduleChange * from) return;
    (location / setting)
        .warning(fmt::format("the rate stays what it is: it starts at {} and ends at {}", from, to),
                 accepted);
  };
  switch (schedule.kind) {
    case ScheduleKind::kPolynomial:
      say("end", learningRate, schedule.end, "0, or a rate well below learning_rate");
      break;
    case ScheduleKind::kCosine:
    case ScheduleKind::kCosineRestarts:
      say("alpha", learningRate, schedule.alpha * learningRate, "0, or a share well below 1");
      break;
    case ScheduleKind::kPiecewise:
      if (!schedule.values.empty()) {
        const auto [least, most] = std::ranges::minmax(schedule.values);
        say("values", most, least, "rates that differ");
      }
      break;
    default:
      break;
  }
}

void checkPiecewise(const Schedule& schedule, const Location& location) {
  if (schedule.values.size() != schedule.boundaries.size() + 1)
    (location / "values")
        .problem(fmt::format("{} rates for {} boundaries", schedule.values.size(),
                             schedule.boundaries.size()),
                 fmt::format("{} rates, one more than boundaries", schedule.boundaries.size() + 1));
  const auto fall = std::ranges::adjacent_find(schedule.boundaries, std::greater_equal<>());
  if (fall != schedule.boundaries.end())
    (location / "boundaries" / static_cast<std::size_t>(fall - schedule.boundaries.begin() + 1))
        .problem(fmt::format("step {} comes after step {}", *(fall + 1), *fall), "ascending steps");
}

/// Whether the optimizer of the experiment updates any parameter.
bool isUsed(const Experiment& experiment) {
  return anyLayer(experiment.model, isTrained) ||
         std::ranges::any_of(experiment.tables, [](const Table& table) {
           return table.trainable && !table.optimizer;
         });
}

/// Whether a fault of tables, features or layers hides parameters.
bool hasUnknownParameters(const Location& root) {
  return std::ranges::any_of(root.findings().problems, [](const Problem& problem) {
    return problem.pointer.starts_with("/model") || problem.pointer.starts_with("/tables") ||
           problem.pointer.starts_with("/features");
  });
}

void checkDecayExclude(const std::vector<std::string>& patterns,
                       const std::vector<std::string>& names, const Location& optimizer) {
  for (std::size_t index = 0; index < patterns.size(); ++index)
    if (std::ranges::none_of(
            names, [&](const std::string& name) { return matches(patterns[index], name); }))
      (optimizer / "weight_decay_exclude" / index)
          .warning("no parameter has a name that matches", oneOf(names));
}

/// The loss or layer that needs a whole batch, for the message; nullopt if several smaller ones do
/// as well.
std::optional<std::string> whatNeedsTheWholeBatch(const Experiment& experiment) {
  const Model& model = experiment.model;
  const bool losses = model.heads.empty() ? meetsBatch(experiment.loss)
                                          : std::ranges::any_of(model.heads, [](const Head& head) {
                                              return meetsBatch(head.loss);
                                            });
  if (losses) return "the loss takes its negatives from the batch, and a part of it has fewer";
  if (anyLayer(model,
               [](const Layer& layer) { return traitsOf(layer.kind).rows == LayerRows::kBatch; }))
    return "batch_norm measures the whole batch, and a part of it has another mean";
  for (const Head& head : model.heads)
    if (head.loss.reduction != model.heads[0].loss.reduction)
      return "the heads have different reductions, so parts of a batch would not weigh alike";
  return std::nullopt;
}

}  // namespace

Optimizer optimizerOfRun(Optimizer optimizer, const Schedule& common, const RunExtent& run) {
  if (!optimizer.schedule) optimizer.schedule = common;
  Schedule& schedule = *optimizer.schedule;
  if (optimizer.scaleWithDevices) {
    const auto devices = static_cast<double>(run.devices);
    optimizer.learningRate *= devices;
    schedule.end *= devices;
    for (double& rate : schedule.values) rate *= devices;
  }
  if (schedule.decaySteps == kStepsOfRun && run.steps > 0)
    schedule.decaySteps = std::max<std::int64_t>(1, run.steps - schedule.warmupSteps);
  return optimizer;
}

void validateAccumulation(const Experiment& experiment, const Location& root) {
  const std::int64_t steps = experiment.optimizer.accumulateSteps;
  for (std::size_t index = 0; index < experiment.tables.size(); ++index)
    if (const auto& own = experiment.tables[index].optimizer;
        own && own->accumulateSteps != 1 && own->accumulateSteps != steps)
      (root / "tables" / index / "optimizer" / "accumulate_steps")
          .problem("all weights are updated together, as /optimizer/accumulate_steps says",
                   fmt::format("{}, or /optimizer/accumulate_steps", steps));
  if (steps == 1) return;
  if (const auto reason = whatNeedsTheWholeBatch(experiment))
    (root / "optimizer" / "accumulate_steps")
        .problem(*reason, "1, and a larger /dataset/batch/size");
}

void validateDecayExclusions(const Experiment& experiment, const Location& root) {
  if (!hasUnknownParameters(root))
    checkDecayExclude(experiment.optimizer.decayExclude, parameterNames(experiment),
                      root / "optimizer");
  for (std::size_t index = 0; index < experiment.tables.size(); ++index)
    if (const Table& table = experiment.tables[index]; table.optimizer)
      checkDecayExclude(table.optimizer->decayExclude, {"tables/" + table.name},
                        root / "tables" / index / "optimizer");
}

void validateScheduleUse(const Experiment& experiment, const Location& root) {
  const Schedule& schedule = experiment.schedule;
  if (schedule.kind == ScheduleKind::kConstant && schedule.warmupSteps == 0) return;
  const bool followed = (!experiment.optimizer.schedule && isUsed(experiment)) ||
                        std::ranges::any_of(experiment.tables, [](const Table& table) {
                          return table.trainable && table.optimizer && !table.optimizer->schedule;
                        });
  if (!followed)
    (root / "schedule")
        .warning("not used: every optimizer that updates a parameter has its own schedule",
                 "{\"kind\": \"constant\"}, or an optimizer whose schedule is null");
}

void validateSchedule(const Schedule& schedule, double learningRate, const Location& location) {
  if (schedule.kind == ScheduleKind::kPiecewise) checkPiecewise(schedule, location);
  if (schedule.warmupSteps == 0 && schedule.warmupFrom > 0.0)
    (location / "warmup_from")
        .warning("not used: there are no warm-up steps", "0, or warmup_steps");
  if (schedule.kind == ScheduleKind::kPolynomial && schedule.end > learningRate)
    (location / "end")
        .warning(fmt::format("the rate grows: it ends at {} and starts at {}", schedule.end,
                             learningRate));
  else
    checkThatItDecays(schedule, learningRate, location);
}

void validateOptimizer(const Optimizer& optimizer, const Location& location) {
  checkDivisor(optimizer, location);
  checkClipping(optimizer, location);
  if (optimizer.kind == OptimizerKind::kAdamW && optimizer.weightDecay == 0.0)
    (location / "weight_decay")
        .warning("without decay this is adam", "a number above 0, such as 0.004");
  if (optimizer.weightDecay * optimizer.learningRate >= 1.0)
    (location / "weight_decay")
        .problem(fmt::format("a step takes {} × {} of a weight away, all of it or more",
                             optimizer.weightDecay, optimizer.learningRate),
                 "a decay whose product with learning_rate is below 1");
  if (optimizer.schedule)
    validateSchedule(*optimizer.schedule, optimizer.learningRate, location / "schedule");
}

}  // namespace parapet::experiment
