// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/data/ingest/import/import.h"
#include "engine/workspace/workspace.h"

namespace parapet::workspace {

struct PredictOptions {
  std::filesystem::path input;  ///< Parquet by its ending, else text
  CheckpointChoice checkpoint{};
};

/// The score of a row of the file.
struct RowScore {
  std::int64_t row = 0;  ///< from 0; rejected rows count
  float score = 0.0f;    ///< of the model; a logit under bce
};

/// Ids of a column that the data set of the run does not have.
struct UnknownIds {
  std::string column;
  std::int64_t ids = 0;   ///< of all rows
  std::string example{};  ///< the first of them
};

struct RowScores {
  std::string runId{};
  std::int64_t step = 0;
  std::vector<RowScore> scores{};
  std::int64_t rejected = 0;
  std::vector<data::RejectedLine> rejectedLines{};  ///< the first ones
  std::vector<UnknownIds> unknown{};                ///< columns that have some
  std::vector<std::string> warnings{};
};

}  // namespace parapet::workspace
