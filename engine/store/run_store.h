// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/process.h"
#include "engine/base/result.h"
#include "engine/experiment/run_event.h"
#include "engine/experiment/step_ring.h"
#include "engine/store/experiments.h"

namespace parapet::store {

struct StoreState;

/// The process that runs a run; distinguishes a live owner from a dead one and from a recycled pid.
using Owner = ProcessIdentity;

/// The epoch with the best value of the metric that a run is judged by.
struct BestEpoch {
  double value = 0.0;
  std::int64_t epoch = 0, step = 0;
};

/// A run as the database records it.
struct RunRecord {
  std::string id;  ///< 12 lower-case hex digits, unique
  std::string name;
  std::string recipe;           ///< recipe or file the document came from
  std::string experimentId{};   ///< of the workspace's experiment it was made from, "" if of none
  std::string data{};           ///< path of its source, else what it is: "generated movies"
  std::string model{}, loss{};  ///< kinds, as the document names them
  experiment::RunState state = experiment::RunState::kQueued;
  /// The whole document, defaults filled in; "" where the stored one has changed and nothing gives it
  /// back, see `documentFault`.
  std::string experimentJson;
  std::string documentFault{};  ///< why there is no document; "" if there is one
  /// Says that the stored document has changed and where this one is from; "" if it is the stored one.
  std::string documentChange{};
  /// Mesh, memory spaces, where each table lies and why, as JSON; "" of a run that kept none.
  std::string resolvedJson{};
  std::string fingerprint;
  std::string dataset;                      ///< content hash, "" until imported
  std::int64_t createdMs = 0, endedMs = 0;  ///< wall clock; endedMs 0 while it runs
  std::int64_t heartbeatMs = 0;
  Owner owner;
  std::int64_t epochs = 0;  ///< finished
  std::int64_t totalEpochs = 0, stepsPerEpoch = 0, steps = 0;
  std::string notes;
  std::string error;        ///< text of the error that ended it
  std::string startedJson;  ///< RunStarted as JSON: rows of the split, baselines
  std::string testJson;     ///< test metrics as JSON
  bool trashed = false;
  /// A run that is not over counts up to its last recorded step, and its finished epochs.
  double seconds = 0.0, trainSeconds = 0.0;
  std::string bestMetric = "val_loss";  ///< key of `best`; /training/checkpoints/best names it
  std::optional<BestEpoch> best;        ///< nullopt while the metric was not measured
  int rules = 0;                        ///< experiment::kMetricRules that its last metrics follow
  std::uint64_t seed = 0;               ///< /training/seed
  std::string forkedFrom{};             ///< run whose checkpoint it began with, "" if none
  std::int64_t forkedStep = 0;          ///< of that checkpoint
  std::string group{};                  ///< of runs that were started together, "" if none
  std::string sweepJson{};              ///< its settings within the group, {pointer: value}
  /// Place in the queue of the workspace, rising and maybe with gaps; 0 if it is in none. It stays
  /// until the run trains.
  std::int64_t queued = 0;

  /// In the queue, and no process has begun to start it.
  [[nodiscard]] bool isWaiting() const { return queued > 0 && owner.pid == 0; }
};

/// Selects the runs of a list.
struct RunFilter {
  enum class Trashed {
    kLeaveOut,
    kInclude,
  };
  Trashed trashed = Trashed::kLeaveOut;
  std::int64_t limit = 0;  ///< at most so many of the newest; 0: all
  std::string group{};     ///< only those of a group; "": all
};

/// Data that runs and experiments of the workspace name.
struct DataSource {
  std::string path;  ///< absolute; may be gone
  std::int64_t usedMs = 0;
};

struct CheckpointRecord {
  std::int64_t step = 0, epoch = 0;
  std::string path;  ///< relative to the workspace
  std::uint64_t bytes = 0;
  bool best = false;
  std::int64_t createdMs = 0;

