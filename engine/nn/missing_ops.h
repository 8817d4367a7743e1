// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/record/problem.h"
#include "engine/mesh/device_mesh.h"
#include "engine/nn/model.h"

namespace parapet::nn {

/// An op that a model runs, and what of the document asks for it.
struct NeededOp {
  tensor::OpRequest op;
  std::string pointer;
};

/// The ops of a training step: those of the nodes, of the optimizers, and what every step does.
std::vector<NeededOp> neededOps(const experiment::Experiment& experiment, const Model& model);

/// A problem at the pointer of each layer, feature, loss or optimizer that needs an op which a
/// device of the mesh lacks, with the devices of this process that have it. Asked before a plan is
/// made.
std::vector<record::Problem> missingOps(const experiment::Experiment& experiment,
                                        const Model& model, const mesh::DeviceMesh& mesh);

}  // namespace parapet::nn
