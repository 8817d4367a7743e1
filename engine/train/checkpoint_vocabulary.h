// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/checkpoint/checkpoint.h"

namespace parapet::train {

/// The raw ids of a vocabulary as a checkpoint holds them (see VocabularyTensors): views into it.
class CheckpointVocabulary {
 public:
  /// Errors   kData: the checkpoint has no vocabulary of that name, or what it has are no ids.
  static Result<CheckpointVocabulary> open(const checkpoint::Checkpoint& checkpoint,
                                           const std::string& name);
  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  /// "" for a row without one.
  [[nodiscard]] std::string_view rawId(std::int64_t row) const {
    const auto first = static_cast<std::size_t>(row);
    return ids_.substr(static_cast<std::size_t>(offsets_[first]),
                       static_cast<std::size_t>(offsets_[first + 1] - offsets_[first]));
  }

 private:
  std::string_view ids_;
  std::span<const std::int64_t> offsets_;
};

}  // namespace parapet::train
