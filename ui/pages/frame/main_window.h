// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QActionGroup>
#include <QMainWindow>
#include <QStackedWidget>
#include <QUrl>
#include <map>
#include <vector>

#include "ui/dialogs/close_question.h"
#include "ui/dialogs/command_palette.h"
#include "ui/models/app_settings.h"
#include "ui/models/document_source.h"
#include "ui/models/log_model.h"
#include "ui/models/workspace_experiments.h"
#include "ui/pages/frame/command_bar.h"
#include "ui/pages/frame/notice_bar.h"
#include "ui/pages/frame/run_toolbar.h"
#include "ui/pages/frame/status_view.h"
#include "ui/pages/frame/tour.h"
#include "ui/pages/frame/window_memory.h"
#include "ui/pages/page.h"

namespace parapet::ui {

/// Hosts the pages and what they share. It assembles and routes; runs live in the controller, the
/// experiment in the editor.
///
/// Use    add the pages, then restore() (or begin()), then show.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  /// `folder` keeps the layout, and the autosave where the workspace cannot be written.
  MainWindow(Workbench& bench, AppSettings& settings, LogCollector& log,
             const std::filesystem::path& folder, QWidget* parent = nullptr);
  ~MainWindow() override;

  /// `name` is what pages call it in pageRequested(): "train", "browse", …
  void addPage(const QString& name, Page* page);
  /// The experiment that gets data that are dropped or chosen.
  enum class DataOf {
    kThisExperiment,
    kNewExperiment,
  };

  /// Brings back layout, page states and the experiment of the last session, and remembers from now
  /// on. From then on every document that is loaded is an experiment of the workspace. False if there
  /// was no experiment to bring back.
  bool restore();

  /// "train", or a part of a page: "experiment/data".
  void showPage(const QString& name);
  [[nodiscard]] QString currentPage() const { return current_; }
  [[nodiscard]] Page* page(const QString& name) const;
  /// The experiments of the workspace; one of them is edited.
  [[nodiscard]] WorkspaceExperiments& experiments() { return experiments_; }
  /// A recipe or a file becomes a new experiment; a recipe that needs data gets those of a folder, ""
  /// for the one that setDataFolder() named. Failures are shown in the notice bar.
  void openDocument(const QString& fileOrRecipe, const QString& dataFolder = {});
  void openSource(const SourcedDocument& source);
  /// The experiment of a first session: a recipe, without the page that edits it.
  void beginWith(const QString& recipe);
  /// Where recipes that need data find them; "" if not known.
  void setDataFolder(const QString& folder) { dataFolder_ = folder; }
  /// Opens a dropped path: an experiment file, or a data folder.
  void openDropped(const QString& path);
  /// Opens the help that an info sign asks for: "parapet-help:glossary/mesh",
  /// "parapet-help:docs/data.md#part".
  Q_INVOKABLE void openHelp(const QUrl& address);
  /// Stops a run at its next step with a checkpoint, then closes; asks nothing.
  void quitWithCheckpoint();
  /// Begins the tour of the window, unless it was taken or skipped before.
  void offerTour();
  /// Says in title and banner that this is safe mode, and offers a normal restart.
  void showSafeMode();
  /// Says in the banner that the last window crashed, with safe mode as a way out.
  void offerSafeMode();
  /// Every action of window and pages, for the command palette.
  [[nodiscard]] QList<QAction*> allActions() const;
  [[nodiscard]] NoticeBar& notices() { return *notices_; }
  [[nodiscard]] StatusView& status() { return *status_; }
  /// Whether variants of proposals race by themselves; checkable, in the menu Run.
  [[nodiscard]] QAction& racesProposals() { return *races_; }
  /// The workspace cannot be written at the moment: says so, with what can be done about the experiment.
  void showTrouble(const QString& reason);
  /// The model of the page Log.
  [[nodiscard]] LogModel& logModel() { return logModel_; }

 signals:
  /// In the other mode, safe or normal.
  void restartRequested();
  /// Asked for by a page; whoever knows the pages passes it on.
  void browseRequested(const QString& runId, const QString& user);
  void showRunRequested(const QString& runId);
  /// Data were dropped or chosen, for the page of data.
  void dataDropped(const QString& path, DataOf of);
  /// A problem was chosen from the list: its pointer.
  void problemChosen(const QString& pointer);
  /// A fix of a problem was chosen that asks: for data, or for a label.
  void questionRequested(experiment::FixKind kind);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  struct Hosted {
    QString name;
    Page* page;
    QAction* show;
  };

  QWidget* makeCentre();
  void makeActions();
  /// Undo or redo shows what it changes.
  void showChangesOf(QAction& action, void (QUndoStack::*step)());
  /// On the page Experiment: the setting at a JSON pointer.
  void showSetting(const QString& pointer);
  void makeMenus();
  void makeThemeMenu(QMenu* view);
  void makeLanguageMenu(QMenu* view);
  void showShortcuts();
  void showGlossary(const QString& term);
  void showDocument(const QString& name, const QString& part);
  void fillPageMenu();
  void dropSharedShortcuts(const Page& page);
  void watchMessages();
  void watchQueue();
  /// `pointer`: of the setting that the error is about, "" if it is about none.
  void showOfExperiment(const QString& error, const std::string& pointer = {});
  void leaveFixedError();
  void updateTitle();
  void load(const Result<SourcedDocument>& source);
  void openChosen(const QString& fileOrRecipe);
  void askForModel();
  /// An experiment file, or data.
  void openPath(const QString& path, DataOf of);
  [[nodiscard]] QString ownDataOf(const QString& recipe) const;
  void showMessage(LogLevel level, const QString& text);
  [[nodiscard]] nlohmann::json content() const;

  Workbench& bench_;
  AppSettings& settings_;
  LogCollector& log_;
  LogModel logModel_;
  WorkspaceExperiments experiments_;
  RunCommands actions_;
  std::vector<Hosted> pages_;
  FocusHistory focus_;
  std::map<QString, nlohmann::json> unclaimed_;  ///< states of pages that are not there now
  QString current_, dataFolder_;
  std::string faultyPart_;         ///< pointer of what the last error was about; "" for none
  nlohmann::ordered_json faulty_;  ///< as it was then
  bool mayClose_ = false, isSafeMode_ = false;

  PageBar* bar_;
  QStackedWidget* stack_;
  NoticeRow* banner_;  ///< above the page: what holds as long as the window is open
  Tour* tour_;         ///< below the banner
  NoticeBar* notices_;
  StatusView* status_;
  CommandBar* command_;
  RunToolbar* toolbar_;
  CommandPalette* palette_;
  CloseQuestion* question_;
  WindowMemory* memory_;
  QMenu* pageMenu_ = nullptr;
  QAction* undo_ = nullptr;
  QAction* redo_ = nullptr;
  QAction* openPalette_ = nullptr;
  QAction* quit_ = nullptr;
  QAction* showLog_ = nullptr;
  QAction* races_ = nullptr;
  QAction* openModel_ = nullptr;
  QAction* restart_ = nullptr;
  QActionGroup *themes_ = nullptr, *languages_ = nullptr;
  QList<QAction*> help_;
};

}  // namespace parapet::ui
