// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/rate_curves.h"

#include <QObject>
#include <algorithm>
#include <cmath>

#include "engine/experiment/document.h"
#include "engine/experiment/experiment.h"
#include "engine/nn/schedules.h"
#include "ui/models/features_model.h"

namespace parapet::ui {
namespace {

using experiment::Experiment;
using experiment::Optimizer;
using experiment::Schedule;
using experiment::ScheduleKind;

// Steps of a schedule without an end of its own.
constexpr std::int64_t kFewSteps = 1000;

const Schedule& scheduleOf(const Experiment& experiment, const Optimizer& optimizer) {
  return optimizer.schedule ? *optimizer.schedule : experiment.schedule;
}

/// Steps after which a schedule has shown what it does.
std::int64_t lengthOf(const Schedule& schedule) {
  std::int64_t steps = kFewSteps;
  if (schedule.kind == ScheduleKind::kPiecewise && !schedule.boundaries.empty())
    steps = schedule.boundaries.back() + schedule.boundaries.back() / 4 + 1;
  else if (schedule.kind == ScheduleKind::kCosineRestarts)
    steps = static_cast<std::int64_t>(static_cast<double>(schedule.decaySteps) *
                                      (1.0 + schedule.factor + schedule.factor * schedule.factor));
  else if (schedule.kind != ScheduleKind::kConstant &&
           schedule.decaySteps != experiment::kStepsOfRun)
    steps = schedule.decaySteps + schedule.decaySteps / 4 + 1;
  return schedule.warmupSteps + steps;
}

RateCurve curveOf(QString name, const Optimizer& optimizer, std::int64_t steps, int points) {
  RateCurve curve{std::move(name), {}};
  const std::int64_t last = std::max<std::int64_t>(1, steps - 1);
  const std::int64_t count = std::min<std::int64_t>(points, last + 1);
  for (std::int64_t point = 0; point < count; ++point) {
    const auto step = static_cast<std::int64_t>(
        std::llround(static_cast<double>(last) * static_cast<double>(point) /
                     static_cast<double>(std::max<std::int64_t>(1, count - 1))));
    curve.points.emplace_back(
        step, nn::learningRateAt(*optimizer.schedule, optimizer.learningRate, step));
  }
  return curve;
}

}  // namespace

std::int64_t trainRowsOf(const Experiment& experiment) {
  const experiment::Dataset& dataset = experiment.dataset;
  if (dataset.split.kind != experiment::SplitKind::kRandom) return -1;
  const experiment::SplitAmount& train = dataset.split.train;
  if (!train.isRatio) return static_cast<std::int64_t>(train.value);
  const bool generated = dataset.source == experiment::SourceKind::kGenerated && !dataset.filter &&
                         !dataset.slice && !dataset.kCore;
  if (!generated) return -1;
  const experiment::Generator generator = dataset.generator.value_or(experiment::Generator{});
  return static_cast<std::int64_t>(train.value * static_cast<double>(generator.events));
}

RateSpan rateSpan(const Experiment& experiment, std::int64_t trainRows) {
  const std::int64_t batch = batchRowsOf(experiment);
  if (trainRows > 0 && batch > 0)
    return {(trainRows + batch - 1) / batch * experiment.training.epochs, true};
  std::int64_t steps = lengthOf(scheduleOf(experiment, experiment.optimizer));
  for (const experiment::Table& table : experiment.tables)
    if (table.optimizer)
      steps = std::max(steps, lengthOf(scheduleOf(experiment, *table.optimizer)));
  return {steps, false};
}

QString scaledRateText(const Experiment& experiment) {
  const Optimizer& optimizer = experiment.optimizer;
  const auto devices = experiment::expandDevices(experiment.mesh.devices);
  if (!optimizer.scaleWithDevices || !devices) return {};
  const auto count = static_cast<qlonglong>(std::ssize(*devices));
  const auto text = [](double rate) { return QString::number(rate, 'g', 6); };
  return QObject::tr("Learning rate × devices: %1 × %2 = %3.")
      .arg(text(optimizer.learningRate))
      .arg(count)
      .arg(text(optimizer.learningRate * static_cast<double>(count)));
}

std::vector<RateCurve> rateCurves(const Experiment& experiment, std::int64_t steps, int points) {
  const auto devices = experiment::expandDevices(experiment.mesh.devices);
  const experiment::RunExtent run{devices ? std::ssize(*devices) : 1, steps};
  const auto curve = [&](const QString& name, const Optimizer& optimizer) {
    return curveOf(name, experiment::optimizerOfRun(optimizer, experiment.schedule, run), steps,
                   points);
  };
  std::vector<RateCurve> curves{curve(QObject::tr("experiment"), experiment.optimizer)};
  std::vector<int> more{0};  // tables with the same rates as a curve
  for (const experiment::Table& table : experiment.tables) {
    if (!table.optimizer || !table.trainable) continue;
    RateCurve own =
        curve(QObject::tr("table %1").arg(QString::fromStdString(table.name)), *table.optimizer);
    const auto same = std::ranges::find(curves, own.points, &RateCurve::points);
    if (same != curves.end()) {
      ++more[static_cast<std::size_t>(same - curves.begin())];
      continue;
    }
    curves.push_back(std::move(own));
    more.push_back(0);
  }
  for (std::size_t at = 0; at < curves.size(); ++at)
    if (more[at] > 0)
      curves[at].name = QObject::tr("%1 and %2 more").arg(curves[at].name).arg(more[at]);
  return curves;
}

}  // namespace parapet::ui
