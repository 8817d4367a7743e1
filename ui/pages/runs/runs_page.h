// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTimer>

#include "ui/controllers/run_feed.h"
#include "ui/pages/page.h"
#include "ui/pages/runs/comparison_panel.h"
#include "ui/pages/runs/overlay_panel.h"
#include "ui/pages/runs/run_actions.h"
#include "ui/pages/runs/runs_table.h"

namespace parapet::ui {

/// All runs of the workspace: find them, lay their curves over each other, compare them, go on from
/// them.
class RunsPage : public Page {
  Q_OBJECT

 public:
  explicit RunsPage(const Workbench& bench, QWidget* parent = nullptr);

  [[nodiscard]] QString title() const override { return tr("Runs"); }
  [[nodiscard]] QString iconName() const override { return QStringLiteral("runs"); }
  [[nodiscard]] QString terminalCommand() const override;
  [[nodiscard]] QList<QAction*> pageActions() const override;
  [[nodiscard]] nlohmann::json saveState() const override;
  void restoreState(const nlohmann::json& state) override;

  [[nodiscard]] RunsModel& model() { return model_; }
  [[nodiscard]] RunsFilter& filter() { return filter_; }
  [[nodiscard]] RunsTable& table() { return *table_; }
  [[nodiscard]] ComparisonPanel& comparison() { return *comparison_; }
  [[nodiscard]] OverlayPanel& overlay() { return *overlay_; }
  [[nodiscard]] RunsSource& source() { return source_; }

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  /// The actions on the chosen runs; the buttons, the menu and the palette share them.
  struct Actions {
    QAction *showInTrain, *browse, *compare, *clone, *fork, *resume, *exporting, *rename, *copy,
        *trash, *restore, *erase, *pause, *stop, *earlier, *later;
  };
  QAction* action(const QString& text, const QString& tip, const QKeySequence& keys,
                  void (RunsPage::*act)());
  void buildActions();
  QWidget* buildBar();
  QWidget* buildStrip();
  QWidget* buildEmpty();
  void buildLayout();
  void connectParts();

  void refreshChosen();
  void refreshLive(const QStringList& chosen);
  void refreshEmpty();
  void refreshStrip(const QStringList& chosen);
  void refreshDetails();
  void revealDetails();
  void showTrash(bool shown);
  void nextForChosen();

  void showInTrain();
  void browse();
  void compare();
  void clone();
  void fork();
  void chooseFork(const QString& runId, const std::vector<store::CheckpointRecord>& checkpoints);
  void resume();
  void pause();
  /// Stops those under way, and takes those that wait out of the queue.
  void stop();
  void earlier();
  void later();
  void moveQueued(int places);
  void exportRun();
  void rename() { table_->editName(); }
  void copy() { table_->copy(); }
  void trash();
  void restore();
  void erase();

  Workbench bench_;
  RunsModel model_;
  RunsFilter filter_;
  RunsSource source_;
  RunActions changes_;
  Actions actions_{};
  RunsTable* table_;
  OverlayPanel* overlay_;
  ComparisonPanel* comparison_;
  QLineEdit* search_ = nullptr;
  QPushButton* trashed_ = nullptr;
  QLabel *stripText_ = nullptr, *emptyText_ = nullptr;
  QPushButton *stripNext_ = nullptr, *emptyButton_ = nullptr;
  QStackedWidget* lists_ = nullptr;
  QTabWidget* details_ = nullptr;
  QSplitter* splitter_ = nullptr;
  QWidget* strip_ = nullptr;
  QTimer reveal_;  ///< of the details
  UndoBar* undo_ = nullptr;
  bool read_ = false;  ///< the store has been read once; before, nothing is known to be empty
};

}  // namespace parapet::ui
