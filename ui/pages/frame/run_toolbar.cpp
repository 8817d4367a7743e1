// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/frame/run_toolbar.h"

#include <QCoreApplication>
#include <QKeySequence>
#include <QLabel>
#include <QTimer>
#include <QWidget>
#include <algorithm>

#include "engine/base/text.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/progress.h"
#include "ui/bridge/run_controller.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/problem_list.h"
#include "ui/models/problems_model.h"
#include "ui/models/runs_format.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"
#include "ui/style/line_icon.h"

namespace parapet::ui {
namespace {

/// How far the run is: stage, a bar, and when it will probably end.
class RunProgressView : public QWidget {
  Q_DECLARE_TR_FUNCTIONS(RunProgressView)
 public:
  explicit RunProgressView(RunController& runs, QWidget* parent = nullptr);
  /// "2 min 10 s – 2 min 40 s left"; "" if not known.
  static QString etaText(double lowSeconds, double highSeconds);

 private:
  void update();
  void showEnd(const QString& runId, experiment::RunState state, const QString& error);
  void showElsewhere(const store::RunRecord& run);
  /// Says something of the run, under its name: the picker beside it names the experiment that is edited.
  void say(const QString& what);

  RunController& runs_;
  QTimer refresh_;
  QLabel* stage_;
  ThinProgressBar* bar_;
  QLabel* eta_;
  bool elsewhere_ = false;  ///< a run of another process is shown
};

constexpr int kRefreshMs = 80;
constexpr double kMinLeft = 0.1;  // seconds
/// Letters of a name that leave room for what the run does.
constexpr int kMaxName = 24;

QString shortName(const std::string& name) {
  QString shown = shownText(name);
  if (shown.size() > kMaxName) shown = shown.left(kMaxName - 1) + QChar(0x2026);
  return shown;
}

RunProgressView::RunProgressView(RunController& runs, QWidget* parent)
    : QWidget(parent),
      runs_(runs),
      stage_(new QLabel),
      bar_(new ThinProgressBar),
      eta_(new QLabel) {
  setObjectName(QStringLiteral("runProgress"));
  stage_->setAccessibleName(tr("What the run does now"));
  eta_->setAccessibleName(tr("Time left"));
  eta_->setToolTip(
      tr("From the time of the last steps and of validation; the range is as wide as they vary"));
  bar_->setAccessibleName(tr("Progress of the run"));
  bar_->setMinimumWidth(96);
  bar_->setMaximumWidth(240);
  auto* layout = horizontalBox(this, 12, {8, 0, 8, 0});
  layout->addWidget(stage_);
  layout->addWidget(bar_, 1);
  layout->addWidget(eta_);
  layout->addStretch();
  // Nobody reads faster, and a label that changes 25 times a second costs a core its percents.
  callAfterPause(refresh_, kRefreshMs, this, &RunProgressView::update);
  connect(&runs_, &RunController::progressChanged, this, [this] {
    if (!refresh_.isActive()) refresh_.start();
  });
  connect(&runs_, &RunController::stateChanged, this, &RunProgressView::update);
  connect(&runs_, &RunController::ended, this, &RunProgressView::showEnd);
  connect(&runs_, &RunController::failed, this, [this] {
    if (!runs_.active()) say(tr("did not start"));
  });
  connect(&runs_.queue(), &RunQueue::changed, this, &RunProgressView::update);
  update();
}

QString RunProgressView::etaText(double lowSeconds, double highSeconds) {
  // Nothing is said of the last moment, which validation and saving make longer.
  if (lowSeconds < 0.0 || highSeconds < kMinLeft) return {};
  const QString low = QString::fromStdString(formatDuration(lowSeconds));
  const QString high = QString::fromStdString(formatDuration(highSeconds));
  return low == high ? tr("%1 left").arg(low) : tr("%1 – %2 left").arg(low, high);
}

void RunProgressView::update() {
  const RunProgress& progress = runs_.progress();
  const bool active = runs_.active();
  bar_->setVisible(active);
  eta_->setVisible(active);
  if (!active) {
    if (const auto& others = runs_.queue().elsewhere(); !others.empty())
      return showElsewhere(others.front());
    if (std::exchange(elsewhere_, false)) showEnd(runs_.runId(), runs_.state(), {});
    if (runs_.runId().isEmpty()) stage_->setText(tr("No run was trained in this session yet"));
    return;
  }
  elsewhere_ = false;
  const bool known = progress.total > 0;
  bar_->showShare(progress.done, progress.total);
  const bool paused = runs_.state() == experiment::RunState::kPaused;
  QString stage = paused ? tr("Paused") : stageText(progress.stage);
  if (progress.epoch > 0)
    stage = tr("%1 · epoch %2 of %3").arg(stage).arg(progress.epoch).arg(progress.epochs);
  else if (!paused)
    stage = progressText(progress.stage, progress.done, progress.total);
  if (known && progress.epoch > 0)
    bar_->setToolTip(tr("Step %1 of %2").arg(countText(progress.done), countText(progress.total)));
  say(stage);
  eta_->setText(etaText(progress.etaLowSeconds, progress.etaHighSeconds));
}

void RunProgressView::showElsewhere(const store::RunRecord& run) {
  elsewhere_ = true;
  const QString name = shortName(run.name);
  if (const auto asked = runs_.queue().asked(QString::fromStdString(run.id)))
    return stage_->setText(
        (*asked == store::Request::kStop    ? tr("%1 · process %2 was asked to stop")
         : *asked == store::Request::kPause ? tr("%1 · process %2 was asked to pause")
                                            : tr("%1 · process %2 was asked to go on"))
            .arg(name)
            .arg(run.owner.pid));
  QString text = tr("%1 · %2 in process %3").arg(name, stateText(run.state)).arg(run.owner.pid);
  if (run.state != experiment::RunState::kQueued && run.totalEpochs > 0)
    text = tr("%1 · epoch %2 of %3")
               .arg(text)
               .arg(std::min(run.epochs + 1, run.totalEpochs))
               .arg(run.totalEpochs);
  stage_->setText(text);
}

void RunProgressView::showEnd(const QString& runId, experiment::RunState state, const QString&) {
  // Stopped while it imported its data: nothing knows its id.
  if (runId != runs_.runId()) return say(tr("Stopped before it trained"));
  say(stateText(state));
}

void RunProgressView::say(const QString& what) {
  stage_->setText(tr("%1 · %2").arg(shortName(runs_.experiment().name), what));
}

/// A tooltip that lists more is not read.
constexpr std::size_t kMaxReasons = 6;

}  // namespace

RunCommands::RunCommands(const workspace::Workspace& workspace, RunController& runs,
                         ExperimentEditor& editor, QObject* parent)
    : QObject(parent),
      runs_(runs),
      editor_(editor),
      cannotTrain_(
          workspace.readOnlyBecause()
              ? tr("Nothing can be trained: %1").arg(shownText(workspace.readOnlyBecause()->text()))
              : QString()),
      run_(make(QStringLiteral("run"), tr("&Run"), QStringLiteral("F5"), QStringLiteral("run"))),
      queue_(make(QStringLiteral("run"), tr("&Queue"), QStringLiteral("Ctrl+F5"),
                  QStringLiteral("queue"))),
      goOn_(make(QStringLiteral("run"), tr("&Go on with the queue"), {}, QStringLiteral("goOn"))),
      pause_(make(QStringLiteral("pause"), tr("&Pause"), QStringLiteral("F6"),
                  QStringLiteral("pause"))),
      step_(
          make(QStringLiteral("step"), tr("S&tep"), QStringLiteral("F10"), QStringLiteral("step"))),
      stop_(make(QStringLiteral("stop"), tr("&Stop"), QStringLiteral("Shift+F5"),
                 QStringLiteral("stop"))) {
  connect(run_, &QAction::triggered, this, [this] {
    if (runs_.active()) return addToQueue();
    runs_.start(editor_.experiment(), editor_.origin(), editor_.experimentId());
    if (runs_.active()) emit runStarted();
  });
  connect(queue_, &QAction::triggered, this, &RunCommands::addToQueue);
  connect(goOn_, &QAction::triggered, &runs_.queue(), &RunQueue::goOn);
  connect(pause_, &QAction::triggered, this, [this] {
    const auto& others = runs_.queue().elsewhere();
    if (!runs_.active() && !others.empty())
      runs_.queue().askPause(QString::fromStdString(others.front().id));
    else if (runs_.state() == experiment::RunState::kPaused)
      runs_.resume();
    else
      runs_.pause();
  });
  connect(step_, &QAction::triggered, &runs_, &RunController::step);
  connect(stop_, &QAction::triggered, this, [this] {
    if (const auto& others = runs_.queue().elsewhere(); !runs_.active() && !others.empty())
      return runs_.queue().ask(QString::fromStdString(others.front().id), store::Request::kStop);
    stopping_ = true;
    runs_.stop();
    update();
  });
  const auto idle = [this] {
    stopping_ = false;
    update();
  };
  connect(&runs_, &RunController::started, this, idle);
  connect(&runs_, &RunController::ended, this, idle);
  connect(&runs_, &RunController::failed, this, idle);
  connect(&runs_, &RunController::stateChanged, this, &RunCommands::update);
  connect(&runs_.queue(), &RunQueue::changed, this, &RunCommands::update);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &RunCommands::update);
  connect(&editor_, &ExperimentEditor::documentChanged, this, &RunCommands::update);
  update();
}

