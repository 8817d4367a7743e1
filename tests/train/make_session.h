// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/mesh/device_profile.h"
#include "engine/train/column_ids.h"
#include "engine/train/session.h"

/// Sessions without a workspace.
namespace parapet::testing {

/// Arguments of makeSession() besides document and data.
struct SessionOptions {
  int threads = 1;
  mesh::CommunicatorFactory communicators = mesh::localCommunicators();
  /// The first rank of each process that shares the mesh, and which of them this one is.
  std::vector<int> firstRanks{0};
  int process = 0;
};

/// A document on its data, by the figures of a typical machine.
inline Result<train::ResolvedModel> resolved(const experiment::Experiment& document,
                                             const data::Dataset& dataset,
                                             const SessionOptions& options = {}) {
  PARAPET_ASSIGN(mesh::DeviceMesh mesh, mesh::DeviceMesh::create(document.mesh));
  if (options.firstRanks.size() > 1) mesh = mesh.divided(options.firstRanks, options.process);
  const std::int64_t batchRows = train::globalBatchRows(document.dataset.batch, mesh.ranks());
  train::ResolveOutcome outcome = train::resolve(
      document, {.mesh = mesh,
                 .hardware = mesh::localHardware(mesh.deviceNames(), *mesh::findProfile("cpu"),
                                                 document.mesh.spaces),
                 .vocabularyRows = train::vocabularySizes(document, dataset),
                 .columns = train::measureColumns(document, dataset, batchRows),
                 .dataset = &dataset});
  if (!outcome.problems.empty())
    return Error{ErrorCode::kInvalidDocument, outcome.problems[0].message,
                 outcome.problems[0].pointer};
  return *std::move(outcome.resolved);
}

inline Result<std::unique_ptr<train::Session>> makeSession(
    const experiment::Experiment& document, std::shared_ptr<const data::Dataset> dataset,
    const SessionOptions& options = {}) {
  PARAPET_ASSIGN(train::ResolvedModel model, resolved(document, *dataset, options));
  return train::Session::create(document, std::move(dataset), std::move(model), options.threads,
                                options.communicators);
}

}  // namespace parapet::testing
