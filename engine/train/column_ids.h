// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/data/dataset/dataset.h"
#include "engine/experiment/document.h"
#include "engine/nn/plan_request.h"

namespace parapet::train {

/// Statistics of the id columns that look rows of tables up, by column, as the planner needs them.
/// From samples of batches, always the same ones.
std::map<std::string, nn::ColumnIds> measureColumns(const experiment::Experiment& experiment,
                                                    const data::Dataset& dataset,
                                                    std::int64_t batchRows);

}  // namespace parapet::train
