// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace parapet::store {

/// Half a megabyte of the disk, or what of it is left, held while runs are recorded, so that on a full disk there is
/// space to record how they ended. The file has no name: whatever happens to the process, nothing is left.
class DiskReserve {
 public:
  explicit DiskReserve(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~DiskReserve() { release(); }
  DiskReserve(const DiskReserve&) = delete;
  DiskReserve& operator=(const DiskReserve&) = delete;

  /// Takes the space unless it is held already. Where there is none left, nothing is held.
  void hold();
  /// Gives the space back; false if none was held.
  bool release();

 private:
  std::filesystem::path folder_;
  int descriptor_ = -1;
};

}  // namespace parapet::store
