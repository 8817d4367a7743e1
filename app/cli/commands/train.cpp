// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/train_summary.h"
#include "app/cli/document.h"
#include "app/cli/interrupts.h"
#include "app/cli/output.h"
#include "app/cli/run_json.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

constexpr std::chrono::milliseconds kPoll{25};

struct TrainArguments {
  DocumentArguments document;
  std::string resume, fork;
  std::optional<std::int64_t> threads;
  bool queue = false;

  // --resume goes on with the document of the run, so nothing may change it.
  [[nodiscard]] bool changesDocument() const {
    return !document.source.empty() || !document.data.empty() || !document.devices.empty() ||
           !document.settings.empty() || document.epochs || document.seed;
  }
};

// The fields of an answer about a run that never came to be.
Json noRunYet() {
  return Json{{"run_id", nullptr}, {"state", nullptr}, {"epochs", Json::array()}};
}

// The first request ends the run at the next step, with a checkpoint; once the user knows that
// there is a second, it ends the run at once, without. Most runs have ended before the offer.
workspace::RunOutcome waitFor(workspace::RunHandle& run) {
  StopRequest heard = StopRequest::kNone;
  for (bool offered = false;;) {
    if (auto outcome = run.wait(kPoll)) return std::move(*outcome);
    if (heard == StopRequest::kAtNextStep && !offered) {
      offered = true;
      writeStderr(offerEndAtOnce());
    }
    const StopRequest asked = stopRequest();
    if (asked == heard) continue;
    heard = asked;
    if (asked == StopRequest::kAtNextStep) run.stop();
    if (asked == StopRequest::kAtOnce) run.abort();
  }
}

// How a run ended that did not finish, where it has not said so itself.
Error endingOf(const workspace::RunOutcome& outcome, ExitCode code) {
  if (code == ExitCode::kStopped)
    return {ErrorCode::kCancelled,
            outcome.checkpoint.empty()
                ? fmt::format("run {} after {} steps, without a checkpoint", outcome.runId,
                              outcome.steps)
                : fmt::format("run {} after {} steps; its checkpoint is {}", outcome.runId,
                              outcome.steps, outcome.checkpoint)};
  if (code == ExitCode::kDiverged)
    return {ErrorCode::kDiverged,
            fmt::format("run {}: the loss or a weight was NaN or infinite after {} steps",
                        outcome.runId, outcome.steps)};
  return {ErrorCode::kInternal, fmt::format("run {} ended as {}", outcome.runId,
                                            experiment::runStateName(outcome.state))};
}

Answer answerOf(const workspace::RunOutcome& outcome, const std::vector<std::string>& warnings,
                const std::string& summary) {
  Json json = outcomeJson(outcome);
  json["warnings"] = warnings;
  Answer answer = Answer::of(std::move(json), summary);
  answer.code = exitCodeOf(outcome.state);
  if (answer.code == ExitCode::kDone) return answer;
  answer.failure = Failure{outcome.error.value_or(endingOf(outcome, answer.code))};
  // A wrong document that only the import could see is still exit 2, a missing file still exit 3.
  if (outcome.state == experiment::RunState::kFailed && outcome.error)
    answer.code = exitCodeOf(outcome.error->code);
  return answer;
}

}  // namespace

Answer followRun(
    Invocation& invocation, const experiment::Experiment& experiment, workspace::RunOptions options,
    const std::function<Result<std::unique_ptr<workspace::RunHandle>>(workspace::RunOptions)>&
        start) {
  const std::vector<std::string> metrics = chosenMetrics(experiment::toJson(experiment));
  TrainProgress progress(invocation.style(), metrics);
  options.sink = &progress;
  options.progress = workProgress(invocation.style());
  options.stop = invocation.work().stop;
  invocation.interrupts->takeOver();
  PARAPET_ASSIGN(const auto started, start(std::move(options)));
  const workspace::RunOutcome outcome = waitFor(*started);
  auto next = nextCommands(invocation.workspaceFolder, started->dataset().get());
  if (const auto opened = invocation.workspace(); opened.ok())
    if (const auto record = (*opened)->store().find(outcome.runId); record.ok())
      next.forkedStep = record->forkedStep;
  return answerOf(outcome, progress.warnings(),
                  trainSummary(outcome, metrics.front(), experiment, next));
}

