// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <vector>

#include "ui/controllers/plan_watch.h"
#include "ui/forms/problem_list.h"
#include "ui/models/problems_model.h"
#include "ui/pages/experiment/json_view.h"
#include "ui/pages/page.h"

namespace parapet::ui {

/// The steps of an experiment in a row, with an arrow from each to the next and the findings of
/// each in its title: "Model (2)".
class StepBar : public QTabBar {
  Q_OBJECT

 public:
  explicit StepBar(QWidget* parent = nullptr);
  void addStep(const QString& title);
  /// Shows the findings of a step.
  void setFindings(int step, const experiment::Findings& findings);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QStringList titles_;
};

class TitleBar;

/// The experiment: one row of steps, each a page of its own, over one list of problems; the JSON of
/// the same document is a drawer beside any step.
///
/// Use    add the steps in their order; they are shown by pageRequested("experiment/NAME").
class ExperimentPage : public Page {
  Q_OBJECT

 public:
  explicit ExperimentPage(const Workbench& bench, QWidget* parent = nullptr);

  /// `name` is what other pages call it: "data" in "experiment/data".
  void addStep(const QString& name, StepPage* step);
  /// An action for every step, with a button beside the name of the experiment.
  void addTool(QAction* action);

  [[nodiscard]] QString title() const override { return tr("Experiment"); }
  [[nodiscard]] QString iconName() const override { return QStringLiteral("experiment"); }
  [[nodiscard]] QString terminalCommand() const override;
  [[nodiscard]] QList<QAction*> pageActions() const override;
  void showPart(const QString& name) override;
  [[nodiscard]] nlohmann::json saveState() const override;
  void restoreState(const nlohmann::json& state) override;

  /// "parapet-cli VERB DOC --set …" for the document as it is.
  [[nodiscard]] QString documentCommandOf(const QString& verb) const;
  /// The watch over what a run would need, always of the newest document without problems.
  [[nodiscard]] PreflightWatch& preflight() { return preflight_; }

  /// Shows the step of a field and puts the focus there.
  void jumpTo(const QString& pointer);
  /// Asks what a fix of a problem needs: data, or a label.
  void ask(experiment::FixKind question);
  void openFile(const QString& file);
  /// False, with a message, if the file could not be written.
  bool saveFile(const QString& file);

  [[nodiscard]] StepBar& steps() const { return *bar_; }
  [[nodiscard]] StepPage* step(const QString& name) const;
  [[nodiscard]] QString currentStep() const;
  [[nodiscard]] JsonDrawer& drawer() const { return *drawer_; }
  [[nodiscard]] JsonView& json() const { return drawer_->view(); }
  /// Opens and closes the drawer (F4).
  [[nodiscard]] QAction* drawerAction() const { return toggleDrawer_; }
  [[nodiscard]] ProblemsPanel& problems() const { return *problems_; }

 signals:
  /// The experiment has no data: kChooseData asks for a file or folder, kDownloadData which data set
  /// to download.
  void dataRequested(experiment::FixKind question);

 private:
  struct Hosted {
    QString name;
    StepPage* page;
  };

  void makeActions();
  QAction* addPageAction(const QString& text, const QString& shortText, const QKeySequence& keys,
                         void (ExperimentPage::*run)());
  void showStep(int index);
  /// A new experiment begins with its data; another one is as it was left.
  void followExperiment();
  /// The step that edits a pointer; −1 for none.
  [[nodiscard]] int stepOf(const QString& pointer) const;
  void chooseFileToOpen();
  void chooseFileToSave();
  void rememberBase();
  void followFindings();

  Workbench bench_;
  PreflightWatch preflight_;
  QList<QAction*> actions_;
  QAction* toggleDrawer_ = nullptr;
  std::vector<Hosted> hosted_;
  QString shownId_;                    ///< the experiment whose step is shown
  QHash<QString, QString> lastSteps_;  ///< of the experiments of this session
  StepBar* bar_;
  QStackedWidget* stack_;
  QSplitter* splitter_;
  JsonDrawer* drawer_;
  ProblemsPanel* problems_;
  TitleBar* titleBar_ = nullptr;
  experiment::Experiment base_;  ///< as it was loaded or saved, for the terminal command
  QString file_;                 ///< where it was saved; else the origin names the document
};

}  // namespace parapet::ui
