// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/document.h"

namespace parapet::experiment {

/// Columns that differ from row to row of the same user and that the query side reads: contexts
/// (when, where, how) and numbers, once each, in the order of the features. A query of the model is
/// a user and values of these. Of a ranking model contexts count on either side.
std::vector<std::string> contextColumns(const Experiment& experiment);

/// Whether the model reads the history of a query's user.
bool readsHistory(const Experiment& experiment);

/// How the rows of a user, in order, are cut into sequences that are encoded once; see
/// data::ListOrder.
struct SequenceWindows {
  std::int64_t length = 0;  ///< positions, at most
  std::int64_t stride = 0;  ///< rows that they predict, at most; 1 … length
  EventOrder order = EventOrder::kTime;
};
/// Nullopt unless training.objective is kAllPositions and a feature is the sequence of a history.
std::optional<SequenceWindows> sequenceWindows(const Experiment& experiment);
/// Whether a feature is a history whose rows are encoded as one sequence for many examples.
bool isSharedSequence(const Experiment& experiment, const Feature& feature);

/// The column of a feature in batches: that of the data set, or of a history a name that no column
/// has.
std::string batchColumn(const Feature& feature);

/// The unit of the evaluation, kExample by default if the query side reads a context or a history.
EvaluationUnit evaluationUnit(const Experiment& experiment);

/// Whether row 0 of a vocabulary is that of the id 0, as in Keras's Embedding(2) of {0, 1}. So it is
/// where contexts alone use a direct vocabulary whose unknown ids are errors: no example needs a row
/// of unknown ids then, and no list leaves row 0 out. Else row 0 is that of padding and unknown ids.
bool usesRowZero(const Dataset& dataset, const Vocabulary& vocabulary);

}  // namespace parapet::experiment
