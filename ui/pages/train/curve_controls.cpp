// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/curve_controls.h"

#include <QFileDialog>
#include <QGridLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <algorithm>

#include "ui/bridge/shown_text.h"
#include "ui/forms/report_view.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"
#include "ui/style/line_icon.h"

namespace parapet::ui {
namespace {

/// Weight of the past at the far end of the slider; 1 would never move.
constexpr int kMaxSmoothing = 99;
/// With the chosen one four charts, as many as can be read together.
constexpr qsizetype kMaxPinned = 3;
constexpr int kChartLetters = 10, kMaxChartsWidth = 240;

QLabel* labelFor(const QString& text, QWidget* field, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setBuddy(field);
  return label;
}

}  // namespace

CurveControls::CurveControls(QWidget* parent)
    : QWidget(parent),
      charts_(new QComboBox(this)),
      axis_(new QComboBox(this)),
      logarithmic_(new QCheckBox(tr("Lo&g"), this)),
      smoothing_(new QSlider(Qt::Horizontal, this)),
      smoothingText_(new QLabel(this)),
      export_(new QToolButton(this)),
      pins_(new QPushButton(this)) {
  build();
  connect(charts_, &QComboBox::textActivated, this, &CurveControls::chartChosen);
  connect(axis_, &QComboBox::activated, this, &CurveControls::apply);
  connect(logarithmic_, &QCheckBox::toggled, this, &CurveControls::apply);
  connect(smoothing_, &QSlider::valueChanged, this, &CurveControls::apply);
  refreshZoom();
}

void CurveControls::build() {
  charts_->setObjectName(QStringLiteral("metric"));
  charts_->setAccessibleName(tr("Metric"));
  charts_->setToolTip(tr("Draws the losses or a metric of the validations"));
  // As wide as a usual name; longer ones take what the row has left.
  charts_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  charts_->setMinimumContentsLength(kChartLetters);
  charts_->setMaximumWidth(kMaxChartsWidth);
  axis_->setObjectName(QStringLiteral("axis"));
  axis_->setAccessibleName(tr("Horizontal axis"));
  axis_->setToolTip(tr("Plots the curves over training steps, epochs or time"));
  axis_->addItem(tr("Step"), static_cast<int>(XAxis::kStep));
  axis_->addItem(tr("Epoch"), static_cast<int>(XAxis::kEpoch));
  axis_->addItem(tr("Time"), static_cast<int>(XAxis::kSeconds));
  logarithmic_->setObjectName(QStringLiteral("logarithmic"));
  logarithmic_->setAccessibleName(tr("Logarithmic vertical axis"));
  logarithmic_->setToolTip(
      tr("Logarithmic vertical axis; values that are not above 0 are left out"));
  smoothing_->setObjectName(QStringLiteral("smoothing"));
  smoothing_->setAccessibleName(tr("Smoothing"));
  smoothing_->setRange(0, kMaxSmoothing);
  smoothing_->setFixedWidth(88);
  smoothing_->setToolTip(
      tr("Weight of past steps in the step curve, 0 (off) to 0.99; the band keeps the extremes"));
  smoothingText_->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("0.00")) + 2);

  rows_ = new QGridLayout(this);
  rows_->setContentsMargins(0, 0, 0, 0);
  rows_->setHorizontalSpacing(8);
  rows_->setVerticalSpacing(4);
  rows_->setColumnStretch(1, 1);
  head_ = new QWidget(this);
  tail_ = new QWidget(this);
  auto* row = horizontalBox(head_, 8);
  row->addWidget(labelFor(tr("&Metric"), charts_, this));
  row->addWidget(charts_, 1);
  buildPins();
  row->addWidget(pins_);
  row->addWidget(labelFor(tr("&over"), axis_, this));
  row->addWidget(axis_);
  row->addWidget(logarithmic_);
  row->addStretch(0);
  row = horizontalBox(tail_, 8);
  row->addWidget(labelFor(tr("&Smooth"), smoothing_, this));
  row->addWidget(smoothing_);
  row->addWidget(smoothingText_);
  row->addStretch();
  back_ = zoomButton(QStringLiteral("←"), tr("Zoom back"), tr("Previous view (Alt+Left)"),
                     &CurvePlot::zoomBack);
  forward_ = zoomButton(QStringLiteral("→"), tr("Zoom forward"), tr("Next view (Alt+Right)"),
                        &CurvePlot::zoomForward);
  all_ = zoomButton(tr("All"), tr("Show everything"), tr("Show all of the curves (Home)"),
                    &CurvePlot::zoomReset);
  for (QWidget* button : {back_, forward_, all_}) row->addWidget(button);
  buildExport();
  row->addWidget(export_);
  smoothingText_->setText(tr("off"));
  fold();
}

