// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_curves.h"

#include <fmt/format.h>

#include <QCoreApplication>
#include <QObject>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/experiment/metric_key.h"
#include "engine/experiment/renamed_keys.h"
#include "engine/experiment/verdict_text.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/features_model.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

using experiment::StepBucket;

experiment::Baselines readBaselines(const std::string& startedJson) {
  experiment::Baselines baselines;
  const auto started = nlohmann::ordered_json::parse(startedJson, nullptr, false);
  if (!started.is_object() || !started.contains("baselines")) return baselines;
  for (const auto& [name, metrics] : started["baselines"].items()) {
    std::vector<experiment::Metric> values;
    for (const auto& [key, value] : metrics.items())
      if (value.is_number()) values.emplace_back(key, value.get<double>());
    baselines.emplace_back(name, std::move(values));
  }
  return baselines;
}

/// Seconds at the end of a step, from the buckets around it; in proportion within a bucket of
/// several steps.
double secondsAt(const std::vector<StepBucket>& steps, std::int64_t step) {
  const auto bucket = std::ranges::lower_bound(steps, step, {}, &StepBucket::lastStep);
  if (bucket == steps.end()) return NAN;
  if (bucket->lastStep == step || bucket == steps.begin()) return bucket->seconds;
  const StepBucket& before = *(bucket - 1);
  const double share = static_cast<double>(step - before.lastStep) /
                       static_cast<double>(bucket->lastStep - before.lastStep);
  return before.seconds + share * (bucket->seconds - before.seconds);
}

/// The first step without a finite loss. Its bucket is divided again and again, so a few hundred
/// buckets are read, however long the run is.
Result<std::int64_t> firstNonFinite(const store::RunStore& store, const std::string& runId,
                                    std::vector<StepBucket> steps) {
  constexpr std::int64_t kParts = 64;
  for (std::int64_t width = std::numeric_limits<std::int64_t>::max();;) {
    const auto found =
        std::ranges::find_if(steps, [](const StepBucket& each) { return each.nonFinite > 0; });
    if (found == steps.end()) return std::int64_t{0};
    const StepBucket bucket = *found;
    if (bucket.lastStep - bucket.firstStep >= width || bucket.firstStep == bucket.lastStep)
      return bucket.firstStep;
    width = bucket.lastStep - bucket.firstStep;
    PARAPET_ASSIGN(steps, store.stepBlocks(runId, bucket.firstStep, bucket.lastStep, kParts));
  }
}

Result<std::vector<EpochRow>> readEpochs(const store::RunStore& store, const std::string& runId,
                                         const std::vector<StepBucket>& steps) {
  PARAPET_ASSIGN(auto summaries, store.epochs(runId));
  std::vector<EpochRow> rows;
  for (experiment::EpochSummary& summary : summaries) {
    const double at = secondsAt(steps, summary.step);
    rows.push_back({std::move(summary), at});
  }
  return rows;
}

std::optional<RunMark::Kind> kindOf(const store::EventRecord& event, bool paused) {
  if (event.kind == "checkpoint") return RunMark::Kind::kCheckpoint;
  if (event.kind == "warning") return RunMark::Kind::kWarning;
  if (event.kind == "started" && event.step > 0) return RunMark::Kind::kResume;
  if (event.kind != "state") return std::nullopt;
  if (event.message == experiment::runStateName(experiment::RunState::kPaused))
    return RunMark::Kind::kPause;
  if (paused && event.message == experiment::runStateName(experiment::RunState::kRunning))
    return RunMark::Kind::kResume;
  return std::nullopt;
}

std::string_view withoutPrefix(std::string_view key) {
  return key.starts_with("val_") ? key.substr(4) : key;
}

/// The baselines of the engine, from which lupdate knows their names.
[[maybe_unused]] constexpr const char* kBaselines[] = {
    QT_TRANSLATE_NOOP("Baseline", "mean label"),
    QT_TRANSLATE_NOOP("Baseline", "mean of the item"),
    QT_TRANSLATE_NOOP("Baseline", "mean of the user"),
    QT_TRANSLATE_NOOP("Baseline", "biases"),
    QT_TRANSLATE_NOOP("Baseline", "most frequent token"),
    QT_TRANSLATE_NOOP("Baseline", "left neighbour"),
    QT_TRANSLATE_NOOP("Baseline", "most popular"),
    QT_TRANSLATE_NOOP("Baseline", "popular in the context"),
    QT_TRANSLATE_NOOP("Baseline", "own items"),
    QT_TRANSLATE_NOOP("Baseline", "Markov chain"),
    QT_TRANSLATE_NOOP("Baseline", "item-kNN"),
    QT_TRANSLATE_NOOP("Baseline", "EASE"),
    QT_TRANSLATE_NOOP("Baseline", "truncated SVD"),
    QT_TRANSLATE_NOOP("Baseline", "random order"),
    QT_TRANSLATE_NOOP("Baseline", "equal scores"),
};

}  // namespace

