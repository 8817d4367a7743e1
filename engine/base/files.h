// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace parapet {

/// A regular file, mapped read-only. An empty file gives an empty span.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile() = default;
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(data_), size_};
  }
  /// The file as an array of T; trailing bytes that do not fill a T are left out.
  template <class T>
  [[nodiscard]] std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data_), size_ / sizeof(T)};
  }
  /// Releases the memory of the pages that hold bytes [first, last); they are read from the file
  /// again when they are needed again.
  void release(std::size_t first, std::size_t last) const;
  /// Asks for bytes [first, last) to be read from the disk before they are needed.
  void readAhead(std::size_t first, std::size_t last) const;

 private:
  void advise(std::size_t first, std::size_t last, int advice) const;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A buffered writer that reports the first failure at finish(), fsyncs there, and removes what it
/// has written if it is destroyed before.
class FileWriter {
 public:
  static Result<FileWriter> create(const std::filesystem::path& path);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text);
  /// Flushes and fsyncs; the file is complete afterwards.
  Status finish();
  [[nodiscard]] std::uint64_t written() const { return written_; }

 private:
  FileWriter(int descriptor, std::filesystem::path path);
  Status flush();
  int descriptor_ = -1;
  std::filesystem::path path_;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

/// Error of `errno` for a path: "cannot <verb> <path>: <reason>".
Error ioError(std::string_view verb, const std::filesystem::path& path, int errorNumber);

Result<std::string> readFile(const std::filesystem::path& path);
/// Writes a temporary neighbour, fsyncs it, renames it over `path` and fsyncs the folder:
/// afterwards the file holds the old content or the new, never half.
Status writeFileAtomically(const std::filesystem::path& path, std::string_view content);
/// fsync of a folder, so that a rename inside it is durable.
Status syncFolder(const std::filesystem::path& folder);
Status createFolders(const std::filesystem::path& folder);
/// Free bytes for an ordinary user on the file system of `path`.
Result<std::uint64_t> freeBytes(const std::filesystem::path& path);
/// Resident high-water mark (VmHWM) of this process in bytes, mapped pages included; 0 if unknown.
std::uint64_t peakResidentBytes();
/// Physical memory of the machine in bytes; 0 if unknown.
std::uint64_t physicalMemoryBytes();

}  // namespace parapet
