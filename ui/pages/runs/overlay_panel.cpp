// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/overlay_panel.h"

#include <QFileDialog>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>
#include <limits>

#include "ui/bridge/shown_text.h"
#include "ui/forms/report_view.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

const QString kStepLoss = QStringLiteral("step loss");
/// Buckets that the steps of a run come as: several for each pixel.
constexpr std::int64_t kMaxSteps = 4800;

std::optional<double> valueOf(const EpochRow& row, const QString& metric) {
  if (metric == QLatin1String("loss")) return row.summary.loss;
  return EpochsModel::metricOf(row, metric);
}

}  // namespace

OverlayPanel::OverlayPanel(store::RunStore& store, QWidget* parent)
    : QWidget(parent),
      store_(store),
      metric_(new QComboBox(this)),
      axis_(new QComboBox(this)),
      hint_(new QLabel(this)) {
  build();
  draw();
  connect(metric_, &QComboBox::currentTextChanged, this, &OverlayPanel::choose);
  connect(axis_, &QComboBox::currentIndexChanged, this,
          [this] { plot_->setXAxis(static_cast<XAxis>(axis_->currentData().toInt())); });
}

void OverlayPanel::build() {
  metric_->setObjectName(QStringLiteral("overlayMetric"));
  metric_->setAccessibleName(tr("Metric of the overlay"));
  metric_->setToolTip(tr("Draws a metric of the epochs, or the loss of the steps"));
  metric_->setMinimumContentsLength(12);
  metric_->addItems({QStringLiteral("val_loss"), QStringLiteral("loss"), kStepLoss});
  axis_->setObjectName(QStringLiteral("overlayAxis"));
  axis_->setAccessibleName(tr("Horizontal axis of the overlay"));
  axis_->setToolTip(tr("Plots the curves over epochs, training steps or time"));
  axis_->addItem(tr("Epoch"), static_cast<int>(XAxis::kEpoch));
  axis_->addItem(tr("Step"), static_cast<int>(XAxis::kStep));
  axis_->addItem(tr("Time"), static_cast<int>(XAxis::kSeconds));
  auto* exporting = new QPushButton(tr("Picture or values…"), this);
  exporting->setAccessibleName(tr("Save the overlay"));
  exporting->setToolTip(tr("Writes the picture (PNG, PDF, SVG) or its values (CSV, JSON)"));
  connect(exporting, &QPushButton::clicked, this, &OverlayPanel::exportPlot);
  auto* row = horizontalBox(nullptr, 8);
  auto* label = new QLabel(tr("&Metric"), this);
  label->setBuddy(metric_);
  auto* over = new QLabel(tr("&over"), this);
  over->setBuddy(axis_);
  for (QWidget* widget : std::initializer_list<QWidget*>{label, metric_, over, axis_})
    row->addWidget(widget);
  row->addStretch();
  row->addWidget(exporting);
  auto* column = verticalBox(this, 8, {0, 8, 0, 0});
  column->addLayout(row);
  hint_->setAlignment(Qt::AlignCenter);
  column->addWidget(hint_, 1);
}

/// A plot is of one quantity, which its axis names; another metric is another plot.
void OverlayPanel::makePlot() {
  const QString metric = metric_->currentText();
  if (plot_ && drawn_ == metric) return;
  delete plot_;
  drawn_ = metric;
  plot_ = new CurvePlot(metric, {}, this);
  plot_->setXAxis(static_cast<XAxis>(axis_->currentData().toInt()));
  plot_->setLive(false);
  plot_->setAccessibleName(tr("%1 of the chosen runs").arg(metric));
  connect(plot_, &CurvePlot::failed, this,
          [this](const Error& error) { emit failed(shownText(error.text())); });
  connect(plot_, &CurvePlot::curveClicked, this,
          [this](int series) { emit runChosen(runOf_.at(series)); });
  static_cast<QVBoxLayout*>(layout())->addWidget(plot_, 1);
}

void OverlayPanel::setRuns(const std::vector<Run>& runs) {
  if (runs == runs_) return;
  runs_ = runs;
  refresh();
}

bool OverlayPanel::showsSteps() const {
  return metric_->currentText() == kStepLoss;
}

