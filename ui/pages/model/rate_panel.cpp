// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/model/rate_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QTableView>

#include "engine/base/text.h"
#include "ui/bridge/pause.h"
#include "ui/forms/card.h"
#include "ui/forms/report_view.h"
#include "ui/models/rate_curves.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

constexpr int kPoints = 400, kMinHeight = 220, kPauseMs = 100;

}  // namespace

RatePanel::RatePanel(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      plot_(new CurvePlot(tr("learning rate"), {}, this)),
      tabs_(new QTabBar(this)),
      stack_(new QStackedWidget(this)),
      span_(new QuietLabel({}, this)) {
  plot_->setTable(&table_);
  plot_->setLive(false);
  QTableView* view = makeReportView(table_, tr("Learning rates as a table"), this);
  for (int column = 0; column < CurveTableModel::kColumnCount; ++column)
    view->setColumnHidden(column, column != CurveTableModel::kSeries &&
                                      column != CurveTableModel::kLastStep &&
                                      column != CurveTableModel::kLast);
  view->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  view->show();
  stack_->addWidget(plot_);
  stack_->addWidget(view);
  stack_->setMinimumHeight(kMinHeight);
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->setAccessibleName(tr("View of the learning rate"));
  tabs_->addTab(tr("Curve"));
  tabs_->addTab(tr("Table"));
  span_->setWordWrap(true);
  auto* line = new QHBoxLayout;
  line->addWidget(tabs_);
  line->addStretch(1);
  auto* layout = verticalBox(this, 8);
  layout->addLayout(line);
  layout->addWidget(stack_, 1);
  layout->addWidget(span_);
  connect(tabs_, &QTabBar::currentChanged, stack_, &QStackedWidget::setCurrentIndex);
  connect(&editor, &ExperimentEditor::documentChanged, &pause_, qOverload<>(&QTimer::start));
  callAfterPause(pause_, kPauseMs, this, &RatePanel::follow);
  follow();
}

void RatePanel::follow() {
  const experiment::Experiment& experiment = editor_.experiment();
  // A schedule with a problem has no rate to draw; what was drawn stays until it is fixed.
  for (const char* pointer : {"/optimizer", "/schedule", "/tables"})
    if (!editor_.findingsAt(pointer).problems.empty()) return;
  const RateSpan span = rateSpan(experiment, trainRowsOf(experiment));
  const QString steps = QString::fromStdString(formatCount(span.steps));
  QStringList sentences{
      span.wholeRun
          ? tr("Over the %1 steps of the run.").arg(steps)
          : tr("Over %1 steps; the length of the run is known after the import.").arg(steps),
      scaledRateText(experiment)};
  sentences.removeAll(QString());
  span_->setText(sentences.join(QLatin1Char(' ')));
  plot_->clear();
  for (const RateCurve& curve : rateCurves(experiment, span.steps, kPoints)) {
    const CurvePlot::SeriesId id = plot_->addPoints(curve.name, SeriesRole::kTraining);
    std::vector<CurvePoint> points;
    for (const auto& [step, rate] : curve.points)
      points.push_back({.step = static_cast<double>(step), .value = rate});
    plot_->setPoints(id, std::move(points));
  }
}

}  // namespace parapet::ui
