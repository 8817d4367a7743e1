// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/data/dataset/dataset.h"
#include "engine/experiment/document.h"
#include "engine/nn/plan_request.h"

namespace parapet::train {

/// How the ids of the columns that tables are read by spread over their rows, by column: what the
/// planner asks for. From samples of batches, always the same ones (data::measureIds).
std::map<std::string, nn::ColumnIds> measureColumns(const experiment::Experiment& experiment,
                                                    const data::Dataset& dataset,
                                                    std::int64_t batchRows);

}  // namespace parapet::train
