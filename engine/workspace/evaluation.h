// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/experiment/run_event.h"
#include "engine/experiment/verdict.h"
#include "engine/retrieval/recommender.h"

namespace parapet::workspace {

enum class WhichCheckpoint { kLast, kBest, kStep };
struct CheckpointChoice {
  WhichCheckpoint which = WhichCheckpoint::kLast;
  std::int64_t step = 0;
};

/// A checkpoint on disk, read and compared with its hashes.
struct CheckpointCheck {
  std::int64_t step = 0;
  bool ok = false;
  std::string message;  ///< what it holds, or what is wrong
};

struct EvaluateOptions {
  /// kValidation or kTest.
  experiment::SplitPart part = experiment::SplitPart::kValidation;
  std::vector<std::int64_t> k;  ///< empty: the experiment's
  /// kExcludeTrain, or as the experiment says.
  retrieval::SeenItems seen = retrieval::SeenItems::kKeep;
  CheckpointChoice checkpoint;
  std::filesystem::path input{};  ///< rows of a file in place of a part; "": none
};
struct Evaluation {
  std::string runId;
  std::int64_t step = 0;
  std::vector<experiment::Metric> metrics;  ///< unprefixed keys: "loss", "rmse", "recall@10", …
  experiment::Baselines baselines;
  std::vector<experiment::BaselineVerdict> verdicts;
  std::vector<std::string> warnings;  ///< of the checkpoint, for the user
  /// The unit and number of queries of lists of the catalogue; "" and 0 for models without lists.
  std::string unit{};      ///< "user" or "example"
  std::string protocol{};  ///< of a benchmark, "yambda"; "" of none
  std::int64_t queries = 0;
  std::vector<experiment::Metric> standardErrors{};
  std::vector<experiment::SegmentMetrics> segments{};
  std::vector<std::string> notes{};  ///< see retrieval::CatalogueRanking::choices
};

}  // namespace parapet::workspace
