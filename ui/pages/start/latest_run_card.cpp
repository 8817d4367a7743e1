// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/start/latest_run_card.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QLocale>
#include <QVBoxLayout>

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"

namespace parapet::ui {

LatestRunCard::LatestRunCard(Workbench& bench, QWidget* parent)
    : Card(parent),
      bench_(bench),
      name_(new QLabel),
      facts_(new QuietLabel),
      curves_(roomyButton(tr("See its curves"))),
      lists_(roomyButton(tr("Browse its lists"))) {
  setObjectName(QStringLiteral("latestRun"));
  name_->setAccessibleName(tr("Newest run"));
  facts_->setAccessibleName(tr("Outcome of the newest run"));
  facts_->setWordWrap(true);
  curves_->setToolTip(tr("Shows loss and metrics of this run on the page Train"));
  curves_->setAccessibleName(tr("See the curves of the newest run"));
  lists_->setToolTip(tr("Shows what the trained model recommends to each user"));
  lists_->setAccessibleName(tr("Browse what the newest run recommends"));
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  buttons->addWidget(curves_);
  buttons->addWidget(lists_);
  buttons->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 16, 16, 16);
  layout->setSpacing(8);
  layout->addWidget(headingLabel(tr("Newest run"), 1.1));
  layout->addWidget(name_);
  layout->addWidget(facts_);
  layout->addStretch();
  layout->addLayout(buttons);
  connect(curves_, &QPushButton::clicked, this, [this] { emit curvesWanted(runId_); });
  connect(lists_, &QPushButton::clicked, this, [this] { emit listsWanted(runId_); });
  connect(&bench_.runs, &RunController::started, this, &LatestRunCard::refresh);
  connect(&bench_.runs, &RunController::stateChanged, this, &LatestRunCard::refresh);
  connect(&bench_.runs, &RunController::ended, this, &LatestRunCard::refresh);
  refresh();
}

void LatestRunCard::refresh() {
  background_.start(
      [&workspace = bench_.workspace](const WorkContext&) -> Result<store::RunRecord> {
        return workspace.store().find("latest");
      },
      [this](const Result<store::RunRecord>& run) { show(run); });
}

void LatestRunCard::show(const Result<store::RunRecord>& run) {
  curves_->setEnabled(run.ok());
  lists_->setEnabled(run.ok() && run->epochs > 0);
  if (!run) {
    name_->setText(tr("No run yet"));
    facts_->setText(tr("Choose a recipe and press Run (F5)."));
    return;
  }
  runId_ = QString::fromStdString(run->id);
  name_->setText(tr("%1 · %2").arg(shownText(run->name), runId_));
  const QString when =
      QLocale().toString(QDateTime::fromMSecsSinceEpoch(run->createdMs), QLocale::ShortFormat);
  QString facts = tr("%1 · %2 of %3 epochs · started %4")
                      .arg(QString::fromLatin1(experiment::runStateName(run->state)))
                      .arg(run->epochs)
                      .arg(run->totalEpochs)
                      .arg(when);
  if (run->seconds > 0.0)
    facts += tr(" · took %1").arg(QString::fromStdString(formatDuration(run->seconds)));
  facts_->setText(facts);
}

}  // namespace parapet::ui
