// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
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

}  // namespace parapet::train
