// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/checkpoint/checkpoint.h"

namespace parapet::checkpoint {

inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kTensorFile = "tensors.safetensors";
/// Version of the checkpoint format that this program writes, and the newest that it reads.
inline constexpr int kFormatVersion = 1;

/// What the manifest says about the tensor file.
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
