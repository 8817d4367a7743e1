// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>

#include "engine/experiment/run_event.h"

namespace parapet::ui {

/// Number format of runs everywhere: without locale, "–" for what is not known.
QString numberText(double value, int digits = 4);         ///< significant digits: 0.0790, 12.34
QString fixedText(double value, int decimals);            ///< 1.50
QString metricText(const QString& metric, double value);  ///< five digits, of a count all
QString countText(std::int64_t count);                    ///< 12,345
QString bytesText(std::int64_t bytes);                    ///< 1.25 MiB
QString durationText(double seconds);                     ///< "3 min 20 s"
/// "2 – 4 min" for a range; one number if both ends read the same.
QString durationRangeText(double low, double high);
/// Local date and time, "2026-11-21 12:04"; "–" for 0.
QString timeText(std::int64_t wallMs);
/// The day in UTC of seconds since 1970, "2026-11-21".
QString dayText(std::int64_t seconds);

/// "Running", "Stopped", … in the language of the user.
QString stateText(experiment::RunState state);

/// Severity of a state; its name is shown beside the colour.
enum class StateTone {
  kGood,     ///< running, finished
  kCareful,  ///< waiting, paused, stopped
  kBad,      ///< ended by a fault
};
StateTone toneOf(experiment::RunState state);

/// Whether a smaller value of a metric is the better one: losses, errors and times.
bool lowerIsBetter(const QString& metric);

}  // namespace parapet::ui
