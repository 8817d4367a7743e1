// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/split/leakage.h"
#include "engine/data/split/split.h"
#include "engine/experiment/batch_report.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/run_event.h"
#include "engine/experiment/split_part.h"
#include "engine/mesh/communicator.h"
#include "engine/retrieval/catalogue_ranking.h"
#include "engine/retrieval/recommender.h"
#include "engine/store/run_store.h"

namespace parapet::workspace {

struct PlanOptions;
struct PlanReport;
struct PredictOptions;
struct RowScores;
class MaskedModel;

/// A device or plugin as the user sees it.
struct DeviceInfo {
  std::string name;     ///< "cpu:0", "cuda", "parquet"
  std::string kind;     ///< "cpu", "cuda"; "source": it reads and writes files;
                        ///< "communicator": it moves data between ranks
  std::string plugin;   ///< "built in", or the file of the plugin
  std::string outcome;  ///< "loaded", "not chosen", "not supported here", "wrong ABI", …
  std::string reason;   ///< why, in a sentence; "" for a loaded device
  std::uint64_t memoryBytes = 0;  ///< 0: unknown
  std::string instructionSet{};   ///< "x86-64-v3"; "" if unknown
  bool usable = false;            ///< a device that works here, in use or not
  bool fault = false;             ///< should work and does not
  bool crashed = false;           ///< left out because it ended the program when it was tried
};

/// Memory of a table, estimated before a run starts.
struct TableEstimate {
  std::string name;
  std::int64_t rows = 0;  ///< −1: not known before the data are imported
  std::int64_t dim = 0;
  std::uint64_t weightBytes = 0, slotBytes = 0;  ///< weights, optimizer state
};
/// The share of one rank.
struct RankEstimate {
  std::string device;
  std::vector<std::int64_t> coordinates;  ///< along the axes of the mesh
  std::int64_t batchRows = 0;             ///< its rows of a full batch
  std::uint64_t activationBytes = 0;      ///< its rows of the step buffers
  std::string memory;                     ///< name of its MemoryEstimate
};
/// Contents of one memory space: parameters once, however many ranks share it.
struct MemoryEstimate {
  std::string name;        ///< "host memory", or the device whose own it is
  std::int64_t ranks = 0;  ///< that share it
  std::uint64_t weightBytes = 0, slotBytes = 0;
  std::uint64_t scratchBytes = 0;     ///< what updates of the parameters need
  std::uint64_t activationBytes = 0;  ///< step buffers of its ranks
  [[nodiscard]] std::uint64_t total() const {
    return weightBytes + slotBytes + scratchBytes + activationBytes;
  }
};
struct Preflight {
  experiment::Findings findings;
  std::vector<TableEstimate> tables;
  std::uint64_t parameterBytes = 0;   ///< weights, optimizer state and scratch of tables and layers
  std::uint64_t activationBytes = 0;  ///< step buffers of all local ranks
  std::uint64_t totalBytes = 0;
  std::vector<RankEstimate> ranks;  ///< empty if the mesh is not one
  std::vector<MemoryEstimate> memory;
  std::int64_t batchRows = 0;
  double learningRate = 0.0;  ///< the full rate of the run: scaled with the devices if so asked
};

struct RunOptions {
  std::string recipe{};        ///< recipe name or file, for the record
  std::string experimentId{};  ///< of the workspace's experiment, for the record; "" for none
  int threads = 0;             ///< of this process; 0: as the document says
  experiment::RunSink* sink = nullptr;  ///< listens beside the store; must outlive the run
  ProgressFunction progress{};          ///< of the import; called from the run's thread
  bool paused = false;                  ///< start paused, before the first step
  std::string group{};                  ///< of runs that are started together, "" for none
  std::string sweepJson{};              ///< its settings within the group, {pointer: value}
  /// What the data of the document were imported as; nullopt: the run imports them.
  std::optional<data::ImportReport> import{};
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

enum class WhichCheckpoint { kLast, kBest, kStep };
struct CheckpointChoice {
  WhichCheckpoint which = WhichCheckpoint::kLast;
  std::int64_t step = 0;
};

struct EvaluateOptions {
  /// kValidation or kTest.
  experiment::SplitPart part = experiment::SplitPart::kValidation;
  std::vector<std::int64_t> k;  ///< empty: the experiment's
  /// kExcludeTrain, or as the experiment says.
  retrieval::SeenItems seen = retrieval::SeenItems::kKeep;
  CheckpointChoice checkpoint;
};
struct Evaluation {
  std::string runId;
  std::int64_t step = 0;
  std::vector<experiment::Metric> metrics;  ///< unprefixed keys: "loss", "rmse", "recall@10", …
  experiment::Baselines baselines;
  std::vector<experiment::BaselineVerdict> verdicts;
  std::vector<std::string> warnings;  ///< of the checkpoint, for the user
  /// Of lists of the catalogue; "" and 0 of models without.
  std::string unit{};      ///< "user" or "example"
  std::string protocol{};  ///< of a benchmark, "yambda"; "" of none
  std::int64_t queries = 0;
  std::vector<experiment::Metric> standardErrors{};
  std::vector<experiment::SegmentMetrics> segments{};
};

struct VerifyOptions {
  std::int64_t steps = 20;
  /// Devices of the first and the second training, side by side on one axis; empty: the mesh of the
  /// document, or for the second that of the first. Tables keep their placement; axes that are not
  /// there are taken for all.
  std::vector<std::string> devices{}, against{};
  int threads = 0;
};
struct TensorDifference {
  std::string name;
  double maxAbs = 0.0;
  /// maxAbs over the largest absolute value of the same kind: of this weight or slot of a table, of
  /// this slot (or the weights) of all layers together. A single bias may be nothing but rounding.
  double relative = 0.0;
  bool identical = true;
};
/// Where a training of a verification ran.
struct VerifiedMesh {
  struct Table {
    std::string name;
    experiment::Placement placement = experiment::Placement::kReplicated;
    int shards = 1;
    int groups = 1;  ///< devices that hold each shard
    bool operator==(const Table&) const = default;
  };
  std::vector<std::string> devices;
  std::vector<std::int64_t> shape;
  std::vector<std::string> axes;
  std::vector<Table> tables;
  bool operator==(const VerifiedMesh&) const = default;
};
struct Verification {
  VerifiedMesh first, second;
  bool passed = false;
  bool identical = false;
  double tolerance = 0.0;  ///< 0 for A against A: the same bits; else of relative differences
  double maxAbsDiff = 0.0;
  double lossMaxAbsDiff = 0.0;
  double maxRelativeDiff = 0.0;  ///< of the losses and the tensors
  std::vector<TensorDifference> tensors;
};

enum class ExportWhat {
  kCheckpoint,  ///< all tensors, those of the optimizer included
  kTables,      ///< trained weights, those of embedding tables with the ids of their rows
  kVectors,     ///< of users and items after the towers, with their ids
  kCurves,
  kRecommendations,
};
/// The formats in which something can be exported; the first is the usual one.
std::span<const char* const> exportFormats(ExportWhat what);
struct ExportOptions {
  ExportWhat what = ExportWhat::kTables;
  std::string format;  ///< one of exportFormats()
  std::filesystem::path out;
  CheckpointChoice checkpoint;
  std::int64_t k = 10;  ///< recommendations
  retrieval::SeenItems seen = retrieval::SeenItems::kKeep;
  /// Recommendations: a list of each user in each of them; an empty one is the default.
  std::vector<std::vector<retrieval::ContextValue>> contexts{{}};
};

/// What was exported, and from where.
struct Exported {
  std::vector<std::filesystem::path> files;
  std::optional<std::int64_t> step;   ///< of the checkpoint; curves have none
  std::vector<std::string> warnings;  ///< of the checkpoint, for the user
};

/// A checkpoint on disk, read and compared with its hashes.
struct CheckpointCheck {
  std::int64_t step = 0;
  bool ok = false;
  std::string message;  ///< what it holds, or what is wrong
};

struct Comparison {
  struct Setting {
    std::string pointer;
    std::vector<nlohmann::json> values;  ///< one per run
  };
  struct MetricRow {
    std::string name;
    std::vector<double> values;  ///< last known value per run, NaN if none
    /// Why a better value does not make a better run: other data, another split, another loss, or a
    /// time. "" where it does.
    std::string notComparable;
  };
  std::vector<store::RunRecord> runs;
  std::vector<Setting> settings;  ///< only the differing ones
  std::vector<MetricRow> metrics;
  double meanOverlapAt10 = 0.0;  ///< mean over users of |A ∩ B| / 10 of the first two runs; NaN if
                                 ///< they share no catalogue
  std::int64_t overlapUsers = 0;
  /// A metric of lists of the catalogue, of the first run minus the second over the same held-out
  /// queries; `significant` beyond three paired standard errors.
  struct PairedMetric {
    std::string name;
    experiment::PairedDifference difference;  ///< pairs are users
    bool significant = false;
  };
  std::vector<PairedMetric>
      paired;  ///< empty if they have no queries in common; a warning says why
  /// Step of the checkpoint whose lists are compared, one per run; unset where none is.
  std::vector<std::optional<std::int64_t>> steps;
  std::vector<std::string> warnings;  ///< of the checkpoints, and why lists are not compared
};

/// The front door for both apps: one folder with runs, data sets and checkpoints.
///
/// Layout   parapet.db · datasets/<hash>/ · checkpoints/<run>/ckpt-<step>/
/// Thread   all methods may be called from any thread; the long ones block, so the window calls them
///          from background threads.
class Workspace {
 public:
  /// Opens or creates the folder, reconciles checkpoints with the database (manifests win,
  /// temporaries are removed, orphans adopted), marks crashed runs.
  ///
  /// A workspace that cannot be written (permissions, a read-only or full disk) is opened for reading
  /// if there is a database in it: `onWarning` says why, all questions are answered, and what would
  /// write is refused with the reason.
  ///
  /// `communicators`: what the ranks of its runs exchange goes through these.
  ///
  /// Errors   kIo if there is nothing to read either; kStore if it was written by a newer version.
  static Result<std::unique_ptr<Workspace>> open(
      const std::filesystem::path& folder, std::function<void(const std::string&)> onWarning = {},
      mesh::CommunicatorFactory communicators = mesh::localCommunicators());
  /// For open(): those of the plugin that PARAPET_COMMUNICATOR names; of this process if it is not set.
  ///
  /// Errors   kInvalidDocument: there is no such plugin, or it cannot be used; names those that can.
  static Result<mesh::CommunicatorFactory> chosenCommunicators();
  /// $XDG_DATA_HOME/parapet, else ~/.local/share/parapet.
  static std::filesystem::path defaultFolder();
  ~Workspace();

