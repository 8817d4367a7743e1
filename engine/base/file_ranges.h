// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "engine/base/result.h"

namespace parapet {

/// A regular file that is read, not mapped: one that shrinks, or that a server no longer gives, is
/// an error and no signal.
///
/// Thread   safe.
class FileReader {
 public:
  /// Errors   kNotFound; kIo with the path, also for a folder, pipe, socket or device.
  static Result<FileReader> open(const std::filesystem::path& path);
  FileReader(FileReader&& other) noexcept;
  FileReader& operator=(FileReader&& other) noexcept;
  ~FileReader();

  /// Bytes that it had when it was opened.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// All of `bytes` from `offset`.
  ///
  /// Errors   kData with the path: the file ends before, so it was truncated; kIo: the disk fails.
  Status read(std::uint64_t offset, std::span<std::byte> bytes) const;
  /// For calls of the system; closed with the reader.
  [[nodiscard]] int descriptor() const { return descriptor_; }

 protected:
  /// `access` is a flag of open(2): O_RDONLY, O_RDWR.
  static Result<FileReader> open(const std::filesystem::path& path, int access);
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  FileReader(int descriptor, std::filesystem::path path)
      : descriptor_(descriptor), path_(std::move(path)) {}
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::filesystem::path path_;
};

/// A file that exists and is changed in place, a range at a time, without being mapped.
///
/// Thread   ranges that do not overlap may be read and written by several threads at once.
class FileUpdater : public FileReader {
 public:
  static Result<FileUpdater> open(const std::filesystem::path& path);

  Status write(std::uint64_t offset, std::span<const std::byte> bytes) const;
  /// Makes the file shorter, or longer by zeros.
  Status truncate(std::uint64_t bytes) const;
  Status sync() const;

 private:
  explicit FileUpdater(FileReader file) : FileReader(std::move(file)) {}
};

}  // namespace parapet
