// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/home/latest_run_card.h"

#include <utility>

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"
#include "ui/models/runs_model.h"
#include "ui/pages/home/run_glimpse.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {

LatestRunCard::LatestRunCard(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      name_(new QLabel),
      facts_(new QuietLabel),
      glimpse_(new RunGlimpse(bench.workspace)),
      curves_(roomyButton(tr("See its curves"))),
      lists_(roomyButton(tr("Browse its lists"))),
      resume_(roomyButton(tr("Resume"))),
      watch_(roomyButton(tr("Watch it train"))) {
  setObjectName(QStringLiteral("latestRun"));
  name_->setAccessibleName(tr("Newest run"));
  facts_->setAccessibleName(tr("Outcome of the newest run"));
  facts_->setWordWrap(true);
  curves_->setToolTip(tr("Shows loss and metrics of this run on the page Train"));
  curves_->setAccessibleName(tr("See the curves of the newest run"));
  nameBrowse(false);
  resume_->setToolTip(
      tr("Goes on from the newest checkpoint of this run, or begins it anew "
         "where there is none"));
  resume_->setAccessibleName(tr("Resume the newest run"));
  resume_->hide();
  watch_->setObjectName(QStringLiteral("watchSample"));
  watch_->setToolTip(
      tr("Trains the sample on a hundred times the data, for about 20 seconds, and shows its curve "
         "as it moves"));
  watch_->setAccessibleName(tr("Watch the sample train"));
  auto* buttons = horizontalBox(nullptr, 8);
  for (QPushButton* each : {watch_, resume_, curves_, lists_}) buttons->addWidget(each);
  buttons->addStretch();
  auto* layout = verticalBox(this, 4);
  layout->addWidget(name_);
  layout->addWidget(facts_);
  layout->addWidget(glimpse_);
  layout->addSpacing(4);
  layout->addLayout(buttons);
  connect(curves_, &QPushButton::clicked, this, [this] { emit curvesWanted(runId_); });
  connect(lists_, &QPushButton::clicked, this, [this] { emit listsWanted(runId_); });
  connect(resume_, &QPushButton::clicked, this, [this] {
    bench_.runs.resumeRun(runId_);
    emit curvesWanted(runId_);
  });
  connect(watch_, &QPushButton::clicked, this, &LatestRunCard::watchWanted);
  connect(&bench_.runs, &RunController::started, this, &LatestRunCard::refresh);
  connect(&bench_.runs, &RunController::stateChanged, this, &LatestRunCard::refresh);
  connect(&bench_.runs, &RunController::ended, this, &LatestRunCard::refresh);
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (isVisible() && !background_.running()) refresh();
  });
  timer_.start(kPollMs);
  refresh();
}

void LatestRunCard::refresh() {
  background_.start(
      [&workspace = bench_.workspace](const WorkContext&) -> Result<store::RunRecord> {
        return workspace.store().find("latest");
      },
      [this](const Result<store::RunRecord>& run) { show(run); });
}

/// A language model is asked about texts and has no lists.
void LatestRunCard::nameBrowse(bool readsTexts) {
  lists_->setText(readsTexts ? tr("Ask it about a text") : tr("Browse its lists"));
  lists_->setToolTip(readsTexts ? tr("Shows what the trained model predicts for masked words")
                                : tr("Shows what the trained model recommends to each user"));
  lists_->setAccessibleName(readsTexts ? tr("Ask the newest run about a text")
                                       : tr("Browse what the newest run recommends"));
}

void LatestRunCard::show(const Result<store::RunRecord>& run) {
  nameBrowse(run.ok() && run->model == "masked_lm");
  setUsable(*curves_, run.ok(), tr("There is no run yet"));
  setUsable(*lists_, run.ok() && run->epochs > 0,
            run.ok() ? tr("The run has no epoch yet") : tr("There is no run yet"));
  watch_->setVisible((!run.ok() || run->recipe == "sample") &&
                     !workspace::Workspace::isModel(bench_.workspace.folder()));
  resume_->setVisible(run.ok() && isResumable(run->state));
  setUsable(*resume_, !bench_.runs.active(), tr("A run is under way"));
  if (!run) {
    name_->setText(tr("No run yet"));
    facts_->setText(tr("Take a recipe or drop data, and press Run (F5)."));
    return;
  }
  if (const QString id = QString::fromStdString(run->id); std::exchange(runId_, id) != id)
    emit newestChanged();
  glimpse_->follow(*run);
  name_->setText(tr("Newest run: %1 · %2").arg(shownText(run->name), runId_));
  QString facts = tr("%1 · %2 of %3 epochs · started %4")
                      .arg(stateText(run->state))
                      .arg(run->epochs)
                      .arg(run->totalEpochs)
                      .arg(timeText(run->createdMs));
  if (run->seconds > 0.0 && experiment::isTerminal(run->state))
    facts += tr(" · took %1").arg(QString::fromStdString(formatDuration(run->seconds)));
  facts_->setText(facts);
}

}  // namespace parapet::ui
