// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/split/leakage.h"
#include "engine/data/split/split.h"
#include "engine/experiment/batch_report.h"
#include "engine/experiment/run_event.h"
#include "engine/retrieval/recommender.h"
#include "engine/workspace/preflight.h"

namespace parapet::workspace {

class RunProcesses;

struct RunOptions {
  std::string recipe{};        ///< recipe name or file, for the record
  std::string experimentId{};  ///< of the workspace's experiment, for the record; "" for none
  int threads = 0;             ///< of this process; 0: as the document says
  experiment::RunSink* sink = nullptr;  ///< listens beside the store; must outlive the run
  ProgressFunction progress{};          ///< of the import; called from the run's thread
  bool fitsBaselines = true;            ///< those that cost more than a pass over the rows, too
  /// Ends a start while it verifies the checkpoint that the run goes on from.
  std::stop_token stop{};
  bool paused = false;  ///< start paused, before the first step
  /// The other processes that train with this one; null: there are none.
  std::shared_ptr<RunProcesses> processes{};
  std::string group{};      ///< of runs that are started together, "" for none
  std::string sweepJson{};  ///< its settings within the group, {pointer: value}
  /// The import of the document's data; nullopt: the run imports them.
  std::optional<data::ImportReport> import{};
  /// For start(): the answer of Workspace::preflight() for the document; nullopt: start() asks.
  std::optional<Preflight> preflight{};
};

/// The outcome of a run. `epochs` are those of the whole run, resumed parts included.
struct RunOutcome {
  std::string runId;
  experiment::RunState state = experiment::RunState::kQueued;
  std::optional<Error> error;
  std::vector<experiment::EpochSummary> epochs;
  std::int64_t steps = 0;
  double seconds = 0.0, trainSeconds = 0.0;
  double examplesPerSecond = 0.0;
  std::string checkpoint;  ///< folder of the last one, "" if none
  experiment::Baselines baselines;
  std::vector<experiment::Metric> testMetrics;
  std::vector<data::LeakFinding> leakage;  ///< leakage of the split
};

/// A run of this process, in its own threads. Destroying the handle stops the run and joins.
class RunHandle {
 public:
  RunHandle();
  ~RunHandle();
  RunHandle(const RunHandle&) = delete;
  RunHandle& operator=(const RunHandle&) = delete;

  [[nodiscard]] const std::string& id() const;
  [[nodiscard]] experiment::RunState state() const;
  void pause();
  void resume();
  /// One step, then paused again; only while paused.
  void step();
  /// Stops at the next step boundary and commits a checkpoint.
  void stop();
  /// Stops at the next step boundary without a checkpoint.
  void abort();
  /// Waits for the end; nullopt on time-out.
  [[nodiscard]] std::optional<RunOutcome> wait(std::chrono::milliseconds timeout);
  /// Waits without limit.
  RunOutcome wait();
  /// A copy of the model at the next step boundary; made off the caller's thread, delivered to
  /// `done` from the run's thread. One at a time; false if one is under way or the run has ended.
  bool requestSnapshot(std::function<void(std::shared_ptr<const retrieval::ModelSnapshot>)> done);
  /// Told of every batch that step() lets pass, from the run's thread.
  void watchBatches(std::function<void(std::shared_ptr<const experiment::BatchReport>)> receiver);
  /// Data set and split, known once the import is done (null before).
  [[nodiscard]] std::shared_ptr<const data::Dataset> dataset() const;
  [[nodiscard]] std::shared_ptr<const data::Split> split() const;

  struct State;
  /// For the façade's own sources.
  [[nodiscard]] State& internals() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace parapet::workspace