void CurveControls::fold() {
  const bool narrow =
      width() < head_->sizeHint().width() + tail_->sizeHint().width() + rows_->horizontalSpacing();
  if (folded_ == narrow) return;
  folded_ = narrow;
  rows_->removeWidget(head_);
  rows_->removeWidget(tail_);
  rows_->addWidget(head_, 0, 0, 1, narrow ? 2 : 1);
  rows_->addWidget(tail_, narrow ? 1 : 0, narrow ? 0 : 1, 1, narrow ? 2 : 1);
}

QSize CurveControls::minimumSizeHint() const {
  const QSize head = head_->minimumSizeHint(), tail = tail_->minimumSizeHint();
  return {std::max(head.width(), tail.width()),
          folded_.value_or(false) ? head.height() + rows_->verticalSpacing() + tail.height()
                                  : std::max(head.height(), tail.height())};
}

void CurveControls::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fold();
}

QToolButton* CurveControls::zoomButton(const QString& text, const QString& name, const QString& tip,
                                       void (CurvePlot::*act)()) {
  auto* button = textButton(text, tip, this);
  button->setAccessibleName(name);
  connect(button, &QToolButton::clicked, this, [this, act] {
    if (plot_) (plot_->*act)();
  });
  return button;
}

void CurveControls::buildPins() {
  pins_->setObjectName(QStringLiteral("pinnedCharts"));
  pins_->setText(tr("Charts"));
  pins_->setAccessibleName(tr("Charts beside this one"));
  pins_->setToolTip(
      tr("Pins up to three more charts beside the chosen one; they zoom and point together"));
  auto* menu = new QMenu(pins_);
  // Several may be chosen at once.
  connect(menu, &QMenu::aboutToShow, this, &CurveControls::refreshPins);
  pins_->setMenu(menu);
}

void CurveControls::refreshPins() {
  QMenu* menu = pins_->menu();
  menu->clear();
  const bool full = pinned_.size() >= kMaxPinned;
  for (int i = 0; i < charts_->count(); ++i) {
    const QString chart = charts_->itemText(i);
    if (chart == this->chart()) continue;
    QAction* action = menu->addAction(chart);
    action->setCheckable(true);
    action->setChecked(pinned_.contains(chart));
    action->setEnabled(action->isChecked() || !full);
    connect(action, &QAction::toggled, this, [this, chart](bool on) { pin(chart, on); });
  }
  if (menu->isEmpty())
    menu->addAction(tr("Metrics come with the first validation"))->setEnabled(false);
}

void CurveControls::pin(const QString& chart, bool on) {
  pinnedByHand_ = true;
  pinned_.removeAll(chart);
  if (on && pinned_.size() < kMaxPinned) pinned_ << chart;
  emit pinnedChanged(pinned_);
}

void CurveControls::pinByDefault(const QString& chart) {
  if (pinnedByHand_) return;
  const QStringList pinned = chart.isEmpty() ? QStringList() : QStringList{chart};
  if (pinned == pinned_) return;
  pinned_ = pinned;
  emit pinnedChanged(pinned_);
}

void CurveControls::setOthers(const QList<CurvePlot*>& plots) {
  others_.clear();
  for (CurvePlot* plot : plots) others_ << plot;
  apply();
}

void CurveControls::buildExport() {
  export_->setText(tr("Export"));
  export_->setIcon(lineIcon(QStringLiteral("export")));
  export_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  export_->setPopupMode(QToolButton::InstantPopup);
  export_->setAccessibleName(tr("Export the chart"));
  export_->setToolTip(tr("Writes the picture (PNG, PDF, SVG) or all of its values (CSV, JSON)"));
  auto* menu = new QMenu(export_);
  const auto add = [&](const QString& text, const char* ending) {
    connect(menu->addAction(text), &QAction::triggered, this,
            [this, ending = QString::fromLatin1(ending)] { exportAs(ending); });
  };
  add(tr("Picture as PNG…"), "png");
  add(tr("Picture as PDF…"), "pdf");
  add(tr("Picture as SVG…"), "svg");
  menu->addSeparator();
  add(tr("Values as CSV…"), "csv");
  add(tr("Values as JSON…"), "json");
  menu->addSeparator();
  connect(menu->addAction(tr("Copy picture")), &QAction::triggered, this,
          [this] { plot_->copyPicture(); });
  connect(menu->addAction(tr("Copy values")), &QAction::triggered, this,
          [this] { plot_->copyData(); });
  export_->setMenu(menu);
}

