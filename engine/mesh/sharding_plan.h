// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/experiment/problem.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/device_profile.h"

namespace parapet::mesh {

/// How many distinct rows of a table n of its ids name: measured, or under uniform access.
///
///   measured   u(n) = u₁·(n/n₁)^β with β from two sizes of samples (Heaps' law), at most V and n
///   uniform    u(n) = V·(1 − (1 − 1/V)^n)
class DistinctRows {
 public:
  struct Sample {
    double ids = 0.0, distinct = 0.0;
  };
  static DistinctRows uniform(std::int64_t rows);
  /// `small` has fewer ids than `large`; both at least one.
  static DistinctRows measured(std::int64_t rows, Sample small, Sample large);

  [[nodiscard]] double of(double ids) const;
  [[nodiscard]] bool isMeasured() const { return measured_; }

 private:
  double rows_ = 1.0;
  bool measured_ = false;
  Sample at_{};
  double exponent_ = 1.0;
};

/// A table to place, with what a step does to it.
struct TableRequest {
  experiment::Table table;  ///< name, columns, and the placement, axes and device that are pinned
  std::string pointer;      ///< in the document, "/tables/3"
  std::int64_t rows = 0;
  /// Bytes of a shard of R rows and C columns: R·(C·(4 + slotBytesPerElement) + bytesPerRow).
  std::int64_t slotBytesPerElement = 0, bytesPerRow = 0;
  int lookups = 1;             ///< features that read it
  double idsPerExample = 1.0;  ///< of all of them, on average
  /// Max. ids of an example, of all features that read it and of one: what buffers are made for.
  std::int64_t maxIdsPerExample = 1, maxIdsOfLookup = 1;
  DistinctRows distinct = DistinctRows::uniform(1);
  /// Access CDF: share of a step's distinct rows among the first i/n rows of the table, i = 0 … n;
  /// empty: uniform access.
  std::vector<double> accessCdf;
  bool updatesEveryRow = false;  ///< the optimizer moves rows without a gradient too
  /// Whether memory spaces that have all of it add up its gradient as a whole, not by rows.
  bool addsWholeGradient = false;

  bool isReadWhole = false;  ///< the model reads all of it in every step
  /// Rows of a shard that a device with memory of its own holds; 0: all.
  std::int64_t cacheRows = 0;
  /// Most rows that such a device has besides, on their way between a cache and the host's memory.
  std::int64_t cacheBlockRows = 0;

