// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/split/leakage.h"
#include "engine/data/split/split.h"
#include "engine/experiment/batch_report.h"
#include "engine/experiment/document.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/run_event.h"
#include "engine/mesh/communicator.h"
#include "engine/retrieval/catalogue_ranking.h"
#include "engine/retrieval/recommender.h"
#include "engine/store/run_store.h"
#include "engine/workspace/comparison.h"
#include "engine/workspace/evaluation.h"
#include "engine/workspace/exports.h"
#include "engine/workspace/preflight.h"
#include "engine/workspace/run_handle.h"
#include "engine/workspace/verification.h"

namespace parapet::workspace {

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

struct PlanOptions;
struct PlanReport;
struct PredictOptions;
struct RowScores;
class RowPredictor;
class MaskedModel;

struct ProcessPlace;

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
  /// A folder that `exportRun` wrote as a model (ExportWhat::kModel) is opened for reading, too: a
  /// workspace of one run.
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
  /// Whether a folder looks like a model that was exported.
  static bool isModel(const std::filesystem::path& folder);
  ~Workspace();

  [[nodiscard]] const std::filesystem::path& folder() const;
  /// Why nothing can be written; nullopt where runs can be started.
  [[nodiscard]] const std::optional<Error>& readOnlyBecause() const;
  [[nodiscard]] store::RunStore& store();
  /// Devices and plugins with outcome and reason.
  static std::vector<DeviceInfo> devices();
  /// The measured profiles that the workspace keeps, that of this machine first: plans and placements
  /// rest on it (kind "machine", outcome "measured" or "another machine").
  [[nodiscard]] std::vector<DeviceInfo> machines() const;
  /// Measures this machine anew and keeps the profile in the place of the one before; takes about a
  /// second.
  ///
  /// Errors   kDevice if there is no room; kIo; kCancelled; those of a workspace that can only be read.
  Status measureMachine(const WorkContext& context);
  /// Lets plugins that crashed the program be tried again: by this process if devices() was not
  /// called yet, by the next one in any case. Returns how many there are.
  static int forgetPluginCrashes();

  /// All findings that need data, devices or sizes, plus estimates. Imports nothing: vocabulary
  /// sizes are known if this workspace has imported the data or the document fixes them. Throws
  /// data::PassStopped once `stop` fires.
  [[nodiscard]] Preflight preflight(const experiment::Experiment& experiment,
                                    const std::stop_token& stop = {}) const;
  /// Takes metrics that imported data never have out of what the problems of a document offer. Knows
  /// the data that findSizes() found.
  void narrowOffers(const experiment::Experiment& experiment, experiment::Findings& findings) const;
  /// Looks up the imported data set of an experiment, reading its source from end to end, so that
  /// preflight() knows the sizes. False if there is none or the source cannot be read.
  bool findSizes(const experiment::Experiment& experiment, const WorkContext& context) const;
  /// The imported data set with the report of its import; nullopt if there is none.
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
  /// Takes part in the run of another process: see workspace::followRun.
  Status follow(const experiment::Experiment& experiment, const ProcessPlace& place, int threads,
                const WorkContext& context);
  /// Checks an experiment as start() does and puts a run of it at the end of the queue; returns its id.
  /// What the document names stays as it is now: checkpoints by whole ids and steps.
  Result<std::string> queueRun(const experiment::Experiment& experiment, RunOptions options);
  /// Starts a run that RunStore::claimQueued() gave to this process, as start() does. What keeps it from
  /// training, such as data that are gone, ends it as Failed with the reason.
  ///
  /// Errors   the stored document no longer reads; the run is Failed then.
  Result<std::unique_ptr<RunHandle>> startQueued(const std::string& run, RunOptions options);
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
  /// Writes files that others read: all of them, or none.
  Result<Exported> exportRun(const std::string& run, const ExportOptions& options,
                             const WorkContext& context);
  /// Writes a run that has ended as one file: its record and curves, checkpoints and data set. Another
  /// workspace takes it with importArchive().
  ///
  /// Errors   kNotFound; kInvalidDocument: it has not ended; kIo; kCancelled. `out` is as before then.
  Status exportArchive(const std::string& run, const std::filesystem::path& out,
                       const WorkContext& context);
  /// Takes the run of such a file, under its id, and returns that. Nothing stays of one that is refused.
  ///
  /// Errors   kInvalidDocument: the run is here already; kData: a damaged archive, or none of a run;
  ///          kIo; kCancelled; those of a workspace that can only be read.
  Result<std::string> importArchive(const std::filesystem::path& path, const WorkContext& context);
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
  /// A stored model that scores rows as they come.
  ///
  /// Errors   kNotFound: no such run or checkpoint; kInvalidDocument for a run without users and
  ///          items; kCancelled.
  Result<std::unique_ptr<RowPredictor>> rowPredictor(const std::string& run,
                                                     CheckpointChoice choice,
                                                     const WorkContext& context) const;
  /// Reads every checkpoint of a run from end to end.
  ///
  /// Errors   kNotFound for an unknown run; kCancelled. A damaged checkpoint is no error.
  Result<std::vector<CheckpointCheck>> verifyCheckpoints(const std::string& run,
                                                         const WorkContext& context) const;
  /// Metrics of a validation are those that the runs recorded, of the last epoch that measured them or
  /// of the epoch of the best checkpoint; those of the test split are measured now.
  ///
  /// Errors   kNotFound: no such run, a run without a best checkpoint where it is asked for, runs of
  ///          which none has rows of the split; kCancelled.
  Result<Comparison> compare(const std::vector<std::string>& runs, const CompareOptions& options,
                             const WorkContext& context = {});
  /// The document a run was started with.
  Result<experiment::Experiment> experimentOf(const std::string& run) const;
  /// Moves a run to the trash, brings it back, or deletes it with its checkpoints for good.
  Status trash(const std::string& run);
  Status restore(const std::string& run);
  Status erase(const std::string& run);

 private:
  struct State;
  /// Makes the checks by which start() refuses a run before there is one; finds the preflight of
  /// `options` unless it is there.
  Status checkStart(const experiment::Experiment& experiment, RunOptions& options) const;
  explicit Workspace(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The split of an experiment over its data set; see data::makeSplit.
Result<data::Split> splitFor(const experiment::Experiment& experiment, const data::Dataset& dataset,
                             std::stop_token stop = {});

}  // namespace parapet::workspace