QAction* RunCommands::make(const QString& icon, const QString& text, const QString& keys,
                           const QString& name) {
  auto* action = new QAction(lineIcon(icon), text, this);
  action->setShortcut(QKeySequence(keys));
  action->setObjectName(QStringLiteral("run.") + name);
  action->setProperty("paletteGroup", tr("Run"));
  return action;
}

QString RunCommands::whyNot() const {
  const auto& problems = editor_.findings().problems;
  QStringList reasons;
  for (std::size_t at = 0; at < std::min(problems.size(), kMaxReasons); ++at)
    reasons.append(QStringLiteral("• ") + problemText(problems[at], editor_.document()));
  if (problems.size() > kMaxReasons)
    reasons.append(tr("…and %n more", nullptr, static_cast<int>(problems.size() - kMaxReasons)));
  return tr("The experiment cannot run:") + QLatin1Char('\n') + reasons.join(QLatin1Char('\n'));
}

void RunCommands::addToQueue() {
  runs_.queue().add(editor_.experiment(), editor_.origin(), editor_.experimentId());
}

void RunCommands::updateRun() {
  const bool active = runs_.active();
  const auto waiting = static_cast<int>(runs_.queue().waiting().size());
  const QString before = waiting == 0   ? QString()
                         : waiting == 1 ? tr("; 1 run waits before it")
                                        : tr("; %n runs wait before it", nullptr, waiting);
  const QString name = shortName(runs_.experiment().name);
  run_->setText(
      active
          ? tr("&Queue after %1").arg(QString(name).replace(QLatin1Char('&'), QStringLiteral("&&")))
          : tr("&Run"));
  run_->setToolTip(
      active ? tr("Trains the experiment, as it is now, when %1 has ended%2 (F5)").arg(name, before)
             : tr("Trains the experiment in this window (F5)"));
  queue_->setToolTip(
      tr("Trains the experiment, as it is now, when no run of the workspace is under way%1 "
         "(Ctrl+F5)")
          .arg(before));
  goOn_->setToolTip(tr("Starts the runs that wait, one after another"));
  setUsable(*goOn_, runs_.queue().held(),
            waiting > 0 ? tr("The queue is not on hold") : tr("No run waits in the queue"));
  for (QAction* action : {run_, queue_})
    setUsable(*action, cannotTrain_.isEmpty() && editor_.runnable(),
              !cannotTrain_.isEmpty() ? cannotTrain_
              : editor_.runnable()    ? QString()
                                      : whyNot());
}

