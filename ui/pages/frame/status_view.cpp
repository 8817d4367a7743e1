// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/frame/status_view.h"

#include <time.h>
#include <unistd.h>

#include <QEvent>
#include <cstdint>
#include <fstream>
#include <thread>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/text.h"
#include "ui/bridge/progress.h"
#include "ui/models/runs_format.h"
#include "ui/style/controls.h"
#include "ui/style/theme.h"

namespace parapet::ui {

namespace {

constexpr int kSampleMs = 1000;

QColor colorOf(experiment::RunState state, const QPalette& palette) {
  switch (state) {
    case experiment::RunState::kRunning:
    case experiment::RunState::kFinished:
      return goodColor(palette);
    case experiment::RunState::kQueued:
    case experiment::RunState::kPaused:
    case experiment::RunState::kStopped:
      return carefulColor(palette);
    default:
      return badColor(palette);
  }
}

}  // namespace

ProcessLoad::Sample ProcessLoad::sample() {
  Sample sample;
  timespec used{};
  if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0) {
    const double cpuSeconds =
        static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
    const double passed = since_.seconds();
    if (lastCpuSeconds_ >= 0.0 && passed > 0.0)
      sample.cores = (cpuSeconds - lastCpuSeconds_) / passed;
    lastCpuSeconds_ = cpuSeconds;
    since_.restart();
  }
  // Second field of statm: resident pages. Files of /proc have no size, so they cannot be mapped.
  std::ifstream statm("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  if (statm >> all >> resident)
    sample.residentBytes = resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return sample;
}

StatusView::StatusView(RunController& runs, QWidget* parent)
    : QStatusBar(parent),
      runs_(runs),
      dot_(new QLabel),
      run_(new QLabel),
      work_(new QLabel),
      stopWork_(
          textButton(tr("Stop racing"), tr("Ends the race; the settings stay as they are"), this)),
      cores_(new QLabel),
      memory_(new QLabel) {
  setObjectName(QStringLiteral("statusView"));
  setSizeGripEnabled(false);
  run_->setAccessibleName(tr("State of the run"));
  cores_->setAccessibleName(tr("Load of the CPU"));
  cores_->setToolTip(tr("CPU time of this program in the last second; %1 cores in all")
                         .arg(std::thread::hardware_concurrency()));
  memory_->setAccessibleName(tr("Memory"));
  memory_->setToolTip(tr("Resident memory of this program, of %1 in this machine")
                          .arg(QString::fromStdString(formatBytes(physicalMemoryBytes()))));
  dot_->setContentsMargins(16, 0, 4, 0);
  memory_->setContentsMargins(8, 0, 16, 0);
  addWidget(dot_);
  addWidget(run_);
  work_->setObjectName(QStringLiteral("work"));
  work_->setAccessibleName(tr("Work beside the runs"));
  work_->setContentsMargins(16, 0, 0, 0);
  stopWork_->setObjectName(QStringLiteral("stopWork"));
  stopWork_->setAccessibleName(stopWork_->text());
  addWidget(work_);
  addWidget(stopWork_);
  showWork({});
  connect(stopWork_, &QToolButton::clicked, this, &StatusView::workStopRequested);
  addPermanentWidget(cores_);
  addPermanentWidget(memory_);
  connect(&runs_, &RunController::stateChanged, this, &StatusView::updateRun);
  connect(&runs_, &RunController::progressChanged, this, &StatusView::updateRun);
  connect(&runs_, &RunController::started, this, &StatusView::updateRun);
  connect(&runs_, &RunController::ended, this, &StatusView::updateRun);
  connect(&timer_, &QTimer::timeout, this, &StatusView::updateLoad);
  timer_.start(kSampleMs);
  updateRun();
  updateLoad();
}

void StatusView::showWork(const QString& text) {
  work_->setText(text);
  work_->setVisible(!text.isEmpty());
  stopWork_->setVisible(!text.isEmpty());
}

void StatusView::updateRun() {
  const bool any = !runs_.runId().isEmpty();
  const RunProgress& progress = runs_.progress();
  QString state = stateText(runs_.state());
  // A run waits for its data before it trains.
  if (runs_.active() && runs_.state() == experiment::RunState::kQueued)
    state = progressText(progress.stage, progress.done, progress.total);
  const QString text = any ? tr("Run %1 · %2").arg(runs_.runId().left(6), state) : tr("Ready");
  if (text == run_->text()) return;
  run_->setText(text);
  QPalette colors = palette();
  colors.setColor(QPalette::WindowText,
                  any ? colorOf(runs_.state(), palette()) : goodColor(palette()));
  dot_->setPalette(colors);
  dot_->setText(QStringLiteral("●"));
}

void StatusView::updateLoad() {
  const ProcessLoad::Sample sample = load_.sample();
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  cores_->setText(sample.cores < 0.0 ? tr("CPU –")
                                     : tr("CPU %1 %").arg(qRound(100.0 * sample.cores / cores)));
  memory_->setText(sample.residentBytes == 0 ? tr("RAM –")
                                             : tr("RAM %1").arg(QString::fromStdString(
                                                   formatBytes(sample.residentBytes))));
}

void StatusView::changeEvent(QEvent* event) {
  QStatusBar::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  run_->clear();
  updateRun();
}

}  // namespace parapet::ui
