// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/train_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/run_json.h"
#include "app/cli/text_table.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

constexpr std::string_view kLoss = "val_loss";

// The metric of the last epoch that measured it: validation does not happen in every epoch.
std::optional<double> lastValue(const workspace::RunOutcome& outcome, std::string_view metric) {
  for (auto epoch = outcome.epochs.rbegin(); epoch != outcome.epochs.rend(); ++epoch)
    if (const auto value = valueOf(epoch->metrics, metric)) return value;
  return std::nullopt;
}

// "The model is better than always predicting the mean (val_loss 0.0712 against 0.0790) and …"
std::string sentence(const workspace::RunOutcome& outcome) {
  const std::string text = experiment::sentenceOf(experiment::lastVerdicts(outcome.epochs));
  return text.empty() ? text : text + "\n";
}

std::string comparisonTable(const workspace::RunOutcome& outcome) {
  const auto cell = [](const std::optional<double>& value) {
    return value ? shortNumber(*value) : std::string("–");
  };
  const std::string headline = headlineOf(outcome.epochs);
  TextTable table({{""},
                   {"loss", Align::kRight},
                   {std::string(kLoss), Align::kRight},
                   {headline, Align::kRight}});
  table.add({"this run", shortNumber(outcome.epochs.back().loss), cell(lastValue(outcome, kLoss)),
             cell(lastValue(outcome, headline))});
  for (const auto& [name, metrics] : outcome.baselines) {
    std::string words = name;
    std::ranges::replace(words, '_', ' ');
    table.add({words, "–", cell(valueOf(metrics, kLoss)), cell(valueOf(metrics, headline))});
  }
  return table.text();
}

std::string nextSteps(const workspace::RunOutcome& outcome) {
  const std::string& id = outcome.runId;
  if (outcome.state != experiment::RunState::kFinished)
    return fmt::format("Next: parapet-cli train --resume {}\n", id);
  return fmt::format(
      "Next: parapet-cli recommend {0} --user 1\n"
      "      parapet-cli evaluate {0}\n"
      "      parapet-cli export {0} --what tables --format npy --out tables\n",
      id);
}

}  // namespace

std::string trainSummary(const workspace::RunOutcome& outcome) {
  if (outcome.runId.empty()) return {};  // it failed before there was a run; the error says why
  std::string text = fmt::format(
      "Run {}: {} after {} epochs, {} steps, {} ({} training).\n", outcome.runId,
      experiment::runStateName(outcome.state), outcome.epochs.size(), formatCount(outcome.steps),
      formatDuration(outcome.seconds), formatDuration(outcome.trainSeconds));
  if (!outcome.epochs.empty()) text += "\n" + comparisonTable(outcome) + sentence(outcome);
  if (!outcome.testMetrics.empty()) {
    text += "\nOn the test rows:";
    for (const auto& [name, value] : outcome.testMetrics)
      text += fmt::format("  {} {}", name, shortNumber(value));
    text += "\n";
  }
  return text + "\n" + nextSteps(outcome);
}

}  // namespace parapet::cli
