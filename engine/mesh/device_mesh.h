// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/experiment/document.h"
#include "engine/tensor/device.h"

namespace parapet::mesh {

struct Hardware;

/// The rows of a global batch that one rank works on.
struct RowSlice {
  std::int64_t begin = 0, end = 0;
  [[nodiscard]] std::int64_t rows() const { return end - begin; }
};

/// Consecutive ranks that share one memory: that of a process or of a GPU.
struct SpaceRanks {
  int firstRank = 0, ranks = 1;
};

/// Consecutive ranks or memory spaces: those of one process.
struct LocalRange {
  int first = 0, count = 0;
  [[nodiscard]] int end() const { return first + count; }
  [[nodiscard]] bool has(int index) const { return index >= first && index < end(); }
  /// The position of an index in the range.
  [[nodiscard]] std::size_t of(int index) const { return static_cast<std::size_t>(index - first); }
};
/// The devices that this process can reach, which are consecutive.
LocalRange localRange(std::span<const tensor::Device> devices);

/// Devices in an n-dimensional grid with named axes; device i is rank i, row-major over the shape.
/// A value; copies are cheap.
class DeviceMesh {
 public:
  /// Errors   InvalidDocument at /mesh/devices (unknown or missing device, with what there is;
  ///          devices of two kinds), /mesh/shape (product ≠ devices) or /mesh/axes.
  static Result<DeviceMesh> create(const experiment::Mesh& spec);
  /// Arranges devices that the caller has.
  ///
  /// Errors   as create() has for shape and axes.
  static Result<DeviceMesh> arrange(std::vector<tensor::Device> devices,
                                    const std::optional<std::vector<std::int64_t>>& shape,
                                    const std::vector<std::string>& axes,
                                    experiment::MemorySpaces spaces);
  /// A mesh of devices that need not be here, to plan for; nothing runs on it. It has the memory
  /// spaces of the hardware, or one for each device. `shape` and `axes` as in the document.
  ///
  /// Errors   InvalidDocument at /mesh/shape or /mesh/axes.
  static Result<DeviceMesh> hypothetical(
      const Hardware& hardware, const std::optional<std::vector<std::int64_t>>& shape,
      const std::vector<std::string>& axes,
      experiment::MemorySpaces spaces = experiment::MemorySpaces::kShared);

  /// This mesh for one run, with limits on devices that have memory of their own: bytes by rank, 0:
  /// what there is. The ranks of a memory space have their limits together, since parameters are
  /// there once. Every call makes limits of its own, so that runs on one device count apart.
  ///
  /// Errors   InvalidArgument unless there is one number for each rank.
  [[nodiscard]] DeviceMesh within(std::span<const std::int64_t> capacityBytes) const;

  /// This mesh for a dry run in one process: the devices of a memory space count together what is
  /// allocated.
  [[nodiscard]] DeviceMesh dry() const;

  /// This mesh as one of several processes sees it: process p has the ranks from firstRanks[p] to
  /// those of the next, and no memory space is shared by two of them. The devices of the others are
  /// elsewhere.
  ///
  /// Errors   InvalidArgument unless firstRanks begins with 0 and ascends within the ranks, and
  ///          `process` is one of them.
  [[nodiscard]] DeviceMesh divided(std::span<const int> firstRanks, int process) const;
  /// The first rank of each process.
  [[nodiscard]] std::span<const int> processes() const { return firstRanks_; }
  [[nodiscard]] int process() const { return process_; }
  [[nodiscard]] bool isDivided() const { return firstRanks_.size() > 1; }
  /// The ranks and the memory spaces of this process.
  [[nodiscard]] LocalRange localRanks() const { return localRange(devices_); }
  [[nodiscard]] LocalRange localSpaces() const;

  /// Whether its devices are only planned for.
  [[nodiscard]] bool isHypothetical() const { return hypothetical_; }
  [[nodiscard]] int ranks() const { return static_cast<int>(devices_.size()); }
  [[nodiscard]] const tensor::Device& device(int rank) const {
    return devices_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
  [[nodiscard]] const std::vector<std::string>& axes() const { return axes_; }
  /// Index of a rank along each axis.
  [[nodiscard]] std::vector<std::int64_t> coordinates(int rank) const;
  [[nodiscard]] std::vector<std::string> deviceNames() const;
  /// The devices, by rank.
  [[nodiscard]] std::span<const tensor::Device> devices() const { return devices_; }
  /// The memory spaces, in the order of their ranks; each rank is in one.
  [[nodiscard]] std::span<const SpaceRanks> spaces() const { return spaces_; }
  [[nodiscard]] int spaceOf(int rank) const;
  /// The device whose memory a space is: that of its first rank.
  [[nodiscard]] const tensor::Device& spaceDevice(int space) const {
    return device(spaces_[static_cast<std::size_t>(space)].firstRank);
  }

  /// Rank r of P works on rows [B·r/P, B·(r+1)/P): contiguous, complete, at most one row apart in
  /// size, so uneven batches and more ranks than rows are right too.
  [[nodiscard]] RowSlice slice(int rank, std::int64_t batchRows) const;
  /// Rows of all ranks of a space.
  [[nodiscard]] RowSlice slice(const SpaceRanks& space, std::int64_t batchRows) const;

 private:
  /// Cuts the ranks into memory spaces. `joins(rank)`: whether it is in that of the one before it.
  template <class Joins>
  void cutSpaces(const Joins& joins);

  std::vector<tensor::Device> devices_;
  std::vector<SpaceRanks> spaces_;
  std::vector<std::int64_t> shape_;
  std::vector<std::string> axes_;
  std::vector<int> firstRanks_{0};
  int process_ = 0;
  bool hypothetical_ = false;
};

}  // namespace parapet::mesh
