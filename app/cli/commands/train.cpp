// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>
#include <chrono>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/processes.h"
#include "app/cli/commands/train_summary.h"
#include "app/cli/document.h"
#include "app/cli/interrupts.h"
#include "app/cli/output.h"
#include "app/cli/run_json.h"
#include "engine/base/text.h"
#include "engine/experiment/verdict_text.h"

namespace parapet::cli {
namespace {

constexpr std::chrono::milliseconds kPoll{25};

struct TrainArguments {
  DocumentArguments document;
  std::string resume, fork;
  std::optional<std::int64_t> threads;
  ProcessOptions processes;
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

/// Progress of what a run does besides its steps; says once that a stop goes on without the baselines
/// that it waits for at its end, which `waits` is told, too.
ProgressFunction runProgress(ProgressStyle style, std::atomic<bool>& waits) {
  return [inner = workProgress(style), &waits](std::string_view stage, std::int64_t done,
                                               std::int64_t total) {
    if (!inner) return;
    if (stage.starts_with(experiment::kFittingStage) && !waits.exchange(true))
      writeStderr(
          "trained; waiting for the baselines. Ctrl-C goes on without those that are missing");
    inner(stage, done, total);
  };
}

// The first request ends the run at the next step, with a checkpoint; once the user knows that
// there is a second, it ends the run at once, without. Most runs have ended before the offer.
workspace::RunOutcome waitFor(workspace::RunHandle& run, const std::atomic<bool>& waits) {
  StopRequest heard = StopRequest::kNone;
  for (bool offered = false;;) {
    if (auto outcome = run.wait(kPoll)) return std::move(*outcome);
    if (heard == StopRequest::kAtNextStep && !offered) {
      offered = true;
      writeStderr(waits ? "going on without the baselines that are missing" : offerEndAtOnce());
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
  std::atomic<bool> waits = false;
  options.progress = runProgress(invocation.style(), waits);
  options.stop = invocation.work().stop;
  invocation.interrupts->takeOver();
  PARAPET_ASSIGN(const auto started, start(std::move(options)));
  const workspace::RunOutcome outcome = waitFor(*started, waits);
  auto next = nextCommands(invocation.workspaceFolder, started->dataset().get());
  if (const auto opened = invocation.workspace(); opened.ok())
    if (const auto record = (*opened)->store().find(outcome.runId); record.ok())
      next.forkedStep = record->forkedStep;
  return answerOf(outcome, progress.warnings(),
                  trainSummary(outcome, metrics.front(), experiment, next));
}

namespace {

/// Trains with the other processes, if there are any: as the one that drives by `train`, or by
/// following that one.
Answer amongProcesses(Invocation& invocation, const TrainArguments& arguments,
                      const experiment::Experiment& experiment, workspace::RunOptions options,
                      const std::function<Answer(workspace::RunOptions)>& train) {
  if (!arguments.processes.isAsked()) return train(std::move(options));
  PARAPET_ASSIGN(RunPlaces places, arguments.processes.places());
  if (places.own.rank > 0) return takePart(invocation, experiment, places.own, options.threads);
  const bool startsOthers = !places.hosts.empty();
  if (startsOthers) {
    PARAPET_ASSIGN(places.own.secret, workspace::RunProcesses::newSecret());
  }
  PARAPET_ASSIGN(const std::shared_ptr<workspace::RunProcesses> processes,
                 workspace::RunProcesses::start(places.own, experiment));
  std::unique_ptr<StartedProcesses> others;
  if (startsOthers) {
    PARAPET_ASSIGN(const auto starts,
                   places.others(invocation, options.threads, processes->port()));
    PARAPET_ASSIGN(
        others,
        StartedProcesses::start(
            starts,
            fmt::format("{}\n{}\n", places.own.secret, experiment::toJson(experiment).dump()),
            [of = std::weak_ptr(processes)](int rank, const std::string& failure) {
              if (const auto run = of.lock()) run->fail(rank, failure);
            }));
  }
  options.processes = processes;
  return train(std::move(options));
}

Answer resume(Invocation& invocation, const TrainArguments& arguments,
              workspace::RunOptions options) {
  if (arguments.changesDocument())
    return wrongArgument(
        "--resume goes on with the document of the run; accepted beside it: --threads");
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  PARAPET_ASSIGN(const auto run, opened->store().find(arguments.resume));
  PARAPET_ASSIGN(const auto experiment, opened->experimentOf(run.id));
  return amongProcesses(
      invocation, arguments, experiment, std::move(options), [&](workspace::RunOptions among) {
        return followRun(
            invocation, experiment, std::move(among),
            [&](workspace::RunOptions ready) { return opened->resume(run.id, std::move(ready)); });
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
  // Nothing about the document helps in a workspace that cannot train.
  if (const auto& why = opened->readOnlyBecause()) return why->wrap("no run can be started");
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
  // A refusal is reported with the sizes of the data, where they can be had.
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
  return amongProcesses(invocation, arguments, parsed.experiment, std::move(options),
                        [&](workspace::RunOptions among) {
                          return followRun(invocation, parsed.experiment, std::move(among),
                                           [&](workspace::RunOptions ready) {
                                             return opened->start(parsed.experiment,
                                                                  std::move(ready));
                                           });
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
  if (arguments.queue && arguments.processes.isAsked())
    return wrongArgument("--queue: a run of several processes begins at once");
  workspace::RunOptions options;
  options.threads = static_cast<int>(arguments.threads.value_or(0));
  return arguments.resume.empty() ? start(invocation, arguments, std::move(options))
                                  : resume(invocation, arguments, std::move(options));
}

}  // namespace

namespace {

/// The options of a command that trains, but for those about processes, and what it does.
std::shared_ptr<TrainArguments> addTraining(CLI::App& command, Invocation& invocation) {
  const auto arguments = std::make_shared<TrainArguments>();
  arguments->document.addTo(command);
  command
      .add_option(
          "--resume", arguments->resume,
          "Resume a run from its newest checkpoint: an id, a unique prefix of one, or latest")
      ->type_name("RUN");
  command
      .add_option("--fork", arguments->fork,
                  "A new run that begins with a checkpoint of a run: last, best or a step; last "
                  "if none is given. --set and the other options change its document")
      ->type_name("RUN[@STEP]");
  addThreads(command, arguments->threads);
  onRun(command, invocation,
        [&invocation, arguments] { return train(invocation, *arguments).orKnown(noRunYet()); });
  return arguments;
}

}  // namespace

void addTrain(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("train", "Train a document, or resume a run");
  command->footer(
      "Examples: parapet-cli train sample\n"
      "          parapet-cli train movielens-retrieval --data ~/data/ml-100k --epochs 10\n"
      "          parapet-cli train my-clicks            (an experiment that `experiments` lists)\n"
      "          parapet-cli train --resume latest\n"
      "          parapet-cli train sample --devices 'cpu*2' --processes 2\n"
      "          parapet-cli train --fork latest@best --set /optimizer/learning_rate=0.01 --epochs "
      "20\n"
      "Ctrl-C stops at the next step and keeps a checkpoint; a second one stops at once.");
  const auto arguments = addTraining(*command, invocation);
  arguments->processes.addTo(*command);
  command->add_flag("--queue", arguments->queue,
                    "Put the run at the end of the workspace's queue instead of training it; see "
                    "parapet-cli queue");
}

void addLaunch(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "launch", "Train a document on several hosts: process 0 here, the others by ssh");
  command->footer(
      "Examples: parapet-cli launch model.json --devices 'cpu*4' --hosts hosts.txt\n"
      "          parapet-cli launch sample --devices 'cpu*2' --hosts hosts.txt --with 'srun -w "
      "{host} -N 1 -n 1 sh -c {command}'\n"
      "The secret and the document go to each process by its standard input, whose end ends it.");
  addTraining(*command, invocation)->processes.addHostsTo(*command);
}

}  // namespace parapet::cli
