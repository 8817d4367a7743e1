// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/frame/run_commands.h"

#include <QKeySequence>
#include <algorithm>

#include "ui/models/severity.h"
#include "ui/style/line_icon.h"
#include "ui/style/usable.h"

namespace parapet::ui {
namespace {

/// A tooltip that lists more is not read.
constexpr std::size_t kMaxReasons = 6;

}  // namespace

RunCommands::RunCommands(RunController& runs, ExperimentEditor& editor, QObject* parent)
    : QObject(parent),
      runs_(runs),
      editor_(editor),
      run_(make(QStringLiteral("run"), tr("&Run"), QStringLiteral("F5"), QStringLiteral("run"))),
      pause_(make(QStringLiteral("pause"), tr("&Pause"), QStringLiteral("F6"),
                  QStringLiteral("pause"))),
      step_(
          make(QStringLiteral("step"), tr("S&tep"), QStringLiteral("F10"), QStringLiteral("step"))),
      stop_(make(QStringLiteral("stop"), tr("&Stop"), QStringLiteral("Shift+F5"),
                 QStringLiteral("stop"))) {
  connect(run_, &QAction::triggered, this,
          [this] { runs_.start(editor_.experiment(), editor_.origin(), editor_.experimentId()); });
  connect(pause_, &QAction::triggered, this, [this] {
    if (runs_.state() == experiment::RunState::kPaused)
      runs_.resume();
    else
      runs_.pause();
  });
  connect(step_, &QAction::triggered, &runs_, &RunController::step);
  connect(stop_, &QAction::triggered, this, [this] {
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
  if (runs_.active()) return tr("A run is under way; stop it before you start another");
  const auto& problems = editor_.findings().problems;
  QStringList reasons;
  for (std::size_t at = 0; at < std::min(problems.size(), kMaxReasons); ++at)
    reasons.append(QStringLiteral("• ") + problemText(problems[at]));
  if (problems.size() > kMaxReasons)
    reasons.append(tr("…and %n more", nullptr, static_cast<int>(problems.size() - kMaxReasons)));
  return tr("The experiment cannot run:") + QLatin1Char('\n') + reasons.join(QLatin1Char('\n'));
}

void RunCommands::update() {
  const bool active = runs_.active();
  const bool paused = active && runs_.state() == experiment::RunState::kPaused;
  const bool running = active && runs_.state() == experiment::RunState::kRunning;
  const bool ready = !active && editor_.runnable();
  const QString idle = tr("No run is under way");
  const QString waiting = stopping_ ? tr("The run is stopping") : tr("The run is being prepared");
  run_->setToolTip(tr("Trains the experiment in this window (F5)"));
  setUsable(*run_, ready, ready ? QString() : whyNot());
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

}  // namespace parapet::ui
