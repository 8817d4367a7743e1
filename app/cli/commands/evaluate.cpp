// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/output.h"
#include "app/cli/run_json.h"
#include "app/cli/text_table.h"
#include "engine/base/text.h"
#include "engine/experiment/metric_key.h"
#include "engine/experiment/verdict_text.h"

namespace parapet::cli {
namespace {

struct EvaluateArguments {
  std::string run, split, k, checkpoint = "last", input;
  bool excludeSeen = false;
};

Result<workspace::EvaluateOptions> readOptions(const EvaluateArguments& arguments) {
  workspace::EvaluateOptions options;
  if (!arguments.input.empty() && !arguments.split.empty())
    return wrongArgument("--input and --split were given; accepted: one of them");
  PARAPET_ASSIGN(options.part,
                 parseHeldOut(arguments.split.empty() ? "validation" : arguments.split));
  options.input = arguments.input;
  if (!arguments.k.empty()) {
    PARAPET_ASSIGN(options.k, parseIntegers(arguments.k, "--k", 1));
    std::ranges::sort(options.k);
    const auto repeated = std::ranges::unique(options.k);
    options.k.erase(repeated.begin(), repeated.end());
  }
  PARAPET_ASSIGN(options.checkpoint, parseCheckpoint(arguments.checkpoint));
  if (arguments.excludeSeen) options.seen = retrieval::SeenItems::kExcludeTrain;
  return options;
}

// Options that do not apply to the model of a run.
void warnOfUnused(const EvaluateArguments& arguments, const experiment::Experiment& experiment) {
  const bool ofCatalogue = experiment::hasTowers(experiment.model.kind);
  const auto isListwise = [](const auto& of) { return experiment::isListwise(of.loss.kind); };
  const bool hasLists = ofCatalogue || isListwise(experiment) ||
                        std::ranges::any_of(experiment.model.heads, isListwise);
  if (!arguments.k.empty() && !hasLists)
    printWarning("--k is not used: this model has no listwise loss");
  if (arguments.excludeSeen && !ofCatalogue)
    printWarning(
        "--exclude-seen is not used: this model is evaluated on rows, not on lists of the "
        "catalogue");
}

/// A table for each segment: its values by their metrics.
std::string segmentTables(const std::vector<experiment::SegmentMetrics>& segments) {
  std::string text;
  for (std::size_t first = 0; first < segments.size();) {
    std::vector<TextTable::Column> columns{{segments[first].segment}, {"queries", Align::kRight}};
    for (const auto& [key, value] : segments[first].metrics)
      columns.push_back({key, Align::kRight});
    TextTable table(std::move(columns));
    std::size_t last = first;
    for (; last < segments.size() && segments[last].segment == segments[first].segment; ++last) {
      const experiment::SegmentMetrics& segment = segments[last];
      std::vector<std::string> cells{segment.value.empty() ? "unknown" : segment.value,
                                     fmt::format("{}", segment.queries)};
      for (const auto& [key, value] : segment.metrics) {
        const auto error = valueOf(segment.standardErrors, key);
        cells.push_back(error && std::isfinite(*error)
                            ? fmt::format("{} ± {}", shortNumber(value), shortNumber(*error))
                            : shortNumber(value));
      }
      table.add(std::move(cells));
    }
    text += "\n" + table.text();
    first = last;
  }
  return text.find("±") == text.npos ? text : text + "± is the standard error.\n";
}

/// The state of the model: "step 4800 (best checkpoint)".
std::string stateOf(const workspace::Evaluation& evaluation, workspace::WhichCheckpoint which) {
  using enum workspace::WhichCheckpoint;
  return fmt::format("step {}{}", evaluation.step,
                     which == kStep   ? ""
                     : which == kBest ? " (best checkpoint)"
                                      : " (last checkpoint)");
}

std::string describe(const workspace::Evaluation& evaluation,
                     const workspace::EvaluateOptions& options,
                     const experiment::Experiment& experiment) {
  std::vector<TextTable::Column> columns{{"metric"}, {"model", Align::kRight}};
  if (!evaluation.standardErrors.empty()) columns.push_back({"standard error", Align::kRight});
  for (const auto& [name, metrics] : evaluation.baselines)
    columns.push_back(
        {experiment::baselineName(name, experiment::baselineKind(name, experiment.loss.kind)),
         Align::kRight});
  TextTable table(std::move(columns));
  for (const auto& [name, value] : evaluation.metrics) {
    std::vector<std::string> cells{name, metricText(name, value)};
    if (!evaluation.standardErrors.empty()) {
      const auto error = valueOf(evaluation.standardErrors, name);
      cells.push_back(error ? shortNumber(*error) : "–");
    }
    for (const auto& baseline : evaluation.baselines) {
      const auto other = valueOf(baseline.second, name);
      cells.push_back(other ? metricText(name, *other) : "–");
    }
    table.add(std::move(cells));
  }
  const std::string state = stateOf(evaluation, options.checkpoint.which);
  const std::string verdict = experiment::verdictText(evaluation.verdicts, state);
  const std::string queries =
      evaluation.queries == 0
          ? ""
          : fmt::format(", {} queries, one per {}", formatCount(evaluation.queries),
                        evaluation.unit == "example" ? "relevant held-out row" : "user") +
                (evaluation.protocol.empty() ? "" : ", protocol " + evaluation.protocol);
  std::string notes;
  for (const std::string& note : evaluation.notes) notes += note + "\n";
  const std::string rows =
      options.input.empty()
          ? fmt::format("the {} split", experiment::splitPartName(options.part))
          : fmt::format("the rows of {}", terminalText(options.input.string(), LineEnds::kEscape));
  return fmt::format("Run {} at {}, on {}{}\n\n{}{}{}{}{}{}", evaluation.runId, state, rows,
                     queries, table.text(), experiment::scaledErrorsNote(experiment), notes,
                     segmentTables(evaluation.segments), verdict, verdict.empty() ? "" : "\n");
}

Answer evaluate(Invocation& invocation, const EvaluateArguments& arguments) {
  PARAPET_ASSIGN(const auto options, readOptions(arguments));
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  PARAPET_ASSIGN(const auto experiment, opened->experimentOf(arguments.run));
  warnOfUnused(arguments, experiment);
  PARAPET_ASSIGN(const auto evaluation,
                 opened->evaluate(arguments.run, options, invocation.work()));
  printWarnings(evaluation.warnings);
  Json json{{"run_id", evaluation.runId},
            {"step", evaluation.step},
            {"split",
             options.input.empty() ? Json(experiment::splitPartName(options.part)) : Json(nullptr)},
            {"input", textOrNull(options.input.string())},
            {"unit", textOrNull(evaluation.unit)},
            {"protocol", textOrNull(evaluation.protocol)},
            {"queries", countOrNull(evaluation.queries)},
            {"metrics", metricsJson(evaluation.metrics)},
            {"standard_errors", metricsJson(evaluation.standardErrors)},
            {"baselines", baselinesJson(evaluation.baselines)},
            {"verdicts", experiment::toJson(evaluation.verdicts)},
            {"verdict", experiment::summaryJson(evaluation.verdicts,
                                                stateOf(evaluation, options.checkpoint.which))},
            {"segments", experiment::toJson(evaluation.segments)},
            {"notes", evaluation.notes},
            {"warnings", evaluation.warnings}};
  return Answer::of(std::move(json), describe(evaluation, options, experiment));
}

}  // namespace

void addEvaluate(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("evaluate", "Evaluate a checkpoint on held-out rows");
  command->footer(
      "Examples: parapet-cli evaluate latest --k 10,50 --checkpoint best\n"
      "          parapet-cli evaluate --model my-model --input later.csv");
  const auto arguments = std::make_shared<EvaluateArguments>();
  addRunOrModel(*command, invocation, arguments->run);
  command
      ->add_option("--split", arguments->split,
                   "Split to evaluate on: validation or test [validation]")
      ->type_name("PART");
  command
      ->add_option("--input", arguments->input,
                   "Evaluate on the rows of a file, with the columns and the label of the run's "
                   "data, instead of a split")
      ->type_name("FILE");
  command->add_option("-k,--k", arguments->k, "List lengths, as 10,50,100 [the document's]")
      ->type_name("N,…");
  command->add_flag("--exclude-seen", arguments->excludeSeen,
                    "Leave the items of a user's training rows out of the lists");
  addCheckpoint(*command, arguments->checkpoint);
  onRun(*command, invocation,
        [&invocation, arguments] { return evaluate(invocation, *arguments); });
}

}  // namespace parapet::cli
