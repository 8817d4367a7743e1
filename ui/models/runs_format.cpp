// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_format.h"

#include <fmt/format.h>

#include <QDateTime>
#include <QObject>
#include <cmath>

#include "engine/base/text.h"
#include "engine/experiment/metric_key.h"

namespace parapet::ui {
namespace {

const QString kUnknown = QStringLiteral("–");

}  // namespace

QString numberText(double value, int digits) {
  if (!std::isfinite(value)) return kUnknown;
  // Fixed up to five decimals keeps columns of losses aligned; beyond that %g reads better.
  const double size = std::abs(value);
  if (value == 0.0) return QStringLiteral("0");
  if (size >= 1e-3 && size < 1e5) {
    const int before = std::max(0, static_cast<int>(std::floor(std::log10(size))) + 1);
    return QString::fromStdString(fmt::format("{:.{}f}", value, std::max(0, digits - before)));
  }
  constexpr double kMaxExact = 1e15;  // whole numbers are exact up to here
  if (size < kMaxExact && value == std::floor(value))
    return countText(static_cast<std::int64_t>(value));
  return QString::fromStdString(fmt::format("{:.{}g}", value, digits));
}

QString fixedText(double value, int decimals) {
  return std::isfinite(value) ? QString::fromStdString(fmt::format("{:.{}f}", value, decimals))
                              : kUnknown;
}

QString metricText(const QString& metric, double value) {
  return std::isfinite(value) && experiment::isCountKey(metric.toStdString())
             ? countText(std::llround(value))
             : numberText(value, 5);
}

QString bytesText(std::int64_t bytes) {
  return QString::fromStdString(formatBytes(static_cast<std::uint64_t>(bytes)));
}

QString countText(std::int64_t count) {
  return QString::fromStdString(formatCount(count));
}

QString durationText(double seconds) {
  return std::isfinite(seconds) && seconds >= 0.0 ? QString::fromStdString(formatDuration(seconds))
                                                  : kUnknown;
}

QString durationRangeText(double low, double high) {
  if (!(low >= 0.0) || !(high >= 0.0)) return kUnknown;
  const QString from = durationText(low), to = durationText(high);
  return from == to ? from : QObject::tr("%1 – %2").arg(from, to);
}

QString timeText(std::int64_t wallMs) {
  return wallMs == 0
             ? kUnknown
             : QDateTime::fromMSecsSinceEpoch(wallMs).toString(QStringLiteral("yyyy-MM-dd HH:mm"));
}

QString dayText(std::int64_t seconds) {
  return QDateTime::fromSecsSinceEpoch(seconds, Qt::UTC).toString(QStringLiteral("yyyy-MM-dd"));
}

QString stateText(experiment::RunState state) {
  using experiment::RunState;
  switch (state) {
    case RunState::kQueued:
      return QObject::tr("Queued");
    case RunState::kRunning:
      return QObject::tr("Running");
    case RunState::kPaused:
      return QObject::tr("Paused");
    case RunState::kFinished:
      return QObject::tr("Finished");
    case RunState::kStopped:
      return QObject::tr("Stopped");
    case RunState::kFailed:
      return QObject::tr("Failed");
    case RunState::kCrashed:
      return QObject::tr("Crashed");
    case RunState::kDiverged:
      return QObject::tr("Diverged");
    case RunState::kDiskFull:
      return QObject::tr("Disk full");
    case RunState::kDeviceLost:
      return QObject::tr("Device lost");
  }
  throw InvalidArgument("[models.stateText] not a state of a run");
}

StateTone toneOf(experiment::RunState state) {
  using experiment::RunState;
  switch (state) {
    case RunState::kRunning:
    case RunState::kFinished:
      return StateTone::kGood;
    case RunState::kQueued:
    case RunState::kPaused:
    case RunState::kStopped:
      return StateTone::kCareful;
    default:
      return StateTone::kBad;
  }
}

bool lowerIsBetter(const QString& metric) {
  for (const char* time : {"ms_per_step", "seconds"})
    if (metric.contains(QLatin1String(time))) return true;
  return experiment::smallerIsBetter(metric.toStdString());
}

}  // namespace parapet::ui
