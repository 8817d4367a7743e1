// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_curves.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/experiment/metric_key.h"
#include "ui/bridge/shown_text.h"

namespace parapet::ui {
namespace {

std::string_view withoutPrefix(std::string_view key) {
  return key.starts_with("val_") ? key.substr(4) : key;
}

}  // namespace

RunCurves::RunCurves(QObject* parent) : QObject(parent), lastLoss_(NAN) {}

void RunCurves::takeExperiment(const experiment::Experiment& experiment) {
  experiment_ = experiment;
  facts_.name = QString::fromStdString(experiment.name);
  facts_.totalEpochs = experiment.training.epochs;
  facts_.validateEvery = experiment.training.validateEvery;
  facts_.excludeSeen = experiment.evaluation.excludeSeen;
  facts_.model = experiment.model.kind;
  facts_.earlyStopping = experiment.training.earlyStopping;
  facts_.bestMetric = experiment.training.checkpoints.best.value_or("val_loss");
  facts_.loss = experiment.loss.kind;
  facts_.devices.clear();
  if (const auto devices = experiment::expandDevices(experiment.mesh.devices))
    for (const std::string& name : *devices) facts_.devices << QString::fromStdString(name);
  lanes_.setDevices(facts_.devices);
  facts_.reference.reset();
  if (!experiment.reference.curve) return;
  // An unknown name was a finding of the document; here the curve is only left out.
  if (auto curve = experiment::findReferenceCurve(*experiment.reference.curve))
    facts_.reference = std::move(*curve);
}

void RunCurves::takeRecord(const store::RunRecord& record) {
  facts_.runId = QString::fromStdString(record.id);
  if (!record.name.empty()) facts_.name = QString::fromStdString(record.name);
  facts_.recipe = QString::fromStdString(record.recipe);
  facts_.state = record.state;
  facts_.error = shownText(record.error);
  if (record.totalEpochs > 0) facts_.totalEpochs = record.totalEpochs;
  if (record.stepsPerEpoch > 0) facts_.stepsPerEpoch = record.stepsPerEpoch;
  facts_.seconds = std::max(facts_.seconds, record.seconds);
}

void RunCurves::begin(const QString& runId, const experiment::Experiment& experiment) {
  StoredRun run;
  run.record.id = runId.toStdString();
  run.experiment = experiment;
  begin(run);
}

void RunCurves::begin(const StoredRun& run) {
  facts_ = {};
  lastStep_ = firstNonFinite_ = 0;
  lastLoss_ = NAN;
  takeExperiment(run.experiment);
  takeRecord(run.record);
  facts_.baselines = run.baselines;
  const StepBuckets steps = fresh(run.steps);
  if (run.firstNonFinite > 0) firstNonFinite_ = run.firstNonFinite;
  epochs_.setEpochs(run.epochs);
  sumEpochs();
  showAllEpochsInLanes();
  marks_ = run.marks;
  emit reset(steps);
}

void RunCurves::clear() {
  facts_ = {};
  lastStep_ = firstNonFinite_ = 0;
  lastLoss_ = NAN;
  epochs_.setEpochs({});
  sumEpochs();
  showAllEpochsInLanes();
  marks_.clear();
  emit reset({});
}

std::int64_t RunCurves::lastEpoch() const {
  return epochs_.rows().empty() ? 0 : epochs_.rows().back().summary.epoch;
}

/// The part of `buckets` behind lastStep_, which it moves on.
RunCurves::StepBuckets RunCurves::fresh(std::span<const experiment::StepBucket> buckets) {
  StepBuckets kept;
  for (experiment::StepBucket bucket : buckets) {
    if (bucket.lastStep <= lastStep_) continue;
    bucket.firstStep = std::max(bucket.firstStep, lastStep_ + 1);
    lastStep_ = bucket.lastStep;
    lastLoss_ = bucket.last;
    facts_.seconds = std::max(facts_.seconds, bucket.seconds);
    if (bucket.nonFinite > 0 && firstNonFinite_ == 0) firstNonFinite_ = bucket.firstStep;
    kept.push_back(bucket);
  }
  return kept;
}

void RunCurves::truncateAfter(std::int64_t step) {
  if (lastStep_ <= step) return;
  lastStep_ = step;
  if (firstNonFinite_ > step) firstNonFinite_ = 0;
  epochs_.truncateAfter(step);
  sumEpochs();
  emit truncated(step);
  emit epochsChanged();
}

void RunCurves::start(const experiment::RunStarted& started) {
  facts_.stepsPerEpoch = started.stepsPerEpoch;
  facts_.totalEpochs = started.totalEpochs;
  // Baselines that take long stand as they were before a resume, until they are measured again.
  for (auto& known : std::exchange(facts_.baselines, started.baselines))
    if (std::ranges::none_of(started.baselines,
                             [&](const auto& now) { return now.first == known.first; }))
      facts_.baselines.push_back(std::move(known));
  facts_.error.clear();
  truncateAfter(started.firstStep);
  emit factsChanged();
}

void RunCurves::setBaselines(const experiment::BaselinesMeasured& measured) {
  facts_.baselines = measured.baselines;
  epochs_.judge(measured.epoch, measured.verdicts);
  emit factsChanged();
}

void RunCurves::addSteps(std::span<const experiment::StepBucket> buckets) {
  const StepBuckets steps = fresh(buckets);
  if (!steps.empty()) emit stepsAdded(steps);
}

void RunCurves::endEpoch(const experiment::EpochSummary& summary) {
  // Told again by the store and the run: the first account of its time stands.
  if (summary.epoch <= lastEpoch()) return;
  epochs_.add({summary, summary.step == lastStep_ ? facts_.seconds : NAN});
  allEpochs_.add(summary.timeUse);
  if (!lanesLive_) lanes_.setTimeUse(allEpochs_);
  emit epochsChanged();
}

void RunCurves::measureAgain(const experiment::EpochMeasuredAgain& now) {
  if (!epochs_.measureAgain(now)) return;
  emit epochReplaced();
  emit epochsChanged();
}

void RunCurves::spend(const experiment::TimeUse& use) {
  // Told late, after the end.
  if (experiment::isTerminal(facts_.state)) return;
  lanesLive_ = true;
  lanes_.setTimeUse(use);
}

void RunCurves::showAllEpochsInLanes() {
  lanesLive_ = false;
  lanes_.setTimeUse(allEpochs_);
}

void RunCurves::sumEpochs() {
  allEpochs_ = {};
  for (const EpochRow& row : epochs_.rows()) allEpochs_.add(row.summary.timeUse);
}

void RunCurves::setState(experiment::RunState state, const QString& error) {
  if (experiment::isTerminal(state)) showAllEpochsInLanes();
  facts_.state = state;
  facts_.error = error;
  emit factsChanged();
}

void RunCurves::add(const StoredTail& tail) {
  takeRecord(tail.record);
  facts_.baselines = tail.baselines;
  addSteps(tail.steps);
  bool more = false, again = false;
  for (const EpochRow& row : tail.epochs)
    if (row.summary.epoch > lastEpoch()) {
      epochs_.add(row);
      allEpochs_.add(row.summary.timeUse);
      more = true;
    } else {
      again = epochs_.measureAgain(row.summary) || again;
    }
  if (more && !lanesLive_) showAllEpochsInLanes();
  if (again) emit epochReplaced();
  if (more || again) emit epochsChanged();
  setMarks(tail.marks);
  emit factsChanged();
}

void RunCurves::setMarks(std::vector<RunMark> marks) {
  marks_ = std::move(marks);
  emit marksChanged();
}

std::optional<double> RunCurves::baseline(const std::string& name, const QString& key) const {
  const std::string wanted = key.toStdString();
  for (const auto& [known, metrics] : facts_.baselines)
    if (known == name)
      for (const auto& [metric, value] : metrics)
        if (withoutPrefix(metric) == withoutPrefix(wanted) && std::isfinite(value)) return value;
  return std::nullopt;
}

QString RunCurves::keyMetric() const {
  std::vector<std::string> keys;
  for (const QString& metric : epochs_.metrics()) keys.push_back(metric.toStdString());
  return QString::fromStdString(experiment::headlineKey(keys));
}

std::vector<RateCurve> RunCurves::rates(int points) const {
  const std::int64_t steps = facts_.stepsPerEpoch * facts_.totalEpochs;
  return steps > 0 ? rateCurves(experiment_, steps, points) : std::vector<RateCurve>();
}

QStringList RunCurves::charts() const {
  QStringList charts{QStringLiteral("loss")};
  for (const QString& metric : epochs_.metrics())
    if (metric != QLatin1String("val_loss")) charts << metric;
  return charts << kLearningRate;
}

}  // namespace parapet::ui
