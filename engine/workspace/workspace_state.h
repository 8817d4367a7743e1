// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/train/run_control.h"
#include "engine/train/session.h"
#include "engine/workspace/machine_profile.h"
#include "engine/workspace/resolved_experiment.h"
#include "engine/workspace/temporary_folder.h"
#include "engine/workspace/workspace.h"

namespace parapet::workspace {

/// Sizes found by an import, so that a later preflight knows them.
struct KnownSizes {
  std::int64_t rows = 0;
  std::map<std::string, std::int64_t> vocabularies;
  std::filesystem::path folder;  ///< of the data set
};

/// The splits that were asked for last. The window asks at every edit of a document, and few edits
/// concern the split.
///
/// Thread   safe.
class KnownSplits {
 public:
  /// A data set with all its ids has one, and with the rows of its vocabularies another.
  static constexpr std::size_t kMaxKnown = 2;

  /// The split of a document (splitFor), made unless it is known of the same data and settings.
  /// Throws data::PassStopped once `stop` fires.
  ///
  /// Errors   those of splitFor.
  Result<std::shared_ptr<const data::Split>> of(const experiment::Experiment& experiment,
                                                const data::Dataset& dataset,
                                                std::stop_token stop = {});

 private:
  std::mutex mutex_;
  std::vector<std::pair<std::string, std::shared_ptr<const data::Split>>> known_;  ///< newest last
};

/// With less than this free, what cannot be written fails because the disk is full.
inline constexpr std::uint64_t kFullDiskBytes = 1 << 20;

/// State shared by the parts of the façade. Runs keep it alive.
struct Shared {
  std::filesystem::path folder;
  std::function<void(const std::string&)> onWarning;
  mesh::CommunicatorFactory communicators;
  /// The folder is a model (model_folder.h): the rows of its data are training rows, or held out.
  bool isModel = false;
  std::unique_ptr<TemporaryFolder> temporary;  ///< of a model: where its database was copied to
  std::unique_ptr<store::RunStore> store;
  /// Why the workspace can only be read; nullopt: it can be written.
  std::optional<Error> readOnlyBecause;

  std::mutex mutex;  ///< guards the members below
  std::map<std::string, std::weak_ptr<train::RunControl>> liveRuns;
  std::map<std::string, KnownSizes> knownSizes;  ///< by sourceKey()
  /// Statistics of id columns, for resolveExperiment().
  std::map<std::string, std::map<std::string, nn::ColumnIds>> knownColumns;
  static constexpr std::size_t kMaxKnownColumns = 64;
  KnownSplits splits;
  std::weak_ptr<const data::Split> leaksFor;  ///< that `leaks` are of, while it is known
  std::vector<data::LeakFinding> leaks;
  std::vector<MachineProfile> measured;  ///< what could not be kept in the workspace
  std::jthread requests;  ///< serves the requests of other processes; last, so that it ends first

