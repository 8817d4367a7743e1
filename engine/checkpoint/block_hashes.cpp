// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/block_hashes.h"

#include <algorithm>
#include <utility>

namespace parapet::checkpoint {

void BlockHashes::update(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (!block_) block_ = std::make_unique<Hasher>();
    const std::size_t count = std::min(kBlockBytes - filled_, bytes.size());
    block_->update(bytes.first(count));
    bytes = bytes.subspan(count);
    filled_ += count;
    if (filled_ == kBlockBytes) closeBlock();
  }
}

std::vector<std::string> BlockHashes::finish() {
  if (filled_ > 0) closeBlock();
  return std::exchange(hashes_, {});
}

void BlockHashes::closeBlock() {
  hashes_.push_back(block_->hex());
  block_.reset();
  filled_ = 0;
}

}  // namespace parapet::checkpoint
