// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/mesh/estimate_panel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QHeaderView>

#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/report_view.h"
#include "ui/models/mesh_report.h"
#include "ui/models/runs_format.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kMaxReportRows = 8;

constexpr int kEstimatePauseMs = 250;
constexpr int kMaxEstimateRows = 12;

}  // namespace

MemoryPanel::MemoryPanel(PreflightWatch& preflight, QWidget* parent)
    : QWidget(parent),
      preflight_(preflight),
      ranks_(new ReportTableModel({tr("Rank"), tr("Device"), tr("Memory"), tr("Coordinates"),
                                   tr("Examples of a batch"), tr("Step buffers")},
                                  {kRows, kBuffers}, this)),
      memory_(new ReportTableModel(
          {tr("Memory"), tr("Devices"), tr("Parameters"), tr("Optimizer state"), tr("Scratch"),
           tr("Step buffers"), tr("Total")},
          {1, 2, 3, 4, 5, 6}, this)),
      ranksTitle_(titleWithSign(headingLabel(tr("Ranks")), QStringLiteral("glossary/rank"))),
      memoryTitle_(titleWithSign(headingLabel(tr("Memory spaces")),
                                 QStringLiteral("docs/devices.md#memory-spaces"))),
      shares_(new QLabel),
      total_(new QLabel) {
  auto* inside = new QWidget;
  ranksView_ = makeReportView(*ranks_, tr("Ranks and their work"), inside);
  memoryView_ = makeReportView(*memory_, tr("Memory spaces and their contents"), inside);
  for (QTableView* view : {ranksView_, memoryView_})
    view->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  shares_->setObjectName(QStringLiteral("dataParallel"));
  shares_->setWordWrap(true);
  shares_->setTextFormat(Qt::PlainText);
  shares_->setAccessibleName(tr("How devices share a batch"));
  total_->setWordWrap(true);
  total_->setAccessibleName(tr("Memory of the run"));
  auto* column = verticalBox(inside, 8, {0, 8, 0, 0});
  for (QWidget* part : std::initializer_list<QWidget*>{ranksTitle_, shares_, ranksView_,
                                                       memoryTitle_, memoryView_, total_})
    column->addWidget(part);
  column->addStretch(1);
  auto* layout = verticalBox(this);
  layout->addWidget(scrolling(inside, tr("Ranks and memory")));
  connect(&preflight_, &PreflightWatch::changed, this, &MemoryPanel::follow);
  follow();
}

void MemoryPanel::follow() {
  const workspace::Preflight& preflight = preflight_.latest();
  std::vector<ReportTableModel::Row> ranks, memory;
  for (const workspace::RankEstimate& rank : preflight.ranks)
    ranks.push_back({static_cast<qlonglong>(ranks.size()), QString::fromStdString(rank.device),
                     QString::fromStdString(rank.memory),
                     QString::fromStdString(fmt::format("{}", fmt::join(rank.coordinates, ", "))),
                     countText(rank.batchRows), bytesText(rank.activationBytes)});
  for (const workspace::MemoryEstimate& space : preflight.memory)
    memory.push_back({QString::fromStdString(space.name), countText(space.ranks),
                      bytesText(space.weightBytes), bytesText(space.slotBytes),
                      bytesText(space.scratchBytes), bytesText(space.activationBytes),
                      bytesText(space.total())});
  ranks_->setRows(std::move(ranks));
  memory_->setRows(std::move(memory));
  ranksTitle_->setVisible(ranks_->rowCount() > 0);
  memoryTitle_->setVisible(memory_->rowCount() > 0);
  fitRows(*ranksView_, kMaxReportRows);
  fitRows(*memoryView_, kMaxReportRows);
  shares_->setText(shownText(preflight.dataParallel));
  shares_->setVisible(!preflight.dataParallel.empty());
  total_->setText(memoryText(preflight));
}

EstimatePanel::EstimatePanel(workspace::Workspace& workspace, PlanWatch& watch, RunController& runs,
                             ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      watch_(watch),
      editor_(editor),
      rows_(new ReportTableModel(estimateTitles(), estimateNumbers(), this)),
      view_(makeReportView(*rows_, tr("A step, estimated and measured"), this)),
      source_(new QuietLabel({}, this)) {
  source_->setWordWrap(true);
  source_->setAccessibleName(tr("Source of the measurement"));
  view_->setToolTip(
      tr("Compute, exchange, update and waiting of the device where each is longest"));
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  // A name that does not fit goes on in a second line: two of them begin alike.
  view_->setWordWrap(true);
  view_->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  connect(view_->verticalHeader(), &QHeaderView::sectionResized, this,
          [this] { fitRows(*view_, kMaxEstimateRows); });
  auto* layout = verticalBox(this, 8);
  layout->addWidget(titleWithSign(headingLabel(tr("Before and after the run")),
                                  QStringLiteral("docs/devices.md")));
  layout->addWidget(view_);
  layout->addWidget(source_);
  callAfterPause(pause_, kEstimatePauseMs, this, &EstimatePanel::ask);
  connect(&watch, &PlanWatch::changed, this, &EstimatePanel::follow);
  connect(&editor, &ExperimentEditor::documentChanged, this, [this] {
    measured_.reset();
    follow();
    pause_.start();
  });
  connect(&runs, &RunController::ended, &pause_, qOverload<>(&QTimer::start));
  follow();
  pause_.start();
}

void EstimatePanel::ask() {
  background_.start([&store = workspace_.store(), experiment = editor_.experiment()](
                        const WorkContext&) { return measuredStep(store, experiment); },
                    [this](const Result<std::optional<MeasuredStep>>& answer) {
                      measured_ = answer ? *answer : std::nullopt;
                      failure_ = answer ? QString() : shownText(answer.error().text());
                      follow();
                    });
}

void EstimatePanel::follow() {
  // A plan of another document says nothing of this one.
  rows_->setRows(estimateRows(watch_.isCurrent() && watch_.plan() ? &*watch_.report() : nullptr,
                              measured_ ? &*measured_ : nullptr));
  fitRows(*view_, kMaxEstimateRows);
  if (!failure_.isEmpty())
    source_->setText(failure_);
  else if (measured_)
    source_->setText(
        tr("Measured in epoch %1 of run %2.")
            .arg(countText(measured_->epoch.epoch), QString::fromStdString(measured_->runId)));
  else
    source_->setText(
        tr("No measurement: no run trained this experiment on this mesh with these placements."));
}

}  // namespace parapet::ui
