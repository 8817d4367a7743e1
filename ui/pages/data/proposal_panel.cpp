// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/proposal_panel.h"

#include <QHBoxLayout>
#include <algorithm>

#include "engine/experiment/experiment.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/report_view.h"
#include "ui/models/setting_names.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kMaxReasonRows = 12;

/// What a person has added beside the data stays; a file is proposed where it is not there yet.
void keepCatalogues(const experiment::Dataset& now, experiment::Dataset& proposed) {
  std::vector<experiment::Catalogue> all = now.catalogues;
  for (experiment::Catalogue& each : proposed.catalogues)
    if (std::ranges::find(all, each.of, &experiment::Catalogue::of) == all.end())
      all.push_back(std::move(each));
  proposed.catalogues = std::move(all);
}

}  // namespace

ProposalPanel::ProposalPanel(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      button_(new QPushButton(tr("Propose an experiment"), this)),
      findings_(new FindingsLabel(this)),
      reasons_(new ReportTableModel({tr("Setting"), tr("Why")}, {}, this)),
      view_(makeReportView(*reasons_, tr("Reasons of the proposal"), this)) {
  button_->setToolTip(
      tr("Looks at the rows and sets everything: roles, split, model, loss, rate, evaluation"));
  auto* layout = verticalBox(this, 8);
  auto* line = new QHBoxLayout;
  line->addWidget(button_);
  line->addStretch(1);
  layout->addLayout(line);
  layout->addWidget(findings_);
  layout->addWidget(view_);
  connect(button_, &QPushButton::clicked, this, &ProposalPanel::propose);
  connect(&background_, &Background::runningChanged, this, &ProposalPanel::follow);
  connect(&editor, &ExperimentEditor::documentChanged, this, &ProposalPanel::follow);
  clear();
  follow();
}

void ProposalPanel::propose() {
  const experiment::Dataset& dataset = editor_.experiment().dataset;
  if (!dataset.path || background_.running()) return;
  path_ = *dataset.path;
  clear();
  background_.start(
      [path = path_](const WorkContext& context) {
        return workspace::proposeExperiment(path, context);
      },
      [this](const Result<workspace::Proposal>& proposal) { show(proposal); });
}

void ProposalPanel::show(const Result<workspace::Proposal>& proposal) {
  if (!proposal) {
    experiment::Findings findings;
    findings.problems.push_back({proposal.error().pointer, proposal.error().text(), {}});
    findings_->setFindings(findings);
    return;
  }
  experiment::Experiment experiment = proposal->experiment;
  if (editor_.experiment().dataset.path == path_)
    keepCatalogues(editor_.experiment().dataset, experiment.dataset);
  path_ = experiment.dataset.path.value_or(path_);  // absolute now
  nlohmann::json document(experiment::toJson(experiment));
  document["name"] = nlohmann::json(editor_.value("/name"));
  editor_.replace(document, tr("Propose an experiment for %1").arg(QString::fromStdString(path_)));
  std::vector<ReportTableModel::Row> rows;
  for (const workspace::ProposalReason& each : proposal->reasons)
    rows.push_back({settingName(each.pointer, editor_.document()).name, shownText(each.reason)});
  const int count = static_cast<int>(rows.size());
  reasons_->setRows(std::move(rows));
  fitRows(*view_, std::min(count, kMaxReasonRows));
  view_->resizeColumnsToContents();
  view_->setVisible(true);
  emit proposed();
}

void ProposalPanel::clear() {
  findings_->setFindings({});
  reasons_->setRows({});
  view_->setVisible(false);
}

void ProposalPanel::follow() {
  const experiment::Dataset& dataset = editor_.experiment().dataset;
  const bool possible = dataset.path && !dataset.path->empty() &&
                        dataset.source != experiment::SourceKind::kGenerated &&
                        dataset.split.kind != experiment::SplitKind::kFiles;
  setVisible(possible);
  button_->setEnabled(possible && !background_.running());
  button_->setText(background_.running() ? tr("Looking at the rows…")
                                         : tr("Propose an experiment"));
  if (!path_.empty() && !background_.running() && dataset.path != path_) {
    path_.clear();
    clear();
  }
}

}  // namespace parapet::ui
