// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace parapet::store {

struct StoreState;

/// An experiment of the workspace: a named document that is edited over time. Runs are made from it and
/// keep the document of their start.
struct ExperimentRecord {
  std::string id;     ///< 12 lower-case hex digits, unique; stays when it is renamed
  std::string name;   ///< what commands call it, made of the title; see checkExperimentName
  std::string title;  ///< what people call it; see checkExperimentTitle
  std::string
      document;        ///< JSON, the last state that was JSON; its /name is `title` unless refused
  std::string draft;   ///< newer text that is no JSON yet, "" if there is none
  std::string origin;  ///< recipe, file or "run <id>" that it was made from
  std::int64_t createdMs = 0, modifiedMs = 0;  ///< wall clock
  std::int64_t revision = 0;                   ///< grows with every change
  bool trashed = false;
  std::int64_t runs = 0;  ///< made from it, those in the trash left out
  std::string reasons;    ///< of the proposal that it began as, JSON; "" if it did not

  /// The text that a person last saw: the draft, else the document.
  [[nodiscard]] const std::string& text() const { return draft.empty() ? document : draft; }
};

/// The content of a new experiment.
struct NewExperiment {
  std::string title;     ///< wanted; the next free one is taken (freeExperimentTitle)
  std::string document;  ///< its /name becomes the one that was found
  std::string draft{};
  std::string origin{};
  std::string reasons{};
};

/// The state of an experiment that is stored after an edit.
struct ExperimentEdit {
  std::string id;
  std::int64_t revision = 0;  ///< that the edit began with
  std::string document;
  std::string draft{};
};

/// The outcome of storing an edit.
struct SavedExperiment {
  enum class Outcome {
    kSaved,  ///< in its experiment
    kSavedAs,  ///< as a new experiment: another program had changed or deleted the one that was edited
  } outcome = Outcome::kSaved;
  ExperimentRecord record;
  std::string
      nameRefused{};  ///< why /name of the document is not the title of the record; "" if it is
};

/// The experiments of a workspace, a table of its database: one transaction per change is old or new
/// after a crash, the database has the lock that programs share, and what can be read of a workspace
/// without write permission includes them.
///
/// Several programs may edit one experiment. Every change names the revision that it began with; the
/// one that comes second is stored under the next free name, and its author is told. So no edit is
/// lost, and none waits.
///
/// A document names itself at /name: creating and renaming set it, and an edit of it renames the
/// experiment if the new title is one and is free. The name follows the title. Names and titles are unique
/// together, in whatever case, among those that are not in the trash, so that a word means one experiment.
///
/// Errors   kNotFound (with "did you mean"), kInvalidDocument for a name that is none or is taken,
///          kStore for a database that was opened for reading, and what SQLite says.
/// Thread   any.
class Experiments {
 public:
  enum class Trash {
    kLeaveOut,
    kOnly,
  };
  /// Experiments, the one edited last first. Document and draft are left empty: a list needs neither.
  [[nodiscard]] Result<std::vector<ExperimentRecord>> list(Trash trash = Trash::kLeaveOut) const;
  /// By name, else by the exact title, of those that are not in the trash.
  [[nodiscard]] Result<ExperimentRecord> find(const std::string& name) const;
  /// By name or title, of those in the trash: the one deleted last.
  [[nodiscard]] Result<ExperimentRecord> findTrashed(const std::string& name) const;
  /// In the trash or not.
  [[nodiscard]] Result<ExperimentRecord> byId(const std::string& id) const;

  Result<ExperimentRecord> create(const NewExperiment& experiment);
  Result<SavedExperiment> save(const ExperimentEdit& edit);
  Result<ExperimentRecord> rename(const std::string& id, const std::string& title);
  /// The reasons of the proposal that its data came with, and no others.
  Status setReasons(const std::string& id, const std::string& reasons);
  /// A new experiment with the same content and the next free name.
  Result<ExperimentRecord> duplicate(const std::string& id);
  Status trash(const std::string& id);
  /// Out of the trash; under the next free name if another has taken its own.
  Result<ExperimentRecord> restore(const std::string& id);
  /// For good. Its runs stay.
  Status erase(const std::string& id);

 private:
  friend class RunStore;
  explicit Experiments(StoreState& state) : state_(&state) {}
  StoreState* state_;
};

}  // namespace parapet::store
