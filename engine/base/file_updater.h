// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/base/result.h"

namespace parapet {

/// A file that exists and is changed in place, a range at a time, without being mapped.
///
/// Thread   ranges that do not overlap may be read and written by several threads at once.
class FileUpdater {
 public:
  static Result<FileUpdater> open(const std::filesystem::path& path);
  FileUpdater(FileUpdater&& other) noexcept;
  FileUpdater& operator=(FileUpdater&&) = delete;
  ~FileUpdater();

  /// All of `bytes` from `offset`; kData if the file ends before.
  Status read(std::uint64_t offset, std::span<std::byte> bytes) const;
  Status write(std::uint64_t offset, std::span<const std::byte> bytes) const;
  /// Cuts the file off.
  Status truncate(std::uint64_t bytes) const;
  Status sync() const;

 private:
  FileUpdater(int descriptor, std::filesystem::path path)
      : descriptor_(descriptor), path_(std::move(path)) {}
  int descriptor_ = -1;
  std::filesystem::path path_;
};

}  // namespace parapet