Result<std::vector<RunMark>> readMarks(const store::RunStore& store, const std::string& runId) {
  PARAPET_ASSIGN(const auto events, store.events(runId));
  std::vector<RunMark> marks;
  bool paused = false;
  for (const store::EventRecord& event : events) {
    if (event.kind == "started")
      std::erase_if(marks, [&](const RunMark& mark) { return mark.step > event.step; });
    const auto kind = kindOf(event, paused);
    if (event.kind == "state") paused = kind == RunMark::Kind::kPause;
    if (!kind) continue;
    RunMark mark{*kind, event.step, NAN, shownText(event.message)};
    if (event.step > 0) {
      PARAPET_ASSIGN(const auto at, store.steps(runId, event.step - 1, 1));
      if (!at.empty()) mark.seconds = at.front().seconds;
    } else {
      mark.seconds = 0.0;
    }
    marks.push_back(std::move(mark));
  }
  return marks;
}

Result<StoredRun> readStoredRun(const store::RunStore& store, const std::string& runId,
                                std::int64_t maxSteps) {
  StoredRun run;
  PARAPET_ASSIGN(run.record, store.find(runId));
  PARAPET_ASSIGN(const nlohmann::json document,
                 experiment::parseStoredJson(run.record.experimentJson));
  experiment::Parsed parsed = experiment::parse(document);
  if (!parsed.findings.problems.empty())
    return Error{ErrorCode::kData,
                 fmt::format("the document of run {} cannot be read: {}", run.record.id,
                             parsed.findings.problems.front().message)};
  run.experiment = std::move(parsed.experiment);
  run.baselines = readBaselines(run.record.startedJson);
  PARAPET_ASSIGN(run.steps, store.stepBlocks(run.record.id, 0, run.record.steps, maxSteps));
  // More steps than buckets: some were joined, by the store now or when they were recorded.
  PARAPET_ASSIGN(run.firstNonFinite, firstNonFinite(store, run.record.id, run.steps));
  run.reduced = run.record.steps > static_cast<std::int64_t>(run.steps.size());
  PARAPET_ASSIGN(run.epochs, readEpochs(store, run.record.id, run.steps));
  PARAPET_ASSIGN(run.marks, readMarks(store, run.record.id));
  return run;
}

Result<StoredTail> readStoredTail(const store::RunStore& store, const std::string& runId,
                                  std::int64_t afterStep) {
  StoredTail tail;
  PARAPET_ASSIGN(tail.record, store.find(runId));
  tail.baselines = readBaselines(tail.record.startedJson);
  PARAPET_ASSIGN(tail.steps, store.steps(runId, afterStep));
  PARAPET_ASSIGN(tail.epochs, readEpochs(store, runId, tail.steps));
  PARAPET_ASSIGN(tail.marks, readMarks(store, runId));
  return tail;
}

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
  const auto started = nlohmann::ordered_json::parse(record.startedJson, nullptr, false);
  if (started.is_object() && started.contains("train_rows") &&
      started["train_rows"].is_number_integer())
    takeTrainRows(started["train_rows"].get<std::int64_t>());
}

