// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <thread>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/train_summary.h"
#include "app/cli/interrupts.h"
#include "app/cli/output.h"
#include "app/cli/run_json.h"
#include "app/cli/text_table.h"
#include "engine/base/clock.h"
#include "engine/workspace/run_differences.h"

namespace parapet::cli {
namespace {

using store::RunRecord;

constexpr std::chrono::milliseconds kLookEvery{250};
constexpr const char* kNoneWaits = "No run waits. Queue one: parapet-cli train sample --queue\n";

Result<std::vector<RunRecord>> waitingRuns(const store::RunStore& store) {
  PARAPET_ASSIGN(auto live, store.liveRuns());
  std::erase_if(live, [](const RunRecord& run) { return !run.isWaiting(); });
  return live;
}

Json queuedJson(const store::RunStore& store, const RunRecord& run, std::size_t position) {
  Json json = runJson(run, experimentNameOf(store, run));
  json["position"] = position;
  return json;
}

Answer listQueue(Invocation& invocation) {
  PARAPET_ASSIGN(const auto opened, invocation.workspaceToList());
  if (!opened) return Answer::of(Json::array(), kNoneWaits);
  const store::RunStore& store = opened->store();
  PARAPET_ASSIGN(const auto waiting, waitingRuns(store));
  Json list = Json::array();
  TextTable table({{"", Align::kRight}, {"run"}, {"name"}, {"queued"}, {"data"}, {"model / loss"}});
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const RunRecord& run = waiting[i];
    list.push_back(queuedJson(store, run, i + 1));
    table.add({fmt::format("{}", i + 1), run.id, run.name, formatUtc(run.createdMs),
               workspace::dataNameOf(run), workspace::modelNameOf(run)});
  }
  return Answer::of(std::move(list), waiting.empty() ? kNoneWaits : table.text());
}

/// The place that a run has in the queue now; 0 if it does not wait.
Result<std::size_t> positionOf(const store::RunStore& store, const std::string& id) {
  PARAPET_ASSIGN(const auto waiting, waitingRuns(store));
  const auto found = std::ranges::find(waiting, id, &RunRecord::id);
  return found == waiting.end() ? 0 : static_cast<std::size_t>(found - waiting.begin()) + 1;
}

Answer moveRun(Invocation& invocation, const std::string& name, std::int64_t places) {
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  store::RunStore& store = opened->store();
  PARAPET_ASSIGN(const RunRecord run, store.find(name));
  PARAPET_TRY(store.moveQueued(run.id, places));
  PARAPET_ASSIGN(const std::size_t place, positionOf(store, run.id));
  return Answer::of(queuedJson(store, run, place),
                    fmt::format("Run {} is number {} of the queue.\n", run.id, place));
}

Answer removeRun(Invocation& invocation, const std::string& name) {
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  store::RunStore& store = opened->store();
  PARAPET_ASSIGN(const RunRecord run, store.find(name));
  PARAPET_TRY(store.dequeue(run.id));
  PARAPET_ASSIGN(const RunRecord stopped, store.find(run.id));
  return Answer::of(runJson(stopped, experimentNameOf(store, stopped)),
                    fmt::format("Took run {} out of the queue.\n", run.id));
}

/// The run that this process has claimed; nullopt once none waits, or the user stops the program. While
/// runs of others are under way it waits for them, and says so once.
Result<std::optional<std::string>> nextOfQueue(store::RunStore& store) {
  for (bool told = false; !stopRequested();) {
    PARAPET_ASSIGN(auto claimed, store.claimQueued());
    if (claimed) return claimed;
    PARAPET_ASSIGN(const auto live, store.liveRuns());
    if (std::ranges::none_of(live, &RunRecord::isWaiting)) break;
    if (!std::exchange(told, true) && !live.front().isWaiting())
      writeStderr(fmt::format("run {} of process {} is under way; the queue goes on after it",
                              live.front().id, live.front().owner.pid));
    std::this_thread::sleep_for(kLookEvery);
  }
  return std::optional<std::string>();
}

Answer runQueue(Invocation& invocation) {
  PARAPET_ASSIGN(const auto opened, invocation.workspaceToList());
  Json runs = Json::array();
  std::string text;
  ExitCode code = ExitCode::kDone;
  std::optional<Failure> failure;
  while (opened) {
    PARAPET_ASSIGN(const auto claimed, nextOfQueue(opened->store()));
    if (!claimed) break;
    const auto experiment = opened->experimentOf(*claimed);
    writeStderr(fmt::format("run {}{}", *claimed, experiment ? ": " + experiment->name : ""));
    Answer one = followRun(invocation, experiment ? *experiment : experiment::Experiment(), {},
                           [&](workspace::RunOptions options) {
                             return opened->startQueued(*claimed, std::move(options));
                           });
    if (one.json.empty()) one.json = Json{{"run_id", *claimed}, {"state", "Failed"}};
    runs.push_back(std::move(one.json));
    text += one.text;
    if (one.code == ExitCode::kDone) continue;
    code = one.code;
    failure = std::move(one.failure);
    if (stopRequested()) break;
    // The next one may have better luck.
    if (failure) writeStderr(fmt::format("error: run {}: {}", *claimed, failure->error.text()));
  }
  if (runs.empty()) text = "No run waits.\n";
  Answer answer = Answer::of(Json{{"runs", std::move(runs)}}, std::move(text));
  answer.code = code;
  answer.failure = std::move(failure);
  return answer;
}

/// Waits until a run that was asked to stop has ended, or its process is gone.
Answer stopRun(Invocation& invocation, const std::string& name) {
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  store::RunStore& store = opened->store();
  PARAPET_ASSIGN(RunRecord run, store.find(name));
  const bool waits = run.isWaiting();
  PARAPET_TRY(store.request(run.id, store::Request::kStop));
  if (!waits) writeStderr(fmt::format("asked process {} to stop run {}", run.owner.pid, run.id));
  for (;;) {
    PARAPET_TRY(store.markCrashed());
    PARAPET_ASSIGN(run, store.find(run.id));
    if (experiment::isTerminal(run.state)) break;
    // The request stays: its process may be in the middle of a long step.
    if (stopRequested()) return Error{ErrorCode::kCancelled, "the run has not stopped yet"};
    std::this_thread::sleep_for(kLookEvery);
  }
  Answer answer = Answer::of(runJson(run, experimentNameOf(store, run)),
                             waits ? fmt::format("Took run {} out of the queue.\n", run.id)
                                   : fmt::format("Run {} is {} after {} steps.\n", run.id,
                                                 experiment::runStateName(run.state), run.steps));
  if (run.state == experiment::RunState::kCrashed)
    answer.failure =
        Failure{Error{ErrorCode::kStore,
                      fmt::format("the process of run {} is gone; it can be resumed", run.id)}};
  if (answer.failure) answer.code = ExitCode::kFailed;
  return answer;
}

constexpr NameArgument kWaitingRun{"RUN", "A run that `queue` lists, or a unique prefix of its id"};

}  // namespace

