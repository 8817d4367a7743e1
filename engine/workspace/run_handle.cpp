// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <malloc.h>

#include <atomic>
#include <condition_variable>
#include <new>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/file_error.h"
#include "engine/base/files.h"
#include "engine/base/log.h"
#include "engine/base/process.h"
#include "engine/base/threads.h"
#include "engine/experiment/metric_key.h"
#include "engine/experiment/verdict_text.h"
#include "engine/train/build_id.h"
#include "engine/train/trainer.h"
#include "engine/workspace/check_data.h"
#include "engine/workspace/event_file.h"
#include "engine/workspace/expected_learning.h"
#include "engine/workspace/run_differences.h"
#include "engine/workspace/run_origin.h"
#include "engine/workspace/run_processes.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {

using experiment::Experiment;
using experiment::RunState;

struct RunHandle::State {
  std::string id;
  std::shared_ptr<Shared> shared;
  std::shared_ptr<train::RunControl> control = std::make_shared<train::RunControl>();
  std::atomic<RunState> runState = RunState::kQueued;

  mutable std::mutex mutex;  ///< guards the three below
  std::condition_variable ended;
  std::optional<RunOutcome> outcome;
  std::shared_ptr<const data::Dataset> dataset;
  std::shared_ptr<const data::Split> split;
  std::jthread thread;  ///< last: joined before the rest goes
};

namespace {

/// Follows the state of a run for its handle.
class StateWatcher final : public experiment::RunSink {
 public:
  explicit StateWatcher(std::atomic<RunState>& state) : state_(state) {}
  void onEvent(const std::string&, const experiment::RunEvent& event) override {
    if (const auto* changed = std::get_if<experiment::StateChanged>(&event))
      state_ = changed->state;
    if (const auto* ended = std::get_if<experiment::RunEnded>(&event)) state_ = ended->state;
  }
  void onStep(const std::string&, const experiment::StepPoint&) override {}

 private:
  std::atomic<RunState>& state_;
};

/// Findings of an import that the user should know before trusting the run.
std::vector<std::string> importWarnings(const data::ImportReport& import) {
  std::vector<std::string> warnings = import.warnings;
  if (import.quarantined == 0 || import.rejectedLines.empty()) return warnings;
  const data::RejectedLine& first = import.rejectedLines.front();
  warnings.push_back(fmt::format(
      "{} rejected, the first at {}:{}: {}",
      import.quarantined == 1 ? "1 line was" : fmt::format("{} lines were", import.quarantined),
      first.path, first.line, first.reason));
  return warnings;
}

/// Tables, optimizer slots and buffers of a run are blocks that the allocator keeps for the next one,
/// which may never come: a window would hold the memory of its largest run until it is closed.
void returnFreedMemory() {
#ifdef __GLIBC__
  (void)::malloc_trim(0);
#endif
}

/// "/optimizer/learning_rate: what is wrong; accepted: what would be right."
std::string textOf(const experiment::Problem& warning) {
  const std::string text = warning.pointer + ": " + warning.message;
  return warning.accepted.empty() ? text : text + "; accepted: " + warning.accepted;
}

/// How a run gets its rows in the database.
enum class Recording {
  kCreate,   ///< a new run
  kAdopt,    ///< a recorded run that is resumed
  kClaimed,  ///< a recorded run from the queue, which this process owns already
};

/// One run, in its thread: import, model, record, training.
class RunBody {
 public:
  RunBody(RunHandle::State& handle, Experiment experiment, RunOptions options,
          std::optional<checkpoint::Checkpoint> resumeFrom, RunOrigin origin,
          std::map<std::string, train::KeptPlacement> kept, Recording recording)
      : handle_(handle),
        shared_(*handle.shared),
        experiment_(std::move(experiment)),
        options_(std::move(options)),
        resumeFrom_(std::move(resumeFrom)),
        origin_(std::move(origin)),
        kept_(std::move(kept)),
        recording_(recording) {}

  RunOutcome run() {
    const Stopwatch watch;
    if (recording_ == Recording::kClaimed) {
      recorded_ = true;
      shared_.addRun(handle_.id, handle_.control);
    }
    RunOutcome outcome = guarded();
    if (options_.processes) options_.processes->end(outcome.error ? outcome.error->text() : "");
    // A run that failed before it was recorded leaves nothing behind, not even an id.
    if (recorded_ || recording_ == Recording::kAdopt) outcome.runId = handle_.id;
    if (outcome.seconds == 0.0) outcome.seconds = watch.seconds();
    handle_.runState = outcome.state;
    return outcome;
  }