void RunCurves::takeTrainRows(std::int64_t rows) {
  const std::int64_t batch = batchRowsOf(experiment_);
  facts_.hasShortBatch = batch > 0 && rows % batch != 0 && experiment::meetsBatch(experiment_.loss);
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
  takeTrainRows(started.trainRows);
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
  return QString::fromStdString(experiment::judgingKey(keys, facts_.bestMetric));
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

QString baselineName(const std::string& name, experiment::LossKind loss, const QString& metric) {
  const std::string text =
      experiment::baselineName(name, experiment::baselineKind(name, loss, metric.toStdString()));
  return QCoreApplication::translate("Baseline", text.c_str());
}

RunEta etaFromEpochs(const RunCurves& curves) {
  const std::vector<EpochRow>& rows = curves.epochs().rows();
  if (rows.empty() || experiment::isTerminal(curves.facts().state)) return {};
  constexpr std::size_t kRecent = 5;
  double shortest = INFINITY, longest = 0.0;
  for (std::size_t i = rows.size() - std::min(rows.size(), kRecent); i < rows.size(); ++i) {
    shortest = std::min(shortest, rows[i].summary.seconds);
    longest = std::max(longest, rows[i].summary.seconds);
  }
  const auto left = static_cast<double>(
      std::max<std::int64_t>(0, curves.facts().totalEpochs - curves.lastEpoch()));
  return {left * shortest, left * longest};
}

RunHeadline headlineOf(const RunCurves& curves, RunEta eta) {
  const RunFacts& facts = curves.facts();
  const EpochsModel& epochs = curves.epochs();
  RunHeadline head;
  // The one that trains, as the toolbar counts.
  const std::int64_t ended = curves.lastEpoch();
  const std::int64_t epoch =
      experiment::isTerminal(facts.state) || facts.stepsPerEpoch <= 0
          ? ended
          : std::max(ended, (curves.lastStep() + facts.stepsPerEpoch - 1) / facts.stepsPerEpoch);
  head.epoch = facts.totalEpochs > 0
                   ? QObject::tr("%1 / %2").arg(countText(epoch), countText(facts.totalEpochs))
                   : countText(epoch);
  const std::int64_t stepsInAll = facts.stepsPerEpoch * facts.totalEpochs;
  // A longer number only pushes the others out of view.
  constexpr std::int64_t kReadableSteps = 1'000'000;
  head.step = stepsInAll > 0 && stepsInAll < kReadableSteps
                  ? QObject::tr("%1 / %2").arg(countText(curves.lastStep()), countText(stepsInAll))
                  : countText(curves.lastStep());
  if (const QString key = curves.keyMetric(); !key.isEmpty()) {
    head.keyLabel = key.mid(4);
    head.key = numberText(epochs.lastMetric(key).value_or(NAN));
  }
  const experiment::EpochSummary* last = ended > 0 ? &epochs.rows().back().summary : nullptr;
  head.loss = numberText(last ? last->loss : curves.lastLoss());
  head.valLoss = numberText(epochs.lastMetric(QStringLiteral("val_loss")).value_or(NAN));
  if (const auto masked = epochs.lastMetric(QStringLiteral("masked_hits")))
    head.maskedHits = countText(std::llround(*masked));
  head.msPerStep = numberText(last ? last->msPerStep : NAN, 3);
  head.examplesPerSecond =
      last ? countText(std::llround(last->examplesPerSecond)) : numberText(NAN);
  if (experiment::isTerminal(facts.state)) {
    head.timeLabel = QObject::tr("took");
    head.time = durationText(facts.seconds);
  } else {
    if (eta.highSeconds < 0.0) eta = etaFromEpochs(curves);
    head.timeLabel = QObject::tr("time left");
    // Validation and saving make the last moment longer than its steps.
    constexpr double kMoment = 1.0;
    head.time = eta.highSeconds >= 0.0 && eta.highSeconds < kMoment
                    ? QObject::tr("a moment")
                    : durationRangeText(eta.lowSeconds, eta.highSeconds);
  }
  if (const experiment::EpochSummary* validated = epochs.lastValidated())
    head.verdict = QString::fromStdString(experiment::lastVerdictText({validated, 1}));
  else if (facts.recipe == QLatin1String(experiment::kRecoveredRecipe))
    head.verdict = QLatin1String(experiment::kNoVerdictOfRecovered);
  return head;
}

namespace {

/// The epoch with the best value of a metric; 0 if none measured it.
std::int64_t bestEpochBy(const EpochsModel& epochs, const QString& metric) {
  const bool small = experiment::smallerIsBetter(metric.toStdString());
  double best = NAN;
  std::int64_t at = 0;
  for (const EpochRow& row : epochs.rows()) {
    const auto value = EpochsModel::metricOf(row, metric);
    if (!value || !std::isfinite(*value)) continue;
    if (at > 0 && !(small ? *value < best : *value > best)) continue;
    best = *value;
    at = row.summary.epoch;
  }
  return at;
}

QString endOf(const RunCurves& curves) {
  using experiment::RunState;
  const RunFacts& facts = curves.facts();
  const std::int64_t epochs = curves.lastEpoch();
  if (facts.state == RunState::kStopped)
    return QObject::tr("Stopped by hand after epoch %1 of %2.").arg(epochs).arg(facts.totalEpochs);
  if (facts.state != RunState::kFinished) return {};
  const bool early = facts.earlyStopping && epochs < facts.totalEpochs;
  const QString metric = early ? QString::fromStdString(facts.earlyStopping->metric)
                               : QString::fromStdString(facts.bestMetric);
  const std::int64_t best = bestEpochBy(curves.epochs(), metric);
  if (early)
    return QObject::tr("Stopped early (patience %2): %1 improved no more; best epoch %3.")
        .arg(metric)
        .arg(facts.earlyStopping->patience)
        .arg(best);
  if (best == 0) return {};
  return best == epochs
             ? QObject::tr("Best in its last epoch by %1: it may go on learning.").arg(metric)
             : QObject::tr("Best epoch %1 of %2 by %3.").arg(best).arg(epochs).arg(metric);
}

}  // namespace

QString decisionOf(const RunCurves& curves) {
  QStringList sentences{endOf(curves)};
  for (const RunMark& mark : curves.marks()) {
    const QLatin1String leak(experiment::kLeakWarning.data(), experiment::kLeakWarning.size());
    const QLatin1String baseline(experiment::kBaselineWarning.data(),
                                 experiment::kBaselineWarning.size());
    if (mark.kind != RunMark::Kind::kWarning) continue;
    if (mark.text.startsWith(leak))
      sentences << QObject::tr("The split leaks: %1.").arg(mark.text.mid(leak.size()));
    if (mark.text.startsWith(baseline))
      sentences << QObject::tr("A baseline is left out: %1.").arg(mark.text.mid(baseline.size()));
  }
  sentences.removeAll(QString());
  return sentences.join(QLatin1Char(' '));
}

}  // namespace parapet::ui
