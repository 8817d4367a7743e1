// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "engine/base/index.h"
#include "engine/mesh/sharding.h"
#include "engine/mesh/sharding_plan.h"

namespace parapet::mesh {

/// a + b of non-negative capacities, at most the largest integer: that of a device without a limit
/// is near it.
inline std::int64_t sumOfCapacities(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  return a > kMax - b ? kMax : a + b;
}

/// One way of sharding a table on the mesh, without rows and columns.
struct Layout {
  experiment::Placement placement = experiment::Placement::kReplicated;
  std::vector<std::string> axes;
  std::string device;                    ///< kTable only
  std::vector<std::vector<int>> owners;  ///< [shard][group]
  std::vector<int> shardOf;              ///< by rank; −1: none
  std::vector<int> groupSize;            ///< by rank: ranks that exchange with it, itself included
  /// Seconds per byte sent to all ranks that a rank exchanges with, by rank.
  std::vector<double> secondsPerByte;
  /// Memory spaces that have a shard, and seconds per byte sent between them, by shard.
  std::vector<std::vector<int>> spacesOf;
  std::vector<double> syncSecondsPerByte;
};

/// What an exchange has once on each device, however many tables take part: made for the table that
/// needs most.
struct StackBytes {
  std::int64_t merging = 0;   ///< of equal ids
  std::int64_t grouping = 0;  ///< of the gradients of a lookup
};

/// What a table costs in one layout.
struct TableCost {
  struct OfDevice {
    std::int64_t bytes = 0;        ///< of the table's shard
    std::int64_t bufferBytes = 0;  ///< of its exchange, besides StackBytes
    double rowsRead = 0.0;
    double idBytes = 0.0, vectorBytes = 0.0, gradientBytes = 0.0;  ///< sent
  };
  struct OfSpace {
    double compute = 0.0, exchange = 0.0, update = 0.0;  ///< seconds
    [[nodiscard]] double seconds() const { return compute + exchange + update; }
  };
  std::vector<OfDevice> devices;
  std::vector<OfSpace> spaces;
};

/// Works out layouts and costs on the mesh of a request, which must outlive it.
class CostModel {
 public:
  explicit CostModel(const PlanRequest& request);

  /// Every layout that this mesh allows: replicated, one device each, every way of splitting.
  [[nodiscard]] const std::vector<Layout>& layouts() const { return layouts_; }
  [[nodiscard]] int spaceOf(int rank) const { return space_[at(rank)]; }
  [[nodiscard]] int ranks() const { return static_cast<int>(space_.size()); }
  [[nodiscard]] int spaces() const { return static_cast<int>(request_.hardware.spaces.size()); }
  /// Bytes that a device may hold; a very large value if its memory is unknown.
  [[nodiscard]] std::int64_t capacity(int rank) const { return capacity_[at(rank)]; }

  /// Step buffers of a rank besides those of exchanges: its share of those of the batch.
  [[nodiscard]] std::int64_t bufferBytes(int rank) const;
  /// A rank's share of the prepared ids of the next batch, which exist as soon as one table is
  /// split.
  [[nodiscard]] std::int64_t aheadBytes(int rank) const;
  /// What the exchange of a split table shares with those of its stack.
  [[nodiscard]] StackBytes stackBytes(const TableRequest& table) const;

  /// Whether all ranks share one memory, which has every table whole.
  [[nodiscard]] bool sharesMemory() const { return sharesMemory_; }
  /// Whether rows of a layout are fetched from where they are.
  [[nodiscard]] bool fetchesRows(const Layout& layout) const {
    return layout.placement != experiment::Placement::kReplicated && !sharesMemory_;
  }
  /// Whether a memory space is that of a device, which the host cannot read.
  [[nodiscard]] bool ownsMemory(int space) const;
  /// Whether a table lies in the host's memory, and several devices have caches of it: each row is
  /// in that of its owner alone.
  [[nodiscard]] bool needsFetch(const TableRequest& table) const;
  /// Whether a step exchanges rows or gradients of a table.
  [[nodiscard]] bool exchanges(const TableRequest& table, const Layout& layout) const {
    return fetchesRows(layout) ||
           (table.table.trainable && !sharesMemory_ && !table.addsWholeGradient);
  }
  /// Time and memory of a table in a layout; `cost` is overwritten.
  void cost(const TableRequest& table, const Layout& layout, TableCost& cost) const;
  /// Time and memory of everything besides tables.
  [[nodiscard]] TableCost denseCost() const;

 private:
  struct Traffic {  // rows that a rank brings to a table
    double ids = 0.0, distinct = 0.0;
  };
  void addLayout(experiment::Placement placement, std::vector<std::string> axes,
                 const std::string& device);
  void wholeCost(const TableRequest& table, TableCost& cost) const;
  void splitCost(const TableRequest& table, const Layout& layout, TableCost& cost) const;
  void bufferCost(const TableRequest& table, const Layout& layout, TableCost& cost) const;
  void updateCost(const TableRequest& table, const Layout& layout, TableCost& cost) const;
  /// Divides the bytes and the rows read of a table in one memory among the devices, for reports.
  void shareOut(const TableRequest& table, const Layout& layout, TableCost& cost) const;
  /// Routes: those of the next batch are made while those of this one are in use.
  [[nodiscard]] std::int64_t stages() const { return request_.overlap ? 2 : 1; }
  /// Max. ids and distinct rows of a table that a rank brings.
  struct Capacity {
    std::int64_t rows = 0, ids = 0, distinct = 0;
  };
  [[nodiscard]] Capacity capacityOf(const TableRequest& table) const;
  [[nodiscard]] std::int64_t ofRank(int rank, std::int64_t bytesOfBatch) const;
  [[nodiscard]] Traffic trafficOf(const TableRequest& table, double rows) const;
  [[nodiscard]] double secondsPerByte(int from, int to) const;
  void keepToMemory();
  [[nodiscard]] const DeviceProfile& profileOf(int space) const {
    return request_.hardware.spaces[at(space)].profile;
  }

  const PlanRequest& request_;
  std::vector<int> space_;                 // by rank
  std::vector<std::int64_t> capacity_;     // by rank
  std::vector<double> rows_;               // of the batch, by rank
  std::vector<std::vector<int>> members_;  // ranks of each space
  bool sharesMemory_ = false;              // all ranks
  std::vector<Layout> layouts_;
};

}  // namespace parapet::mesh
