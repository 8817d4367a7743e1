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

/// What `manifest.json` of a data set says: its files, and how the import went, so that a reused
/// data set reports the same.
struct Manifest {
  static constexpr std::int64_t kVersion = 1;
  static constexpr const char* kFileName = "manifest.json";

  struct File {
    std::string name;
    std::uint64_t bytes = 0;
    std::string hash;
  };
  struct Vocabulary {
    std::string name;
    std::int64_t size = 0;
    double oovShare = 0.0;
    std::int64_t unusedRows = 0;
  };
  /// Lines of one file of the source.
  struct Source {
    std::string file;
    std::int64_t good = 0;
    std::int64_t bad = 0;
  };
  struct BadLine {
    std::string file;  ///< name inside the source folder, which may move
    std::int64_t line = 0;
    std::string reason;
    std::string excerpt;
  };

  std::string hash;
  std::int64_t rows = 0;
  std::optional<std::array<double, 2>> scale;
  std::vector<File> files;
  std::vector<Vocabulary> vocabularies;
  std::vector<Source> sources;
  std::vector<BadLine> badLines;
  std::vector<std::string> warnings;

  [[nodiscard]] const File* file(std::string_view name) const;
  [[nodiscard]] std::int64_t quarantined() const;

  /// Writes `<folder>/manifest.json`.
  [[nodiscard]] Status write(const std::filesystem::path& folder) const;
  /// Errors   Data with the path if it is missing, malformed or of a newer version.
  static Result<Manifest> read(const std::filesystem::path& folder);
};

}  // namespace parapet::data
