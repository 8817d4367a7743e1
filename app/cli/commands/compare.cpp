// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "engine/base/text.h"
#include "engine/workspace/comparison.h"

namespace parapet::cli {
namespace {

const char* checkpointName(const workspace::Comparison& comparison) {
  return comparison.options.checkpoint == workspace::WhichCheckpoint::kBest ? "best" : "last";
}

Json comparisonJson(const workspace::Comparison& comparison) {
  Json runs = Json::array(), settings = Json::array(), metrics = Json::array();
  Json steps = Json::array();
  for (const auto& step : comparison.steps) steps.push_back(step ? Json(*step) : Json(nullptr));
  for (const store::RunRecord& run : comparison.runs) runs.push_back(run.id);
  for (const workspace::Comparison::Setting& setting : comparison.settings) {
    Json values = Json::array();
    for (const nlohmann::json& value : setting.values) values.push_back(Json(value));
    settings.push_back(Json{{"pointer", setting.pointer}, {"values", std::move(values)}});
  }
  for (const workspace::Comparison::MetricRow& row : comparison.metrics) {
    Json values = Json::array();
    for (const double value : row.values) values.push_back(number(value));
    const auto best = workspace::bestRun(row);
    metrics.push_back(Json{{"name", row.name},
                           {"values", std::move(values)},
                           {"not_comparable", textOrNull(row.notComparable)},
                           {"best", best ? Json(comparison.runs[*best].id) : Json()}});
  }
  Json paired = Json::array();
  for (const workspace::Comparison::PairedMetric& metric : comparison.paired)
    paired.push_back(Json{{"name", metric.name},
                          {"difference", number(metric.difference.mean)},
                          {"standard_error", number(metric.difference.standardError)},
                          {"users", metric.difference.pairs},
                          {"significant", metric.significant}});
  return Json{{"runs", std::move(runs)},
              {"settings", std::move(settings)},
              {"metrics", std::move(metrics)},
              {"overlap",
               {{"k", 10},
                {"mean", number(comparison.meanOverlapAt10)},
                {"last_row_contexts", workspace::overlapContexts(comparison)},
                {"users", comparison.overlapUsers}}},
              {"paired", std::move(paired)},
              {"step", std::move(steps)},
              {"split", experiment::splitPartName(comparison.options.part)},
              {"checkpoint", checkpointName(comparison)},
              {"warnings", comparison.warnings}};
}

std::string verdictOf(const workspace::Comparison::MetricRow& row,
                      const workspace::Comparison& comparison) {
  const auto best = workspace::bestRun(row);
  return best ? "best: " + comparison.runs[*best].id : "no best run: " + row.notComparable;
}

std::string describe(const workspace::Comparison& comparison) {
  std::vector<TextTable::Column> columns{{""}};
  for (const store::RunRecord& run : comparison.runs) columns.push_back({run.id, Align::kRight});
  TextTable settings(columns);
  columns.push_back({""});
  TextTable metrics(columns);
  for (const auto& setting : comparison.settings) {
    std::vector<std::string> cells{setting.pointer};
    // An entry that a run lacks is whole in the JSON.
    for (const nlohmann::json& value : setting.values)
      cells.push_back(value.is_object() ? "{…}" : value.dump());
    settings.add(std::move(cells));
  }
  for (const auto& row : comparison.metrics) {
    std::vector<std::string> cells{row.name};
    for (const double value : row.values) cells.push_back(metricText(row.name, value));
    cells.push_back(verdictOf(row, comparison));
    metrics.add(std::move(cells));
  }
  std::string text = comparison.settings.empty() ? "The settings are the same.\n"
                                                 : "Settings that differ\n" + settings.text();
  text += fmt::format("\nMetrics on the {} split, {} checkpoints\n{}",
                      experiment::splitPartName(comparison.options.part),
                      checkpointName(comparison), metrics.text());
  if (std::isfinite(comparison.meanOverlapAt10))
    text += fmt::format(
        "\nThe first two runs, at steps {} and {}, share {:.1f} % of their top 10, over {} "
        "users.\n",
        *comparison.steps[0], *comparison.steps[1], 100.0 * comparison.meanOverlapAt10,
        formatCount(comparison.overlapUsers));
  if (const auto contexts = workspace::overlapContexts(comparison); !contexts.empty())
    text += fmt::format("These lists answer {} of each user's last training row.\n",
                        join(contexts, " and "));
  if (comparison.paired.empty()) return text;
  TextTable paired(
      {{"metric"}, {"difference", Align::kRight}, {"standard error", Align::kRight}, {""}});
  for (const workspace::Comparison::PairedMetric& metric : comparison.paired)
    paired.add({metric.name, fmt::format("{:+.4f}", metric.difference.mean),
                shortNumber(metric.difference.standardError),
                metric.significant ? "beyond 3 standard errors" : ""});
  return text + fmt::format(
                    "\nThe first run minus the second, over the same held-out queries of {} "
                    "users\n{}",
                    formatCount(comparison.paired.front().difference.pairs), paired.text());
}

struct CompareArguments {
  std::vector<std::string> runs;
  std::string split = "validation", checkpoint = "last";
};

Result<workspace::CompareOptions> readOptions(const CompareArguments& arguments) {
  workspace::CompareOptions options;
  PARAPET_ASSIGN(options.part, parseHeldOut(arguments.split));
  PARAPET_ASSIGN(const workspace::CheckpointChoice choice, parseCheckpoint(arguments.checkpoint));
  if (choice.which == workspace::WhichCheckpoint::kStep)
    return wrongArgument(fmt::format("--checkpoint: {} is not accepted; accepted: last, best",
                                     arguments.checkpoint));
  options.checkpoint = choice.which;
  return options;
}

Answer compare(Invocation& invocation, const CompareArguments& arguments) {
  const std::vector<std::string>& runs = arguments.runs;
  PARAPET_ASSIGN(const auto options, readOptions(arguments));
  if (runs.size() < 2) return wrongArgument("compare takes at least two runs; 1 was given");
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  PARAPET_ASSIGN(const auto comparison, opened->compare(runs, options, invocation.work()));
  printWarnings(comparison.warnings);
  return Answer::of(comparisonJson(comparison), describe(comparison));
}

}  // namespace

void addCompare(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "compare", "Show how runs differ: settings, metrics and recommended lists");
  command->footer("Example: parapet-cli compare latest 3f2a --split test --checkpoint best");
  const auto arguments = std::make_shared<CompareArguments>();
  command
      ->add_option("RUN", arguments->runs,
                   "Two runs or more: ids, unique prefixes of ids, or latest")
      ->required();
  command
      ->add_option("--split", arguments->split,
                   "Split to compare on: validation or test [validation]")
      ->type_name("PART");
  command
      ->add_option("--checkpoint", arguments->checkpoint,
                   "Checkpoint of each run: last or best [last]")
      ->type_name("WHICH");
  onRun(*command, invocation, [&invocation, arguments] { return compare(invocation, *arguments); });
}

}  // namespace parapet::cli
