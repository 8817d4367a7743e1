// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/document.h"
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

/// The differences of an experiment from the run whose published curve it names, in that which
/// decides the values of the curve: "the loss", "the data", "the model". Its data are the source with
/// its columns, label, vocabularies and split; where they lie does not count, nor where the
/// vocabulary of texts and initial weights do.
///
/// nullopt  if nothing differs, no curve is named, or no recipe is that of the published run.
/// Source   the recipes that name the curve.
std::optional<std::string> differenceFromPublished(const Experiment& experiment);

/// Takes the published curve out of `changed` if a change from `before` made it one of another
/// experiment. A curve that was named for a different experiment on purpose stays.
///
/// Returns  what differs, if it was taken out.
std::optional<std::string> leavePublishedRun(const Experiment& before, Experiment& changed);

}  // namespace parapet::experiment