void CurveControls::exportAs(const QString& ending) {
  if (!plot_) return;
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Export the chart"), QStringLiteral("%1.%2").arg(chart(), ending),
      QStringLiteral("%1 (*.%2)").arg(ending.toUpper(), ending));
  if (path.isEmpty()) return;
  const QString file = path.endsWith(QLatin1Char('.') + ending, Qt::CaseInsensitive)
                           ? path
                           : QStringLiteral("%1.%2").arg(path, ending);
  const Result<std::string> note = plot_->exportTo(file);
  if (!note) return emit failed(shownText(note.error().text()));
  emit exported(withNote(file, *note));
}

void CurveControls::setCharts(const QStringList& charts) {
  QStringList shown;
  for (int i = 0; i < charts_->count(); ++i) shown << charts_->itemText(i);
  if (shown == charts) return;
  const QString chosen = chart();
  {
    const QSignalBlocker quiet(charts_);
    charts_->clear();
    charts_->addItems(charts);
    charts_->setCurrentIndex(std::max(0, static_cast<int>(charts.indexOf(chosen))));
  }
  if (chart() != chosen) emit chartChosen(chart());
}

QString CurveControls::chart() const {
  return charts_->currentText();
}

void CurveControls::setChart(const QString& chart) {
  const QSignalBlocker quiet(charts_);
  // A remembered choice may come before the run that measures it.
  if (charts_->findText(chart) < 0) charts_->addItem(chart);
  charts_->setCurrentText(chart);
}

void CurveControls::setPlot(CurvePlot* plot) {
  if (plot_) disconnect(plot_, nullptr, this, nullptr);
  plot_ = plot;
  if (!plot_) return;
  connect(plot_, &CurvePlot::zoomChanged, this, &CurveControls::refreshZoom);
  connect(plot_, &CurvePlot::failed, this,
          [this](const Error& error) { emit failed(shownText(error.text())); });
  apply();
  refreshZoom();
}

void CurveControls::apply() {
  smoothingText_->setText(smoothing_->value() == 0 ? tr("off")
                                                   : QString::number(smoothing(), 'f', 2));
  if (!plot_) return;
  const auto axis = static_cast<XAxis>(axis_->currentData().toInt());
  plot_->setXAxis(axis);
  for (const auto& plot : others_)
    if (plot) {
      plot->setXAxis(axis);
      plot->setSmoothing(smoothing());
    }
  plot_->setLogarithmic(logarithmic_->isChecked());
  plot_->setSmoothing(smoothing());
  if (smoothing() > 0.0) emit smoothed();
}

void CurveControls::refreshZoom() {
  setUsable(*back_, plot_ && plot_->zoomHistory().canGoBack(),
            tr("There is no view before this one; drag over the chart to zoom in"));
  setUsable(*forward_, plot_ && plot_->zoomHistory().canGoForward(),
            tr("There is no view after this one"));
  setUsable(*all_, plot_ && plot_->zoomHistory().current().has_value(),
            tr("The whole course is shown"));
}

nlohmann::json CurveControls::saveState() const {
  nlohmann::json pinned;
  if (pinnedByHand_) {
    pinned = nlohmann::json::array();
    for (const QString& chart : pinned_) pinned.push_back(chart.toStdString());
  }
  return {{"chart", chart().toStdString()},
          {"pinned", std::move(pinned)},
          {"axis", axis_->currentIndex()},
          {"logarithmic", logarithmic_->isChecked()},
          {"smoothing", smoothing_->value()}};
}

void CurveControls::restoreState(const nlohmann::json& state) {
  if (!state.is_object()) return;
  axis_->setCurrentIndex(std::clamp(state.value("axis", 0), 0, axis_->count() - 1));
  logarithmic_->setChecked(state.value("logarithmic", false));
  smoothing_->setValue(state.value("smoothing", 0));
  if (const auto pinned = state.find("pinned"); pinned != state.end() && pinned->is_array()) {
    pinnedByHand_ = true;
    pinned_.clear();
    for (const auto& each : *pinned)
      if (each.is_string() && pinned_.size() < kMaxPinned)
        pinned_ << QString::fromStdString(each.get<std::string>());
    emit pinnedChanged(pinned_);
  }
  const QString chart = QString::fromStdString(state.value("chart", std::string("loss")));
  setChart(chart);
  apply();
  emit chartChosen(chart);
}

}  // namespace parapet::ui
