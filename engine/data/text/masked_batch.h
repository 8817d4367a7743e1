// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/data/dataset/batches.h"
#include "engine/data/text/masking.h"

namespace parapet::data {

/// A batch of sequences as a masked language model reads it, M masked positions in all. Example b
/// has the masked positions [offsets[b], offsets[b + 1]).
struct MaskedBatch {
  std::span<const std::int32_t> ids;        ///< [P] of the batch, with replaced pieces
  std::span<const std::int32_t> positions;  ///< [M] into ids, ascending
  std::span<const std::int32_t> offsets;    ///< [B + 1]
  std::span<const std::int32_t> labels;     ///< [M] pieces that stood there
  std::span<const float> weights;           ///< [M] of the cross entropies: 1
};

/// Masks the sequences of batches into arrays that are allocated once.
///
/// Thread   one at a time.
class BatchMasker {
 public:
  /// Sizes of the largest batch.
  struct Capacity {
    std::int64_t examples = 0;
    std::int64_t positions = 0;  ///< of all examples together
    std::int64_t length = 0;     ///< of one sequence
  };

  BatchMasker(const experiment::Masking& masking, const MaskingPieces& pieces, std::uint64_t seed,
              const Capacity& capacity);

  /// The masks of a batch; views stay valid until the next call. Allocates nothing.
  ///
  /// tokens         of the batch's examples: ids [P] and offsets [B + 1]
  /// epoch          from 1, or SequenceMasker::kHeldOutEpoch
  /// firstExample   number within the epoch of the batch's first example
  /// Errors         InvalidArgument for a feature without offsets, or a batch over the capacity.
  const MaskedBatch& mask(const FeatureIds& tokens, std::int64_t epoch, std::int64_t firstExample);

 private:
  SequenceMasker masker_;
  Capacity capacity_;
  std::vector<std::int32_t> ids_, positions_, offsets_, labels_;
  std::vector<float> weights_;
  MaskedBatch batch_;
};

}  // namespace parapet::data
