// SPDX-License-Identifier: Apache-2.0
#include "engine/train/vocabulary_tensors.h"

#include <fmt/format.h>

#include <algorithm>

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

Result<CheckpointVocabulary> CheckpointVocabulary::open(const checkpoint::Checkpoint& checkpoint,
                                                        const std::string& name) {
  const auto refused = [&](std::string_view what) {
    return Error{ErrorCode::kData,
                 fmt::format("the checkpoint of step {} {} the ids of the vocabulary \"{}\"",
                             checkpoint.manifest().step, what, name),
                 {},
                 checkpoint.folder().string()};
  };
  const checkpoint::TensorView* ids = checkpoint.find("vocab/" + name + "/ids");
  const checkpoint::TensorView* offsets = checkpoint.find("vocab/" + name + "/offsets");
  if (!ids || !offsets) return refused("does not hold");
  CheckpointVocabulary vocabulary;
  vocabulary.ids_ = {reinterpret_cast<const char*>(ids->bytes.data()), ids->bytes.size()};
  vocabulary.offsets_ = {reinterpret_cast<const std::int64_t*>(offsets->bytes.data()),
                         offsets->bytes.size() / sizeof(std::int64_t)};
  const auto& all = vocabulary.offsets_;
  if (ids->type != checkpoint::ElementType::kU8 || offsets->type != checkpoint::ElementType::kI64 ||
      all.empty() || all.front() != 0 || !std::ranges::is_sorted(all) ||
      static_cast<std::size_t>(all.back()) != ids->bytes.size())
    return refused("cannot tell");
  return vocabulary;
}

}  // namespace parapet::train
