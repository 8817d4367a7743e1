// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/import_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/text.h"
#include "engine/workspace/source_questions.h"
#include "ui/bridge/progress.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/report_view.h"
#include "ui/models/runs_format.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kMaxVocabularyRows = 5, kMaxRejectedRows = 16;
// A word that is being typed is not looked for letter by letter.
constexpr int kLookPauseMs = 300;

void fitTable(QTableView& view, int rows) {
  fitRows(view, rows);
  view.resizeColumnsToContents();
}

}  // namespace

ImportPanel::ImportPanel(workspace::Workspace& workspace, ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      editor_(editor),
      start_(new QPushButton(tr("Check and import now"), this)),
      pause_(new QPushButton(tr("Pause"), this)),
      cancel_(new QPushButton(tr("Cancel"), this)),
      progress_(new QProgressBar(this)),
      summary_(new QLabel(this)),
      findings_(new FindingsLabel(this)),
      vocabularies_(new ReportTableModel(
          {tr("Vocabulary"), tr("Rows"), tr("OOV [%]"), tr("Unused rows")}, {1, 2, 3}, this)),
      rejectedLines_(new ReportTableModel({tr("Line"), tr("Reason"), tr("Text")}, {0}, this)) {
  auto* layout = verticalBox(this, 8);
  auto* line = new QHBoxLayout();
  line->addWidget(start_);
  line->addWidget(progress_, 1);
  line->addWidget(pause_);
  line->addWidget(cancel_);
  line->addWidget(summary_, 1);
  layout->addLayout(line);
  layout->addWidget(findings_);
  vocabularyView_ = makeReportView(*vocabularies_, tr("Coverage of the vocabularies"), nullptr);
  rejectedLineView_ = makeReportView(*rejectedLines_, tr("Rejected lines"), nullptr);
  rejectedLineView_->horizontalHeader()->setStretchLastSection(true);
  start_->setToolTip(tr("Reads the source once. A run uses what was imported and need not wait."));
  pause_->setToolTip(tr("Pauses the import, or continues it."));
  cancel_->setToolTip(tr("Stops the import and keeps nothing of it."));
  progress_->setAccessibleName(tr("Progress of the import"));
  summary_->setWordWrap(true);
  connect(start_, &QPushButton::clicked, this, &ImportPanel::start);
  connect(pause_, &QPushButton::clicked, this, &ImportPanel::togglePause);
  connect(cancel_, &QPushButton::clicked, this, [this] {
    forget();
    background_.cancel();
  });
  connect(&background_, &Background::progressed, this, &ImportPanel::showProgress);
  connect(&background_, &Background::runningChanged, this, &ImportPanel::followRunning);
  pauseOfEdits_.setSingleShot(true);
  connect(&pauseOfEdits_, &QTimer::timeout, this, &ImportPanel::look);
  connect(&editor_, &ExperimentEditor::loaded, this, [this] { pauseOfEdits_.start(0); });
  connect(&editor_, &ExperimentEditor::documentChanged, this, &ImportPanel::followDocument);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &ImportPanel::followDocument);
  followRunning(false);
  followDocument();
}

void ImportPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  // A run may have imported the data meanwhile.
  looked_ = nullptr;
  if (!pauseOfEdits_.isActive()) pauseOfEdits_.start(kLookPauseMs);
}

bool ImportPanel::isPossible() const {
  const experiment::Dataset& dataset = editor_.experiment().dataset;
  return editor_.findingsAt("/dataset").problems.empty() && !editor_.draftError() &&
         dataset.namesData();
}

void ImportPanel::look() {
  const nlohmann::ordered_json now = settings();
  if (running() || !isPossible() || now == looked_ || now == imported_) return;
  looked_ = now;
  finder_.start(
      [this, experiment = editor_.experiment()](const WorkContext& context) {
        return workspace_.findImported(experiment, context);
      },
      [this](const Result<std::optional<workspace::ImportReport>>& found) {
        // A source that cannot be read is told by whoever imports it.
        if (!found || !*found || running() || looked_ != settings()) return;
        imported_ = looked_;
        showReport(**found);
      });
}

void ImportPanel::start() {
  finder_.cancel();
  forget();
  imported_ = settings();
  findings_->setFindings({});
  gate_.setPaused(false);
  stage_.clear();
  background_.start(
      [this, experiment = editor_.experiment()](const WorkContext& context) {
        return workspace_.importData(experiment, gate_.through(context));
      },
      [this](const Result<workspace::ImportReport>& report) { showReport(report); });
}

void ImportPanel::showProgress(const QString& stage, qint64 done, qint64 total) {
  // A bar counts to 2^31 at most; shares are enough.
  constexpr int kSteps = 1000;
  progress_->setRange(0, total > 0 ? kSteps : 0);
  if (total > 0) progress_->setValue(static_cast<int>(kSteps * done / total));
  if (stage != stage_ || !sinceStage_.isValid()) {
    stage_ = stage;
    doneAtStart_ = done;
    sinceStage_.start();
  }
  if (gate_.paused()) return;
  QString text = progressText(stage, done, total);
  constexpr qint64 kSoonest = 1000;  // earlier guesses jump
  const double seconds = static_cast<double>(sinceStage_.elapsed()) / kSoonest;
  if (total > 0 && done > doneAtStart_ && seconds > 1.0) {
    const double left =
        seconds * static_cast<double>(total - done) / static_cast<double>(done - doneAtStart_);
    text += tr(", %1 left").arg(QString::fromStdString(formatDuration(left)));
  }
  progress_->setFormat(text);
}