void RunCommands::updateElsewhere(const store::RunRecord& run) {
  const QString name = shortName(run.name);
  const QString whose = tr("%1, which process %2 trains").arg(name).arg(run.owner.pid);
  const bool paused = run.state == experiment::RunState::kPaused;
  const auto asked = runs_.queue().asked(QString::fromStdString(run.id));
  const bool stopping = asked == store::Request::kStop;
  pause_->setText(paused ? tr("C&ontinue") : tr("&Pause"));
  pause_->setIcon(lineIcon(paused ? QStringLiteral("run") : QStringLiteral("pause")));
  pause_->setToolTip(paused ? tr("Asks %1, to go on (F6)").arg(whose)
                            : tr("Asks %1, to pause (F6)").arg(whose));
  const QString pending = stopping ? tr("Process %1 was asked to stop it").arg(run.owner.pid)
                          : paused ? tr("Process %1 was asked to go on").arg(run.owner.pid)
                                   : tr("Process %1 was asked to pause it").arg(run.owner.pid);
  setUsable(*pause_, !asked && run.state != experiment::RunState::kQueued,
            asked ? pending : tr("The run is being prepared"));
  setUsable(*step_, false, tr("Single steps are taken in the window that trains"));
  stop_->setToolTip(tr("Asks %1, to stop after its step with a checkpoint (Shift+F5)").arg(whose));
  setUsable(*stop_, !stopping, pending);
}

void RunCommands::update() {
  updateRun();
  const bool active = runs_.active();
  if (const auto& others = runs_.queue().elsewhere(); !active && !others.empty())
    return updateElsewhere(others.front());
  const bool paused = active && runs_.state() == experiment::RunState::kPaused;
  const bool running = active && runs_.state() == experiment::RunState::kRunning;
  const QString idle = tr("No run is under way");
  const QString waiting = stopping_ ? tr("The run is stopping") : tr("The run is being prepared");
  pause_->setText(paused ? tr("C&ontinue") : tr("&Pause"));
  pause_->setIcon(lineIcon(paused ? QStringLiteral("run") : QStringLiteral("pause")));
  pause_->setToolTip(paused ? tr("Continues the training (F6)")
                            : tr("Pauses after this step; nothing is lost (F6)"));
  setUsable(*pause_, (running || paused) && !stopping_, active ? waiting : idle);
  step_->setToolTip(tr("Trains one step and pauses again; only while paused (F10)"));
  setUsable(*step_, paused && !stopping_,
            !active     ? idle
            : stopping_ ? waiting
                        : tr("Pause the run first"));
  stop_->setToolTip(tr("Stops after this step and writes a checkpoint to resume from (Shift+F5)"));
  setUsable(*stop_, active && !stopping_, active ? waiting : idle);
}

