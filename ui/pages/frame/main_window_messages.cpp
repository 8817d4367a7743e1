// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of the window: runs, the queue, the experiments and the workspace.
#include <QUndoStack>

#include "ui/bridge/run_queue.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"
#include "ui/pages/frame/main_window.h"

namespace parapet::ui {
namespace {

nlohmann::ordered_json partOf(const nlohmann::ordered_json& document, const std::string& pointer) {
  const nlohmann::ordered_json::json_pointer part(pointer);
  return document.contains(part) ? document.at(part) : nlohmann::ordered_json();
}

}  // namespace

void MainWindow::showMessage(LogLevel level, const QString& text) {
  log_.add(level, text);
  notices_->show(level, text);
}

/// An error of a run says nothing of another experiment.
void MainWindow::showOfExperiment(const QString& error, const std::string& pointer) {
  log_.add(LogLevel::kError, error);
  notices_->show(LogLevel::kError, error, {}, {}, Lasts::kThisExperiment);
  // A setting may be fixed by the one beside it.
  const auto last = pointer.rfind('/');
  faultyPart_ = last == 0 ? pointer : pointer.substr(0, last);
  faulty_ = partOf(bench_.editor.document(), faultyPart_);
}

void MainWindow::leaveFixedError() {
  if (!faultyPart_.empty() && partOf(bench_.editor.document(), faultyPart_) != faulty_)
    notices_->leave(Lasts::kThisExperiment);
}

void MainWindow::showTrouble(const QString& reason) {
  log_.add(LogLevel::kError, reason);
  notices_->show(
      LogLevel::kError, reason, tr("Save the experiment as a file…"),
      [this] { toolbar_->picker()->saveAction()->trigger(); }, Lasts::kTrouble);
}

void MainWindow::showSafeMode() {
  isSafeMode_ = true;
  updateTitle();
  restart_->setText(tr("Restart &normally"));
  restart_->setToolTip(
      tr("Stops a run with a checkpoint and starts again with plugins, layout and settings"));
  banner_->show(
      LogLevel::kInfo,
      tr("Safe mode: no plugins are loaded, and layout and settings are the default ones. "
         "What you change of them is not kept."),
      tr("Restart normally"), [this] { emit restartRequested(); }, Lasts::kUntilClosed);
}

void MainWindow::offerSafeMode() {
  const QString text =
      tr("The last window did not end orderly. Safe mode starts without plugins, and "
         "with the default layout and settings.");
  log_.add(LogLevel::kWarning, text);
  banner_->show(
      LogLevel::kWarning, text, tr("Restart in safe mode"), [this] { emit restartRequested(); },
      Lasts::kUntilClosed);
}

void MainWindow::watchMessages() {
  connect(&bench_.editor, &ExperimentEditor::loaded, notices_,
          [this] { notices_->leave(Lasts::kThisExperiment); });
  connect(&bench_.editor, &ExperimentEditor::documentChanged, this, &MainWindow::leaveFixedError);
  connect(&log_, &LogCollector::arrived, &logModel_, &LogModel::append);
  connect(&bench_.bridge, &RunBridge::warning, this,
          [this](const QString& runId, const QString& message) {
            log_.add(LogLevel::kWarning, tr("run %1: %2").arg(runId.left(6), message));
          });
  connect(&bench_.bridge, &RunBridge::noted, this,
          [this](const QString& runId, const QString& message) {
            log_.add(LogLevel::kInfo, tr("run %1: %2").arg(runId.left(6), message));
          });
  connect(&bench_.runs, &RunController::started, this, [this](const QString& runId) {
    log_.add(LogLevel::kInfo, tr("run %1 started").arg(runId));
    notices_->leaveRun(runId);
    notices_->leave(Lasts::kThisExperiment);
  });
  connect(&bench_.runs, &RunController::failed, this, [this](const Error& error) {
    showOfExperiment(shownText(error.text()), error.pointer);
    if (!bench_.runs.active()) question_->hide();
    // Where it can be fixed: data that were not chosen yet.
    if (!error.pointer.empty()) showSetting(QString::fromStdString(error.pointer));
  });
  connect(&bench_.runs, &RunController::ended, this,
          [this](const QString& runId, experiment::RunState state, const QString& error) {
            const QString name = stateText(state);
            log_.add(LogLevel::kInfo, tr("run %1 ended: %2").arg(runId, name));
            // A run of the queue may be of another experiment than the one that is edited.
            const std::string& of = bench_.runs.experiment().name;
            if (!error.isEmpty())
              showOfExperiment(of == bench_.editor.experiment().name
                                   ? error
                                   : tr("%1: %2").arg(shownText(of), error));
            // The run that it asks about is over: the next one may be another's.
            question_->hide();
          });
  watchQueue();
  connect(&bench_.editor, &ExperimentEditor::publishedRunLeft, this,
          [this](const QString& curve, const QString& difference) {
            notices_->show(
                LogLevel::kInfo,
                tr("The published curve was left out: %1 of its run differs.").arg(difference),
                tr("Keep it"), [this, curve] {
                  bench_.editor.setValue("/reference/curve", curve.toStdString(),
                                         tr("Keep the published curve"));
                });
          });
  const auto complain = [this](const QString& reason) { showMessage(LogLevel::kWarning, reason); };
  connect(&experiments_, &WorkspaceExperiments::failed, this, &MainWindow::showTrouble);
  connect(&experiments_, &WorkspaceExperiments::recovered, notices_,
          [this] { notices_->leave(Lasts::kTrouble); });
  connect(&experiments_, &WorkspaceExperiments::told, this,
          [this](const QString& sentence) { showMessage(LogLevel::kInfo, sentence); });
  connect(&experiments_, &WorkspaceExperiments::removed, this,
          [this](const QString& id, const QString& name) {
            notices_->show(LogLevel::kInfo,
                           tr("%1 was moved to the trash; its runs stay.").arg(shownText(name)),
                           tr("Undo"), [this, id] { experiments_.restore(id); });
          });
  connect(&settings_, &AppSettings::failed, this, complain);
  connect(memory_, &WindowMemory::failed, this, complain);
}

void MainWindow::watchQueue() {
  RunQueue& queue = bench_.runs.queue();
  connect(&queue, &RunQueue::offered, this, [this, &queue](int count, const QString& first) {
    const QString text =
        count == 1 ? tr("%1 waits in the queue since before this window was opened.").arg(first)
                   : tr("%n runs wait in the queue since before this window was opened, "
                        "%1 is the first.",
                        nullptr, count)
                         .arg(first);
    notices_->show(LogLevel::kInfo, text, tr("Go on with the queue"), [&queue] { queue.goOn(); });
  });
  connect(&queue, &RunQueue::added, this, [this, &queue](const QString& id, const QString& name) {
    log_.add(LogLevel::kInfo, tr("run %1 (%2) was put into the queue").arg(id, name));
    notices_->show(
        LogLevel::kInfo, tr("%1 was put into the queue.").arg(name), tr("Undo"),
        [&queue, id] { queue.remove({id}); }, Lasts::kUndo);
    notices_->setRun(id);
  });
  connect(&queue, &RunQueue::removed, this,
          [this, &queue](const QStringList& ids, const QStringList& names) {
            notices_->show(
                LogLevel::kInfo,
                tr("Taken out of the queue: %1.").arg(names.join(QStringLiteral(", "))), tr("Undo"),
                [&queue, ids] { queue.putBack(ids); }, Lasts::kUndo);
          });
  connect(&queue, &RunQueue::started, this, [this](const QString&, const QString& name) {
    showMessage(LogLevel::kInfo, tr("%1 was started from the queue.").arg(name));
  });
  connect(&queue, &RunQueue::refused, this, [this](const Error& error) {
    showOfExperiment(shownText(error.text()), error.pointer);
    if (!error.pointer.empty()) showSetting(QString::fromStdString(error.pointer));
  });
  connect(&queue, &RunQueue::failed, this,
          [this](const QString& text) { showMessage(LogLevel::kWarning, text); });
}

}  // namespace parapet::ui
