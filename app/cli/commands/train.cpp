// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/train_summary.h"
#include "app/cli/document.h"
#include "app/cli/output.h"
#include "app/cli/run_json.h"

namespace parapet::cli {
namespace {

constexpr std::chrono::milliseconds kPoll{100};

struct TrainArguments {
  DocumentArguments document;
  std::string resume;
  std::optional<std::int64_t> threads;

  // --resume goes on with the document of the run, so nothing may change it.
  [[nodiscard]] bool changesDocument() const {
    return !document.source.empty() || !document.data.empty() || !document.devices.empty() ||
           !document.settings.empty() || document.epochs || document.seed;
  }
};

// The fields of an answer about a run that never came to be.
Json nothingYet() {
  return Json{{"run_id", nullptr}, {"state", nullptr}, {"epochs", Json::array()}};
}

// Ctrl-C once: stop at the next step, with a checkpoint. Twice: at once, without.
workspace::RunOutcome waitFor(workspace::RunHandle& run) {
  int heard = 0;
  for (;;) {
    if (auto outcome = run.wait(kPoll)) return std::move(*outcome);
    const int asked = interruptCount();
    if (asked >= 1 && heard == 0) {
      writeStderr("stopping at the next step; press Ctrl-C again to stop without a checkpoint");
      run.stop();
    }
    if (asked >= 2 && heard < 2) run.abort();
    heard = asked;
  }
}

Answer answerOf(const workspace::RunOutcome& outcome) {
  Json json = outcomeJson(outcome);
  Answer answer = Answer::of(std::move(json), trainSummary(outcome));
  answer.code = exitCodeOf(outcome.state);
  if (answer.code == ExitCode::kDone) return answer;
  const ErrorCode code = answer.code == ExitCode::kStopped    ? ErrorCode::kCancelled
                         : answer.code == ExitCode::kDiverged ? ErrorCode::kDiverged
                                                              : ErrorCode::kInternal;
  const Error fallback{code, fmt::format("run {} ended as {}", outcome.runId,
                                         experiment::runStateName(outcome.state))};
  answer.failure = Failure{outcome.error.value_or(fallback)};
  // A wrong document that only the import could see is still exit 2, a missing file still exit 3.
  if (outcome.state == experiment::RunState::kFailed && outcome.error)
    answer.code = exitCodeOf(outcome.error->code);
  return answer;
}

Answer follow(Result<std::unique_ptr<workspace::RunHandle>> started) {
  if (!started.ok()) return Answer::failed(started.error(), nothingYet());
  return answerOf(waitFor(**started));
}

Answer resume(Session& session, const TrainArguments& arguments, workspace::RunOptions options) {
  if (arguments.changesDocument())
    return Answer::failed(
        wrongArgument(
            "--resume goes on with the document of the run; accepted beside it: --threads"),
        nothingYet());
  const auto opened = session.workspace();
  if (!opened.ok()) return Answer::failed(opened.error(), nothingYet());
  return follow((*opened)->resume(arguments.resume, std::move(options)));
}

Answer start(Session& session, const TrainArguments& arguments, workspace::RunOptions options) {
  const auto parsed = loadDocument(arguments.document);
  if (!parsed.ok()) return Answer::failed(parsed.error(), nothingYet());
  if (!parsed->findings.problems.empty())
    return Answer::refused(parsed->findings.problems, nothingYet());
  const auto opened = session.workspace();
  if (!opened.ok()) return Answer::failed(opened.error(), nothingYet());
  auto preflight = (*opened)->preflight(parsed->experiment);
  // What is refused is told with the sizes of the data, where they can be had.
  if (!preflight.findings.problems.empty() &&
      (*opened)->findSizes(parsed->experiment, session.work()))
    preflight = (*opened)->preflight(parsed->experiment);
  if (!preflight.findings.problems.empty())
    return Answer::refused(preflight.findings.problems, nothingYet());
  printWarnings(parsed->findings.warnings);
  printWarnings(preflight.findings.warnings);
  return follow((*opened)->start(parsed->experiment, std::move(options)));
}

Answer train(Session& session, const TrainArguments& arguments) {
  TrainProgress progress(session.style());
  workspace::RunOptions options;
  options.recipe = arguments.document.source;
  options.threads = static_cast<int>(arguments.threads.value_or(0));
  options.sink = &progress;
  return arguments.resume.empty() ? start(session, arguments, std::move(options))
                                  : resume(session, arguments, std::move(options));
}

}  // namespace

void addTrain(CLI::App& program, Session& session) {
  CLI::App* command = program.add_subcommand("train", "Train a document, or go on with a run");
  command->footer(
      "Examples: parapet-cli train sample\n"
      "          parapet-cli train movielens-retrieval --data ~/data/ml-100k --epochs 10\n"
      "          parapet-cli train --resume latest\n"
      "Ctrl-C stops at the next step and keeps a checkpoint; a second one stops at once.");
  const auto arguments = std::make_shared<TrainArguments>();
  arguments->document.addTo(*command);
  command
      ->add_option(
          "--resume", arguments->resume,
          "Go on with a run from its newest checkpoint: an id, the start of one, or latest")
      ->type_name("RUN");
  addInteger(*command, "--threads", arguments->threads, 1,
             "Workers of this process [all cores]; changes time only");
  onRun(*command, session, [&session, arguments] { return train(session, *arguments); });
}

}  // namespace parapet::cli
