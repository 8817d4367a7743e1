// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/frame/run_progress_view.h"

#include "engine/base/text.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/progress_text.h"
#include "ui/models/runs_format.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

constexpr int kRefreshMs = 80;

}  // namespace

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
    if (!runs_.active() && !runs_.runId().isEmpty()) showEnd(runs_.runId(), runs_.state(), {});
  });
  update();
}

QString RunProgressView::etaText(double lowSeconds, double highSeconds) {
  if (lowSeconds < 0.0 || highSeconds < 0.0) return {};
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
    if (runs_.runId().isEmpty()) stage_->setText(tr("No run was trained in this session yet"));
    return;
  }
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
  stage_->setText(stage);
  eta_->setText(etaText(progress.etaLowSeconds, progress.etaHighSeconds));
}

void RunProgressView::showEnd(const QString& runId, experiment::RunState state, const QString&) {
  // Stopped while it imported its data: nothing knows its id.
  if (runId != runs_.runId()) return stage_->setText(tr("Stopped before it trained"));
  stage_->setText(
      tr("Run %1: %2").arg(runId.left(6), QString::fromLatin1(experiment::runStateName(state))));
}

}  // namespace parapet::ui