void ImportPanel::togglePause() {
  const bool paused = !gate_.paused();
  gate_.setPaused(paused);
  pause_->setText(paused ? tr("Resume") : tr("Pause"));
  if (paused) progress_->setFormat(tr("Paused"));
  // The time that passes until it goes on says nothing about its speed.
  sinceStage_.invalidate();
}

void ImportPanel::forget() {
  imported_ = looked_ = nullptr;
  if (std::exchange(dataset_, nullptr)) emit datasetChanged();
}

nlohmann::ordered_json ImportPanel::settings() const {
  nlohmann::ordered_json dataset = editor_.value("/dataset");
  if (dataset.is_object()) {
    // Other kinds of splits are made of any imported set.
    const auto split = dataset.value("split", nlohmann::ordered_json());
    const auto kind = split.is_object() ? split.value("kind", nlohmann::ordered_json())
                                        : nlohmann::ordered_json();
    if (kind != "column" && kind != "files") dataset.erase("split");
    dataset.erase("batch");
  }
  return dataset;
}

void ImportPanel::showReport(const Result<workspace::ImportReport>& report) {
  if (!report) {
    experiment::Findings findings;
    findings.problems.push_back({report.error().pointer, report.error().text(), {}});
    findings_->setFindings(findings);
    forget();
    vocabularies_->setRows({});
    rejectedLines_->setRows({});
    fitTable(*vocabularyView_, kMaxVocabularyRows);
    fitTable(*rejectedLineView_, kMaxRejectedRows);
    return;
  }
  QString text =
      tr("%1 rows", nullptr, static_cast<int>(report->rows)).arg(countText(report->rows));
  if (report->quarantined > 0)
    text += tr(", %1 lines rejected", nullptr, static_cast<int>(report->quarantined))
                .arg(countText(report->quarantined));
  text += report->reused ? tr(". Imported before.")
                         : tr(" in %1 (%2 rows a second).")
                               .arg(QString::fromStdString(formatDuration(report->seconds)),
                                    countText(std::llround(report->rowsPerSecond)));
  summary_->setText(text);
  experiment::Findings findings;
  for (const std::string& warning : report->warnings)
    findings.warnings.push_back({"/dataset", warning, {}});
  findings_->setFindings(findings);
  showTables(*report);
  // The document may have gone on meanwhile.
  if (imported_ == settings()) dataset_ = report->dataset;
  emit datasetChanged();
  emit imported();
}

void ImportPanel::showTables(const workspace::ImportReport& report) {
  std::vector<ReportTableModel::Row> rows;
  for (const workspace::VocabularyReport& vocabulary : report.vocabularies)
    rows.push_back({QString::fromStdString(vocabulary.name), countText(vocabulary.size),
                    std::isfinite(vocabulary.oovShare)
                        ? QString::number(100.0 * vocabulary.oovShare, 'f', 2)
                        : QStringLiteral("–"),
                    countText(vocabulary.unusedRows)});
  vocabularies_->setRows(std::move(rows));
  rows.clear();
  for (const workspace::RejectedLine& line : report.rejectedLines)
    rows.push_back({QString::number(line.line), shownText(line.reason), shownText(line.excerpt)});
  rejectedLines_->setRows(std::move(rows));
  fitTable(*vocabularyView_, kMaxVocabularyRows);
  fitTable(*rejectedLineView_, kMaxRejectedRows);
}

void ImportPanel::followRunning(bool running) {
  progress_->setVisible(running);
  pause_->setVisible(running);
  pause_->setText(tr("Pause"));
  cancel_->setVisible(running);
  summary_->setVisible(!running);
  if (running) progress_->setRange(0, 0);
  followDocument();
}

void ImportPanel::followDocument() {
  const bool possible = isPossible();
  if (isVisible() && settings() != looked_) pauseOfEdits_.start(kLookPauseMs);
  setUsable(*start_, possible && !running(),
            running() ? tr("An import is under way")
                      : tr("Choose the data and fix their problems first"));
  if (running() || (!imported_.is_null() && imported_ == settings())) return;
  summary_->setText(possible ? tr("Rows and vocabulary sizes are known after the import.")
                             : tr("Choose the data and fix their problems first."));
  if (imported_.is_null()) return;
  forget();
  // The findings are about the data that were imported.
  findings_->setFindings({});
  vocabularies_->setRows({});
  rejectedLines_->setRows({});
  fitTable(*vocabularyView_, kMaxVocabularyRows);
  fitTable(*rejectedLineView_, kMaxRejectedRows);
}

}  // namespace parapet::ui
