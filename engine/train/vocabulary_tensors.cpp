// SPDX-License-Identifier: Apache-2.0
#include "engine/train/vocabulary_tensors.h"

namespace parapet::train {

VocabularyTensors::VocabularyTensors(const data::Dataset& dataset) {
  for (const data::Vocabulary& vocabulary : dataset.vocabularies()) {
    Entry entry{vocabulary.name(), {}, {0}};
    for (std::int64_t row = 0; row < vocabulary.size(); ++row) {
      entry.ids += vocabulary.rawId(row);
      entry.offsets.push_back(static_cast<std::int64_t>(entry.ids.size()));
    }
    entries_.push_back(std::move(entry));
  }
}

void VocabularyTensors::appendTo(std::vector<checkpoint::TensorView>& tensors) const {
  for (const Entry& entry : entries_) {
    tensors.push_back({"vocab/" + entry.name + "/ids",
                       checkpoint::ElementType::kU8,
                       {static_cast<std::int64_t>(entry.ids.size())},
                       std::as_bytes(std::span(entry.ids))});
    tensors.push_back({"vocab/" + entry.name + "/offsets",
                       checkpoint::ElementType::kI64,
                       {static_cast<std::int64_t>(entry.offsets.size())},
                       std::as_bytes(std::span(entry.offsets))});
  }
}

}  // namespace parapet::train
