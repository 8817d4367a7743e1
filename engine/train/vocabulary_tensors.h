// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/checkpoint/checkpoint.h"
#include "engine/data/dataset/dataset.h"

namespace parapet::train {

/// The raw ids behind the rows, as tensors, so that a checkpoint can be read without its data set:
/// vocab/<v>/ids holds the concatenated ids (UTF-8), vocab/<v>/offsets [rows + 1] where each
/// row's id begins; a row without an id is empty.
class VocabularyTensors {
 public:
  VocabularyTensors() = default;
  explicit VocabularyTensors(const data::Dataset& dataset);
  /// Views into this object.
  void appendTo(std::vector<checkpoint::TensorView>& tensors) const;

 private:
  struct Entry {
    std::string name;
    std::string ids;
    std::vector<std::int64_t> offsets;
  };
  std::vector<Entry> entries_;
};

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