  /// Whether its folder is gone. One that cannot be looked at is not.
  [[nodiscard]] bool isGone(const std::filesystem::path& workspace) const {
    std::error_code error;
    return !std::filesystem::exists(workspace / path, error) && !error;
  }
};

struct EventRecord {
  std::int64_t wallMs = 0;
  std::string kind;  ///< "warning", "note", "state", "checkpoint", "started", "ended"
  std::string message;
  std::int64_t step = 0;
};

/// A program that trained a run, from its start or from a checkpoint on.
struct RunSession {
  std::int64_t firstStep = 0;  ///< 0, or the step of the checkpoint that it began with
  std::int64_t beganMs = 0;
  std::string build;           ///< version, compiler and instruction set
  std::string instructionSet;  ///< of the CPU device
  std::int64_t threads = 0;
};

/// A request of another process to the owner of a run.
enum class Request { kPause, kResume, kStop };

/// The run database of a workspace: SQLite in WAL mode (DELETE on network file systems, with a
/// warning), foreign keys on, busy_timeout 5 s, numbered migrations. Several processes may hold it open.
///
/// One writer thread per process drains a bounded queue of lifecycle events and the step rings, in one
/// transaction per 0.5 s. If the disk refuses (full, read-only, I/O error) writes are kept in memory
/// up to a bound, retried with back-off, and `onWarning` is called once; nothing ever ends the process.
///
/// If the file is removed or replaced while runs are recorded, the database is created again with
/// the runs of this process, including everything recorded of them, and `onWarning` is called.
///
/// Errors   open: kStore / kIo that says what was found: read-only folder, database newer than this
///          program (found and known version), not a database, disk full.
/// Thread   all methods may be called from any thread.
class RunStore {
 public:
  enum class Access {
    kReadWrite,  ///< creates the database if there is none
    kReadOnly,   ///< writes no file at all; what would change a run is refused
  };
  struct Options {
    std::function<void(const std::string&)> onWarning;
    Access access = Access::kReadWrite;
    /// Gives the document of a run back, from its checkpoints, where the stored one is no longer what was
    /// stored; `from` says for the user where it is from.
    struct Recovered {
      std::string experimentJson, from;
    };
    std::function<Result<Recovered>(const std::string& runId)> recoverDocument{};
  };
  static Result<std::unique_ptr<RunStore>> open(const std::filesystem::path& databaseFile,
                                                Options options);
  ~RunStore();
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;

  /// Version of the schema this program writes.
  static int schemaVersion();
  static std::string newRunId();

  /// Inserts a run owned by this process, state Queued, durable on return; starts its heartbeat. `steps`
  /// that were done before are kept (a run found on disk).
  Status createRun(const RunRecord& run);
  /// Inserts a run that nobody owns yet at the end of the queue, durable on return.
  Status enqueue(const RunRecord& run);
  /// Takes a waiting run out of the queue: it becomes Stopped. kStore if it does not wait.
  Status dequeue(const std::string& id);
  /// Puts a run that was stopped before its first step back, at the end of the queue.
  Status requeue(const std::string& id);
  /// Moves a waiting run towards the front (negative) or the end, as far as there are others.
  Status moveQueued(const std::string& id, std::int64_t places);
  /// Makes this process the owner of the first run of the queue and starts its heartbeat, in one
  /// transaction, so that of several programs one gets it. nullopt if none waits, or while a run of the
  /// workspace is under way, or another process is between two runs of a sweep. An owner that died before its
  /// run trained has none.
  Result<std::optional<std::string>> claimQueued();
  /// Gives a claimed run back: it waits again, at the place that it had.
  Status releaseQueued(const std::string& id);
  /// Runs that are not over: those under way, newest first, then those that wait, in their order. Without
  /// documents, as runs().
  [[nodiscard]] Result<std::vector<RunRecord>> liveRuns() const;
  /// Makes this process the owner of a run (resume): state Queued; fails (kStore) if a living process
  /// owns it. Metrics after `step` are removed, so that resumed points replace them.
  Status adoptRun(const std::string& id, std::int64_t step);
  /// The sink that records runs of this process; valid as long as the store.
  experiment::RunSink& sink();
  /// Waits until everything that the sink received before is committed; returns the error of a failed
  /// commit.
  Status flush();

