// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/curve_panel.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QVBoxLayout>

#include "ui/models/table_text.h"

namespace parapet::ui {

CurvePanel::CurvePanel(RunCurves& curves, QWidget* parent)
    : QWidget(parent),
      curves_(curves),
      tabs_(new QTabBar(this)),
      views_(new QStackedWidget(this)),
      charts_(new QStackedWidget(this)),
      controls_(new CurveControls(this)),
      loss_(new LossChart(curves, this)),
      lanes_(new LaneView(curves.lanes(), this)) {
  epochs_ = table(&curves.epochs(), tr("Epochs of the run"));
  epochs_->setObjectName(QStringLiteral("epochs"));
  points_ = table(&loss_->table(), tr("Every point of the chart"));
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
  tabs_->setTabToolTip(kEpochs, tr("Values of every epoch; Ctrl+C copies them"));
  tabs_->setTabToolTip(kPoints, tr("What the chart draws, as a table; Ctrl+C copies it"));
  tabs_->setTabToolTip(kLanes, tr("Where the time of each device goes; Ctrl+C copies it"));
  charts_->addWidget(loss_);
  for (QWidget* view : std::initializer_list<QWidget*>{charts_, epochs_, points_, lanesTable_})
    views_->addWidget(view);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  column->addWidget(controls_);
  column->addWidget(views_, 1);
  column->addWidget(tabs_);
  column->addWidget(lanes_);
  tabs_->setShape(QTabBar::RoundedSouth);
  controls_->setCharts(curves_.charts());
  controls_->setPlot(&loss_->plot());
  connect(tabs_, &QTabBar::currentChanged, this, &CurvePanel::showView);
  connect(controls_, &CurveControls::chartChosen, this, &CurvePanel::choose);
  connect(controls_, &CurveControls::failed, this, &CurvePanel::failed);
  connect(controls_, &CurveControls::exported, this, &CurvePanel::exported);
  connect(controls_, &CurveControls::smoothed, this, &CurvePanel::allStepsWanted);
  connect(loss_, &LossChart::detailWanted, this, &CurvePanel::detailWanted);
  connect(&loss_->plot(), &CurvePlot::dataWanted, this, &CurvePanel::allStepsWantedNow);
  const auto offer = [this] {
    // Before the first validation there is nothing to offer; a restored choice waits for it.
    if (!curves_.epochs().rows().empty()) controls_->setCharts(curves_.charts());
  };
  const auto span = [this] {
    lanes_->setSpan(curves_.lanesLive() ? tr("of the last moment") : tr("of the whole run"));
  };
  connect(&curves_.lanes(), &QAbstractItemModel::dataChanged, this, span);
  connect(&curves_, &RunCurves::reset, this, offer);
  connect(&curves_, &RunCurves::epochsChanged, this, offer);
}

QTableView* CurvePanel::table(QAbstractItemModel* model, const QString& name) {
  auto* view = new QTableView(this);
  view->setModel(model);
  view->setAccessibleName(name);
  view->setAlternatingRowColors(true);
  view->setShowGrid(false);
  view->setWordWrap(false);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->verticalHeader()->hide();
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
  return metric_ ? metric_->table() : loss_->table();
}

void CurvePanel::choose(const QString& chart) {
  const bool losses = chart.isEmpty() || chart == QLatin1String("loss");
  controls_->setChart(losses ? QStringLiteral("loss") : chart);
  if (metric_ && !losses && metric_->metric() == chart) return;
  controls_->setPlot(nullptr);
  points_->setModel(&loss_->table());
  delete metric_;
  metric_ = nullptr;
  if (!losses) {
    metric_ = new MetricChart(curves_, chart, this);
    charts_->addWidget(metric_);
    charts_->setCurrentWidget(metric_);
  }
  points_->setModel(&points());
  controls_->setPlot(metric_ ? &metric_->plot() : &loss_->plot());
}

void CurvePanel::showView(int view) {
  views_->setCurrentIndex(view);
  if (view != kPoints) return;
  points_->scrollToBottom();
  emit allStepsWanted();
}

}  // namespace parapet::ui
