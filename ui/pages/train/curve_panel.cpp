// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/curve_panel.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <algorithm>

#include "ui/forms/card.h"
#include "ui/forms/table_look.h"
#include "ui/models/table_text.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {

CurvePanel::CurvePanel(RunCurves& curves, QWidget* parent)
    : QWidget(parent),
      curves_(curves),
      tabs_(new QTabBar(this)),
      views_(new QStackedWidget(this)),
      controls_(new CurveControls(this)),
      charts_(new ChartGrid(curves, this)),
      lanes_(new LaneView(curves.lanes(), this)),
      cacheHits_(new QuietLabel({}, this)),
      replays_(new QuietLabel({}, this)),
      batch_(new BatchPanel(this)) {
  cacheHits_->setObjectName(QStringLiteral("cacheHits"));
  cacheHits_->setToolTip(tr("Share of the rows of the steps that the devices had in their caches"));
  cacheHits_->hide();
  replays_->setObjectName(QStringLiteral("replays"));
  replays_->setToolTip(
      tr("What a step asks of a device comes again in the next one, and is then launched as one"));
  replays_->hide();
  epochs_ = table(&curves.epochs(), tr("Epochs of the run"));
  epochs_->setObjectName(QStringLiteral("epochs"));
  points_ = table(&charts_->losses().table(), tr("Every point of the chart"));
  points_->setObjectName(QStringLiteral("points"));
  lanesTable_ = table(&curves.lanes(), tr("Time of the devices in shares"));
  lanesTable_->setObjectName(QStringLiteral("lanesTable"));
  tabs_->setAccessibleName(tr("View of the run"));
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->addTab(tr("Curves"));
  tabs_->addTab(tr("Epochs"));
  tabs_->addTab(tr("All points"));
  tabs_->addTab(tr("Devices"));
  tabs_->addTab(tr("Segments"));
  tabs_->setTabVisible(kSegments, false);
  tabs_->addTab(tr("This batch"));
  tabs_->setTabToolTip(kBatch, tr("What the last single step (F10) read and changed"));
  tabs_->setTabVisible(kBatch, false);
  QTableView* segments = table(&segments_, tr("Lists of the catalogue by segment"));
  segments->setObjectName(QStringLiteral("segments"));
  tabs_->setTabToolTip(kEpochs, tr("Values of every epoch; Ctrl+C copies them"));
  tabs_->setTabToolTip(kPoints, tr("What the chart draws, as a table; Ctrl+C copies it"));
  tabs_->setTabToolTip(kLanes, tr("Where the time of each device goes; Ctrl+C copies it"));
  for (QWidget* view :
       std::initializer_list<QWidget*>{charts_, epochs_, points_, lanesTable_, segments, batch_})
    views_->addWidget(view);
  auto* column = verticalBox(this, 8);
  column->addWidget(controls_);
  column->addWidget(views_, 1);
  column->addWidget(tabs_);
  column->addWidget(lanes_);
  column->addWidget(cacheHits_);
  column->addWidget(replays_);
  tabs_->setShape(QTabBar::RoundedSouth);
  controls_->setCharts(curves_.charts());
  controls_->setPlot(&lossPlot());
  connect(tabs_, &QTabBar::currentChanged, this, &CurvePanel::showView);
  connect(controls_, &CurveControls::chartChosen, this, &CurvePanel::choose);
  connect(controls_, &CurveControls::failed, this, &CurvePanel::failed);
  connect(controls_, &CurveControls::exported, this, &CurvePanel::exported);
  connect(controls_, &CurveControls::smoothed, this, &CurvePanel::allStepsWanted);
  connect(&charts_->losses(), &LossChart::detailWanted, this, &CurvePanel::detailWanted);
  connect(&lossPlot(), &CurvePlot::dataWanted, this, &CurvePanel::allStepsWantedNow);
  const auto span = [this] {
    lanes_->setSpan(curves_.lanesLive() ? tr("of the last moment") : tr("of the whole run"));
    const LanesModel& lanes = curves_.lanes();
    for (const auto& [label, text] :
         {std::pair{cacheHits_, lanes.cacheHits()}, std::pair{replays_, lanes.replays()}}) {
      label->setText(text);
      label->setVisible(!text.isEmpty());
    }
  };
  connect(&curves_.lanes(), &QAbstractItemModel::dataChanged, this, span);
  connect(&curves_.lanes(), &QAbstractItemModel::rowsInserted, this, span);
  connect(&curves_.lanes(), &QAbstractItemModel::rowsRemoved, this, span);
  connect(&curves_, &RunCurves::reset, this, &CurvePanel::offerCharts);
  connect(&curves_, &RunCurves::reset, this, [this] { tabs_->setTabVisible(kBatch, false); });
  connect(&curves_, &RunCurves::epochsChanged, this, &CurvePanel::offerCharts);
  connect(&curves_, &RunCurves::epochsChanged, this, &CurvePanel::showSegments);
  connect(&curves_, &RunCurves::reset, this, &CurvePanel::showSegments);
  connect(controls_, &CurveControls::pinnedChanged, this, &CurvePanel::showCharts);
}

