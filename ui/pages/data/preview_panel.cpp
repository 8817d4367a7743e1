// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/preview_panel.h"

#include <QScrollBar>
#include <QTabBar>
#include <algorithm>
#include <utility>

#include "engine/base/text.h"
#include "engine/workspace/source_questions.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/report_view.h"
#include "ui/forms/table_actions.h"
#include "ui/models/runs_format.h"
#include "ui/pages/data/catalogue_offers.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

constexpr int kMinRows = 4, kMaxColumnWidth = 320, kRowHeight = 26;

}  // namespace

PreviewPanel::PreviewPanel(ExperimentEditor& editor, SourceWatch& watch, SideFiles& files,
                           QWidget* parent)
    : QWidget(parent),
      watch_(watch),
      model_(new PreviewModel(this)),
      rejectedLines_(new ReportTableModel({tr("Line"), tr("Reason"), tr("Text")}, {0}, this)),
      summary_(new QLabel(this)),
      findings_(new FindingsLabel(this)),
      tabs_(new QTabWidget(this)),
      rows_(new QTableView(this)) {
  header_ =
      new RoleHeader([&watch](const QString& name) { return watch.useOf(name); },
                     [&watch](const QString& name) { return watch.proposalReason(name); }, rows_);
  rows_->setHorizontalHeader(header_);
  rows_->setModel(model_);
  rows_->setAccessibleName(tr("First rows of the source"));
  rows_->setAlternatingRowColors(true);
  rows_->setShowGrid(false);
  rows_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  rows_->verticalHeader()->setDefaultSectionSize(kRowHeight);
  addTableActions(*rows_);
  rejectedLineView_ = makeReportView(*rejectedLines_, tr("Rejected lines"), this);
  rejectedLineView_->horizontalHeader()->setStretchLastSection(true);
  tabs_->addTab(rows_, tr("Rows"));
  tabs_->addTab(rejectedLineView_, tr("Rejected lines"));
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("Preview of the source"));
  summary_->setWordWrap(true);
  auto* layout = verticalBox(this, 8);
  layout->addWidget(summary_);
  layout->addWidget(findings_);
  layout->addWidget(new CatalogueOffers(files, this));
  layout->addWidget(tabs_, 1);
  // While there is nothing to show the texts stay on top.
  layout->addStretch(0);
  connect(header_, &RoleHeader::useChosen, &watch, &SourceWatch::setUse);
  connect(&watch, &SourceWatch::previewChanged, this, &PreviewPanel::follow);
  connect(&editor, &ExperimentEditor::documentChanged, header_, &RoleHeader::follow);
  follow();
}

void PreviewPanel::follow() {
  switch (watch_.state()) {
    case SourceWatch::State::kNothing:
      return showMessage(tr("No preview yet: drop a file above, or start from a recipe."));
    case SourceWatch::State::kReading:
      // The rows of before stay in sight: most edits change little.
      summary_->setText(tr("Reading…"));
      return;
    case SourceWatch::State::kFailed: {
      showMessage(tr("The source cannot be read."));
      const Error& error = watch_.error();
      experiment::Findings findings;
      findings.problems.push_back({error.pointer, error.text(), {}});
      findings_->setFindings(findings);
      return;
    }
    case SourceWatch::State::kReady:
      showPreview();
  }
}

void PreviewPanel::showMessage(const QString& text) {
  summary_->setText(text);
  findings_->setFindings({});
  tabs_->hide();
}

void PreviewPanel::showPreview() {
  const workspace::SourcePreview& preview = watch_.preview();
  model_->setPreview(preview);
  std::vector<ReportTableModel::Row> bad;
  for (const workspace::Quarantine::Line& line : preview.rejectedLines.lines())
    bad.push_back({QString::number(line.number), shownText(line.reason), shownText(line.excerpt)});
  rejectedLines_->setRows(std::move(bad));
  rejectedLineView_->resizeColumnsToContents();
  rejectedLineView_->show();
  tabs_->setTabText(
      1, preview.rejectedLines.rejected() == 0
             ? tr("Rejected lines")
             : tr("Rejected lines (%1)").arg(countText(preview.rejectedLines.rejected())));
  tabs_->setTabEnabled(1, preview.rejectedLines.rejected() > 0);
  // One tab says nothing, and on a low screen its line is worth a row of data.
  tabs_->tabBar()->setVisible(preview.rejectedLines.rejected() > 0);
  const QString roles = watch_.hasProposals() ? tr("Roles are proposed from names and cells; "
                                                   "correct them above the columns, and press Run.")
                                              : tr("Choose the role of each column above it.");
  summary_->setText(tr("%1: %2 rows, %3 columns. %4")
                        .arg(shownText(preview.file),
                             preview.complete ? countText(preview.rowsExpected)
                                              : tr("about %1").arg(countText(preview.rowsExpected)),
                             countText(static_cast<std::int64_t>(preview.sourceColumns)), roles));
  experiment::Findings findings;
  for (const std::string& warning : preview.warnings)
    findings.warnings.push_back({{}, warning, {}});
  for (const Error& error : preview.derivedProblems)
    findings.problems.push_back({error.pointer, error.text(), {}});
  findings_->setFindings(findings);
  rows_->resizeColumnsToContents();
  for (int column = 0; column < model_->columnCount(); ++column)
    rows_->setColumnWidth(column, std::min(kMaxColumnWidth, rows_->columnWidth(column)));
  header_->follow();
  // The boxes over the columns leave room for rows.
  tabs_->setMinimumHeight(tabs_->tabBar()->sizeHint().height() + header_->sizeHint().height() +
                          kMinRows * kRowHeight +
                          rows_->horizontalScrollBar()->sizeHint().height());
  tabs_->show();
  showTitles();
}

void PreviewPanel::showTitles() {
  const workspace::SourcePreview& preview = model_->preview();
  const bool sameFile = std::exchange(file_, preview.file) == preview.file;
  const auto isTitle = [](const std::string& of) { return !of.empty(); };
  const int before =
      std::exchange(titles_, static_cast<int>(std::ranges::count_if(preview.describes, isTitle)));
  if (!sameFile || titles_ <= before) return;
  int seen = 0;
  for (int column = model_->columnCount() - 1; column >= 0; --column)
    if (isTitle(preview.describes[static_cast<std::size_t>(column)]) && ++seen == titles_ - before)
      return rows_->scrollTo(model_->index(0, column));
}

}  // namespace parapet::ui