  /// Rows of a shard that lie in a memory space, of a device's own or the host's.
  [[nodiscard]] std::int64_t rowsIn(bool ownsMemory, std::int64_t shardRows) const {
    return cacheRows == 0 || !ownsMemory ? shardRows : std::min(shardRows, cacheRows);
  }
  [[nodiscard]] std::int64_t shardBytes(std::int64_t shardRows, std::int64_t shardCols) const {
    return shardRows * (shardCols * (4 + slotBytesPerElement) + bytesPerRow);
  }
  /// Bytes that a shard takes in a memory space. Each row on its way has its weight and slots, and
  /// a cache slot index, which is as wide as the index of a row within a batch.
  [[nodiscard]] std::int64_t bytesIn(bool ownsMemory, std::int64_t shardRows,
                                     std::int64_t shardCols) const {
    const std::int64_t here = rowsIn(ownsMemory, shardRows);
    if (here == shardRows) return shardBytes(here, shardCols);
    constexpr std::int64_t kPlaceBytes = sizeof(std::int32_t);
    const std::int64_t block = std::min(here, cacheBlockRows);
    return shardBytes(here + block, shardCols) + (bytesPerRow == 0 ? block * kPlaceBytes : 0);
  }
  [[nodiscard]] std::int64_t bytes() const { return shardBytes(rows, table.embeddingDim); }
};

/// What a model is besides its tables.
struct DenseRequest {
  std::int64_t parameterBytes = 0;  ///< weights and slots; once in a memory space
  std::int64_t gradientBytes = 0;   ///< brought to the reduction by a rank
  /// Step buffers of the global batch, gradients included, without exchanges.
  std::int64_t bufferBytes = 0;
  /// Prepared ids of the global batch: there twice where ids of the next batch are exchanged ahead.
  std::int64_t preparedBytes = 0;
  double trainingFlopsPerExample = 0.0;  ///< forward and backward, besides pairs of examples
  int pairLosses = 0;                    ///< losses in which each example meets the whole batch
  double trainingFlopsPerPair = 0.0;     ///< of a pair loss, for two examples
  /// Columns of candidates that every memory space gets of the whole batch, with their ids, and whose
  /// gradients it sends back.
  std::int64_t gatheredCols = 0;
  double bytesPerExample = 0.0;  ///< read and written forward and backward
  int nodes = 0;                 ///< operations of the forward pass
};

struct PlanRequest {
  std::vector<TableRequest> tables;
  DenseRequest dense;
  std::int64_t batchRows = 1;  ///< of the global batch
  DeviceMesh mesh;             ///< of the devices of `hardware`, in their order
  Hardware hardware;
  /// Bytes by device, where it is a list, of as many devices as the mesh has; null: each device's
  /// share of its memory.
  std::optional<experiment::DeviceCapacity> capacityBytes;
  bool overlap = true;      ///< ids of the next batch are exchanged while this one computes
  bool stackTables = true;  ///< tables with the same sharding are exchanged together
};

/// A placement that was considered.
struct PlanCandidate {
  experiment::Placement placement = experiment::Placement::kReplicated;
  std::vector<std::string> axes;
  std::string device;               ///< kTable only
  std::int64_t bytesPerDevice = 0;  ///< peak over the devices
  double stepSeconds = 0.0;         ///< of the plan with this table so, the others as chosen
  bool fits = true;
  bool chosen = false;
};

struct TablePlan {
  std::string name;
  experiment::Placement placement = experiment::Placement::kReplicated;
  std::vector<std::string> axes{};            ///< over which it is split
  std::string device{};                       ///< kTable only
  bool pinned = false;                        ///< the document sets it
  std::vector<int> devices{};                 ///< ranks that own a shard
  std::vector<std::int64_t> bytesOfDevice{};  ///< by owner, as in `devices`; their sum is `bytes`
  std::vector<double> rowsReadOfDevice{};     ///< rows read per step, by owner
  std::int64_t bytes = 0;                     ///< of all copies, with slots
  std::int64_t trafficBytes = 0;              ///< sent by all devices in a step
  std::string reason{};                       ///< a sentence
  std::vector<PlanCandidate> candidates{};
};

/// The load of one device. What its memory space holds once is divided among the space's devices,
/// so the bytes of a space's devices add up to those of the space.
struct DevicePlan {
  std::string name;
  std::string memory;  ///< name of its memory space
  std::int64_t tableBytes = 0, slotBytes = 0, denseBytes = 0, bufferBytes = 0;
  std::int64_t capacityBytes = 0;                                ///< 0: unknown
  std::int64_t idBytes = 0, vectorBytes = 0, gradientBytes = 0;  ///< sent in a step
  double computeSeconds = 0.0, exchangeSeconds = 0.0, updateSeconds = 0.0, waitSeconds = 0.0;

  [[nodiscard]] std::int64_t bytes() const {
    return tableBytes + slotBytes + denseBytes + bufferBytes;
  }
  [[nodiscard]] std::int64_t trafficBytes() const { return idBytes + vectorBytes + gradientBytes; }
};

struct ShardingPlan {
  std::vector<TablePlan> tables;
  std::vector<DevicePlan> devices;
  double stepSeconds = 0.0;
  std::vector<std::string> assumptions;  ///< what the figures rest on, in sentences
};

/// A plan, or all that makes one impossible.
struct PlanOutcome {
  ShardingPlan plan;
  std::vector<experiment::Problem> problems;
};

/// Whether a document restricts the placement of a table.
bool isPinned(const experiment::Table& table);

/// "row", "row_block", …: as documents say it.
const char* placementName(experiment::Placement placement);

}  // namespace parapet::mesh
