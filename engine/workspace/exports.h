// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/retrieval/recommender.h"
#include "engine/workspace/evaluation.h"

namespace parapet::workspace {

enum class ExportWhat {
  kCheckpoint,  ///< all tensors, those of the optimizer included
  kTables,      ///< trained weights, those of embedding tables with the ids of their rows
  kVectors,     ///< of users and items after the towers, with their ids
  kCurves,
  kRecommendations,
  kModel,  ///< a folder that answers without a workspace (model_folder.h), or one for transformers
};
/// The formats in which something can be exported; the first is the usual one.
std::span<const char* const> exportFormats(ExportWhat what);
struct ExportOptions {
  ExportWhat what = ExportWhat::kTables;
  std::string format;  ///< one of exportFormats(); "": the first
  std::filesystem::path out;
  CheckpointChoice checkpoint;
  std::int64_t k = 10;  ///< recommendations
  retrieval::SeenItems seen = retrieval::SeenItems::kKeep;
  /// Recommendations: a list of each user in each of them; an empty one is the default.
  std::vector<std::vector<retrieval::ContextValue>> contexts{{}};
  retrieval::CandidateFilter candidates{};  ///< recommendations: what their lists may name
  std::vector<retrieval::Query> queries{};  ///< vectors: of these in place of users and items
  std::string licence{};                    ///< of a model folder, as its manifest shall name it
};

/// The files of an export, and the checkpoint that they come from.
struct Exported {
  std::vector<std::filesystem::path> files;
  std::optional<std::int64_t> step;   ///< of the checkpoint; curves have none
  std::vector<std::string> warnings;  ///< of the checkpoint, for the user
};

}  // namespace parapet::workspace
