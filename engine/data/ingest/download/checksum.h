// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/progress.h"
#include "engine/base/result.h"

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

}  // namespace parapet::data
