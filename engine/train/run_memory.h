// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/dataset.h"
#include "engine/experiment/document.h"
#include "engine/mesh/device_mesh.h"
#include "engine/nn/model.h"
#include "engine/nn/plan_request.h"
#include "engine/train/run_bytes.h"

namespace parapet::train {

/// Bytes of the buffers of all plans of a session that do not train: predictions of a batch, and of
/// retrieval models queries and candidates. `tables` are placed; `columns` as in nn::planRequest.
std::int64_t evaluationBufferBytes(const experiment::Experiment& experiment, const nn::Model& model,
                                   const std::vector<experiment::Table>& tables,
                                   const std::map<std::string, nn::ColumnIds>& columns,
                                   const mesh::DeviceMesh& mesh, std::int64_t batchRows);

/// All of it. `dataset` may be null. Histories are counted by making them, as the start of a run does.
///
/// Errors   those of the split.
Result<RunMemory> runMemory(const experiment::Experiment& experiment, const nn::Model& model,
                            const std::vector<experiment::Table>& tables,
                            const std::map<std::string, nn::ColumnIds>& columns,
                            const mesh::DeviceMesh& mesh, std::int64_t batchRows,
                            const data::Dataset* dataset);

}  // namespace parapet::train
