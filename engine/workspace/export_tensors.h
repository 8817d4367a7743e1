// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {

/// All tensors of a checkpoint, those of the optimizer included.
Result<Exported> exportCheckpoint(Shared& shared, const std::string& run,
                                  const ExportOptions& options, const WorkContext& context);

/// The trained weights; the rows of embedding tables have the ids of their vocabulary.
Result<Exported> exportTables(Shared& shared, const std::string& run, const ExportOptions& options,
                              const WorkContext& context);

/// A masked language model as a folder in the layout of Hugging Face: model.safetensors, config.json and
/// vocab.txt. What its configuration cannot say is among the warnings.
///
/// Errors   kInvalidDocument for other models, and for layers that BERT has not, at their pointer.
Result<Exported> exportModel(Shared& shared, const std::string& run, const ExportOptions& options,
                             const WorkContext& context);

/// Writes the vectors that the towers make of users and items: the dot product of two vectors is
/// the score of the pair.
///
/// Errors   kInvalidDocument for a ranking model, which has no towers.
Result<Exported> exportVectors(Shared& shared, const std::string& run, const ExportOptions& options,
                               const WorkContext& context);

/// Writes the vectors that the query tower makes of `options.queries`, in their order.
///
/// Errors   those of Workspace::recommender() and retrieval::Recommender::queryVectors().
Result<Exported> exportQueryVectors(Workspace& workspace, const std::string& run,
                                    const ExportOptions& options, const WorkContext& context);

}  // namespace parapet::workspace