namespace {

Answer resume(Invocation& invocation, const TrainArguments& arguments,
              workspace::RunOptions options) {
  if (arguments.changesDocument())
    return wrongArgument(
        "--resume goes on with the document of the run; accepted beside it: --threads");
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  PARAPET_ASSIGN(const auto run, opened->store().find(arguments.resume));
  PARAPET_ASSIGN(const auto experiment, opened->experimentOf(run.id));
  return followRun(invocation, experiment, std::move(options), [&](workspace::RunOptions ready) {
    return opened->resume(run.id, std::move(ready));
  });
}

/// The document of the run that RUN[@STEP] names, which begins with that checkpoint.
Result<LoadedDocument> forkedDocument(Invocation& invocation, const TrainArguments& arguments) {
  const std::size_t at = arguments.fork.find('@');
  const std::string run = arguments.fork.substr(0, at);
  workspace::CheckpointChoice choice;
  if (at != std::string::npos) {
    auto parsed = parseCheckpoint(arguments.fork.substr(at + 1));
    if (!parsed)
      return wrongArgument(
          fmt::format("--fork: \"{}\" is not accepted; accepted: RUN, or RUN@STEP "
                      "where STEP is last, best or a step",
                      printable(arguments.fork)));
    choice = *parsed;
  }
  PARAPET_ASSIGN(workspace::Workspace* const opened, invocation.existingWorkspace());
  PARAPET_ASSIGN(const store::RunRecord record, opened->store().find(run));
  PARAPET_ASSIGN(const auto forked, opened->forkOf(record.id, choice));
  PARAPET_ASSIGN(LoadedDocument loaded,
                 changeDocument(nlohmann::json(experiment::toJson(forked)), arguments.document));
  loaded.origin = record.recipe;
  loaded.experimentId = record.experimentId;
  return loaded;
}

Answer queueRun(workspace::Workspace& workspace, const experiment::Experiment& experiment,
                workspace::RunOptions options) {
  workspace::RunOutcome outcome;
  PARAPET_ASSIGN(outcome.runId, workspace.queueRun(experiment, std::move(options)));
  PARAPET_ASSIGN(const auto live, workspace.store().liveRuns());
  const auto before = std::ranges::count_if(live, [&](const store::RunRecord& run) {
    return run.isWaiting() && run.id != outcome.runId;
  });
  Json json = outcomeJson(outcome);
  json["warnings"] = Json::array();
  return Answer::of(
      std::move(json),
      fmt::format("Queued run {}; {} before it.\nA window of this workspace starts it, or: "
                  "parapet-cli queue run\n",
                  outcome.runId,
                  before == 1 ? std::string("1 waits") : fmt::format("{} wait", before)));
}

Answer start(Invocation& invocation, const TrainArguments& arguments,
             workspace::RunOptions options) {
  PARAPET_ASSIGN(const auto parsed, arguments.fork.empty()
                                        ? loadDocument(invocation, arguments.document)
                                        : forkedDocument(invocation, arguments));
  if (!parsed.findings.problems.empty()) return Answer::refused(parsed.findings.problems);
  PARAPET_ASSIGN(const auto opened, invocation.workspace());
  auto preflight = opened->preflight(parsed.experiment);
  // What is refused is reported with the sizes of the data, where they can be had.
  if (!preflight.findings.problems.empty() &&
      opened->findSizes(parsed.experiment, invocation.work()))
    preflight = opened->preflight(parsed.experiment);
  if (!preflight.findings.problems.empty()) return Answer::refused(preflight.findings.problems);
  printWarnings(parsed.findings.warnings);
  printWarnings(preflight.findings.warnings);
  options.preflight = std::move(preflight);
  options.recipe = parsed.origin;
  options.experimentId = parsed.experimentId;
  if (arguments.queue) return queueRun(*opened, parsed.experiment, std::move(options));
  return followRun(invocation, parsed.experiment, std::move(options),
                   [&](workspace::RunOptions ready) {
                     return opened->start(parsed.experiment, std::move(ready));
                   });
}

Answer train(Invocation& invocation, const TrainArguments& arguments) {
  const std::string& source = arguments.document.source;
  if (!arguments.fork.empty() && (!arguments.resume.empty() || !source.empty()))
    return wrongArgument(
        fmt::format("--fork begins with the document of the run; not accepted beside it: {}",
                    source.empty() ? "--resume" : "DOC, here " + printable(source)));
  if (arguments.queue && !arguments.resume.empty())
    return wrongArgument("--queue: a run that is resumed goes on at once; accepted: DOC or --fork");
  if (arguments.queue && arguments.threads)
    return wrongArgument(
        fmt::format("--queue: the threads are those of the document; accepted: --set "
                    "/mesh/threads={}",
                    *arguments.threads));
  workspace::RunOptions options;
  options.threads = static_cast<int>(arguments.threads.value_or(0));
  return arguments.resume.empty() ? start(invocation, arguments, std::move(options))
                                  : resume(invocation, arguments, std::move(options));
}

}  // namespace

void addTrain(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("train", "Train a document, or go on with a run");
  command->footer(
      "Examples: parapet-cli train sample\n"
      "          parapet-cli train movielens-retrieval --data ~/data/ml-100k --epochs 10\n"
      "          parapet-cli train my-clicks            (an experiment that `experiments` lists)\n"
      "          parapet-cli train --resume latest\n"
      "          parapet-cli train --fork latest@best --set /optimizer/learning_rate=0.01 --epochs "
      "20\n"
      "Ctrl-C stops at the next step and keeps a checkpoint; a second one stops at once.");
  const auto arguments = std::make_shared<TrainArguments>();
  arguments->document.addTo(*command);
  command
      ->add_option(
          "--resume", arguments->resume,
          "Go on with a run from its newest checkpoint: an id, a unique prefix of one, or latest")
      ->type_name("RUN");
  command
      ->add_option("--fork", arguments->fork,
                   "A new run that begins with a checkpoint of a run: last, best or a step; last "
                   "if none is given. Its document can be changed by --set and the others")
      ->type_name("RUN[@STEP]");
  addThreads(*command, arguments->threads);
  command->add_flag("--queue", arguments->queue,
                    "Put the run at the end of the workspace's queue instead of training it; see "
                    "parapet-cli queue");
  onRun(*command, invocation,
        [&invocation, arguments] { return train(invocation, *arguments).orKnown(noRunYet()); });
}

}  // namespace parapet::cli