void CurvePanel::showBatch(const experiment::BatchReport& report) {
  batch_->show(report);
  tabs_->setTabVisible(kBatch, true);
  tabs_->setCurrentIndex(kBatch);
}

QTableView* CurvePanel::table(QAbstractItemModel* model, const QString& name) {
  auto* view = new QTableView(this);
  view->setModel(model);
  setTableLook(*view, name);
  view->setSelectionMode(QAbstractItemView::ExtendedSelection);
  view->verticalHeader()->setDefaultSectionSize(24);
  view->horizontalHeader()->setDefaultSectionSize(104);
  view->horizontalHeader()->setMinimumSectionSize(72);
  auto* copy = new QAction(tr("Copy"), view);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  connect(copy, &QAction::triggered, this, [this, view] { copyTable(*view); });
  view->addAction(copy);
  view->setContextMenuPolicy(Qt::ActionsContextMenu);
  return view;
}

void CurvePanel::copyTable(const QTableView& table) {
  QList<int> rows;
  for (const QModelIndex& index : table.selectionModel()->selectedRows()) rows << index.row();
  std::sort(rows.begin(), rows.end());
  QGuiApplication::clipboard()->setText(tableAsTsv(*table.model(), rows));
}

bool CurvePanel::needsAllSteps() const {
  // An average depends on every step before it, and the table lists them.
  return controls_->smoothing() > 0.0 || tabs_->currentIndex() == kPoints;
}

CurveTableModel& CurvePanel::points() {
  return charts_->table(controls_->chart());
}

void CurvePanel::choose(const QString& chart) {
  controls_->setChart(chart.isEmpty() ? QStringLiteral("loss") : chart);
  showCharts();
}

void CurvePanel::offerCharts() {
  // Before the first validation there is nothing to offer; a restored choice waits for it.
  if (curves_.epochs().rows().empty()) {
    // What was pinned for the run before is not measured here yet.
    if (wantedCharts() != charts_->charts()) showCharts();
    return;
  }
  controls_->setCharts(curves_.charts());
  controls_->pinByDefault(curves_.keyMetric());
  // A pinned metric may be measured from now on, or no longer.
  if (wantedCharts() != charts_->charts()) showCharts();
}

/// The chosen chart and the pinned ones, as far as the run measures them.
QStringList CurvePanel::wantedCharts() const {
  const QStringList measured = curves_.charts();
  QStringList charts{controls_->chart()};
  for (const QString& pinned : controls_->pinned())
    if (measured.contains(pinned) && !charts.contains(pinned)) charts << pinned;
  return charts;
}

void CurvePanel::showCharts() {
  const QString chosen = controls_->chart();
  controls_->setPlot(nullptr);
  points_->setModel(&charts_->losses().table());
  charts_->setCharts(wantedCharts());
  points_->setModel(&points());
  controls_->setPlot(&charts_->plot(chosen));
  QList<CurvePlot*> others;
  for (const QString& chart : charts_->charts())
    if (chart != chosen) others << &charts_->plot(chart);
  controls_->setOthers(others);
}

// Of the last epoch whose lists were measured by segment.
void CurvePanel::showSegments() {
  const std::vector<EpochRow>& rows = curves_.epochs().rows();
  const auto last = std::find_if(rows.rbegin(), rows.rend(),
                                 [](const EpochRow& row) { return !row.summary.segments.empty(); });
  const bool any = last != rows.rend();
  segments_.setSegments(any ? last->summary.segments : std::vector<experiment::SegmentMetrics>());
  tabs_->setTabVisible(kSegments, any);
  if (any)
    tabs_->setTabToolTip(kSegments, tr("Lists of the catalogue by segment, with standard errors, "
                                       "after epoch %1; Ctrl+C copies them")
                                        .arg(last->summary.epoch));
  else if (tabs_->currentIndex() == kSegments)
    tabs_->setCurrentIndex(kCurves);
}

void CurvePanel::showView(int view) {
  views_->setCurrentIndex(view);
  if (view != kPoints) return;
  points_->scrollToBottom();
  emit allStepsWanted();
}

}  // namespace parapet::ui