  [[nodiscard]] const std::filesystem::path& folder() const;
  /// Why nothing can be written; nullopt where runs can be started.
  [[nodiscard]] const std::optional<Error>& readOnlyBecause() const;
  [[nodiscard]] store::RunStore& store();
  /// Devices and plugins with outcome and reason.
  static std::vector<DeviceInfo> devices();
  /// Lets plugins that crashed the program be tried again: by this process if devices() was not
  /// called yet, by the next one in any case. Returns how many there are.
  static int forgetPluginCrashes();

  /// All findings that need data, devices or sizes, plus estimates. Imports nothing: vocabulary
  /// sizes are known if this workspace has imported the data or the document fixes them.
  [[nodiscard]] Preflight preflight(const experiment::Experiment& experiment) const;
  /// Looks up the imported data set of an experiment, reading its source from end to end, so that
  /// preflight() knows the sizes. False if there is none or the source cannot be read.
  bool findSizes(const experiment::Experiment& experiment, const WorkContext& context) const;
  /// The same with what the import reported; nullopt if there is none.
  Result<std::optional<data::ImportReport>> findImported(const experiment::Experiment& experiment,
                                                         const WorkContext& context) const;
  /// The placements that the planner chooses for an experiment, and the step time it predicts, on the
  /// document's devices or on hypothetical hardware (plan.h). Imports the data that the
  /// document names if the options say so; the next run finds them.
  ///
  /// Errors   those of the import, where the size of a table depends on the data; kCancelled.
  Result<PlanReport> plan(const experiment::Experiment& experiment, const PlanOptions& options,
                          const WorkContext& context) const;
  Result<data::ImportReport> importData(const experiment::Experiment& experiment,
                                        const WorkContext& context);