 private:
  // Exceptions stop here: the run dies, the program lives.
  RunOutcome guarded() {
    try {
      auto outcome = attempt();
      return outcome ? std::move(outcome).value() : failed(outcome.error());
    } catch (const data::PassStopped&) {
      return failed(stoppedEarly());
    } catch (const FileError& damage) {
      return failed(damage.error());
    } catch (const tensor::DeviceFailure& failure) {
      return failed(Error{ErrorCode::kDevice, failure.what()});
    } catch (const std::bad_alloc&) {
      return failed(outOfMemory("run \"" + experiment_.name + "\""));
    } catch (const std::exception& exception) {
      return failed(Error{ErrorCode::kInternal, exception.what()});
    }
  }

  static Error stoppedEarly() {
    return Error{ErrorCode::kCancelled, "the run was stopped before it trained a step"};
  }
  Status unlessStopped() const {
    return handle_.control->stopToken().stop_requested() ? Status(stoppedEarly()) : Status();
  }

  RunOutcome failed(const Error& error) {
    RunOutcome outcome;
    outcome.state = error.code == ErrorCode::kCancelled                 ? RunState::kStopped
                    : error.code == ErrorCode::kIo && diskIsFull(error) ? RunState::kDiskFull
                                                                        : RunState::kFailed;
    outcome.error = error;
    const experiment::RunEnded ended{outcome.state, error, {}, 0.0, 0.0};
    if (recorded_) {
      shared_.store->sink().onEvent(handle_.id, ended);
      (void)shared_.store->flush();
    }
    if (options_.sink) options_.sink->onEvent(handle_.id, ended);
    return outcome;
  }

  Result<RunOutcome> attempt() {
    const WorkContext context{options_.progress, handle_.control->stopToken()};
    if (options_.processes) {
      PARAPET_TRY(options_.processes->gather(context));
    }
    if (recording_ == Recording::kClaimed) {
      PARAPET_ASSIGN(origin_, openOrigin(shared_, experiment_));
    }
    PARAPET_ASSIGN(const data::ImportReport import, imported(context));
    PARAPET_TRY(checkResumedData(*import.dataset));
    PARAPET_TRY(unlessStopped());
    PARAPET_ASSIGN(const data::Split split, splitFor(experiment_, *import.dataset, context.stop));
    context.report("checking the split", 0, 0);
    leakage_ =
        data::findLeakage(data::EventColumns(*import.dataset, context.stop), split).findings();
    PARAPET_TRY(measureMachineIfNeeded(context));
    const Preflight preflight = preflightOn(import.dataset, context.stop);
    PARAPET_TRY(unlessStopped());
    experiment::Findings findings = preflight.findings;
    experiment::Findings ofData = checkData(experiment_, *import.dataset, context.stop);
    ofData.append(checkListLengths(experiment_, *import.dataset, split, context.stop));
    if (recording_ == Recording::kAdopt) tolerateNeverMeasured(ofData);
    findings.append(ofData);
    const std::int64_t batchRows = preflight.batchRows;
    const experiment::Findings ofSplit = checkSplit(experiment_, *import.dataset, split, batchRows);
    findings.append(ofSplit);
    if (!findings.problems.empty()) return firstProblem(findings);
    dataWarnings_ = ofData.warnings;
    dataWarnings_.insert(dataWarnings_.end(), ofSplit.warnings.begin(), ofSplit.warnings.end());
    if (const auto sizes = shared_.recall(experiment_))
      if (const auto warning =
              warnOfNoLearning(experiment_, sizes->rows, sizes->vocabularies, batchRows))
        dataWarnings_.push_back(*warning);
    {
      std::lock_guard lock(handle_.mutex);
      handle_.dataset = import.dataset;
      handle_.split = std::make_shared<const data::Split>(split);
    }
    resolved_ = preflight.resolved;
    PARAPET_TRY(unlessStopped());
    PARAPET_ASSIGN(const auto session, newSession(import.dataset, context));
    PARAPET_TRY(unlessStopped());
    if (resumeFrom_) PARAPET_TRY(session->load(*resumeFrom_));
    PARAPET_ASSIGN(notes_, beginSession(*session, experiment_, origin_));
    session->useHistory(split.train, context.stop);
    PARAPET_TRY(unlessStopped());
    if (experiment_.training.tensorboard) {
      PARAPET_ASSIGN(tensorBoard_,
                     TensorBoardSink::open(*experiment_.training.tensorboard, handle_.id,
                                           experiment::toJson(experiment_).dump(1), *session));
    }
    PARAPET_TRY(record());
    PARAPET_TRY(shared_.store->addSession(
        handle_.id, {resumeFrom_ ? resumeFrom_->manifest().step : 0, wallClockMs(),
                     train::buildId(), train::instructionSet(), session->workers().count()}));
    return trainRecorded(*session, *handle_.split, import);
  }

