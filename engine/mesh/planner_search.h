// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/mesh/planner_costs.h"

namespace parapet::mesh {

/// The layout of every table, and what the devices hold and do with it.
struct Packing {
  std::vector<int> layoutOf;        ///< by table, index into CostModel::layouts(); −1: not yet
  std::vector<std::int64_t> bytes;  ///< by rank
  std::vector<double> seconds;      ///< by memory space
  [[nodiscard]] double stepSeconds() const;
  /// Bytes over the capacities, of all ranks together.
  [[nodiscard]] std::int64_t excess(const CostModel& model) const;
};

/// Packs tables onto a mesh. `allowed`: of each table the layouts it may have, at least one.
class PackingSearch {
 public:
  PackingSearch(const PlanRequest& request, const CostModel& model,
                std::vector<std::vector<int>> allowed);

  /// The best packing found; it has an excess only if none without was found.
  [[nodiscard]] Packing run();
  /// The packing with another layout of one table.
  [[nodiscard]] Packing moved(const Packing& packing, int table, int layout) const;
  /// Max. bytes that a table brings to one device.
  [[nodiscard]] std::int64_t maxBytes(int table, int layout) const;
  /// The best of the layouts that hold a table on one device; −1 if none is allowed.
  [[nodiscard]] int bestDevice(const Packing& packing, int table) const;

 private:
  /// What a table adds to a packing.
  struct Footprint {
    std::vector<std::int64_t> bytes;  ///< by rank
    std::vector<double> seconds;      ///< by memory space
  };
  [[nodiscard]] const Footprint& footprint(int table, int layout) const;
  /// What a packing is judged by, smaller is better: excess, then time.
  struct Score {
    std::int64_t excess = 0;
    double seconds = 0.0;
    bool operator<(const Score& other) const {
      return excess != other.excess ? excess < other.excess : seconds < other.seconds;
    }
  };
  void add(Packing& packing, int table, int layout, int sign) const;
  void addShared(Packing& packing, int table, int layout, int sign) const;
  [[nodiscard]] bool exchanges(std::size_t table, int layout) const;
  [[nodiscard]] Score scoreWith(const Packing& packing) const;
  [[nodiscard]] double fullness(const Packing& packing) const;
  [[nodiscard]] Packing bySize() const;
  [[nodiscard]] Packing byWork() const;
  void improve(Packing& packing) const;
  [[nodiscard]] std::vector<int> worthTrying(const Packing& packing, int table) const;
  [[nodiscard]] std::vector<int> tablesBy(const std::vector<double>& weight) const;

  const PlanRequest& request_;
  const CostModel& model_;
  std::vector<std::vector<int>> allowed_;
  Packing dense_;                         ///< without tables
  std::vector<StackBytes> stackBytes_{};  ///< by table
  // Worked out at first use. Those of tables on one device are too many to keep.
  mutable std::vector<std::vector<Footprint>> footprints_;
  mutable Footprint onDevice_;
  mutable TableCost scratch_;
};

}  // namespace parapet::mesh