  /// Creates a run and starts it in its own threads: import (if needed), train, checkpoints, final
  /// evaluation. kInvalidDocument for findings that can be seen now.
  Result<std::unique_ptr<RunHandle>> start(const experiment::Experiment& experiment,
                                           RunOptions options);
  /// The document of a run, changed so that a new run of it begins with a checkpoint: /training/fork
  /// names it, and no table has a warm_start.
  ///
  /// Errors   kNotFound: no such run, or no such checkpoint (naming the steps that there are).
  Result<experiment::Experiment> forkOf(const std::string& run, CheckpointChoice choice) const;
  /// Continues from the newest good checkpoint of a run (from the start if it has none), same id.
  Result<std::unique_ptr<RunHandle>> resume(const std::string& run, RunOptions options);

  Result<Evaluation> evaluate(const std::string& run, const EvaluateOptions& options,
                              const WorkContext& context);
  /// Opens a checkpoint of a run for questions. `warnings` tells when a bad one was skipped; without
  /// it they go where those of the workspace go. `sibling`: of another checkpoint of the same run,
  /// which shares what both know of the data; null for none.
  Result<std::shared_ptr<const retrieval::Recommender>> recommender(
      const std::string& run, CheckpointChoice choice, std::vector<std::string>* warnings = nullptr,
      const WorkContext& context = {}, const retrieval::Recommender* sibling = nullptr);
  /// A recommender over a snapshot of a living run.
  static std::shared_ptr<const retrieval::Recommender> recommender(
      const experiment::Experiment& experiment,
      std::shared_ptr<const retrieval::ModelSnapshot> model,
      std::shared_ptr<const data::Dataset> dataset, const data::Split& split);
  /// Trains `steps` steps twice and compares every tensor: the same bits on the same devices,
  /// within 1e-5 of the largest absolute value of their kind (TensorDifference) on others. The second
  /// training sorts the ids of each batch ahead, as a run does.
  Result<Verification> verify(const experiment::Experiment& experiment,
                              const VerifyOptions& options, const WorkContext& context);
  Result<Exported> exportRun(const std::string& run, const ExportOptions& options,
                             const WorkContext& context);
  /// A masked language model, to be asked about texts.
  ///
  /// Errors   kNotFound, kCancelled; kInvalidDocument for a run of another kind.
  Result<std::shared_ptr<MaskedModel>> maskedModel(const std::string& run, CheckpointChoice choice,
                                                   const WorkContext& context = {});
  /// Scores of the rows of a file by a stored model. The file has the columns that the model reads, and
  /// those of user and item, named as in the data of the run; a label is not needed. Ids that the run
  /// does not know are read as unknown ones. Histories are those of the users in the data of the run.
  ///
  /// Errors   kNotFound: no such run, checkpoint or file; kInvalidDocument: a column that is not
  ///          there (with those that are); kData: more rejected lines than the data of the run
  ///          accept, or no row; kCancelled.
  Result<RowScores> predict(const std::string& run, const PredictOptions& options,
                            const WorkContext& context) const;
  /// Reads every checkpoint of a run from end to end.
  ///
  /// Errors   kNotFound for an unknown run; kCancelled. A damaged checkpoint is no error.
  Result<std::vector<CheckpointCheck>> verifyCheckpoints(const std::string& run,
                                                         const WorkContext& context) const;
  Result<Comparison> compare(const std::vector<std::string>& runs, const WorkContext& context);
  /// The document a run was started with.
  Result<experiment::Experiment> experimentOf(const std::string& run) const;
  /// Moves a run to the trash, brings it back, or deletes it with its checkpoints for good.
  Status trash(const std::string& run);
  Status restore(const std::string& run);
  Status erase(const std::string& run);

 private:
  struct State;
  explicit Workspace(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The split of an experiment over its data set; see data::makeSplit.
Result<data::Split> splitFor(const experiment::Experiment& experiment,
                             const data::Dataset& dataset);

}  // namespace parapet::workspace
