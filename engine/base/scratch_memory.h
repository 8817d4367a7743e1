// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "engine/base/mapped_range.h"
#include "engine/base/result.h"

namespace parapet {

/// Memory that the system may write to a file when it runs short of its own: its size is not
/// bounded by that of the machine. The file has no name, so it ends with the process whatever
/// happens to it.
class ScratchMemory {
 public:
  ScratchMemory() = default;
  /// `bytes` zeros. The disk space is taken at once, so that no later write can fail.
  ///
  /// Errors   kNotFound without the folder; kIo naming it: it cannot be written, or the disk is
  ///          full.
  static Result<ScratchMemory> create(const std::filesystem::path& folder, std::size_t bytes);

  [[nodiscard]] std::span<std::byte> bytes() const { return range_.bytes(); }
  /// kIo if what was written could not be read back: the disk fails.
  [[nodiscard]] Status intact() const;

 private:
  MappedRange range_;
  std::filesystem::path folder_;
};

}  // namespace parapet