  Result<std::unique_ptr<train::Session>> newSession(std::shared_ptr<const data::Dataset> dataset,
                                                     const WorkContext& context) {
    const int threads = threadsFor(experiment_, options_.threads);
    if (options_.processes)
      return options_.processes->session(experiment_, std::move(dataset), resolved_->model, threads,
                                         context);
    return train::Session::create(experiment_, std::move(dataset), resolved_->model, threads,
                                  shared_.communicators, train::Session::Use::kTraining,
                                  context.stop);
  }

  // A preflight from before the run holds if it was of the same data and figures.
  Preflight preflightOn(const std::shared_ptr<const data::Dataset>& dataset,
                        const std::stop_token& stop) {
    std::optional<Preflight> found = std::exchange(options_.preflight, std::nullopt);
    if (found && found->dataset == dataset->hash() && kept_.empty() && !found->figuresUnusable &&
        !options_.processes)
      return std::move(*found);
    Question question{.dataset = dataset, .kept = std::move(kept_), .stop = stop};
    if (options_.processes) question.mesh = options_.processes->mesh();
    return preflightWith(shared_, experiment_, shared_.recall(experiment_), std::move(question));
  }

  // Once a workspace has measured a machine its decisions rest on measurements; those of another
  // machine say nothing here.
  Status measureMachineIfNeeded(const WorkContext& context) {
    const std::string unusable = storedFigures(shared_, experiment_).unusable;
    if (unusable.empty()) return {};
    PARAPET_TRY(measuredFigures(shared_, experiment_, context));
    machineNote_ = unusable + ", so it was measured when the run began";
    return {};
  }

  // A run that goes on reads the data set that an older program made for it: this one reads the same
  // source otherwise. Of runs that are started together one import is enough.
  Result<data::ImportReport> imported(const WorkContext& context) {
    if (resumeFrom_) {
      auto made = data::openImported(experiment_.dataset,
                                     shared_.datasetsFolder() / resumeFrom_->manifest().dataset);
      if (made && !made->dataset->keepsAllIds()) {
        shared_.remember(experiment_, *made->dataset);
        return made;
      }
    }
    if (!options_.import) return importFor(shared_, experiment_, context);
    shared_.remember(experiment_, *options_.import->dataset);
    return *options_.import;
  }

  // A run goes on with the data that it was trained on.
  Status checkResumedData(const data::Dataset& dataset) const {
    if (!resumeFrom_ || resumeFrom_->manifest().dataset == dataset.hash()) return {};
    return Error{
        ErrorCode::kData,
        fmt::format("the checkpoint of step {} was trained on the data set {}; the source of the "
                    "run now gives the data set {}. Restore the source, or train a new run",
                    resumeFrom_->manifest().step, resumeFrom_->manifest().dataset, dataset.hash())};
  }

  Status record() {
    if (recording_ == Recording::kAdopt) {
      if (resumeFrom_) PARAPET_TRY(noteChanges(*resumeFrom_));
      PARAPET_TRY(
          shared_.store->adoptRun(handle_.id, resumeFrom_ ? resumeFrom_->manifest().step : 0));
      PARAPET_TRY(shared_.store->restoreDocument(handle_.id));
    }
    const std::string resolved = resolved_->model.toJson().dump();
    if (recording_ == Recording::kCreate) {
      store::RunRecord record = recordOf(experiment_, options_);
      record.id = handle_.id;
      record.resolvedJson = resolved;
      PARAPET_TRY(shared_.store->createRun(record));
    } else {
      PARAPET_TRY(shared_.store->setResolved(handle_.id, resolved));
    }
    if (recording_ == Recording::kClaimed) return {};
    recorded_ = true;
    shared_.addRun(handle_.id, handle_.control);
    return {};
  }

