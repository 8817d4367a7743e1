// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/mesh/device_profile.h"
#include "engine/train/column_ids.h"
#include "engine/train/session.h"

/// Sessions without a workspace.
namespace parapet::testing {

/// A document on its data, by the figures of a typical machine.
inline Result<train::ResolvedModel> resolved(const experiment::Experiment& document,
                                             const data::Dataset& dataset) {
  PARAPET_ASSIGN(const mesh::DeviceMesh mesh, mesh::DeviceMesh::create(document.mesh));
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
    int threads = 1) {
  PARAPET_ASSIGN(train::ResolvedModel model, resolved(document, *dataset));
  return train::Session::create(document, std::move(dataset), std::move(model), threads,
                                mesh::localCommunicators());
}

}  // namespace parapet::testing
