// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_curves_summary.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "engine/experiment/metric_key.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

QString translated(const char* text) {
  return QCoreApplication::translate("parapet::ui::RunHeadline", text);
}

/// The metric that a run is judged by besides its loss.
QString headlineKey(const RunCurves& curves) {
  std::vector<std::string> metrics;
  for (const QString& metric : curves.epochs().metrics()) metrics.push_back(metric.toStdString());
  return QString::fromStdString(experiment::headlineKey(metrics));
}

struct Contest {
  bool beats = false;
  QString text;
};

std::optional<Contest> contest(const RunCurves& curves, const std::string& baseline,
                               const QString& words, const QString& key) {
  if (key.isEmpty()) return std::nullopt;
  const auto mine = curves.epochs().lastMetric(key);
  const auto other = curves.baseline(baseline, key);
  if (!mine || !other) return std::nullopt;
  const bool beats = lowerIsBetter(key) ? *mine < *other : *mine > *other;
  return Contest{
      beats,
      translated("%1 (%2 %3 against %4)").arg(words, key, numberText(*mine), numberText(*other))};
}

}  // namespace

QString baselineName(const std::string& name) {
  if (name == "constant") return translated("constant mean");
  if (name == "most_popular") return translated("most popular");
  if (name == "random") return translated("random order");
  if (name == "item_mean") return translated("mean of the item");
  if (name == "user_mean") return translated("mean of the user");
  return QString::fromStdString(name);
}

QString verdictOf(const RunCurves& curves, bool* beatsAll) {
  const auto loss =
      contest(curves, "constant", translated("the constant mean"), QStringLiteral("val_loss"));
  const auto lists =
      contest(curves, "most_popular", translated("most popular"), headlineKey(curves));
  if (beatsAll) *beatsAll = (loss || lists) && (!loss || loss->beats) && (!lists || lists->beats);
  if (loss && lists) {
    if (loss->beats && lists->beats)
      return translated("Beats %1 and %2.").arg(loss->text, lists->text);
    if (!loss->beats && !lists->beats)
      return translated("Beats neither %1 nor %2.").arg(loss->text, lists->text);
    const Contest& won = loss->beats ? *loss : *lists;
    const Contest& lost = loss->beats ? *lists : *loss;
    return translated("Beats %1 but does not beat %2.").arg(won.text, lost.text);
  }
  if (!loss && !lists) return {};
  const Contest& only = loss ? *loss : *lists;
  return (only.beats ? translated("Beats %1.") : translated("Does not beat %1.")).arg(only.text);
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
  const experiment::EpochSummary* last = epoch > 0 ? &epochs.rows().back().summary : nullptr;
  head.loss = numberText(last ? last->loss : curves.lastLoss());
  head.valLoss = numberText(epochs.lastMetric(QStringLiteral("val_loss")).value_or(NAN));
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
  head.verdict = verdictOf(curves, &head.beatsAll);
  return head;
}

}  // namespace parapet::ui