  /// Newest first, in one query. `experimentJson` and `resolvedJson` are left empty: a list must not read a document per
  /// run; find() gives it.
  [[nodiscard]] Result<std::vector<RunRecord>> runs(const RunFilter& filter = {}) const;
  /// Exact id, unique prefix, or "latest" (newest not trashed that a program has begun). kNotFound says how many runs there
  /// are; a prefix of several runs is kInvalidDocument and names them.
  ///
  /// A document that has changed since it was stored is not given: that of Options::recoverDocument takes
  /// its place, and `onWarning` says so. The database stays as it is, see restoreDocument().
  [[nodiscard]] Result<RunRecord> find(const std::string& idPrefixOrLatest) const;
  /// The epochs after one, ascending, at most `limit` (0: all). `onWarning` names those that are missing,
  /// and those that have changed since they were stored.
  [[nodiscard]] Result<std::vector<experiment::EpochSummary>> epochs(const std::string& id,
                                                                     std::int64_t after = 0,
                                                                     std::int64_t limit = 0) const;
  /// Steps recorded after `afterStep`, ascending, at most `limit` (0: all).
  [[nodiscard]] Result<std::vector<experiment::StepBucket>> steps(const std::string& id,
                                                                  std::int64_t afterStep = 0,
                                                                  std::int64_t limit = 0) const;
  /// The steps that end within [first, last], ascending, as at most `maxBuckets` buckets (≥ 8): as
  /// they were recorded if they are that few, else joined to blocks of equal numbers of steps, whose
  /// outermost may reach outside.
  [[nodiscard]] Result<std::vector<experiment::StepBucket>> stepBlocks(
      const std::string& id, std::int64_t first, std::int64_t last, std::int64_t maxBuckets) const;
  /// Sources of data, the one used last first, at most `limit`.
  [[nodiscard]] Result<std::vector<DataSource>> dataSources(std::int64_t limit) const;
  [[nodiscard]] Result<std::vector<CheckpointRecord>> checkpoints(const std::string& id) const;
  [[nodiscard]] Result<std::vector<EventRecord>> events(const std::string& id) const;
  /// In the order of their beginning; none of runs that were recorded before version 10.
  [[nodiscard]] Result<std::vector<RunSession>> sessions(const std::string& id) const;

  /// Stores the document of Options::recoverDocument where the stored one has changed, with an event that
  /// says so. Done by what goes on with a run or repairs a workspace; whoever only reads is warned.
  Status restoreDocument(const std::string& id);
  Status rename(const std::string& id, const std::string& name);
  Status setNotes(const std::string& id, const std::string& notes);
  /// Records that a program begins to train a run, or goes on with it.
  Status addSession(const std::string& id, const RunSession& session);
  /// How a run that goes on was resolved.
  Status setResolved(const std::string& id, const std::string& resolvedJson);
  /// Puts a run into the trash, and back into the list.
  Status trash(const std::string& id);
  Status restore(const std::string& id);
  /// Deletes the run's rows for good; refused while a living process owns it.
  Status erase(const std::string& id);
  /// Writes a new database file that holds one run alone; `losses`: with the loss of each step.
  ///
  /// Errors   kNotFound; kIo, also where the file is there already.
  enum class StepLosses { kLeaveOut, kKeep };
  Status copyRun(const std::string& id, const std::filesystem::path& file, StepLosses losses);
  /// Takes the run that such a file holds, and returns its id; the file is brought up to date first.
  /// A run that was under way in the other workspace is Stopped here.
  ///
  /// Errors   kStore: the run is here already, or the file holds other than one run; kIo.
  Result<std::string> takeRun(const std::filesystem::path& file);
  /// Makes the checkpoint rows of a run equal to what is on disk.
  Status replaceCheckpoints(const std::string& id, const std::vector<CheckpointRecord>& onDisk);

  /// The experiments of the workspace, in the same database.
  [[nodiscard]] Experiments& experiments() { return experiments_; }
  [[nodiscard]] const Experiments& experiments() const { return experiments_; }

  /// Asks the owner of a run, wherever it runs. One that waits in the queue has none: asked to stop, it
  /// leaves the queue.
  Status request(const std::string& id, Request what);
  /// Requests for runs of this process since the last call, and marks them done.
  Result<std::vector<std::pair<std::string, Request>>> takeRequests();
  /// Runs in a live state whose owner is gone become Crashed; returns their ids. A process of this
  /// boot (and PID namespace) is looked up at once, whatever its heartbeat; one that cannot be looked
  /// up is gone when its heartbeat is more than 10 s from now, before or after. A run of the queue whose
  /// owner died before it trained waits again.
  Result<std::vector<std::string>> markCrashed();

 private:
  explicit RunStore(std::unique_ptr<StoreState> state);
  void recoverDocument(RunRecord& run) const;
  std::unique_ptr<StoreState> state_;
  Experiments experiments_;
};

}  // namespace parapet::store