  ~Shared();
  void warn(const std::string& message) const;
  /// The error of whoever wants to write into a workspace that can only be read. `wanted`: what
  /// cannot be done, "no run can be started".
  [[nodiscard]] Status requireWritable(std::string_view wanted) const;
  [[nodiscard]] std::filesystem::path datasetsFolder() const { return folder / "datasets"; }
  [[nodiscard]] std::filesystem::path checkpointFolder(const std::string& runId) const {
    return folder / "checkpoints" / runId;
  }
  void remember(const experiment::Experiment& experiment, const data::Dataset& dataset);
  [[nodiscard]] std::optional<KnownSizes> recall(const experiment::Experiment& experiment);
  /// The leaks in a split that `splits` gave, found once.
  std::vector<data::LeakFinding> leaksOf(const data::Dataset& dataset,
                                         const std::shared_ptr<const data::Split>& split,
                                         const std::stop_token& stop);
  void addRun(const std::string& id, const std::shared_ptr<train::RunControl>& control);
};

struct Workspace::State {
  std::shared_ptr<Shared> shared;
};

/// The part of a document that determines the imported data set and the rows of its vocabularies.
std::string sourceKey(const experiment::Experiment& experiment);

/// A data set with the vocabularies that the split of a document gives (data::fitVocabularies).
Result<std::shared_ptr<const data::Dataset>> fitted(Shared& shared,
                                                    const experiment::Experiment& experiment,
                                                    std::shared_ptr<const data::Dataset> dataset,
                                                    std::stop_token stop = {});

/// The split of a document over its data, of which a model has the training rows alone. Throws
/// data::PassStopped once `stop` fires.
///
/// Errors   those of splitFor().
Result<data::Split> splitIn(const Shared& shared, const experiment::Experiment& experiment,
                            const data::Dataset& dataset, std::stop_token stop = {});

/// Threads of a run: those requested, else those of the document, else 0 for one per core.
int threadsFor(const experiment::Experiment& experiment, int asked);

/// The first problem as an error with its JSON pointer.
Error firstProblem(const experiment::Findings& findings);

/// The metric that a run of a document is judged by: that of its best checkpoint, else "val_loss".
std::string bestMetricOf(const experiment::Experiment& experiment);

/// The record of a run of a document, but for its id and how it was resolved.
store::RunRecord recordOf(const experiment::Experiment& experiment, const RunOptions& options);

/// Imports the data set of an experiment, or finds that it was imported before, and remembers its
/// sizes. In a workspace that can only be read nothing is imported.
Result<data::ImportReport> importFor(Shared& shared, const experiment::Experiment& experiment,
                                     const WorkContext& context);

/// Rows of every vocabulary of the document, −1 where they depend on the data.
std::map<std::string, std::int64_t> vocabularyRows(const experiment::Experiment& experiment,
                                                   const std::optional<KnownSizes>& sizes);

/// Preflight with the sizes of the data, if they are known, and with the data themselves.
Preflight preflightWith(Shared& shared, const experiment::Experiment& experiment,
                        const std::optional<KnownSizes>& sizes, Question question);

/// The row of the best checkpoint of a run.
///
/// Errors   kNotFound where none is marked, with the best epoch if one is recorded.
Result<store::CheckpointRecord> bestCheckpoint(const store::RunStore& store,
                                               const store::RunRecord& record);

/// The step of a checkpoint of a run, seen by its folder alone.
///
/// Errors   kNotFound, naming the steps that there are.
Result<std::int64_t> checkpointStep(const Shared& shared, const store::RunRecord& record,
                                    CheckpointChoice choice);

/// A stored model with everything needed to ask it questions.
struct OpenedRun {
  store::RunRecord record;
  experiment::Experiment experiment;
  std::shared_ptr<const data::Dataset> dataset;
  data::Split split;
  std::unique_ptr<train::Session> session;  ///< with the checkpoint's weights
  checkpoint::Manifest manifest;
  std::vector<std::string> warnings;
  std::shared_ptr<const TemporaryFolder>
      files{};  ///< of data that are gone at the end; may be null
};
/// The ids of a bag that the session of an opened run has room for.
enum class BagRoom {
  kOfData,  ///< those of the longest row of the run's data
  kOfFile,  ///< also as many as a feature uses, for rows of other files
};

/// `input`: see validateOnFile(); "": none.
///
/// Errors   also kCancelled.
Result<OpenedRun> openRun(Shared& shared, const std::string& run, CheckpointChoice choice,
                          int threads, const WorkContext& context = {},
                          BagRoom room = BagRoom::kOfData, const std::filesystem::path& input = {});

/// Gives an opened run the rows of a file behind its own as validation rows; nothing else is
/// validated then.
///
/// Errors   those of an import of the file, and of data::appendRows(), with its path.
Status validateOnFile(OpenedRun& opened, const std::filesystem::path& input,
                      const WorkContext& context);

/// Errors   kInvalidDocument if the model of the run reads texts, and knows no users and items.
Status requireUsersAndItems(const OpenedRun& opened);

/// Reads a stored document back; kStore error if it no longer parses.
Result<experiment::Experiment> parseStored(const store::RunRecord& record);

/// The options of the database of a workspace folder. A run whose stored document has changed gets that
/// of the manifest of its newest whole checkpoint.
store::RunStore::Options storeOptions(const std::filesystem::path& folder,
                                      std::function<void(const std::string&)> onWarning,
                                      store::RunStore::Access access);

/// Describes what was lost with the database of a workspace whose folder still holds checkpoints or data
/// sets; "" for a new workspace.
std::string lostWithDatabase(const std::filesystem::path& folder);

/// Makes folder and database agree: temporaries of dead runs are removed, rows of checkpoints and epochs
/// that the database lacks follow the manifests, checkpoint folders without a run become one.
void reconcile(Shared& shared);

}  // namespace parapet::workspace
