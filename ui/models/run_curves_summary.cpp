// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_curves_summary.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "engine/experiment/metric_key.h"
#include "engine/experiment/verdict_text.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

QString translated(const char* text) {
  return QCoreApplication::translate("parapet::ui::RunHeadline", text);
}

}  // namespace

QString baselineName(const std::string& name, experiment::LossKind loss, const QString& metric) {
  return QString::fromStdString(
      experiment::baselineName(name, experiment::baselineKind(name, loss, metric.toStdString())));
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
  const std::int64_t epoch = curves.lastEpoch();
  head.epoch = facts.totalEpochs > 0
                   ? translated("%1 / %2").arg(countText(epoch), countText(facts.totalEpochs))
                   : countText(epoch);
  const std::int64_t stepsInAll = facts.stepsPerEpoch * facts.totalEpochs;
  // A longer number only pushes the others out of view.
  constexpr std::int64_t kReadableSteps = 1'000'000;
  head.step = stepsInAll > 0 && stepsInAll < kReadableSteps
                  ? translated("%1 / %2").arg(countText(curves.lastStep()), countText(stepsInAll))
                  : countText(curves.lastStep());
  if (const QString key = curves.keyMetric(); !key.isEmpty()) {
    head.keyLabel = key.mid(4);
    head.key = numberText(epochs.lastMetric(key).value_or(NAN));
  }
  const experiment::EpochSummary* last = epoch > 0 ? &epochs.rows().back().summary : nullptr;
  head.loss = numberText(last ? last->loss : curves.lastLoss());
  head.valLoss = numberText(epochs.lastMetric(QStringLiteral("val_loss")).value_or(NAN));
  if (const auto masked = epochs.lastMetric(QStringLiteral("masked_hits")))
    head.maskedHits = countText(std::llround(*masked));
  head.msPerStep = numberText(last ? last->msPerStep : NAN, 3);
  head.examplesPerSecond =
      last ? countText(std::llround(last->examplesPerSecond)) : numberText(NAN);
  if (experiment::isTerminal(facts.state)) {
    head.timeLabel = translated("took");
    head.time = durationText(facts.seconds);
  } else {
    if (eta.highSeconds < 0.0) eta = etaFromEpochs(curves);
    head.timeLabel = translated("time left");
    head.time = durationRangeText(eta.lowSeconds, eta.highSeconds);
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
    return translated("Stopped by hand after epoch %1 of %2.").arg(epochs).arg(facts.totalEpochs);
  if (facts.state != RunState::kFinished) return {};
  const bool early = facts.earlyStopping && epochs < facts.totalEpochs;
  const QString metric = early ? QString::fromStdString(facts.earlyStopping->metric)
                               : QString::fromStdString(facts.bestMetric);
  const std::int64_t best = bestEpochBy(curves.epochs(), metric);
  if (early)
    return translated("Stopped early (patience %2): %1 improved no more; best epoch %3.")
        .arg(metric)
        .arg(facts.earlyStopping->patience)
        .arg(best);
  if (best == 0) return {};
  return best == epochs
             ? translated("Best in its last epoch by %1: it may go on learning.").arg(metric)
             : translated("Best epoch %1 of %2 by %3.").arg(best).arg(epochs).arg(metric);
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
      sentences << translated("The split leaks: %1.").arg(mark.text.mid(leak.size()));
    if (mark.text.startsWith(baseline))
      sentences << translated("A baseline is left out: %1.").arg(mark.text.mid(baseline.size()));
  }
  sentences.removeAll(QString());
  return sentences.join(QLatin1Char(' '));
}

}  // namespace parapet::ui
