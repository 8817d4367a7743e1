// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/mapped_range.h"
#include "engine/base/result.h"

namespace parapet {

/// A regular file, mapped read-only. An empty file gives an empty span. For files of ours; those of
/// others, which may change at any time, are read (FileReader).
///
/// Pages that are lost while the file is open read as zeros (MappedRange), so what was made of them
/// is used only after intact().
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);

  [[nodiscard]] std::span<const std::byte> bytes() const { return range_.bytes(); }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes().data()), bytes().size()};
  }
  /// The file as an array of T; trailing bytes that do not fill a T are left out.
  template <class T>
  [[nodiscard]] std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes().data()), bytes().size() / sizeof(T)};
  }
  /// Whether all that was read so far was in the file, and all of it still is; asks the system.
  ///
  /// Errors   kData with the path: the file is shorter than when it was opened, or a page of it
  ///          could not be read.
  [[nodiscard]] Status intact() const;
  /// The first half of it, without a call of the system: no page was lost when it was read.
  [[nodiscard]] bool isLost() const { return range_.isLost(); }
  /// Releases the memory of the pages that hold bytes [first, last); they are read from the file
  /// again when they are needed again.
  void release(std::size_t first, std::size_t last) const;
  /// Asks for bytes [first, last) to be read from the disk before they are needed.
  void readAhead(std::size_t first, std::size_t last) const;

 private:
  void advise(std::size_t first, std::size_t last, int advice) const;
  MappedRange range_;
  std::filesystem::path path_;
  std::uint64_t device_ = 0, inode_ = 0;
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

/// Counts a path among what this process has begun to write and not finished.
void markUnfinished(const std::filesystem::path& path);
void markFinished(const std::filesystem::path& path);
/// Removes all that is unfinished: the process is to end at once, without a destructor.
void removeUnfinished();

/// Error of `errno` for a path: "cannot <verb> <path>: <reason>".
Error ioError(std::string_view verb, const std::filesystem::path& path, int errorNumber);
/// Error of `errno` for a path to write to: kIo, also where a folder is missing. kNotFound is for
/// what a caller asked to read.
Error writeError(std::string_view verb, const std::filesystem::path& path, int errorNumber);

Result<std::string> readFile(const std::filesystem::path& path);
/// Writes a temporary neighbour, fsyncs it, renames it over `path` and fsyncs the folder:
/// afterwards the file holds the old content or the new, never half.
Status writeFileAtomically(const std::filesystem::path& path, std::string_view content);
/// fsync of a file that has been written and closed.
Status syncFile(const std::filesystem::path& path);
/// fsync of a folder, so that a rename inside it is durable.
Status syncFolder(const std::filesystem::path& folder);
Status createFolders(const std::filesystem::path& folder);
/// Folders that are made to be written into, and removed again as far as nothing was: a command
/// that fails leaves none behind.
class NewFolders {
 public:
  /// Makes the folder and those above it that are missing.
  ///
  /// Errors   kIo: something else is there, or it cannot be written.
  static Result<NewFolders> create(const std::filesystem::path& folder);
  NewFolders(NewFolders&& other) noexcept : made_(std::exchange(other.made_, {})) {}
  NewFolders& operator=(NewFolders&&) = delete;
  ~NewFolders();

 private:
  NewFolders() = default;
  std::vector<std::filesystem::path> made_;  // the innermost first
};
/// Free bytes for an ordinary user on the file system of `path`.
Result<std::uint64_t> freeBytes(const std::filesystem::path& path);
/// Resident high-water mark (VmHWM) of this process in bytes, mapped pages included; 0 if unknown.
std::uint64_t peakResidentBytes();
/// Physical memory of the machine in bytes; 0 if unknown.
std::uint64_t physicalMemoryBytes();

}  // namespace parapet
