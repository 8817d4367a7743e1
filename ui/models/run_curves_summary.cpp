// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_curves_summary.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "engine/experiment/verdict.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

QString translated(const char* text) {
  return QCoreApplication::translate("parapet::ui::RunHeadline", text);
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
  if (const auto* verdicts = epochs.lastVerdicts()) {
    head.verdict = QString::fromStdString(experiment::sentenceOf(*verdicts));
    head.beatsAll = experiment::overall(*verdicts) == experiment::Verdict::kBetter;
  }
  return head;
}

}  // namespace parapet::ui
