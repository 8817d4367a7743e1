// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <ranges>
#include <set>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/train_summary.h"
#include "app/cli/document.h"
#include "app/cli/interrupts.h"
#include "app/cli/output.h"
#include "app/cli/run_json.h"
#include "app/cli/text_table.h"
#include "engine/base/text.h"
#include "engine/experiment/metric_key.h"

namespace parapet::cli {
namespace {

using experiment::SweepPoint;
using workspace::SweepRequest;

// Each run has a model, its plans and threads in memory.
constexpr std::int64_t kMaxParallel = 64;

struct SweepArguments {
  DocumentArguments document;
  std::vector<std::string> grids, ranges, metrics;
  std::string alternatives;  ///< a file
  std::optional<std::int64_t> runs, seeds, parallel, threads;
  bool stopBad = false;
};

/// The document, its points and what is measured: all that is checked before anything starts.
struct PlannedSweep {
  LoadedDocument document;
  std::vector<SweepPoint> points;
  std::vector<std::string> metrics;
  std::string why;     ///< why no loss may rank the runs; "" where one may
  std::string reason;  ///< `why`, where another metric stands in the place of the document's loss
};

Json nothingYet() {
  return Json{
      {"group", nullptr}, {"metric", nullptr}, {"runs", Json::array()}, {"summary", Json::array()}};
}

Result<experiment::SweepSpace> readSpace(const SweepArguments& arguments) {
  experiment::SweepSpace space;
  for (const std::string& text : arguments.grids) {
    PARAPET_ASSIGN(auto list, experiment::parseSweepList(text));
    space.lists.push_back(std::move(list));
  }
  for (const std::string& text : arguments.ranges) {
    PARAPET_ASSIGN(auto range, experiment::parseSweepRange(text));
    space.ranges.push_back(std::move(range));
  }
  if (!arguments.alternatives.empty()) {
    PARAPET_ASSIGN(const std::string text, readFile(arguments.alternatives));
    auto alternatives = experiment::parseAlternatives(text);
    if (!alternatives) return alternatives.error().wrap(arguments.alternatives);
    space.alternatives = std::move(alternatives).value();
  }
  space.draws = arguments.runs.value_or(0);
  space.seeds = arguments.seeds.value_or(1);
  if (arguments.runs && *arguments.runs < 1)
    return wrongArgument(
        fmt::format("--runs: {} is not accepted; accepted: 1 or more", *arguments.runs));
  if (arguments.parallel.value_or(1) > kMaxParallel)
    return wrongArgument(fmt::format("--parallel: {} is not accepted; accepted: 1 to {}",
                                     *arguments.parallel, kMaxParallel));
  if (!space.ranges.empty() && !arguments.runs)
    return wrongArgument("--random needs --runs N, the count of draws");
  return space;
}

/// "/optimizer/learning_rate 0.1 · /training/epochs 3"
std::string settingsText(const SweepPoint& point) {
  std::string text;
  for (const auto& [pointer, value] : point.values)
    text += fmt::format("{}{} {}", text.empty() ? "" : " · ", pointer, value.dump());
  return text;
}

bool isListKey(const std::string& key) {
  return key.find('@') != key.npos || key.ends_with("mrr");
}

/// Metrics that the points of a sweep measure.
struct MeasuredKeys {
  std::vector<std::string> all;  ///< by every point
  /// By some points alone, with the settings of the first point that lacks each.
  std::map<std::string, std::string, std::less<>> some;
};

/// The key on validation rows of a metric that is asked for, maybe on test rows.
std::string validationKeyOf(const std::string& metric) {
  constexpr std::string_view kTest = "test_";
  return metric.starts_with(kTest) ? "val_" + metric.substr(kTest.size()) : metric;
}

/// "--metric: "val_rmse" is not measured with /loss/kind "bce""
std::string notMeasured(const std::string& metric, const MeasuredKeys& keys) {
  const auto lacking = keys.some.find(validationKeyOf(metric));
  return fmt::format(
      "\"{}\" is not measured{}", metric,
      lacking == keys.some.end() ? didYouMean(metric, keys.all) : " with " + lacking->second);
}

MeasuredKeys measuredKeys(const std::vector<SweepPoint>& points) {
  MeasuredKeys keys;
  std::vector<std::set<std::string>> each;
  for (const SweepPoint& point : points) {
    const auto measured = experiment::validationKeys(experiment::parse(point.document).experiment);
    if (keys.all.empty()) keys.all = measured;
    each.emplace_back(measured.begin(), measured.end());
    for (const std::string& key : measured) keys.some.try_emplace(key);
  }
  for (std::size_t i = 0; i < points.size(); ++i)
    for (auto& [key, lacking] : keys.some)
      if (lacking.empty() && !each[i].contains(key)) lacking = settingsText(points[i]);
  std::erase_if(keys.some, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(keys.all, [&](const std::string& key) { return keys.some.contains(key); });
  keys.all.insert(keys.all.begin(), "loss");
  return keys;
}

/// Metrics of a sweep in which the value of a loss says nothing: the first that the document names,
/// without one the first of lists, else the first that is no loss; then what else the document names.
Result<std::vector<std::string>> metricsWithoutLoss(const std::vector<std::string>& chosen,
                                                    const MeasuredKeys& keys,
                                                    const std::string& why) {
  auto first = keys.all.end();
  for (const std::string& metric : chosen | std::views::reverse)
    if (const auto own = std::ranges::find(keys.all, metric); own != keys.all.end()) first = own;
  if (first == keys.all.end()) first = std::ranges::find_if(keys.all, isListKey);
  if (first == keys.all.end()) first = keys.all.begin();
  if (first == keys.all.end()) {
    std::map<std::string, std::vector<std::string>> without;
    for (const auto& [key, settings] : keys.some)
      if (!experiment::isLossKey(key)) without[settings].push_back(key);
    std::string lacking;
    for (const auto& [settings, some] : without)
      lacking += fmt::format("; with {} not {}", settings, join(some));
    return wrongArgument(
        fmt::format("{}, and no other metric is measured by all of the runs{}; accepted: lists of "
                    "the catalogue in /evaluation, or settings that measure the same",
                    why, lacking));
  }
  std::vector<std::string> metrics{*first};
  for (const std::string& metric : chosen)
    if (metric != metrics.front() && std::ranges::find(keys.all, metric) != keys.all.end())
      metrics.push_back(metric);
  return metrics;
}

/// Metrics that are asked for, else those that the document names. All points measure each of them,
/// and where settings change the scale of the loss no loss is among them.
Result<std::vector<std::string>> readMetrics(const SweepArguments& arguments,
                                             const PlannedSweep& sweep) {
  MeasuredKeys keys = measuredKeys(sweep.points);
  const std::vector<std::string>& known = keys.all;
  if (!sweep.why.empty()) std::erase_if(keys.all, experiment::isLossKey);
  if (arguments.metrics.empty()) {
    auto chosen = chosenMetrics(experiment::toJson(sweep.document.experiment));
    if (!sweep.why.empty()) return metricsWithoutLoss(chosen, keys, sweep.why);
    std::erase_if(chosen, [&](const auto& metric) { return keys.some.contains(metric); });
    return chosen.empty() ? std::vector<std::string>{"val_loss"} : chosen;
  }
  std::vector<std::string> metrics;
  for (const std::string& metric : arguments.metrics) {
    if (!sweep.why.empty() && experiment::isLossKey(metric))
      return wrongArgument(
          fmt::format("--metric: \"{}\" does not compare these runs, since {}; accepted: {}",
                      metric, sweep.why, join(known)));
    const bool isTest = metric.starts_with("test_");
    if (isTest ? keys.some.contains(validationKeyOf(metric))
               : std::ranges::find(known, metric) == known.end())
      return wrongArgument(
          fmt::format("--metric: {}; accepted: {}", notMeasured(metric, keys), join(known)));
    if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
  }
  return metrics;
}

/// The settings that change a text which is made of each point; none if it is the same for all. One is
/// named if points that differ in it alone have other texts; draws differ in all.
std::vector<std::string> settingsThatChange(
    const std::vector<SweepPoint>& points,
    const std::function<std::string(const experiment::Experiment&)>& textOf) {
  std::vector<std::string> texts;
  for (const SweepPoint& point : points)
    texts.push_back(textOf(experiment::parse(point.document).experiment));
  if (std::ranges::count(texts, texts.front()) == std::ssize(texts)) return {};
  const auto changesAlone = [&](std::size_t setting) {
    std::map<std::string, std::string> textOfOthers;
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::string others;
      for (std::size_t at = 0; at < points[i].values.size(); ++at)
        if (at != setting) others += points[i].values[at].second.dump() + "\n";
      if (textOfOthers.try_emplace(std::move(others), texts[i]).first->second != texts[i])
        return true;
    }
    return false;
  };
  std::vector<std::string> all, pointers;
  for (std::size_t at = 0; at < points.front().values.size(); ++at) {
    const std::string& pointer = points.front().values[at].first;
    all.push_back(pointer == experiment::kAlternative ? "the alternative" : pointer);
    if (changesAlone(at)) pointers.push_back(all.back());
  }
  return pointers.empty() ? all : pointers;
}

/// Why the losses of the points do not compare; "" if they do.
std::string whyNoLoss(const std::vector<SweepPoint>& points) {
  std::vector<std::string> pointers = settingsThatChange(points, experiment::lossScale);
  if (pointers.empty()) return {};
  if (pointers.size() == points.front().values.size())
    pointers = experiment::scalingSettings(pointers);
  return fmt::format("{} {} the scale of the loss", join(pointers, " and "),
                     pointers.size() == 1 ? "changes" : "change");
}

/// Points whose values are of other rows, or are measured in another way, have no ranking.
Status requireSameRows(const std::vector<SweepPoint>& points,
                       const std::vector<std::string>& metrics) {
  for (const std::string& metric : metrics) {
    const auto rowsOf = [&metric](const auto& of) { return experiment::measuredRows(of, metric); };
    if (const auto pointers = settingsThatChange(points, rowsOf); !pointers.empty())
      return wrongArgument(fmt::format(
          "{} {} what {} is measured on, so the runs have no ranking; accepted: "
          "settings of the model and its training. `train` each and `evaluate` it, or "
          "sweep each alone",
          join(pointers, " and "), pointers.size() == 1 ? "changes" : "change", metric));
  }
  return {};
}

Result<PlannedSweep> planSweep(Invocation& invocation, const SweepArguments& arguments) {
  PlannedSweep sweep;
  PARAPET_ASSIGN(const auto space, readSpace(arguments));
  PARAPET_ASSIGN(sweep.document, loadDocument(invocation, arguments.document));
  if (!sweep.document.findings.problems.empty()) return sweep;
  PARAPET_ASSIGN(sweep.points, experiment::sweepPoints(sweep.document.document, space));
  sweep.why = whyNoLoss(sweep.points);
  PARAPET_ASSIGN(sweep.metrics, readMetrics(arguments, sweep));
  PARAPET_TRY(requireSameRows(sweep.points, sweep.metrics));
  const auto named = chosenMetrics(experiment::toJson(sweep.document.experiment));
  if (arguments.metrics.empty() && experiment::isLossKey(named.front())) sweep.reason = sweep.why;
  return sweep;
}

Json settingsJson(const SweepPoint& point) {
  Json settings = Json::object();
  for (const auto& [pointer, value] : point.values) settings[pointer] = Json(value);
  return settings;
}

Json runsJson(const std::vector<workspace::SweepRun>& runs, const std::vector<SweepPoint>& points) {
  Json list = Json::array();
  for (const workspace::SweepRun& run : runs)
    list.push_back(Json{{"run_id", textOrNull(run.runId)},
                        {"settings", settingsJson(points[run.index])},
                        {"seed", points[run.index].seed},
                        {"state", experiment::runStateName(run.state)},
                        {"stopped_as_bad", run.stoppedAsBad},
                        {"epoch", countOrNull(run.epoch)},
                        {"metrics", metricsJson(run.metrics)},
                        {"error_text", run.error ? Json(run.error->text()) : Json(nullptr)}});
  return list;
}

Json statisticsJson(const workspace::SweepStatistics& of) {
  return Json{{"mean", number(of.mean)}, {"sd", number(of.sd)}, {"n", of.n}};
}

const SweepPoint& pointOf(const std::vector<SweepPoint>& points, std::size_t setting) {
  return *std::ranges::find(points, setting, &SweepPoint::setting);
}

Json summaryJson(const workspace::SweepOutcome& outcome, const PlannedSweep& sweep) {
  Json list = Json::array();
  for (const workspace::SweepSetting& setting : outcome.summary) {
    Json metric = statisticsJson(setting.metrics.at(sweep.metrics.front()));
    metric["name"] = sweep.metrics.front();
    Json metrics = Json::object();
    for (const std::string& key : sweep.metrics)
      metrics[key] = statisticsJson(setting.metrics.at(key));
    list.push_back(Json{{"settings", settingsJson(pointOf(sweep.points, setting.setting))},
                        {"metric", std::move(metric)},
                        {"metrics", std::move(metrics)}});
  }
  return list;
}

std::string cellOf(const workspace::SweepStatistics& of) {
  if (of.n == 0) return "–";
  return of.n == 1 ? shortNumber(of.mean)
                   : fmt::format("{} ± {}", shortNumber(of.mean), shortNumber(of.sd));
}

std::int64_t runsThatEnded(const workspace::SweepOutcome& outcome) {
  return std::ranges::count_if(outcome.runs, std::not_fn(&workspace::SweepRun::isCutShort));
}

std::string describe(const workspace::SweepOutcome& outcome, const PlannedSweep& sweep,
                     const std::string& program) {
  std::vector<TextTable::Column> columns;
  for (const auto& [pointer, value] : sweep.points.front().values) columns.push_back({pointer});
  for (const std::string& metric : sweep.metrics) columns.push_back({metric, Align::kRight});
  columns.push_back({"n", Align::kRight});
  TextTable table(columns);
  for (const workspace::SweepSetting& setting : outcome.summary) {
    std::vector<std::string> cells;
    for (const auto& [pointer, value] : pointOf(sweep.points, setting.setting).values)
      cells.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    for (const std::string& metric : sweep.metrics)
      cells.push_back(cellOf(setting.metrics.at(metric)));
    cells.push_back(fmt::to_string(setting.metrics.at(sweep.metrics.front()).n));
    table.add(std::move(cells));
  }
  std::string stopped;
  for (const workspace::SweepRun& run : outcome.runs)
    if (run.isCutShort() && !run.runId.empty())
      stopped +=
          fmt::format("Stopped in mid-training and not ranked: run {} · {} · seed {}\n", run.runId,
                      settingsText(sweep.points[run.index]), sweep.points[run.index].seed);
  return fmt::format(
      "Group {}: {} of {} runs. Each run by the epoch with its best {}; mean ± standard deviation "
      "over the finished runs of a setting, the best first.\n\n{}{}\nNext: {} runs --group {}\n",
      outcome.group, runsThatEnded(outcome), sweep.points.size(), sweep.metrics.front(),
      table.text(), stopped, program, outcome.group);
}

/// A line for every run that ends, and on a terminal a bar over all of them.
std::function<void(const workspace::SweepProgress&)> sweepProgress(ProgressStyle style,
                                                                   const PlannedSweep& sweep) {
  return [style, &sweep,
          sinceDrawn = std::make_shared<Stopwatch>()](const workspace::SweepProgress& progress) {
    if (style == ProgressStyle::kNone) return;
    const std::string left = progress.secondsLeft && progress.done < progress.runs
                                 ? fmt::format(" · {} left", formatDuration(*progress.secondsLeft))
                                 : std::string();
    const double apart = style == ProgressStyle::kBar ? 0.2 : kLineSeconds;
    const auto line = [&] {
      sinceDrawn->restart();
      return fmt::format("{:3.0f} %  {} of {} runs{}", 100.0 * progress.share, progress.done,
                         progress.runs, left);
    };
    if (const workspace::SweepRun* run = progress.ended) {
      std::string value;
      for (const auto& [key, measured] : run->metrics)
        if (key == sweep.metrics.front() && !run->isCutShort())
          value = fmt::format(", {} {}", key, shortNumber(measured));
      const SweepPoint& point = sweep.points[run->index];
      writeStderr(fmt::format(
          "run {} of {} · {} · seed {}: {}{}{}", progress.done, progress.runs, settingsText(point),
          point.seed,
          run->stoppedAsBad ? "stopped, behind the others" : experiment::runStateName(run->state),
          value, left));
    } else if (sinceDrawn->seconds() > apart) {
      style == ProgressStyle::kBar ? drawProgressLine(line()) : writeStderr(line());
    }
  };
}

SweepRequest requested() {
  switch (stopRequest()) {
    case StopRequest::kNone:
      return SweepRequest::kGoOn;
    case StopRequest::kAtNextStep:
      return SweepRequest::kStop;
    case StopRequest::kAtOnce:
      return SweepRequest::kAbort;
  }
  return SweepRequest::kGoOn;
}

/// Says once that a second Ctrl-C ends the runs at once.
std::function<SweepRequest()> asking() {
  return [told = false]() mutable {
    const SweepRequest request = requested();
    if (request == SweepRequest::kStop && !told) {
      told = true;
      writeStderr(offerEndAtOnce());
    }
    return request;
  };
}

/// Diverged runs are a result; others that failed are failures.
void judge(Answer& answer, const workspace::SweepOutcome& outcome, std::size_t points) {
  using experiment::RunState;
  if (outcome.stopped) {
    answer.code = ExitCode::kStopped;
    answer.failure = Failure{
        {ErrorCode::kCancelled, fmt::format("after {} of {} runs of the group {}",
                                            runsThatEnded(outcome), points, outcome.group)}};
    return;
  }
  const workspace::SweepRun* failed = nullptr;
  bool allDiverged = true;
  for (const workspace::SweepRun& run : outcome.runs) {
    allDiverged = allDiverged && run.state == RunState::kDiverged;
    const bool isResult =
        run.state == RunState::kFinished || run.state == RunState::kDiverged || run.stoppedAsBad;
    if (!isResult && !failed) failed = &run;
  }
  if (failed) {
    answer.code = failed->error ? exitCodeOf(failed->error->code) : exitCodeOf(failed->state);
    answer.failure = Failure{failed->error.value_or(
        Error{ErrorCode::kInternal, fmt::format("run {} ended as {}", failed->runId,
                                                experiment::runStateName(failed->state))})};
  } else if (allDiverged) {
    answer.code = ExitCode::kDiverged;
    answer.failure = Failure{{ErrorCode::kDiverged, "every run of the sweep diverged"}};
  }
}

Answer sweep(Invocation& invocation, const SweepArguments& arguments) {
  PARAPET_ASSIGN(const auto planned, planSweep(invocation, arguments));
  if (!planned.document.findings.problems.empty())
    return Answer::refused(planned.document.findings.problems);
  PARAPET_ASSIGN(const auto opened, invocation.workspace());
  printWarnings(planned.document.findings.warnings);
  if (!planned.reason.empty())
    printWarning(fmt::format("runs are ranked by {}, not by a loss: {}", planned.metrics.front(),
                             planned.reason));
  workspace::SweepOptions options{.recipe = planned.document.origin,
                                  .experimentId = planned.document.experimentId};
  options.parallel = static_cast<int>(arguments.parallel.value_or(1));
  options.threads = static_cast<int>(arguments.threads.value_or(0));
  options.bad = arguments.stopBad ? workspace::BadRuns::kStop : workspace::BadRuns::kGoOn;
  options.metrics = planned.metrics;
  options.asked = asking();
  options.progress = sweepProgress(invocation.style(), planned);
  options.importing = workProgress(invocation.style());
  options.stop = invocation.work().stop;
  invocation.interrupts->takeOver();
  PARAPET_ASSIGN(const auto outcome, workspace::runSweep(*opened, planned.points, options));
  Answer answer = Answer::of(
      Json{{"group", outcome.group},
           {"planned", planned.points.size()},
           {"metric", {{"name", planned.metrics.front()}, {"reason", textOrNull(planned.reason)}}},
           {"runs", runsJson(outcome.runs, planned.points)},
           {"summary", summaryJson(outcome, planned)}},
      describe(outcome, planned, nextCommands(invocation.workspaceFolder, nullptr).program));
  judge(answer, outcome, planned.points.size());
  return answer;
}

}  // namespace

void addSweep(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("sweep", "Train many settings of one document and compare them");
  command->footer(
      "Examples: parapet-cli sweep sample --grid /optimizer/learning_rate=0.05,0.1,0.2 --seeds 3\n"
      "          parapet-cli sweep sample --random /optimizer/learning_rate=0.01..1,log --runs 20\n"
      "          parapet-cli sweep sample --grid "
      "/tables/0/embedding_dim+/tables/1/embedding_dim=8,16,32\n"
      "Ctrl-C stops the sweep and keeps the runs that are done.");
  const auto arguments = std::make_shared<SweepArguments>();
  arguments->document.addTo(*command);
  const auto repeated = [&](const char* name, std::vector<std::string>& values, const char* help,
                            const char* type) {
    command->add_option(name, values, help)
        ->type_name(type)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  repeated("--grid", arguments->grids,
           "Values of a setting; repeat for more settings: every combination is trained. P+P=V,V "
           "gives two settings the same values",
           "POINTER=V,V");
  repeated("--random", arguments->ranges,
           "A number drawn from a range, linear or logarithmic; the same seed draws the same",
           "POINTER=LO..HI[,log]");
  command
      ->add_option(
          "--alternatives", arguments->alternatives,
          "Named sets of settings, whole parts of the document among them: a JSON list of "
          "{\"name\": …, \"set\": {POINTER: VALUE}}; each is trained with every combination")
      ->type_name("FILE");
  addInteger(*command, "--runs", arguments->runs, 1, "Draws of --random");
  addInteger(*command, "--seeds", arguments->seeds, 1,
             "Seeds of each setting: the seed of the document and its successors [1]");
  addInteger(*command, "--parallel", arguments->parallel, 1,
             "Runs at a time; they share the threads [1]");
  command->add_flag("--stop-bad", arguments->stopBad,
                    "Stop a run whose best value is worse than the median of the runs before it "
                    "after as many epochs");
  repeated("--metric", arguments->metrics,
           "Metric of the summary; repeat for more, the first one ranks [those of the document]",
           "KEY");
  addThreads(*command, arguments->threads);
  onRun(*command, invocation,
        [&invocation, arguments] { return sweep(invocation, *arguments).orKnown(nothingYet()); });
}

}  // namespace parapet::cli
