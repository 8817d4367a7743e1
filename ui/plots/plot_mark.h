// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <limits>

namespace parapet::ui {

enum class PlotMarkKind {
  kCheckpoint,  ///< diamond
  kPause,       ///< two bars
  kResume,      ///< triangle to the right
  kWarning,     ///< triangle with its base below
  kNonFinite,   ///< cross
};

/// Something that happened during a run. A coordinate that is not known is NaN; the mark is then
/// left out on that axis. Step and epoch stand in for each other where stepsPerEpoch is known.
struct PlotMark {
  PlotMarkKind kind = PlotMarkKind::kWarning;
  double step = std::numeric_limits<double>::quiet_NaN();
  double epoch = std::numeric_limits<double>::quiet_NaN();
  double seconds = std::numeric_limits<double>::quiet_NaN();
  QString text;  ///< tooltip
};

}  // namespace parapet::ui
