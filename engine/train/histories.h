// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <stop_token>
#include <string>

#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/row_set.h"
#include "engine/data/dataset/user_history.h"
#include "engine/experiment/document.h"

namespace parapet::train {

/// The histories that a model reads, by column of its batches (experiment::batchColumn).
using Histories = std::map<std::string, data::HistoryColumn>;

/// Makes the histories of an experiment over a data set, which must outlive them. Features that
/// count the same rows in the same order share an index.
///
/// Errors   InvalidArgument if they go by time and the data set has none (see
///          workspace::checkData); data::PassStopped once `stop` fires.
Histories makeHistories(const experiment::Experiment& experiment, const data::Dataset& dataset,
                        const data::RowSet& trainingRows, std::stop_token stop = {});

}  // namespace parapet::train
