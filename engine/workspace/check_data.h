// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/data/dataset/dataset.h"
#include "engine/data/split/leakage.h"
#include "engine/data/split/split.h"
#include "engine/experiment/document.h"
#include "engine/experiment/problem.h"

namespace parapet::workspace {

/// Findings that need the imported data: labels that a loss cannot take, weights that are all 0,
/// pretrained embeddings of another width than their table, histories by time of data without times;
/// warns of columns, labels and weights with one value alone, of examples with
/// more values than a feature uses, and of rows that histories leave out because they share their
/// second, with their count.
/// Reads the columns that a setting concerns from end to end; throws data::PassStopped once `stop`
/// fires.
///
/// Thread   pure.
experiment::Findings checkData(const experiment::Experiment& experiment,
                               const data::Dataset& dataset, std::stop_token stop = {});

/// A split whose training rows make no batch where a short last one is dropped, or all have weight 0;
/// warns of another part that has no row with a weight. `batchRows`: of a full global batch.
experiment::Findings checkSplit(const experiment::Experiment& experiment,
                                const data::Dataset& dataset, const data::Split& split,
                                std::int64_t batchRows);

/// Leaks of held-out rows into training, and held-out rows that it cannot know, as warnings
/// at the setting that decides it. Of data::LeakageReport::findings(), the notes are left out.
experiment::Findings checkLeaks(const experiment::Experiment& experiment,
                                std::span<const data::LeakFinding> leaks);

/// NumPy files of initial weights that cannot be read or have another shape. `vocabularyRows`: of
/// each vocabulary; negative: not known yet.
experiment::Findings checkInitialFiles(const experiment::Experiment& experiment,
                                       const std::map<std::string, std::int64_t>& vocabularyRows);

/// Lists of the catalogue that would be longer than it is: nothing is measured at such a k. A problem
/// where early stopping or the best checkpoint goes by it, since neither would ever happen; else a
/// warning that names what is measured. If the model knows items by their ids alone, those without a
/// training row are no candidates. Throws data::PassStopped once `stop` fires.
///
/// Thread   pure.
experiment::Findings checkListLengths(const experiment::Experiment& experiment,
                                      const data::Dataset& dataset, const data::Split& split,
                                      std::stop_token stop = {});

/// Why these data never have the value of a metric ("val_recall@50", "test_recall@50") and which keys
/// they have; nullopt if they have it, as far as its k decides. The pointer is empty.
std::optional<experiment::Problem> neverMeasured(const experiment::Experiment& experiment,
                                                 const data::Dataset& dataset,
                                                 const data::Split& split,
                                                 const std::string& metric,
                                                 std::stop_token stop = {});

/// Takes the keys that these data never have out of what the problems of a document offer.
void narrowOffers(const experiment::Experiment& experiment, const data::Dataset& dataset,
                  const data::Split& split, experiment::Findings& findings);

/// Makes warnings of these problems. A run may have begun with a version that did not refuse such
/// metrics, and goes on as it began.
void tolerateNeverMeasured(experiment::Findings& findings);

}  // namespace parapet::workspace
