// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/loss_chart.h"

#include <cmath>
#include <limits>

#include "ui/models/run_curves_summary.h"
#include "ui/pages/train/published_points.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

/// More rows than there are: those that were drawn are drawn anew.
constexpr std::size_t kDrawAgain = std::numeric_limits<std::size_t>::max();

CurvePoint pointOf(const EpochRow& row, double value) {
  return {static_cast<double>(row.summary.step), static_cast<double>(row.summary.epoch),
          row.atSeconds, value};
}

PlotMarkKind kindOf(RunMark::Kind kind) {
  switch (kind) {
    case RunMark::Kind::kCheckpoint:
      return PlotMarkKind::kCheckpoint;
    case RunMark::Kind::kPause:
      return PlotMarkKind::kPause;
    case RunMark::Kind::kResume:
      return PlotMarkKind::kResume;
    default:
      return PlotMarkKind::kWarning;
  }
}

}  // namespace

LossChart::LossChart(const RunCurves& curves, QWidget* parent)
    : QWidget(parent), curves_(curves), plot_(new CurvePlot(tr("loss"), {}, this)) {
  auto* layout = verticalBox(this);
  layout->addWidget(plot_);
  plot_->setAccessibleName(tr("Losses of the run"));
  plot_->setTable(&table_);
  connect(&curves_, &RunCurves::reset, this, &LossChart::rebuild);
  connect(&curves_, &RunCurves::stepsAdded, this,
          [this](const RunCurves::StepBuckets& steps) { plot_->appendSteps(steps_, steps); });
  connect(&curves_, &RunCurves::truncated, this,
          [this](qint64 step) { plot_->truncateAfter(steps_, step); });
  connect(&curves_, &RunCurves::stepsReplaced, this, [this](const RunCurves::StepBuckets& steps) {
    plot_->truncateAfter(steps_, -1);
    plot_->appendSteps(steps_, steps);
  });
  connect(plot_, &CurvePlot::zoomChanged, this, [this] {
    if (steps_ < 0) return;  // the plot is being cleared
    const StepRange steps = plot_->shownSteps(steps_);
    emit detailWanted(steps.first, steps.last);
  });
  connect(&curves_, &RunCurves::epochReplaced, this, [this] { validation_.rows = kDrawAgain; });
  connect(&curves_, &RunCurves::epochsChanged, this, &LossChart::refreshEpochs);
  connect(&curves_, &RunCurves::factsChanged, this, &LossChart::refreshFacts);
  connect(&curves_, &RunCurves::marksChanged, this, &LossChart::refreshMarks);
  rebuild({});
}

void LossChart::rebuild(const RunCurves::StepBuckets& steps) {
  steps_ = -1;
  plot_->clear();
  table_.clear();
  steps_ = plot_->addSteps(tr("step loss"), SeriesRole::kTraining);
  // Dashed: it is what a progress bar would have shown, not a mean of anything.
  loss_ = {plot_->addPoints(tr("epoch loss"), SeriesRole::kValidation), 0};
  displayed_ = {plot_->addPoints(tr("as displayed"), SeriesRole::kReference), 0};
  validation_ = {plot_->addPoints(tr("val_loss"), SeriesRole::kValidation), 0};
  level_ = publishedLoss_ = publishedValidation_ = -1;
  bands_.clear();
  levelValue_.reset();
  stepsPerEpoch_ = 0;
  addReference();
  plot_->appendSteps(steps_, steps);
  refreshEpochs();
  refreshFacts();
  refreshMarks();
}

void LossChart::addReference() {
  const auto& reference = curves_.facts().reference;
  if (!reference) return;
  publishedLoss_ =
      plot_->addPoints(tr("published loss"), SeriesRole::kReference, CurvePlot::AxisUse::kNone);
  plot_->setPoints(publishedLoss_, publishedPoints(reference->lossAsDisplayed));
  publishedValidation_ =
      plot_->addPoints(tr("published val_loss"), SeriesRole::kReference, CurvePlot::AxisUse::kNone);
  plot_->setPoints(publishedValidation_, publishedPoints(reference->valLoss));
  for (const auto& [key, name] :
       {std::pair("loss_as_displayed", tr("as displayed: mean of %1 seeds ± 2 sd")),
        std::pair("val_loss", tr("val_loss: mean of %1 seeds ± 2 sd"))}) {
    const experiment::PublishedBand band = experiment::publishedBand(*reference, key);
    if (band.points.empty()) continue;
    bands_.push_back(
        plot_->addPoints(name.arg(band.seeds), SeriesRole::kReference, CurvePlot::AxisUse::kNone));
    plot_->setPoints(bands_.back(), bandPoints(band));
  }
}

void LossChart::refreshEpochs() {
  const std::vector<EpochRow>& rows = curves_.epochs().rows();
  const auto show = [&](EpochCurve& curve, auto valueOf) {
    if (curve.rows > rows.size()) {
      plot_->setPoints(curve.id, {});
      curve.rows = 0;
    }
    // Only what is new: a run of thousands of epochs tells each of them.
    for (; curve.rows < rows.size(); ++curve.rows) {
      const EpochRow& row = rows[curve.rows];
      if (const std::optional<double> value = valueOf(row))
        plot_->appendPoint(curve.id, pointOf(row, *value));
    }
  };
  show(loss_, [](const EpochRow& row) { return std::optional(row.summary.loss); });
  show(displayed_, [](const EpochRow& row) { return std::optional(row.summary.lossAsDisplayed); });
  show(validation_,
       [](const EpochRow& row) { return EpochsModel::metricOf(row, QStringLiteral("val_loss")); });
}

void LossChart::refreshFacts() {
  const auto metric = QStringLiteral("val_loss");
  setLevel(curves_.baseline("constant", metric),
           baselineName("constant", curves_.facts().loss, metric));
  const RunFacts& facts = curves_.facts();
  plot_->setLive(!experiment::isTerminal(facts.state));
  if (stepsPerEpoch_ == facts.stepsPerEpoch) return;
  stepsPerEpoch_ = facts.stepsPerEpoch;
  for (const SeriesId id :
       {steps_, loss_.id, displayed_.id, validation_.id, publishedLoss_, publishedValidation_})
    if (id >= 0) plot_->setStepsPerEpoch(id, stepsPerEpoch_);
  for (const SeriesId id : bands_) plot_->setStepsPerEpoch(id, stepsPerEpoch_);
  plot_->setMarksStepsPerEpoch(stepsPerEpoch_);
}

void LossChart::setLevel(std::optional<double> value, const QString& name) {
  if (value == levelValue_) return;
  levelValue_ = value;
  if (level_ >= 0) plot_->removeSeries(level_);
  level_ = value ? plot_->addLevel(name, *value) : -1;
}

void LossChart::refreshMarks() {
  std::vector<PlotMark> marks;
  for (const RunMark& mark : curves_.marks())
    marks.push_back({.kind = kindOf(mark.kind),
                     .step = static_cast<double>(mark.step),
                     .seconds = mark.seconds,
                     .text = mark.text});
  if (const std::int64_t step = curves_.firstNonFinite(); step > 0)
    marks.push_back({.kind = PlotMarkKind::kNonFinite,
                     .step = static_cast<double>(step),
                     .seconds = curves_.facts().seconds,
                     .text = tr("The loss of step %1 is not finite").arg(step)});
  plot_->setMarks(std::move(marks));
}

}  // namespace parapet::ui