void addQueue(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "queue", "List the waiting runs; reorder them, or train them one after another");
  command->footer(
      "Examples: parapet-cli train sample --queue\n"
      "          parapet-cli queue\n"
      "          parapet-cli queue up 3f2a\n"
      "          parapet-cli queue run\n"
      "A window of the workspace starts them as well, one after another; `train` does not.");
  command->require_subcommand(0, 1);
  addVerb(*command, invocation, "up", "Move a waiting run one place forward", kWaitingRun,
          [](Invocation& of, const std::string& run) { return moveRun(of, run, -1); });
  addVerb(*command, invocation, "down", "Move a waiting run one place back", kWaitingRun,
          [](Invocation& of, const std::string& run) { return moveRun(of, run, 1); });
  addVerb(*command, invocation, "remove", "Take a run out of the queue; it becomes Stopped",
          kWaitingRun, removeRun);
  CLI::App* run = command->add_subcommand(
      "run", "Train the waiting runs, one after another, until the queue is empty");
  onRun(*run, invocation, [&invocation] { return runQueue(invocation); });
  // CLI11 calls this after the callback of a verb, which has the word then.
  command->callback([&invocation, command] {
    if (command->get_subcommands().empty())
      invocation.action = [&invocation] { return listQueue(invocation); };
  });
}

void addStop(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "stop", "Stop a run, whichever process trains it, or take it out of the queue");
  command->footer(
      "Example: parapet-cli stop latest\n"
      "The run stops after its step with a checkpoint, and the command ends when it has.");
  const auto run = std::make_shared<std::string>();
  command->add_option("RUN", *run, "An id, a unique prefix of one, or latest")->required();
  onRun(*command, invocation, [&invocation, run] { return stopRun(invocation, *run); });
}

}  // namespace parapet::cli
