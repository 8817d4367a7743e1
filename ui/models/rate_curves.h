// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/experiment/document.h"

namespace parapet::ui {

/// The learning rate of an optimizer over the steps of a run.
struct RateCurve {
  QString name;  ///< "experiment", "table user", "table user and 3 more"
  std::vector<std::pair<std::int64_t, double>> points;
};

/// Steps that a preview of the rates shows.
struct RateSpan {
  std::int64_t steps = 0;
  bool wholeRun = false;  ///< those of the run; else as many as show the schedules
};
/// `trainRows`: rows of an epoch; −1 if they are not known.
RateSpan rateSpan(const experiment::Experiment& experiment, std::int64_t trainRows);

/// The curves of the experiment and of every table with an optimizer of its own, those with the same
/// rates as one; `points` of each at most, the first and the last step among them.
std::vector<RateCurve> rateCurves(const experiment::Experiment& experiment, std::int64_t steps,
                                  int points);

/// "Learning rate × devices: 0.05 × 4 = 0.2." where the rate of a run grows with its devices, of
/// the experiment's optimizer; "" where it does not.
QString scaledRateText(const experiment::Experiment& experiment);

/// Training rows if the document alone determines them; else −1.
std::int64_t trainRowsOf(const experiment::Experiment& experiment);

}  // namespace parapet::ui
