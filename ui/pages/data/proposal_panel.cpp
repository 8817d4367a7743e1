// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/proposal_panel.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>

#include "engine/experiment/experiment.h"
#include "ui/bridge/progress.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/report_view.h"
#include "ui/models/setting_names.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kMaxReasonRows = 7, kMaxSettingWidth = 240;

}  // namespace

ProposalPanel::ProposalPanel(ExperimentEditor& editor, SourceWatch& watch, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      watch_(watch),
      button_(new QPushButton(tr("Propose an experiment"), this)),
      race_(new QPushButton(tr("Race variants of it"), this)),
      sample_(new QPushButton(tr("Use the settings of the sample"), this)),
      progress_(new QProgressBar(this)),
      cancel_(new QPushButton(tr("Cancel"), this)),
      findings_(new FindingsLabel(this)),
      reasons_(new ReportTableModel({tr("Setting"), tr("Why")}, {}, this)),
      view_(makeReportView(*reasons_, tr("Reasons of the proposal"), this)) {
  button_->setObjectName(QStringLiteral("proposeExperiment"));
  race_->setObjectName(QStringLiteral("raceProposal"));
  sample_->setObjectName(QStringLiteral("useSample"));
  button_->setToolTip(
      tr("Looks at the rows and sets everything: roles, split, model, loss, rate, evaluation"));
  sample_->setToolTip(tr(
      "Puts the data into the small model of the recipe \"sample\" instead, in one step that can "
      "be undone"));
  cancel_->setToolTip(tr("Opens nothing and leaves everything as it is"));
  progress_->setAccessibleName(tr("Progress of the proposal"));
  view_->horizontalHeader()->setStretchLastSection(true);
  view_->setWordWrap(true);
  view_->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  auto* layout = verticalBox(this, 8);
  auto* line = new QHBoxLayout;
  for (QWidget* part : std::initializer_list<QWidget*>{button_, race_, sample_})
    line->addWidget(part);
  line->addWidget(progress_, 1);
  line->addWidget(cancel_);
  line->addStretch(0);
  layout->addLayout(line);
  layout->addWidget(findings_);
  connect(button_, &QPushButton::clicked, &watch, [&watch] { watch.propose(); });
  connect(race_, &QPushButton::clicked, &watch,
          [&watch] { watch.racing() ? watch.stopRacing() : watch.race(); });
  connect(&watch, &SourceWatch::raceChanged, this, &ProposalPanel::followRace);
  connect(sample_, &QPushButton::clicked, &watch, &SourceWatch::useSample);
  connect(cancel_, &QPushButton::clicked, &watch, &SourceWatch::cancelOpening);
  connect(&watch, &SourceWatch::openingChanged, this, &ProposalPanel::follow);
  connect(&watch, &SourceWatch::openProgressed, this,
          [this](const QString& stage, qint64 done, qint64 total) {
            // A bar counts to 2^31 at most; shares are enough.
            progress_->setRange(0, total > 0 ? 1000 : 0);
            if (total > 0) progress_->setValue(static_cast<int>(1000 * done / total));
            progress_->setFormat(progressText(stage, done, total));
          });
  connect(&watch, &SourceWatch::proposalChanged, this, &ProposalPanel::showProposal);
  connect(&watch, &SourceWatch::openFailed, this,
          [this](const Error& error) { showError(&error, tr("Everything is as it was.")); });
  connect(&editor, &ExperimentEditor::documentChanged, this, &ProposalPanel::follow);
  showProposal();
  follow();
}

void ProposalPanel::showProposal() {
  std::vector<ReportTableModel::Row> rows;
  for (const workspace::ProposalReason& each : watch_.reasons())
    rows.push_back({settingName(each.pointer, editor_.document()).name, shownText(each.reason)});
  reasons_->setRows(std::move(rows));
  view_->resizeColumnToContents(0);
  view_->setColumnWidth(0, std::min(kMaxSettingWidth, view_->columnWidth(0)));
  fitRows(*view_, kMaxReasonRows);
  showError(watch_.refusal() ? &*watch_.refusal() : nullptr,
            tr("Nothing could be proposed: choose the roles above the columns."));
}

void ProposalPanel::showError(const Error* error, const QString& consequence) {
  experiment::Findings findings;
  if (error != nullptr)
    findings.problems.push_back(
        {error->pointer, error->text() + ". " + consequence.toStdString(), {}});
  findings_->setFindings(findings);
}

void ProposalPanel::follow() {
  const experiment::Dataset& dataset = editor_.experiment().dataset;
  const bool possible = dataset.path && !dataset.path->empty() &&
                        dataset.source != experiment::SourceKind::kGenerated;
  const QString opening = watch_.opening();
  for (QWidget* part : std::initializer_list<QWidget*>{button_, race_, sample_})
    part->setVisible(possible && opening.isEmpty());
  cancel_->setVisible(!opening.isEmpty());
  followRace();
  if (opening.isEmpty()) return;
  progress_->setRange(0, 0);
  progress_->setFormat(tr("Looking at %1 …").arg(shownText(QFileInfo(opening).fileName())));
  findings_->setFindings({});
}

/// A race goes on beside whatever else is done: it hides nothing.
void ProposalPanel::followRace() {
  const bool races = watch_.racing();
  race_->setText(races ? tr("Stop racing") : tr("Race variants of it"));
  race_->setAccessibleName(race_->text());
  race_->setToolTip(
      races
          ? tr("Ends the race; the settings stay as they are")
          : tr("Proposes an experiment, trains variants of it for a thousand steps each at most "
               "(last items with tables of their own, other temperatures), and keeps the best one "
               "on validation rows; about a minute. An edit ends the race"));
  progress_->setVisible(races || !watch_.opening().isEmpty());
  if (!races) return;
  progress_->setRange(0, 1000);
  progress_->setValue(static_cast<int>(1000.0 * watch_.raceShare()));
  progress_->setFormat(watch_.raceText());
}

}  // namespace parapet::ui
