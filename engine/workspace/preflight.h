// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"

namespace parapet::workspace {

struct ResolvedExperiment;

/// Memory of a table, estimated before a run starts.
struct TableEstimate {
  std::string name;
  std::int64_t rows = 0;  ///< −1: not known before the data are imported
  std::int64_t dim = 0;
  std::uint64_t weightBytes = 0, slotBytes = 0;  ///< weights, optimizer state
};
/// The share of one rank.
struct RankEstimate {
  std::string device;
  std::vector<std::int64_t> coordinates;  ///< along the axes of the mesh
  std::int64_t batchRows = 0;             ///< its rows of a full batch
  std::uint64_t activationBytes = 0;      ///< its rows of the step buffers
  std::string memory;                     ///< name of its MemoryEstimate
};
/// Contents of one memory space: parameters once, however many ranks share it.
struct MemoryEstimate {
  std::string name;        ///< as the plan calls it: "host memory", "memory of cpu:1"
  std::int64_t ranks = 0;  ///< that share it; 0: the host's, of tables that devices have caches of
  std::uint64_t weightBytes = 0, slotBytes = 0;
  std::uint64_t scratchBytes = 0;     ///< what updates of the parameters need
  std::uint64_t activationBytes = 0;  ///< step buffers of its ranks
  [[nodiscard]] std::uint64_t total() const {
    return weightBytes + slotBytes + scratchBytes + activationBytes;
  }
};
struct Preflight {
  experiment::Findings findings;
  bool figuresUnusable = false;  ///< estimates are typical ones: a run measures the machine first
  std::string dataset;           ///< hash of the imported data set that it is of; "": none is known
  std::vector<TableEstimate> tables;
  std::uint64_t parameterBytes = 0;   ///< weights, optimizer state and scratch of tables and layers
  std::uint64_t activationBytes = 0;  ///< step buffers of all local ranks
  std::uint64_t totalBytes = 0;
  std::vector<RankEstimate> ranks;  ///< empty if the mesh is not one
  std::vector<MemoryEstimate> memory;
  /// The part of totalBytes for tables in the host's memory that devices with memory of their own cache.
  std::uint64_t cachedTableBytes = 0;
  /// The experiment of the estimates, which a run with the same data is made of; null if the document
  /// cannot be resolved.
  std::shared_ptr<const ResolvedExperiment> resolved;
  /// The devices that share the examples of a batch, in a sentence; "" if the mesh is not one.
  std::string dataParallel;
  std::int64_t batchRows = 0;
  double learningRate = 0.0;  ///< the full rate of the run: scaled with the devices if so asked
};

}  // namespace parapet::workspace