  // Notes what differs between the beginning of a run and its resumption: rules, build, instruction set.
  Status noteChanges(const checkpoint::Checkpoint& from) {
    PARAPET_ASSIGN(const store::RunRecord before, shared_.store->find(handle_.id));
    if (before.rules != experiment::kMetricRules && before.epochs > 0)
      changes_.push_back(
          fmt::format("metrics are measured by rules {} from here on, and were by rules {} up to "
                      "step {}: the values before and after do not compare, but for epochs whose "
                      "checkpoints were kept, which are measured again",
                      experiment::kMetricRules, before.rules, from.manifest().step));
    if (from.manifest().build != train::buildId())
      changes_.push_back(
          fmt::format("the run goes on with {}, its checkpoint of step {} was trained with {}: "
                      "another build or instruction set rounds differently, so the bits are not "
                      "those of a run without the change",
                      train::buildId(), from.manifest().step, from.manifest().build));
    return {};
  }

  RunOutcome trainRecorded(train::Session& session, const data::Split& split,
                           const data::ImportReport& import) {
    StateWatcher watcher(handle_.runState);
    std::vector<experiment::RunSink*> sinks{&watcher, &shared_.store->sink()};
    if (options_.sink) sinks.push_back(options_.sink);
    if (tensorBoard_) sinks.push_back(tensorBoard_.get());
    experiment::FanOutSink sink(std::move(sinks));
    for (const std::string& change : changes_)
      sink.onEvent(handle_.id, experiment::RunWarning{change});
    for (const std::string& warning : importWarnings(import))
      sink.onEvent(handle_.id, experiment::RunWarning{warning});
    // Warnings that the import has given already are not repeated.
    for (const experiment::Problem& warning : dataWarnings_)
      if (std::ranges::find(import.warnings, warning.message) == import.warnings.end())
        sink.onEvent(handle_.id, experiment::RunWarning{textOf(warning)});
    for (const std::string& note : notes_) sink.onEvent(handle_.id, experiment::RunNote{note});
    if (!machineNote_.empty()) sink.onEvent(handle_.id, experiment::RunNote{machineNote_});
    tellLeakage(sink);
    train::TrainerOptions trainerOptions{.runId = handle_.id,
                                         .fingerprint = experiment::fingerprint(experiment_),
                                         .checkpointFolder = shared_.checkpointFolder(handle_.id),
                                         .resumeFrom = resumeFrom_,
                                         .flush = [this] { (void)shared_.store->flush(); },
                                         .progress = options_.progress,
                                         .fitsBaselines = options_.fitsBaselines};
    if (origin_.fork) {
      trainerOptions.forkFrom = origin_.fork->checkpoint;
      trainerOptions.forkPosition = forkPosition(experiment_, session.dataset(), *origin_.fork);
    }
    train::TrainerResult result =
        train::train(session, experiment_, split, trainerOptions, *handle_.control, sink);
    return outcomeOf(std::move(result));
  }

  // Held-out rows that training knows; other warnings (unknown users, duplicates) flatter nothing.
  static bool flatters(const data::LeakFinding& finding) {
    return finding.kind == "shared_rows" || finding.kind == "equal_rows" ||
           finding.kind == "known_pairs";
  }

  // Leaks that are likely to flatter the results are warnings of the run; the others are in the log.
  void tellLeakage(experiment::RunSink& sink) const {
    for (const data::LeakFinding& finding : leakage_)
      if (finding.severity == data::LeakSeverity::kWarning)
        sink.onEvent(handle_.id,
                     experiment::RunWarning{
                         flatters(finding) ? std::string(experiment::kLeakWarning) + finding.message
                                           : finding.message});
      else
        log(LogLevel::kInfo, fmt::format("{}: {}", experiment_.name, finding.message));
  }

  RunOutcome outcomeOf(train::TrainerResult result) {
    RunOutcome outcome;
    outcome.state = result.state;
    outcome.error = std::move(result.error);
    outcome.steps = result.steps;
    outcome.seconds = result.seconds;
    outcome.trainSeconds = result.trainSeconds;
    if (result.trainSecondsHere > 0.0)
      outcome.examplesPerSecond =
          static_cast<double>(result.examplesHere) / result.trainSecondsHere;
    outcome.checkpoint = std::move(result.checkpoint);
    outcome.baselines = std::move(result.baselines);
    outcome.testMetrics = std::move(result.testMetrics);
    outcome.leakage = leakage_;
    const Status flushed = shared_.store->flush();
    auto epochs = shared_.store->epochs(handle_.id);
    outcome.epochs = flushed.ok() && epochs ? std::move(epochs).value() : std::move(result.epochs);
    if (!flushed.ok()) tellUnrecorded(outcome, flushed.error());
    return outcome;
  }