RunToolbar::RunToolbar(RunController& runs, ExperimentEditor& editor,
                       WorkspaceExperiments& experiments, RunCommands& actions, QWidget* parent)
    : QToolBar(tr("Run"), parent),
      queue_(runs.queue()),
      editor_(editor),
      picker_(new ExperimentPicker(editor, experiments)),
      problems_(new QAction(lineIcon(QStringLiteral("warning")),
                            tr("Show the problems of the experiment"), this)),
      problemsButton_(new QToolButton),
      problemsPlace_(nullptr),
      queued_(new QToolButton),
      queuedPlace_(nullptr) {
  setObjectName(QStringLiteral("runToolbar"));
  setMovable(false);
  setFloatable(false);
  setIconSize({18, 18});
  setContextMenuPolicy(Qt::PreventContextMenu);
  addWidget(picker_);
  addSeparator();
  addButton(actions.run(), Qt::ToolButtonTextBesideIcon);
  addButton(actions.pause(), Qt::ToolButtonIconOnly);
  addButton(actions.step(), Qt::ToolButtonIconOnly);
  addButton(actions.stop(), Qt::ToolButtonIconOnly);
  problems_->setObjectName(QStringLiteral("run.problems"));
  problemsButton_->setObjectName(QStringLiteral("problemsButton"));
  problemsButton_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  problemsButton_->setAutoRaise(true);
  problemsButton_->setIcon(problems_->icon());
  problemsPlace_ = addWidget(problemsButton_);
  addSeparator();
  queued_->setObjectName(QStringLiteral("queuedRuns"));
  queued_->setAutoRaise(true);
  queuedPlace_ = addWidget(queued_);
  addWidget(new RunProgressView(runs));
  connect(queued_, &QToolButton::clicked, this, &RunToolbar::queueRequested);
  connect(&queue_, &RunQueue::changed, this, &RunToolbar::updateQueue);
  connect(problemsButton_, &QToolButton::clicked, problems_, &QAction::trigger);
  connect(problems_, &QAction::triggered, this, &RunToolbar::showProblems);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &RunToolbar::updateProblems);
  connect(&editor_, &ExperimentEditor::documentChanged, this, &RunToolbar::updateProblems);
  updateProblems();
  updateQueue();
}

void RunToolbar::addButton(QAction* action, Qt::ToolButtonStyle style) {
  addAction(action);
  auto* button = qobject_cast<QToolButton*>(widgetForAction(action));
  button->setToolButtonStyle(style);
  button->setObjectName(action->objectName() + QStringLiteral(".button"));
  const auto name = [button, action] {
    button->setAccessibleName(action->text().remove(QLatin1Char('&')));
  };
  name();
  connect(action, &QAction::changed, button, name);
}

void RunToolbar::showProblems() {
  auto* popup = new ProblemsPopup(editor_, problemsButton_);
  connect(popup, &ProblemsPopup::problemChosen, this, &RunToolbar::problemChosen);
  connect(popup, &ProblemsPopup::questionRequested, this, &RunToolbar::questionRequested);
}

void RunToolbar::updateQueue() {
  const auto& waiting = queue_.waiting();
  queuedPlace_->setVisible(!waiting.empty());
  if (waiting.empty()) return;
  queued_->setText(queue_.held() ? tr("%1 queued, on hold").arg(waiting.size())
                                 : tr("%1 queued").arg(waiting.size()));
  queued_->setAccessibleName(queued_->text());
  QStringList names;
  for (const store::RunRecord& run : waiting)
    names << tr("%1. %2").arg(names.size() + 1).arg(shownText(run.name));
  queued_->setToolTip(tr("Runs that wait, in their order; a click shows them in Runs:") +
                      QLatin1Char('\n') + names.join(QLatin1Char('\n')));
}

void RunToolbar::updateProblems() {
  const auto count = static_cast<int>(editor_.findings().problems.size());
  problemsPlace_->setVisible(count > 0);
  problems_->setEnabled(count > 0);
  if (count == 1) problemsButton_->setText(tr("1 problem"));
  if (count > 1) problemsButton_->setText(tr("%n problems", nullptr, count));
  problemsButton_->setAccessibleName(problemsButton_->text());
  problemsButton_->setToolTip(
      tr("Problems that keep the experiment from running; a click lists them"));
}

}  // namespace parapet::ui
