// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/curve_panel.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <algorithm>

#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/report_view.h"
#include "ui/models/runs_format.h"
#include "ui/models/table_text.h"
#include "ui/style/layouts.h"

namespace parapet::ui {

using experiment::BatchReport;

BatchTables::BatchTables(QObject* parent)
    : QObject(parent),
      examples_(new ReportTableModel({}, {}, this)),
      features_({tr("Feature"), tr("Table"), tr("Ids"), tr("Distinct"), tr("Truncated"),
                 tr("Unknown"), tr("Without")},
                {2, 3, 4, 5, 6}),
      routes_({tr("Tables"), tr("Rank"), tr("Shard"), tr("On rank"), tr("Ids"), tr("Rows sent")},
              {1, 2, 3, 4, 5}),
      losses_({tr("Loss"), tr("Weight"), tr("Value"), tr("Share")}, {1, 2, 3}),
      parameters_({tr("Parameter"), tr("Kind"), tr("Rows"), tr("|weight|"), tr("|gradient|"),
                   tr("Max. row |gradient|"), tr("|update|")},
                  {2, 3, 4, 5, 6}) {}

void BatchTables::setReport(const BatchReport& report) {
  sentence_ = tr("Step %1 of epoch %2: %3 examples, loss %4")
                  .arg(countText(report.step), countText(report.epoch), countText(report.examples),
                       numberText(report.loss));
  QStringList columns;
  for (const std::string& column : report.columns) columns << shownText(column);
  delete examples_;
  examples_ = new ReportTableModel(columns, {static_cast<int>(columns.size()) - 1}, this);
  std::vector<ReportTableModel::Row> rows;
  for (const auto& texts : report.contents) {
    ReportTableModel::Row row;
    for (const std::string& text : texts) row.emplace_back(shownText(text));
    rows.push_back(std::move(row));
  }
  examples_->setRows(std::move(rows));

  rows.clear();
  for (const BatchReport::Feature& of : report.features)
    rows.push_back({shownText(of.name), shownText(of.table), countText(of.ids),
                    countText(of.distinct), countText(of.truncated), countText(of.oov),
                    countText(of.empty)});
  features_.setRows(std::move(rows));

  rows.clear();
  for (const BatchReport::Route& of : report.routes)
    rows.push_back(
        {shownText(of.tables), of.rank, of.shard, of.owner, countText(of.ids), countText(of.rows)});
  routes_.setRows(std::move(rows));

  rows.clear();
  for (const BatchReport::Loss& of : report.losses)
    rows.push_back({of.head.empty() ? tr("score") : shownText(of.head), numberText(of.weight),
                    numberText(of.value, 5),
                    report.loss == 0.0 ? numberText(NAN)
                                       : tr("%1 %").arg(fixedText(
                                             100.0 * of.weight * of.value / report.loss, 1))});
  losses_.setRows(std::move(rows));

  rows.clear();
  for (const BatchReport::Parameter& of : report.parameters)
    rows.push_back({shownText(of.name), of.isTable ? tr("table") : tr("layer"), countText(of.rows),
                    numberText(of.weight), numberText(of.gradient), numberText(of.maxRowGradient),
                    numberText(of.update)});
  parameters_.setRows(std::move(rows));
  emit changed();
}

BatchPanel::BatchPanel(QWidget* parent) : QScrollArea(parent) {
  auto* inside = new QWidget;
  auto* column = verticalBox(inside, 4, {0, 0, 8, 0});
  setWidget(inside);
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setAccessibleName(tr("This batch"));
  sentence_ = new QLabel(inside);
  sentence_->setObjectName(QStringLiteral("batchSentence"));
  sentence_->setAccessibleName(tr("Step and loss of the batch"));
  sentence_->setTextFormat(Qt::PlainText);
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  QFont bold = sentence_->font();
  bold.setBold(true);
  sentence_->setFont(bold);
  column->addWidget(sentence_);
  losses_ = addPart(tr("Loss terms"), tr("Value of each loss over this batch, and its share"),
                    tables_.losses(), 6);
  parameters_ = addPart(tr("Norms of parameters"),
                        tr("Rows of the batch before the step, their gradients before clipping and "
                           "decay, and what the optimizer added; all as L2 norms"),
                        tables_.parameters(), 12);
  features_ =
      addPart(tr("Ids of the features"),
              tr("Ids of the batch; equal ones are merged before rows are read and updated"),
              tables_.features(), 8);
  routes_ =
      addPart(tr("Ids by shard and peer"),
              tr("What each rank requests of each shard, before and after merging duplicates"),
              tables_.routes(), 8);
  examples_ = addPart(tr("Examples"), tr("The first examples of the batch, by the ids of the data"),
                      tables_.examples(), 50);
  column->addStretch();
}

BatchPanel::Part BatchPanel::addPart(const QString& title, const QString& tip,
                                     QAbstractItemModel& model, int maxRows) {
  auto* label = new QLabel(title, widget());
  label->setToolTip(tip);
  auto* view = makeReportView(model, title, widget());
  view->setToolTip(tip);
  view->verticalHeader()->setDefaultSectionSize(24);
  view->horizontalHeader()->setStretchLastSection(true);
  view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  label->setObjectName(QStringLiteral("sectionTitle"));
  QWidget* heading = titleWithSign(label, QStringLiteral("docs/window.md#train"));
  heading->hide();
  widget()->layout()->addWidget(heading);
  widget()->layout()->addWidget(view);
  return {heading, view, maxRows};
}

void BatchPanel::fit(const Part& part) {
  part.view->resizeColumnsToContents();
  fitRows(*part.view, part.maxRows);
  part.title->setVisible(part.view->model()->rowCount() > 0);
}

void BatchPanel::show(const experiment::BatchReport& report) {
  examples_.view->setModel(nullptr);
  tables_.setReport(report);
  examples_.view->setModel(&tables_.examples());
  sentence_->setText(tables_.sentence());
  for (const Part* part : {&losses_, &parameters_, &features_, &routes_, &examples_}) fit(*part);
}

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
    // A chart that was pinned for the run before is not measured here yet.
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

// Shows the last epoch whose lists were measured by segment.
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
