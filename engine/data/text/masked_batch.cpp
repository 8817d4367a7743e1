// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text/masked_batch.h"

#include <fmt/format.h>

#include <algorithm>

namespace parapet::data {

BatchMasker::BatchMasker(const experiment::Masking& masking, const MaskingPieces& pieces,
                         std::uint64_t seed, const Capacity& capacity)
    : masker_(masking, pieces, seed, capacity.length), capacity_(capacity) {
  // Whichever is smaller: a long batch has few selections a sequence, a short one few positions.
  const std::int64_t masked =
      std::min(capacity.positions, capacity.examples * masker_.maxSelections());
  ids_.resize(static_cast<std::size_t>(capacity.positions));
  offsets_.resize(static_cast<std::size_t>(capacity.examples) + 1);
  positions_.resize(static_cast<std::size_t>(masked));
  labels_.resize(static_cast<std::size_t>(masked));
  weights_.assign(static_cast<std::size_t>(masked), 1.0f);
}

const MaskedBatch& BatchMasker::mask(const FeatureIds& tokens, std::int64_t epoch,
                                     std::int64_t firstExample) {
  const std::int64_t examples = std::ssize(tokens.offsets) - 1;
  if (examples < 0) throw InvalidArgument("[BatchMasker.mask] the feature has no offsets");
  if (examples > capacity_.examples || std::ssize(tokens.ids) > capacity_.positions)
    throw InvalidArgument(
        fmt::format("[BatchMasker.mask] {} examples with {} positions; at most {} with {} are "
                    "accepted",
                    examples, tokens.ids.size(), capacity_.examples, capacity_.positions));
  std::ranges::copy(tokens.ids, ids_.begin());
  std::size_t masked = 0;
  offsets_[0] = 0;
  for (std::int64_t example = 0; example < examples; ++example) {
    const auto at = static_cast<std::size_t>(example);
    const auto first = static_cast<std::size_t>(tokens.offsets[at]);
    const auto last = static_cast<std::size_t>(tokens.offsets[at + 1]);
    for (const SequenceMasker::Selection& selection :
         masker_.select(tokens.ids.subspan(first, last - first), epoch, firstExample + example)) {
      const auto position = first + static_cast<std::size_t>(selection.position);
      ids_[position] = selection.replacement;
      positions_[masked] = static_cast<std::int32_t>(position);
      labels_[masked++] = selection.label;
    }
    offsets_[at + 1] = static_cast<std::int32_t>(masked);
  }
  batch_ = {std::span(ids_).first(tokens.ids.size()), std::span(positions_).first(masked),
            std::span(offsets_).first(static_cast<std::size_t>(examples) + 1),
            std::span(labels_).first(masked), std::span(weights_).first(masked)};
  return batch_;
}

}  // namespace parapet::data