  // The model may be good, but nobody will find the run in the table: no success.
  void tellUnrecorded(RunOutcome& outcome, const Error& error) const {
    if (outcome.state == RunState::kFinished || outcome.state == RunState::kStopped)
      outcome.state = diskIsFull(error) ? RunState::kDiskFull : RunState::kFailed;
    if (!outcome.error) outcome.error = error.wrap("the run could not be recorded");
    // The end that could be recorded is the one that is answered.
    shared_.store->sink().onEvent(
        handle_.id, experiment::RunEnded{outcome.state, outcome.error, outcome.testMetrics,
                                         outcome.seconds, outcome.trainSeconds});
    (void)shared_.store->flush();
  }

  [[nodiscard]] bool diskIsFull(const Error& error) const {
    if (isOfFullDisk(error)) return true;
    const auto free = freeBytes(shared_.folder);
    return free && *free < kFullDiskBytes;
  }

  RunHandle::State& handle_;
  Shared& shared_;
  Experiment experiment_;
  RunOptions options_;
  std::optional<checkpoint::Checkpoint> resumeFrom_;
  RunOrigin origin_;  ///< of a run that begins here
  std::vector<std::string> notes_;
  std::vector<std::string> changes_;  ///< of a run that goes on
  std::string machineNote_;
  std::map<std::string, train::KeptPlacement> kept_;  ///< of a run that goes on
  std::shared_ptr<const ResolvedExperiment> resolved_;
  std::unique_ptr<TensorBoardSink> tensorBoard_;  ///< while its session lives; null: not asked for
  Recording recording_;
  bool recorded_ = false;
  std::vector<data::LeakFinding> leakage_;
  std::vector<experiment::Problem> dataWarnings_;
};

std::unique_ptr<RunHandle> launch(const std::shared_ptr<Shared>& shared, std::string id,
                                  Experiment experiment, RunOptions options,
                                  std::optional<checkpoint::Checkpoint> resumeFrom,
                                  RunOrigin origin,
                                  std::map<std::string, train::KeptPlacement> kept,
                                  Recording recording) {
  auto handle = std::make_unique<RunHandle>();
  RunHandle::State& state = handle->internals();
  state.id = std::move(id);
  state.shared = shared;
  if (options.paused) state.control->pause();  // here, so that step() counts from now on
  state.thread =
      std::jthread([&state, experiment = std::move(experiment), options = std::move(options),
                    resumeFrom = std::move(resumeFrom), origin = std::move(origin),
                    kept = std::move(kept), recording]() mutable {
        const ThreadName name("run");
        RunOutcome outcome =
            RunBody(state, std::move(experiment), std::move(options), std::move(resumeFrom),
                    std::move(origin), std::move(kept), recording)
                .run();
        std::lock_guard lock(state.mutex);
        state.outcome = std::move(outcome);
        state.ended.notify_all();
      });
  return handle;
}

}  // namespace

RunHandle::RunHandle() : state_(std::make_unique<State>()) {}

RunHandle::~RunHandle() {
  if (!state_->thread.joinable()) return;
  stop();
  state_->thread.join();
  state_.reset();
  returnFreedMemory();
}

const std::string& RunHandle::id() const {
  return state_->id;
}
RunState RunHandle::state() const {
  return state_->runState;
}
void RunHandle::pause() {
  state_->control->pause();
}
void RunHandle::resume() {
  state_->control->resume();
}
void RunHandle::step() {
  state_->control->step();
}
void RunHandle::stop() {
  state_->control->stop();
}
void RunHandle::abort() {
  state_->control->abort();
}

std::optional<RunOutcome> RunHandle::wait(std::chrono::milliseconds timeout) {
  std::unique_lock lock(state_->mutex);
  state_->ended.wait_for(lock, timeout, [&] { return state_->outcome.has_value(); });
  return state_->outcome;
}

RunOutcome RunHandle::wait() {
  for (;;)
    if (auto outcome = wait(std::chrono::hours(1))) return std::move(*outcome);
}

