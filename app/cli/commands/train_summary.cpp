// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/train_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/run_json.h"
#include "app/cli/text_table.h"
#include "engine/base/quoting.h"
#include "engine/base/text.h"
#include "engine/experiment/metric_key.h"
#include "engine/experiment/verdict_text.h"

namespace parapet::cli {
namespace {

constexpr std::string_view kLoss = "val_loss";

// The metric of the last epoch that measured it: validation does not happen in every epoch.
std::optional<double> lastValue(const workspace::RunOutcome& outcome, std::string_view metric) {
  for (auto epoch = outcome.epochs.rbegin(); epoch != outcome.epochs.rend(); ++epoch)
    if (const auto value = valueOf(epoch->metrics, metric)) return value;
  return std::nullopt;
}

std::string verdict(const workspace::RunOutcome& outcome) {
  const std::string text = experiment::lastVerdictText(outcome.epochs);
  return text.empty() ? text : text + "\n";
}

// The metric of one epoch, by its key.
std::optional<double> valueIn(const experiment::EpochSummary& epoch, std::string_view metric) {
  return metric == "loss" ? std::optional(epoch.loss) : valueOf(epoch.metrics, metric);
}

// The last epoch, the best one by the metric that keeps the best checkpoint, and the baselines.
std::string comparisonTable(const workspace::RunOutcome& outcome, const std::string& bestMetric,
                            experiment::LossKind loss) {
  std::vector<std::string> metrics{"loss", std::string(kLoss)};
  for (const std::string& metric : {headlineOf(outcome.epochs, bestMetric), bestMetric})
    if (!metric.empty() && std::ranges::find(metrics, metric) == metrics.end())
      metrics.push_back(metric);
  std::vector<TextTable::Column> columns{{""}};
  for (const std::string& metric : metrics) columns.push_back({metric, Align::kRight});
  TextTable table(columns);
  const auto add = [&](const std::string& name, auto valueOfMetric) {
    std::vector<std::string> row{name};
    for (const std::string& metric : metrics) {
      const std::optional<double> value = valueOfMetric(metric);
      row.push_back(value ? metricText(metric, *value) : "–");
    }
    table.add(std::move(row));
  };
  add(fmt::format("last epoch ({})", outcome.epochs.back().epoch), [&](const std::string& metric) {
    return metric == "loss" ? valueIn(outcome.epochs.back(), metric) : lastValue(outcome, metric);
  });
  const auto best = bestOf(bestMetric, outcome.epochs);
  for (const experiment::EpochSummary& epoch : outcome.epochs)
    if (best && epoch.epoch == best->epoch)
      add(fmt::format("best epoch by {} ({})", bestMetric, epoch.epoch),
          [&](const std::string& metric) { return valueIn(epoch, metric); });
  for (const auto& [name, baselineMetrics] : outcome.baselines) {
    // A run without validation has none of their metrics.
    if (std::ranges::none_of(metrics, [&values = baselineMetrics](const std::string& metric) {
          return valueOf(values, metric).has_value();
        }))
      continue;
    add(experiment::baselineName(name, experiment::baselineKind(name, loss)),
        [&values = baselineMetrics](const std::string& metric) { return valueOf(values, metric); });
  }
  return table.text();
}

std::string nextSteps(const workspace::RunOutcome& outcome, const NextCommands& next) {
  const std::string& id = outcome.runId;
  if (outcome.state != experiment::RunState::kFinished)
    return fmt::format("Next: {} train --resume {}\n", next.program, id);
  std::vector<std::string> commands;
  if (!next.userId.empty())
    commands.push_back(fmt::format("recommend {} --user {}", id, next.userId));
  if (next.asksTexts) commands.push_back(fmt::format("predict {} --text \"… [MASK] …\"", id));
  commands.push_back(fmt::format("evaluate {}", id));
  commands.push_back(
      next.asksTexts ? fmt::format("export {} --what model --format safetensors --out model", id)
                     : fmt::format("export {} --what tables --format npy --out tables", id));
  std::string text;
  for (const std::string& command : commands)
    text += fmt::format("{}{} {}\n", text.empty() ? "Next: " : "      ", next.program, command);
  return text;
}

}  // namespace

NextCommands nextCommands(const std::string& workspaceFolder, const data::Dataset* dataset) {
  NextCommands next{"parapet-cli", {}};
  if (workspaceFolder != workspace::Workspace::defaultFolder())
    next.program += " --workspace " + shellWord(workspaceFolder);
  if (!dataset) return next;
  next.asksTexts = !dataset->hasInteractions();
  if (next.asksTexts) return next;
  const data::Vocabulary& users = dataset->vocabularyOf(dataset->columns().front().name);
  for (std::int64_t row = 1; row < users.size() && next.userId.empty(); ++row)
    if (users.isCandidate(row) && isPlainShellWord(users.rawId(row)) &&
        !users.rawId(row).starts_with('-'))
      next.userId = users.rawId(row);
  return next;
}

std::string trainSummary(const workspace::RunOutcome& outcome, const std::string& bestMetric,
                         const experiment::Experiment& experiment, const NextCommands& next) {
  if (outcome.runId.empty()) return {};  // it failed before there was a run; the error says why
  // Not every epoch of a run that was adopted from a checkpoint is recorded.
  const std::int64_t epochs = outcome.epochs.empty() || next.forkedStep > 0
                                  ? std::ssize(outcome.epochs)
                                  : outcome.epochs.back().epoch;
  std::string text =
      fmt::format("Run {}: {} after {}, {}, {} ({} training).\n", outcome.runId,
                  experiment::runStateName(outcome.state), counted(epochs, "epoch"),
                  counted(outcome.steps - next.forkedStep, "step"), formatDuration(outcome.seconds),
                  formatDuration(outcome.trainSeconds));
  if (!outcome.epochs.empty())
    text += "\n" + comparisonTable(outcome, bestMetric, experiment.loss.kind) +
            experiment::scaledErrorsNote(experiment) + verdict(outcome);
  if (const std::string lines = deviceLines(outcome.epochs); !lines.empty()) text += "\n" + lines;
  if (!outcome.testMetrics.empty()) {
    text += "\nOn the test split:";
    for (const auto& [name, value] : outcome.testMetrics)
      text += fmt::format("  {} {}", name, metricText(name, value));
    text += "\n";
  }
  return text + "\n" + nextSteps(outcome, next);
}

}  // namespace parapet::cli
