// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/hash.h"

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

}  // namespace parapet::checkpoint
