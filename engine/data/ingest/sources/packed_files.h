// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/file_ranges.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"

namespace parapet::data {

/// Bytes that come one after the other: what a packed file holds.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills as much of `into` as there is; 0 at the end, once what came before is known to be whole.
  ///
  /// Errors   Data, with the path, for packed bytes that are damaged; Io.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
  /// How far it is and how far it goes, both in packed or both in unpacked bytes.
  [[nodiscard]] virtual std::int64_t done() const = 0;
  [[nodiscard]] virtual std::int64_t total() const = 0;
};

/// How the bytes of a file are packed.
enum class Compression { kNone, kGzip, kZstd };
/// By the first bytes, four at least.
Compression compressionOf(std::string_view start);
/// Errors   those of FileReader::read.
Result<Compression> compressionOf(const FileReader& file);
/// A name in lower case, without the ending of packed files: "a.csv" of "A.csv.GZ" or "a.csv.zst".
std::string unpackedName(std::string_view name);

/// The bytes of a file; of a .gz or .zst what it holds. Several packed files after each other are
/// one, as for gunzip and unzstd. A file of zstd that needs more than 128 MiB to be unpacked is
/// damaged for us: `zstd --long` above 27 makes such.
///
/// Errors   those of opening the file; a damaged or truncated one is told by read().
Result<std::unique_ptr<ByteStream>> openBytes(const std::filesystem::path& path);

/// Where an archive is taken for a bomb.
struct ZipLimits {
  std::uint64_t unpackedBytes = std::uint64_t{1} << 40;  ///< of all members together
  /// Unpacked over packed bytes; of text, 30 is much. Counts from `ratioFromBytes` unpacked bytes
  /// on.
  double ratio = 250.0;
  std::uint64_t ratioFromBytes = 16 << 20;
};

/// A zip archive whose members are read as streams; nothing is ever unpacked to disk. One that
/// could do harm is refused as a whole: names that lead out of it, symbolic links and other special
/// files, encrypted members, names that occur twice, bombs.
class ZipArchive {
 public:
  struct Member {
    std::string name;         ///< "ml-1m/ratings.dat"
    std::uint64_t bytes = 0;  ///< unpacked, as the directory of the archive says
    std::uint64_t index = 0;
  };

  /// Errors   NotFound, Io; Data, with the path and the member, for an archive that is damaged or
  ///          refused.
  static Result<ZipArchive> open(const std::filesystem::path& path, const ZipLimits& limits = {});
  static bool isZip(const std::filesystem::path& path);

  /// Files without folders, in the order of the archive.
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  [[nodiscard]] const Member* find(std::string_view name) const;
  /// A member from its start. At its end, its length and checksum have been verified. Streams of
  /// one archive are not for several threads at once.
  Result<std::unique_ptr<ByteStream>> read(const Member& member) const;
  /// "data.zip/ml-1m/ratings.dat", for messages.
  [[nodiscard]] std::string nameOf(const Member& member) const;

 private:
  struct Handle;
  class MemberStream;
  Status list(const ZipLimits& limits);

  std::filesystem::path path_;
  std::shared_ptr<Handle> handle_;
  std::vector<Member> members_;
};

/// A file that becomes a member of an archive.
struct ZipInput {
  std::string name;  ///< in the archive
  std::filesystem::path path;
};
/// Writes files as a zip archive, unpacked: weights and ids hardly get smaller. Large ones too, as
/// ZIP64.
///
/// Errors   kIo with the path; kCancelled, and then there is no archive.
Status writeZip(const std::filesystem::path& path, std::span<const ZipInput> files,
                const WorkContext& context = {});

}  // namespace parapet::data
