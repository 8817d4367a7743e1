// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/data/dataset/dataset.h"
#include "engine/experiment/document.h"
#include "engine/train/resolved_model.h"
#include "engine/train/run_bytes.h"

namespace parapet::train {

/// The memory that a run of a resolved experiment holds besides. `dataset` may be null. Histories
/// are counted by making them, as the start of a run does.
///
/// Errors   those of the split.
Result<RunMemory> runMemory(const experiment::Experiment& experiment, const ResolvedModel& resolved,
                            const data::Dataset* dataset);

}  // namespace parapet::train