bool RunHandle::requestSnapshot(
    std::function<void(std::shared_ptr<const retrieval::ModelSnapshot>)> done) {
  return state_->control->requestSnapshot(std::move(done));
}

void RunHandle::watchBatches(
    std::function<void(std::shared_ptr<const experiment::BatchReport>)> receiver) {
  state_->control->watchBatches(std::move(receiver));
}

std::shared_ptr<const data::Dataset> RunHandle::dataset() const {
  std::lock_guard lock(state_->mutex);
  return state_->dataset;
}

std::shared_ptr<const data::Split> RunHandle::split() const {
  std::lock_guard lock(state_->mutex);
  return state_->split;
}

Result<std::unique_ptr<RunHandle>> Workspace::start(const Experiment& experiment,
                                                    RunOptions options) {
  PARAPET_TRY(checkStart(experiment, options));
  Experiment resolved = experiment;
  PARAPET_ASSIGN(RunOrigin origin, openOrigin(*state_->shared, resolved, options.stop));
  return launch(state_->shared, store::RunStore::newRunId(), std::move(resolved),
                std::move(options), std::nullopt, std::move(origin), {}, Recording::kCreate);
}

Result<std::unique_ptr<RunHandle>> Workspace::startQueued(const std::string& run,
                                                          RunOptions options) {
  PARAPET_ASSIGN(const store::RunRecord record, store().find(run));
  auto experiment = parseStored(record);
  if (!experiment) {
    store().sink().onEvent(
        record.id, experiment::RunEnded{RunState::kFailed, experiment.error(), {}, 0.0, 0.0});
    PARAPET_TRY(store().flush());
    return experiment.error();
  }
  return launch(state_->shared, record.id, std::move(experiment).value(), std::move(options),
                std::nullopt, {}, {}, Recording::kClaimed);
}

namespace {

/// The error of a run whose checkpoints are all damaged: to begin again would overwrite its epochs.
Error cannotGoOn(const store::RunRecord& record, const Error& damage) {
  Error error = damage;
  error.message = fmt::format(
      "run {0} cannot be resumed, and its recorded epochs stay as they are: {1}. Possible are a "
      "new run of its document (`parapet-cli show {0} --json` has it), one that begins with a "
      "checkpoint of another run (`parapet-cli train --fork RUN`), or this one once a checkpoint "
      "is restored",
      record.id, damage.message);
  return error;
}

}  // namespace

Result<std::unique_ptr<RunHandle>> Workspace::resume(const std::string& run, RunOptions options) {
  Shared& shared = *state_->shared;
  PARAPET_ASSIGN(const store::RunRecord record, shared.store->find(run));
  PARAPET_TRY(shared.requireWritable(fmt::format("run {} cannot be resumed", record.id)));
  if (record.isWaiting())
    return Error{ErrorCode::kStore,
                 fmt::format("run {} waits in the queue and has not begun; it starts in its turn",
                             record.id)};
  if (!experiment::isTerminal(record.state) && record.owner.alive())
    return Error{ErrorCode::kStore,
                 fmt::format("run {} is {} in process {}; only an ended run can be resumed",
                             record.id, experiment::runStateName(record.state), record.owner.pid)};
  PARAPET_ASSIGN(Experiment experiment, parseStored(record));
  std::optional<checkpoint::Checkpoint> from;
  RunOrigin origin;
  auto latest = checkpoint::openOfRun(shared.checkpointFolder(record.id), record.id, std::nullopt,
                                      options.stop);
  if (latest) {
    for (const std::string& warning : latest->warnings) shared.warn(warning);
    from = std::move(latest->checkpoint);
  } else if (latest.error().code == ErrorCode::kNotFound) {
    shared.warn(fmt::format("run {} has no checkpoint; it starts from its first step", record.id));
  } else if (latest.error().code == ErrorCode::kCancelled) {
    return latest.error().wrap(fmt::format("run {} was not resumed", record.id));
  } else {
    return cannotGoOn(record, latest.error());
  }
  if (!from) {
    PARAPET_ASSIGN(origin, openOrigin(shared, experiment, options.stop));
  }
  auto kept = keptBy(record, experiment);
  return launch(state_->shared, record.id, std::move(experiment), std::move(options),
                std::move(from), std::move(origin), std::move(kept), Recording::kAdopt);
}

}  // namespace parapet::workspace
