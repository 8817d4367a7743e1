// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/checkpoint/checkpoint.h"

namespace parapet::checkpoint {

/// Bytes of a file that share a hash. Part of the format: it is written into the manifest.
inline constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

/// Hashes a stream block by block, so that damage can be located and a file need not be
/// held in memory while it is written.
class BlockHashes {
 public:
  void update(std::span<const std::byte> bytes);
  /// The hashes of all blocks, the last of which may be short; an empty stream has none.
  std::vector<std::string> finish();

 private:
  void closeBlock();
  std::unique_ptr<Hasher> block_;
  std::size_t filled_ = 0;
  std::vector<std::string> hashes_;
};

inline constexpr std::string_view kPrefix = "ckpt-";
inline constexpr std::string_view kTemporarySuffix = ".tmp";
/// An older checkpoint of the same step, moved aside where two folders cannot be exchanged at once.
inline constexpr std::string_view kReplacedSuffix = ".replaced";
/// Before the name of what a repair has moved out of the way.
inline constexpr std::string_view kAsidePrefix = "damaged-";

inline std::string folderName(std::int64_t step, std::string_view suffix = {}) {
  return fmt::format("{}{}{}", kPrefix, step, suffix);
}

/// The step of a name that folderName(step, suffix) gives; nullopt for every other name.
inline std::optional<std::int64_t> stepOfName(std::string_view name, std::string_view suffix = {}) {
  if (!name.starts_with(kPrefix) || !name.ends_with(suffix)) return std::nullopt;
  if (name.size() <= kPrefix.size() + suffix.size()) return std::nullopt;
  const auto step =
      parseInt(name.substr(kPrefix.size(), name.size() - kPrefix.size() - suffix.size()));
  if (!step || *step < 0 || folderName(*step, suffix) != name) return std::nullopt;
  return step;
}

inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kTensorFile = "tensors.safetensors";
/// Version of the checkpoint format that this program writes, and the newest that it reads.
inline constexpr int kFormatVersion = 1;

/// Entries of the manifest about the tensor file.
struct TensorFile {
  std::uint64_t bytes = 0;
  std::vector<std::string> blockHashes;  ///< one per kBlockBytes
  std::vector<TensorView> tensors;       ///< names, types and shapes; no data
};

/// The text of manifest.json. Its last check is "manifest_hash": the hash of the document without
/// that key. Non-finite metrics are written as null and come back as NaN.
std::string manifestText(const Manifest& manifest, const TensorFile& file);

struct ParsedManifest {
  Manifest manifest;
  TensorFile file;
};
/// Accepts exactly what manifestText writes, to the byte; anything else is a kData error that says
/// what does not match.
Result<ParsedManifest> parseManifest(std::string_view text);

}  // namespace parapet::checkpoint
