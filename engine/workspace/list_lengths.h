// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "engine/data/dataset/dataset.h"
#include "engine/data/split/split.h"
#include "engine/experiment/document.h"
#include "engine/experiment/problem.h"

namespace parapet::workspace {

/// Lists of the catalogue that would be longer than it is: nothing is measured at such a k. A problem
/// where early stopping or the best checkpoint goes by it, since neither would ever happen; else a
/// warning that names what is measured. If the model knows items by their ids alone, those without a
/// training row are no candidates.
///
/// Thread   pure.
experiment::Findings checkListLengths(const experiment::Experiment& experiment,
                                      const data::Dataset& dataset, const data::Split& split);

/// Why these data never have the value of a metric ("val_recall@50", "test_recall@50") and which keys
/// they have; nullopt if they have it, as far as its k decides. The pointer is empty.
std::optional<experiment::Problem> neverMeasured(const experiment::Experiment& experiment,
                                                 const data::Dataset& dataset,
                                                 const data::Split& split,
                                                 const std::string& metric);

/// Takes the keys that these data never have out of what the problems of a document offer.
void narrowOffers(const experiment::Experiment& experiment, const data::Dataset& dataset,
                  const data::Split& split, experiment::Findings& findings);

/// Makes warnings of these problems. A run may have begun with a version that did not refuse such
/// metrics, and goes on as it began.
void tolerateNeverMeasured(experiment::Findings& findings);

}  // namespace parapet::workspace
