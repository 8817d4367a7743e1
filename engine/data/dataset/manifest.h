// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace parapet::data {

/// The content of `manifest.json` of a data set: its files, and how the import went, so that a reused
/// data set reports the same. It carries its own hash, and is read only as it was written.
struct Manifest {
  static constexpr std::int64_t kVersion = 5;
  /// The oldest that is read. Before 5, ids that share a row were not kept, nor those that the
  /// `min_count` or the size of a compressed vocabulary left without one.
  static constexpr std::int64_t kOldestVersion = 4;
  static constexpr const char* kFileName = "manifest.json";
  static constexpr const char* kNumberRole = "number";

  /// Bytes of a file that share a hash, so that a large file can be checked by many threads. Part
  /// of the format.
  static constexpr std::size_t kBlockBytes = std::size_t{64} << 20;

  struct File {
    std::string name;
    std::uint64_t bytes = 0;
    std::vector<std::string> blocks;  ///< a hash per kBlockBytes, the last of which may be short
  };
  struct Vocabulary {
    std::string name;
    std::int64_t size = 0;
    double oovShare = 0.0;  ///< NaN without ids
    std::int64_t unusedRows = 0;
    std::int64_t sharedIds = 0;  ///< entries behind the rows
  };
  /// An id column, or a dense one.
  struct Column {
    std::string name;
    std::string role;             ///< "user", "item", "context", "feature" or kNumberRole
    std::string vocabulary{};     ///< "": dense
    std::int64_t longestBag = 0;  ///< ids of the longest row; 0: one id a row, no offsets
    /// Vocabulary of whose rows a catalogue knows the values too; "": none.
    std::string entities{};
  };
  /// Pretrained embeddings of a vocabulary's rows.
  struct Vectors {
    std::string name;
    std::string vocabulary;
    std::int64_t width = 0;
    std::int64_t rows = 0;  ///< rows of the vocabulary that have one
  };
  /// Lines of one file of the source.
  struct Source {
    std::string file;
    std::int64_t good = 0;
    std::int64_t rejected = 0;
  };
  struct RejectedLine {
    std::string file;  ///< name inside the source folder, which may move
    std::int64_t line = 0;
    std::string reason;
    std::string excerpt;
    std::string pointer{};  ///< as that of RejectedRow
  };

  std::int64_t version = kVersion;
  std::string hash;
  std::int64_t rows = 0;
  std::optional<std::array<double, 2>> scale;
  std::vector<File> files;
  std::vector<Vocabulary> vocabularies;
  std::vector<Column> columns;
  std::vector<Vectors> vectors;
  std::int64_t filteredOut = 0;  ///< rows that the filter left out
  std::int64_t belowCore = 0;    ///< rows that the k-core left out
  std::vector<Source> sources;
  std::vector<RejectedLine> rejectedLines;
  std::vector<std::string> warnings;

  /// The file of a dense column, which is never that of another column.
  static std::string denseFile(const std::string& column) { return column + ".number.f32"; }
  /// Gives each file of `files` its length and hashes, several files at a time.
  ///
  /// Errors   those of the first file, in the order of `files`, that cannot be read.
  [[nodiscard]] Status describeFiles(const std::filesystem::path& folder);
  [[nodiscard]] const File* file(std::string_view name) const;
  /// Whether a row is what a user did with an item: there is a column of each. Texts have neither.
  [[nodiscard]] bool hasInteractions() const;
  [[nodiscard]] std::int64_t quarantined() const;
  [[nodiscard]] std::uint64_t bytes() const;  ///< of its files

  /// Writes `<folder>/manifest.json`.
  [[nodiscard]] Status write(const std::filesystem::path& folder) const;
  /// Errors   kData with the path if it is missing, malformed, changed or of a newer version;
  ///          kNotFound if the folder does not exist or is older than kOldestVersion, which an
  ///          import replaces.
  static Result<Manifest> read(const std::filesystem::path& folder);
};

/// Blocks of a file of so many bytes.
constexpr std::uint64_t blockCount(std::uint64_t bytes) {
  return bytes / Manifest::kBlockBytes + (bytes % Manifest::kBlockBytes != 0);
}

}  // namespace parapet::data
