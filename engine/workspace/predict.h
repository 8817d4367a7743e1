// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
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

struct OpenedRun;

/// A stored model that scores rows as they come, with the bits that Workspace::predict gives the same
/// rows of a file of JSON Lines.
///
/// Thread   one at a time.
class RowPredictor {
 public:
  RowPredictor(std::unique_ptr<OpenedRun> opened, WorkContext context);
  ~RowPredictor();

  [[nodiscard]] std::int64_t step() const;
  /// The warnings of the checkpoint.
  [[nodiscard]] const std::vector<std::string>& warnings() const;
  /// The score of a row: a JSON object on one line, with the columns that Workspace::predict reads.
  /// The first row of a form, that is with other columns or types than those before, is looked at
  /// as a file is, and takes longer.
  ///
  /// Errors   kInvalidDocument: a column that is not there (with those that are); kData: no object,
  ///          or a value that its column cannot have; kCancelled.
  Result<RowScores> score(std::string_view line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parapet::workspace
