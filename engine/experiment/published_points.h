// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/experiment/experiment.h"

namespace parapet::experiment {

/// Points of a published run of any loss or metric by its key: "loss_as_displayed", "val_loss",
/// "rmse_as_displayed", "val_rmse". Empty if none were published.
std::vector<ReferenceCurve::Point> publishedPoints(const ReferenceCurve& curve,
                                                   std::string_view key);
/// Mean and deviation over seeds of runs of the recipe of a published run: how far one run lies from the
/// published one by chance. Epochs are those that docs/fidelity.md lists.
struct PublishedBand {
  struct Point {
    std::int64_t epoch;
    double mean, deviation;
  };
  std::int64_t seeds = 0;
  std::vector<Point> points;  ///< empty: not measured
};
PublishedBand publishedBand(const ReferenceCurve& curve, std::string_view key);
/// Whether the training metrics of a published run were displayed as the sum of those of its devices.
bool displayAddsDevices(std::string_view curve);

}  // namespace parapet::experiment
