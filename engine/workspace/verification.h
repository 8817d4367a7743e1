// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"

namespace parapet::workspace {

struct VerifyOptions {
  std::int64_t steps = 20;
  /// Devices of the first and the second training, side by side on one axis; empty: the mesh of the
  /// document, or for the second that of the first. Tables keep their placement; axes that are not
  /// there are taken for all.
  std::vector<std::string> devices{}, against{};
  int threads = 0;
};
struct TensorDifference {
  std::string name;
  double maxAbs = 0.0;
  /// maxAbs over the largest absolute value of the same kind: of this weight or slot of a table, of
  /// this slot (or the weights) of all layers together. A single bias may be nothing but rounding.
  double relative = 0.0;
  double rmsRelative = 0.0;  ///< the root mean square over the same
  double accepted = 0.0;     ///< largest `relative` of N devices against one; TensorDifferences
  /// `relative` of the first training against itself with weights that begin one last bit away;
  /// nullopt unless it was needed to tell.
  std::optional<double> lastBitRelative{};
  bool lastBitIsAccepted = true;  ///< whether that would be accepted of N devices against one
  /// The largest difference of its gradients by plain descent, of one batch at the same weights on the
  /// devices of either training, over the largest gradient of the same kind; nullopt unless it was
  /// needed to tell, or the devices are of two kinds.
  std::optional<double> gradientRelative{};
  /// The tensor differs by more than is accepted, and that has no effect on a loss: TensorDifferences.
  bool withoutEffect = false;
  bool identical = true;
};
/// Where a training of a verification ran.
struct VerifiedMesh {
  struct Table {
    std::string name;
    experiment::Placement placement = experiment::Placement::kReplicated;
    int shards = 1;
    int groups = 1;  ///< devices that hold each shard
    bool operator==(const Table&) const = default;
  };
  std::vector<std::string> devices;
  std::vector<std::int64_t> shape;
  std::vector<std::string> axes;
  std::vector<Table> tables;
  bool operator==(const VerifiedMesh&) const = default;
};
struct Verification {
  VerifiedMesh first, second;
  bool passed = false;
  /// Passed step by step, each from the same weights: the whole trainings are apart by magnified
  /// rounding. The differences are those of the whole trainings all the same.
  bool byStep = false;
  bool identical = false;
  /// 0 for A against A: the same bits; else of relative differences, those of single elements of
  /// tensors excepted that TensorDifferences accepts.
  double tolerance = 0.0;
  double maxAbsDiff = 0.0;
  double lossMaxAbsDiff = 0.0;
  double maxRelativeDiff = 0.0;  ///< of the losses and the tensors that have an effect
  /// The comparison has not passed, and would not have by weights that begin one last bit apart, in
  /// any tensor that was refused: so many steps of this training magnify rounding, and tell nothing
  /// of its devices.
  bool magnifiesRounding = false;
  std::vector<TensorDifference> tensors;
};

}  // namespace parapet::workspace
