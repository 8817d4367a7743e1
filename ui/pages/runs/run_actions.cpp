// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/run_actions.h"

#include "engine/base/text.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/style/layouts.h"

namespace parapet::ui {

UndoBar::UndoBar(QWidget* parent)
    : QWidget(parent), text_(new QLabel(this)), undo_(new QPushButton(tr("Undo"), this)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::AlternateBase);
  undo_->setObjectName(QStringLiteral("undo"));
  undo_->setAccessibleName(tr("Bring the runs back"));
  undo_->setToolTip(tr("Bring the runs back from the trash"));
  auto* row = horizontalBox(this, 8, {8, 4, 8, 4});
  row->addWidget(text_, 1);
  row->addWidget(undo_);
  callAfterPause(timer_, kShownMs, this, &QWidget::hide);
  connect(undo_, &QPushButton::clicked, this, &UndoBar::undo);
  hide();
}

void UndoBar::offer(const QString& text, const QStringList& runIds) {
  runIds_ = runIds;
  text_->setText(text);
  show();
  timer_.start();
}

void UndoBar::undo() {
  hide();
  emit undoRequested(std::exchange(runIds_, {}));
}

RunActions::RunActions(const Workbench& bench, QObject* parent) : QObject(parent), bench_(bench) {}

void RunActions::enqueue(Job job) {
  jobs_.push_back(std::move(job));
  next();
}

void RunActions::next() {
  if (jobs_.empty() || worker_.running()) return;
  const Job job = std::move(jobs_.front());
  jobs_.pop_front();
  job();
}

template <class Work, class Done>
void RunActions::run(Work work, Done done) {
  enqueue([this, work, done] {
    worker_.start(work, [this, done](auto answer) {
      if (answer)
        done(answer);
      else
        emit failed(shownText(answer.error().text()));
      next();
    });
  });
}

void RunActions::rename(const QString& runId, const QString& name) {
  run([&store = bench_.workspace.store(), id = runId.toStdString(),
       name = name.toStdString()](const WorkContext&) { return store.rename(id, name); },
      [this](const Status&) { emit changed(); });
}

void RunActions::setNotes(const QString& runId, const QString& notes) {
  run([&store = bench_.workspace.store(), id = runId.toStdString(),
       notes = notes.toStdString()](const WorkContext&) { return store.setNotes(id, notes); },
      [this](const Status&) { emit changed(); });
}

void RunActions::forEach(const QStringList& runIds,
                         Status (workspace::Workspace::*act)(const std::string&),
                         std::function<void(const QStringList&)> done) {
  struct Outcome {
    QStringList done;
    QString error;
  };
  run(
      [&workspace = bench_.workspace, runIds, act](const WorkContext&) -> Result<Outcome> {
        Outcome outcome;
        for (const QString& id : runIds) {
          const Status status = (workspace.*act)(id.toStdString());
          // Deleted elsewhere meanwhile: what was wanted has happened.
          if (status || status.error().code == ErrorCode::kNotFound)
            outcome.done << id;
          else
            outcome.error = shownText(status.error().text());
        }
        return outcome;
      },
      [this, done = std::move(done)](const Result<Outcome>& outcome) {
        if (!outcome->done.isEmpty()) done(outcome->done);
        emit changed();
        if (!outcome->error.isEmpty()) emit failed(outcome->error);
      });
}

void RunActions::trash(const QStringList& runIds) {
  forEach(runIds, &workspace::Workspace::trash,
          [this](const QStringList& done) { emit trashed(done); });
}

void RunActions::restore(const QStringList& runIds) {
  forEach(runIds, &workspace::Workspace::restore, [](const QStringList&) {});
}

void RunActions::erase(const QStringList& runIds) {
  forEach(runIds, &workspace::Workspace::erase, [](const QStringList&) {});
}

void RunActions::exportRun(const QString& runId, const workspace::ExportOptions& options) {
  run([&workspace = bench_.workspace, id = runId.toStdString(),
       options](const WorkContext& context) { return workspace.exportRun(id, options, context); },
      [this](const Result<workspace::Exported>& files) {
        QStringList paths;
        for (const auto& file : files->files) paths << QString::fromStdString(file.string());
        emit exported(paths);
        // Last, since a message takes the place of the one before it.
        if (!files->warnings.empty()) emit failed(shownText(join(files->warnings, "; ")));
      });
}

void RunActions::clone(const QString& runId) {
  run([&workspace = bench_.workspace,
       id = runId.toStdString()](const WorkContext&) { return workspace.experimentOf(id); },
      [this, runId](const Result<experiment::Experiment>& experiment) {
        bench_.editor.load(nlohmann::json(experiment::toJson(*experiment)),
                           QStringLiteral("run %1").arg(runId));
        emit cloned(runId);
      });
}

void RunActions::askForCheckpoints(const QString& runId) {
  run([&store = bench_.workspace.store(),
       id = runId.toStdString()](const WorkContext&) { return store.checkpoints(id); },
      [this, runId](const Result<std::vector<store::CheckpointRecord>>& checkpoints) {
        if (checkpoints->empty())
          emit failed(tr("Run %1 has no checkpoint to begin with").arg(runId));
        else
          emit checkpointsFound(runId, *checkpoints);
      });
}

void RunActions::fork(const QString& runId, qint64 step, qint64 epochs) {
  run(
      [&workspace = bench_.workspace, id = runId.toStdString(), step](const WorkContext&) {
        return workspace.forkOf(id, {workspace::WhichCheckpoint::kStep, step});
      },
      [this, runId, epochs](const Result<experiment::Experiment>& forked) {
        experiment::Experiment experiment = *forked;
        experiment.training.epochs = epochs;
        bench_.editor.load(nlohmann::json(experiment::toJson(experiment)),
                           QStringLiteral("run %1").arg(runId));
        emit this->forked(runId);
      });
}

}  // namespace parapet::ui
