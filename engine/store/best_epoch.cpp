// SPDX-License-Identifier: Apache-2.0
#include "engine/store/best_epoch.h"

#include <cmath>
#include <limits>

#include "engine/experiment/metric_key.h"

namespace parapet::store {
namespace {

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

double valueIn(const experiment::EpochSummary& epoch, std::string_view metric) {
  for (const auto& [key, value] : epoch.metrics)
    if (key == metric) return value;
  return metric == "loss" ? epoch.loss : kNotMeasured;
}

Result<std::string> bestMetricOf(Database& database, const std::string& runId) {
  std::string metric;
  PARAPET_TRY(database.each(
      "SELECT best_metric FROM runs WHERE id=?", [&](Statement& row) { metric = row.text(0); },
      runId));
  return metric;
}

}  // namespace

Status offerEpoch(Database& database, const std::string& runId,
                  const experiment::EpochSummary& epoch) {
  std::string metric;
  double best = kNotMeasured;
  std::int64_t bestEpoch = 0;
  PARAPET_TRY(database.each(
      "SELECT best_metric, best_value, best_epoch FROM runs WHERE id=?",
      [&](Statement& row) {
        metric = row.text(0);
        best = row.real(1);
        bestEpoch = row.integer(2);
      },
      runId));
  // Recorded again after a resume: the value that made it the best is gone.
  if (epoch.epoch == bestEpoch) return findBestEpoch(database, runId);
  const double value = valueIn(epoch, metric);
  if (!std::isfinite(value)) return {};
  const bool isBetter =
      std::isnan(best) || (experiment::smallerIsBetter(metric) ? value < best : value > best);
  if (!isBetter) return {};
  return database.run("UPDATE runs SET best_value=?, best_epoch=?, best_step=? WHERE id=?", value,
                      epoch.epoch, epoch.step, runId);
}

Status findBestEpoch(Database& database, const std::string& runId) {
  PARAPET_ASSIGN(const std::string metric, bestMetricOf(database, runId));
  const double sign = experiment::smallerIsBetter(metric) ? 1.0 : -1.0;
  return database.run(
      "UPDATE runs SET (best_value, best_epoch, best_step) ="
      " (SELECT value, epoch, step FROM"
      "   (SELECT m.value AS value, e.epoch AS epoch, e.step AS step FROM epoch_metrics m"
      "    JOIN epochs e ON e.run_id=m.run_id AND e.epoch=m.epoch"
      "    WHERE m.run_id=?1 AND m.key=?2 AND e.rules=(SELECT rules FROM runs WHERE id=?1)"
      "    UNION ALL SELECT loss, epoch, step FROM epochs WHERE run_id=?1 AND ?2='loss')"
      "  WHERE abs(value) < 9e999 ORDER BY value*?3, epoch LIMIT 1) WHERE id=?1",
      runId, metric, sign);
}

}  // namespace parapet::store
