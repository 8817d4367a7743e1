// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"
#include "ui/models/app_settings.h"
#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// Keeps the editor's document in an experiment of the workspace.
///
/// Every document that the editor loads, whether a recipe, a file, a clone of a run or data, becomes a
/// new experiment with a name of its own, so none is ever replaced; every edit is stored half a second
/// later, off the GUI thread, drafts included. If another program stores one meanwhile, its edit is
/// taken over as an undo step while nothing here waits to be stored; otherwise the edit of this window
/// goes on under a new name, and told() says so.
///
/// In a workspace that can only be read, edits are kept in the settings folder (Autosave) and become an
/// experiment of the next workspace that can be written.
///
/// Thread   GUI.
class WorkspaceExperiments : public QObject {
  Q_OBJECT

 public:
  /// Edits are stored this long after the first that was not.
  static constexpr int kSaveAfterMs = 300;
  /// How often the experiments of other programs are looked at.
  static constexpr int kPollMs = 2000;

  /// `settingsFolder` keeps `experiment.json`: what earlier versions, and workspaces that can only be
  /// read, have instead of an experiment.
  WorkspaceExperiments(workspace::Workspace& workspace, ExperimentEditor& editor,
                       const std::filesystem::path& settingsFolder, QObject* parent = nullptr);
  /// Stores what was not stored yet.
  ~WorkspaceExperiments() override;

  /// Opens the document that an earlier version left, else the experiment `id`, else the one edited
  /// last. False if there is none. From then on every loaded document is an experiment.
  bool begin(const QString& id);
  /// The experiments, the one edited last first, without the trash.
  [[nodiscard]] const std::vector<store::ExperimentRecord>& list() const { return list_; }
  /// The id of the experiment that is edited; "" if none is (a workspace that can only be read).
  [[nodiscard]] QString currentId() const { return editor_.experimentId(); }

  void open(const QString& id);
  /// `name` must be a title, and free. The one that is edited is renamed by an undo step.
  Status rename(const QString& id, const QString& name);
  /// Makes a copy and opens it.
  void duplicate(const QString& id);
  /// To the trash; restore() undoes it. If it is edited, the one edited before is opened.
  void remove(const QString& id);
  void restore(const QString& id);
  /// Stores what waits; false if that failed.
  bool saveNow();
  /// Looks at what other programs have done; done every kPollMs.
  void poll();

 signals:
  void listChanged();
  /// Went to the trash: offers to undo.
  void removed(const QString& id, const QString& name);
  /// Something a person should know.
  void told(const QString& sentence);
  /// Edits cannot be stored at the moment; said once until they can. What is edited stays here.
  void failed(const QString& reason);
  /// After failed(): they can again.
  void recovered();

 private:
  struct Content {
    std::string document, draft;
    bool operator==(const Content&) const = default;
  };
  /// The experiment that edits go to; the thread that stores and the GUI share it.
  struct Target {
    std::mutex mutex;
    std::string id;
    std::int64_t revision = 0;
    Content stored;
  };
  struct Seen {
    std::vector<store::ExperimentRecord> list;
    std::optional<store::ExperimentRecord> current;
  };

  [[nodiscard]] store::Experiments& experiments() const { return workspace_.store().experiments(); }
  [[nodiscard]] bool canWrite() const { return !workspace_.readOnlyBecause(); }
  [[nodiscard]] Content content() const;
  static Result<store::SavedExperiment> save(store::Experiments& experiments, Target& target,
                                             const Content& content);
  void aim(const store::ExperimentRecord& record);
  void takeAsStored();
  void tellSavedAs(const store::ExperimentRecord& record);
  void changed();
  void saveSoon();
  void keepReasons();
  void adopt();
  void show(const store::ExperimentRecord& record);
  void takeTitle(const store::ExperimentRecord& record);
  void saved(const Result<store::SavedExperiment>& outcome);
  void saw(const Seen& seen);
  void follow(const store::ExperimentRecord& record);
  void refresh();
  void complain(const Error& error);

  workspace::Workspace& workspace_;
  ExperimentEditor& editor_;
  Autosave fallback_;
  std::shared_ptr<Target> target_ = std::make_shared<Target>();
  std::vector<store::ExperimentRecord> list_;
  QTimer saveTimer_, pollTimer_;
  std::unique_ptr<Background> saver_ = std::make_unique<Background>();
  std::unique_ptr<Background> poller_ = std::make_unique<Background>();
  bool pollAgain_ = false;  ///< asked for while it was being read
  bool begun_ = false, opening_ = false, inTrouble_ = false, saidGone_ = false;
};

}  // namespace parapet::ui
