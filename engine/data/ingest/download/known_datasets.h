// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/experiment/document_dataset.h"

namespace parapet::data {

enum class ChecksumKind {
  kMd5,     ///< what many data sets are published with; finds accidents, not attackers
  kSha256,  ///< finds both
};

/// A published digest of a file.
struct Checksum {
  ChecksumKind kind = ChecksumKind::kSha256;
  std::string hex;  ///< lower case

  /// "md5:…", "sha256:…": what parseChecksum reads.
  [[nodiscard]] std::string text() const;
  bool operator==(const Checksum&) const = default;
};

/// "md5:" and 32 hex digits, or "sha256:" and 64; letters of either case.
///
/// Errors   kInvalidDocument with what was found and what is accepted.
Result<Checksum> parseChecksum(std::string_view text);

/// Digest of a file, read once in blocks.
///
/// Errors   kIo, kNotFound; kCancelled.
Result<Checksum> checksumOfFile(const std::filesystem::path& path, ChecksumKind kind,
                                const WorkContext& context = {});

/// How a data set comes.
enum class Packing {
  kPlain,  ///< the file itself is the data
  kZip,    ///< an archive that its source reads as it is
};

/// A public data set that Parapet knows where to find. None is shipped; the licence has to be shown
/// and accepted before a download starts.
struct KnownDataset {
  std::string name;  ///< "ml-100k"
  std::string title;
  std::string url;
  std::string fileName;                  ///< to store it under
  std::optional<Checksum> checksum{};    ///< nullopt: none is published that stays right
  std::optional<std::uint64_t> bytes{};  ///< nullopt: not known
  std::string licence{};                 ///< what it asks of the user, in a few sentences
  std::string licenceUrl{};              ///< where its own words stand
  /// The source that reads the file; nullopt: a file that a data set needs beside it.
  std::optional<experiment::SourceKind> source{};
  Packing packing = Packing::kPlain;
  std::int64_t rows = 0;              ///< of its ratings; 0: not known, or it changes
  std::int64_t users = 0, items = 0;  ///< with ratings
  std::string trainCommand{};  ///< what follows `parapet-cli train `, up to --data; "" if no recipe

  /// "md5:…", or that there is none.
  [[nodiscard]] std::string checksumText() const;
};

/// In the order in which they are shown.
std::span<const KnownDataset> knownDatasets();
/// Null if there is none of that name.
const KnownDataset* findKnownDataset(std::string_view name);

}  // namespace parapet::data
