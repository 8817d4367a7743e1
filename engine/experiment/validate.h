// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/experiment/document.h"
#include "engine/experiment/place.h"

namespace parapet::experiment {

// Rules between places of a document. What a single value may be stands with its field.

/// Every rule, over an experiment that was read.
void validate(const Experiment& experiment, const Place& root);

// The parts of validate().
void validateDataset(const Dataset& dataset, const Training& training, const Place& place);
void validateModel(const Experiment& experiment, const Place& root);
void validateOptimizer(const Optimizer& optimizer, const Place& place);
void validateMesh(const Mesh& mesh, const Batch& batch, const Place& place);
void validateTraining(const Experiment& experiment, const Place& root);

/// Notes entries whose name stood before.
template <class T>
void refuseDuplicateNames(const std::vector<T>& entries, const Place& place) {
  for (std::size_t index = 0; index < entries.size(); ++index)
    for (std::size_t earlier = 0; earlier < index && !entries[index].name.empty(); ++earlier)
      if (entries[earlier].name == entries[index].name) {
        (place / index / "name")
            .problem("\"" + entries[index].name + "\" is the name of another entry of this list",
                     "a name of its own");
        break;
      }
}

}  // namespace parapet::experiment