void OverlayPanel::choose() {
  draw();
  if (showsSteps()) refresh();
}

void OverlayPanel::refresh() {
  reader_.start(
      [&store = store_, runs = runs_,
       withSteps = showsSteps()](const WorkContext& context) -> Result<std::vector<Curves>> {
        std::vector<Curves> all;
        for (const Run& run : runs) {
          if (context.cancelled()) break;
          PARAPET_ASSIGN(auto epochs, store.epochs(run.id.toStdString()));
          Curves curves{run, {}, {}};
          if (withSteps) {
            PARAPET_ASSIGN(curves.steps,
                           store.stepBlocks(run.id.toStdString(), 0,
                                            std::numeric_limits<std::int64_t>::max(), kMaxSteps));
          }
          double seconds = 0.0;
          for (experiment::EpochSummary& epoch : epochs) {
            seconds += epoch.seconds;
            curves.epochs.push_back({std::move(epoch), seconds});
          }
          all.push_back(std::move(curves));
        }
        return all;
      },
      [this](Result<std::vector<Curves>> curves) {
        if (!curves) return emit failed(shownText(curves.error().text()));
        curves_ = std::move(*curves);
        offerMetrics();
        draw();
      });
}

void OverlayPanel::offerMetrics() {
  QStringList metrics{QStringLiteral("val_loss"), QStringLiteral("loss"), kStepLoss};
  for (const Curves& curves : curves_)
    for (const EpochRow& row : curves.epochs)
      for (const auto& [name, value] : row.summary.metrics)
        if (const QString key = QString::fromStdString(name); !metrics.contains(key))
          metrics << key;
  QStringList shown;
  for (int i = 0; i < metric_->count(); ++i) shown << metric_->itemText(i);
  if (shown == metrics) return;
  const QString chosen = metric_->currentText();
  const QSignalBlocker quiet(metric_);
  metric_->clear();
  metric_->addItems(metrics);
  metric_->setCurrentIndex(std::max(0, static_cast<int>(metrics.indexOf(chosen))));
}

void OverlayPanel::draw() {
  const QString metric = metric_->currentText();
  makePlot();
  plot_->clear();
  runOf_.clear();
  bool any = false;
  // The extremes of several runs would cover each other's lines.
  plot_->setBand(curves_.size() == 1);
  for (const Curves& curves : curves_) {
    const QString name = QStringLiteral("%1 · %2").arg(curves.run.name, curves.run.id.left(4));
    if (showsSteps()) {
      const auto id = plot_->addSteps(name);
      plot_->setStepsPerEpoch(id, curves.run.stepsPerEpoch);
      plot_->appendSteps(id, curves.steps);
      runOf_[id] = curves.run.id;
      any = any || !curves.steps.empty();
      continue;
    }
    const auto id = plot_->addPoints(name, SeriesRole::kValidation);
    std::vector<CurvePoint> points;
    for (const EpochRow& row : curves.epochs)
      if (const auto value = valueOf(row, metric))
        points.push_back({static_cast<double>(row.summary.step),
                          static_cast<double>(row.summary.epoch), row.atSeconds, *value});
    runOf_[id] = curves.run.id;
    any = any || !points.empty();
    plot_->setPoints(id, std::move(points));
    plot_->setStepsPerEpoch(id, curves.run.stepsPerEpoch);
  }
  plot_->setVisible(any);
  hint_->setVisible(!any);
  hint_->setText(
      curves_.empty()
          ? tr("Choose runs in the table: Ctrl adds one, Shift a range. Their curves are "
               "drawn over each other here.")
          : tr("No epoch of the chosen runs has %1.").arg(metric));
}

void OverlayPanel::exportPlot() {
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Export the overlay"), QStringLiteral("%1.png").arg(metric_->currentText()),
      tr("Picture (*.png *.pdf *.svg);;Numbers (*.csv *.json)"));
  if (path.isEmpty()) return;
  const Result<std::string> note = plot_->exportTo(path);
  if (!note) return emit failed(shownText(note.error().text()));
  emit exported(withNote(path, *note));
}

}  // namespace parapet::ui
