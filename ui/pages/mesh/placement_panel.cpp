// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/mesh/placement_panel.h"

#include <QHeaderView>
#include <QSignalBlocker>
#include <algorithm>

#include "engine/experiment/layout.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/report_view.h"
#include "ui/models/document_edits.h"
#include "ui/models/mesh_report.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kMaxTableRows = 6, kPlacementLetters = 12;

}  // namespace

PlacementPanel::PlacementPanel(PlanWatch& watch, ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      watch_(watch),
      editor_(editor),
      tables_(new QComboBox(this)),
      placements_(new QComboBox(this)),
      findings_(new FindingsLabel(this)),
      reason_(new QuietLabel({}, this)),
      candidates_(new ReportTableModel(planCandidateTitles(), planCandidateNumbers(), this)),
      view_(makeReportView(*candidates_, tr("Placements that were considered"), this)) {
  tables_->setAccessibleName(tr("Table to place"));
  tables_->setToolTip(tr("Table to place; its blocks are marked in the picture"));
  placements_->setObjectName(QStringLiteral("placement"));
  placements_->setProperty("pointer", QStringLiteral("/tables/*/placement"));
  placements_->setAccessibleName(tr("Placement of the table"));
  placements_->setToolTip(
      tr("Placement of the table: a replicated table costs memory on every device, a sharded one "
         "exchanges rows in every step."));
  // The longest are those over axes, whose names have any length.
  placements_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  placements_->setMinimumContentsLength(kPlacementLetters);
  reason_->setWordWrap(true);
  reason_->setAccessibleName(tr("Reason for the placement"));
  reason_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  view_->horizontalHeader()->setStretchLastSection(true);
  // Names of tables come and go with the document.
  tables_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  auto* lineBox = new QWidget(this);
  auto* line = new FlowLayout(lineBox, 8, 4);
  line->addWidget(headingLabel(tr("Placement of")));
  line->addWidget(tables_);
  line->addWidget(placements_);
  line->addWidget(infoSign(QStringLiteral("glossary/placement"), tr("Placement"), this));
  auto* layout = verticalBox(this, 8);
  layout->addWidget(lineBox);
  for (QWidget* part : std::initializer_list<QWidget*>{findings_, reason_, view_})
    layout->addWidget(part);
  layout->addStretch(1);
  connect(tables_, &QComboBox::currentIndexChanged, this, [this](int table) {
    follow();
    emit tableChosen(table);
  });
  connect(placements_, &QComboBox::activated, this, [this](int index) {
    // The choices are made anew while the document changes.
    const PlacementChoice choice = choices_[static_cast<std::size_t>(index)];
    placeTable(editor_, tables_->currentIndex(), choice);
  });
  connect(&watch_, &PlanWatch::changed, this, &PlacementPanel::follow);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &PlacementPanel::follow);
  follow();
}

void PlacementPanel::showTable(int table) {
  if (table >= 0 && table < tables_->count()) tables_->setCurrentIndex(table);
}

void PlacementPanel::follow() {
  const experiment::Experiment& experiment = editor_.experiment();
  const std::vector<experiment::Table> placed = experiment::withLayout(experiment);
  {
    const QSignalBlocker quiet(tables_);
    const int before = tables_->currentIndex();
    tables_->clear();
    for (const experiment::Table& table : placed)
      tables_->addItem(QString::fromStdString(table.name));
    tables_->setCurrentIndex(std::clamp(before, placed.empty() ? -1 : 0, tables_->count() - 1));
  }
  const int table = tables_->currentIndex();
  setEnabled(table >= 0 && !editor_.draftError());
  const QSignalBlocker quiet(placements_);
  placements_->clear();
  choices_ = placementChoices(experiment.mesh);
  for (const PlacementChoice& choice : choices_) placements_->addItem(placementText(choice));
  if (table >= 0) {
    const PlacementChoice now =
        placementOf(placed[static_cast<std::size_t>(table)], experiment.mesh);
    auto found = std::ranges::find(choices_, now);
    // A placement that the mesh does not offer is shown as it stands; its problem is told below.
    if (found == choices_.end()) {
      placements_->addItem(placementText(now));
      found = choices_.insert(choices_.end(), now);
    }
    placements_->setCurrentIndex(static_cast<int>(found - choices_.begin()));
  }
  followPlan(table);
}

void PlacementPanel::followPlan(int table) {
  experiment::Findings findings;
  for (const char* key : {"placement", "axes", "device"}) {
    const experiment::Findings at =
        editor_.findingsAt(elementPointer("/tables", std::max(table, 0)) + '/' + key);
    findings.problems.insert(findings.problems.end(), at.problems.begin(), at.problems.end());
    findings.warnings.insert(findings.warnings.end(), at.warnings.begin(), at.warnings.end());
  }
  findings_->setFindings(findings);
  const mesh::ShardingPlan* plan = watch_.plan();
  const mesh::TablePlan* planned = nullptr;
  if (plan != nullptr) {
    const auto found = std::ranges::find(plan->tables, tables_->currentText().toStdString(),
                                         &mesh::TablePlan::name);
    if (found != plan->tables.end()) planned = &*found;
  }
  reason_->setText(planned != nullptr ? shownText(planned->reason)
                                      : tr("The plan will show what each placement costs."));
  candidates_->setRows(planned != nullptr
                           ? planCandidateRows(*plan, *planned, watch_.planned().mesh)
                           : std::vector<ReportTableModel::Row>{});
  view_->resizeColumnsToContents();
  fitRows(*view_, kMaxTableRows);
}

void PlacementPanel::fillMenu(QMenu& menu, int table) {
  const auto placed = experiment::withLayout(editor_.experiment());
  if (table < 0 || table >= static_cast<int>(placed.size())) return;
  const experiment::Mesh& mesh = editor_.experiment().mesh;
  const PlacementChoice now = placementOf(placed[static_cast<std::size_t>(table)], mesh);
  for (const PlacementChoice& choice : placementChoices(mesh)) {
    QAction* action = menu.addAction(placementText(choice), this,
                                     [this, table, choice] { placeTable(editor_, table, choice); });
    action->setCheckable(true);
    action->setChecked(choice == now);
  }
}

}  // namespace parapet::ui
