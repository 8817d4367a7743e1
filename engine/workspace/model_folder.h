// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {

// A trained model as a folder that answers every question without the workspace and the data that
// made it, with the same bits. It is laid out as a workspace of one run, with what other programs need
// besides:
//
//   manifest.json             for other programs: the graph in order, inputs, score, metrics with
//                             their rivals, data, document, files with their sizes and hashes
//   run.db                    the run, its epochs and events, without the loss of each step
//   checkpoints/<run>/ckpt-N  the weights (tensors.safetensors), without the optimizer's slots
//   datasets/<hash>           the training rows (data::copyRows): items that users have seen, their
//                             histories and last contexts; all rows where a history reads them; of
//                             texts the pieces alone
//   vocabularies/<v>.jsonl    {"row", "id", "title", …attributes} of each id, a line each
//   items.npy, items.jsonl    of a model with towers: the vector of each item that a list may name,
//                             and the same items

/// The "format" of the manifest, and the version that this program writes.
inline constexpr const char* kModelFormat = "parapet-model";
inline constexpr int kModelVersion = 1;

/// Whether a folder looks like one.
bool isModelFolder(const std::filesystem::path& folder);

/// A file of a model folder that its manifest does not name; nullopt if there is none. The manifest
/// itself, if it cannot be read.
std::optional<std::filesystem::path> addedFile(const std::filesystem::path& folder);

/// The properties of the files that are compared with the manifest.
enum class FileCheck { kSizes, kHashes };
/// Whether the manifest is whole and of a version that is known, and its files are as it says.
///
/// Errors   kData with the path, what was found and what is accepted; kCancelled.
Status checkModelFolder(const std::filesystem::path& folder, FileCheck check,
                        const WorkContext& context = {});

/// Opens one as the workspace of `shared`, which can be read only.
///
/// Errors   those of checkModelFolder() and of the run database; kIo without a temporary folder.
Status openModelFolder(Shared& shared);

/// Writes the model of a run; `options.out` does not exist.
///
/// Errors   those of openRun(); kIo; kCancelled.
Result<Exported> writeModelFolder(Shared& shared, const std::string& run,
                                  const ExportOptions& options, const WorkContext& context);

}  // namespace parapet::workspace
