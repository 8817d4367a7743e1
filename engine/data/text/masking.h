// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/random.h"
#include "engine/base/result.h"
#include "engine/data/dataset/batches.h"
#include "engine/data/dataset/vocabulary.h"
#include "engine/data/text/piece_vocabulary.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// The pieces of a vocabulary that masking must know.
struct MaskingPieces {
  std::int64_t size = 0;                  ///< V
  std::array<std::int32_t, 5> special{};  ///< in the order of SpecialPiece; never selected

  static MaskingPieces of(const PieceVocabulary& vocabulary);
  /// The vocabulary of a data set of texts.
  ///
  /// Errors   Data if it lacks a special piece.
  static Result<MaskingPieces> of(const Vocabulary& vocabulary);

  [[nodiscard]] std::int32_t id(SpecialPiece piece) const {
    return special[static_cast<std::size_t>(piece)];
  }
  [[nodiscard]] bool isSpecial(std::int32_t id) const {
    return id == special[0] || id == special[1] || id == special[2] || id == special[3] ||
           id == special[4];
  }
};

/// Draws the positions of sequences that are to be predicted, and what stands there instead.
///
///   draw[p] = U[0, 1) of (seed, epoch, example, p) for the N positions p whose piece is not special
///   bernoulli   selected are the p with draw[p] < rate
///   exact       selected are the k = max(1, round(rate·N)) smallest draws
///   either      of more than max_selections, those with the smallest draws
///   a selected piece becomes [MASK] with probability `mask`, one of U{0 … V − 1} with `random`,
///   and stays otherwise
///
/// Held-out rows are masked in the epoch kHeldOutEpoch, so every validation measures the same.
/// Order    a pure function of its arguments: the same on every mesh, whichever thread asks.
/// Source   Devlin et al., "BERT" (2019), 3.1; `max_selections` as in Keras's
///          MaskedLMMaskGenerator.
class SequenceMasker {
 public:
  /// Epochs of training begin at 1.
  static constexpr std::int64_t kHeldOutEpoch = 0;
  /// Positions of a sequence that draws tell apart.
  static constexpr std::int64_t kMaxPositions = 1 << 16;

  /// A selected position.
  struct Selection {
    std::int32_t position = 0;     ///< in the sequence
    std::int32_t label = 0;        ///< the piece that stood there
    std::int32_t replacement = 0;  ///< the piece that stands there now
  };

  /// `maxLength`: of a sequence, up to which nothing is allocated later; at most kMaxPositions.
  SequenceMasker(const experiment::Masking& masking, const MaskingPieces& pieces,
                 std::uint64_t seed, std::int64_t maxLength);

  /// The selections of a sequence by ascending position; valid until the next call.
  ///
  /// example   its number within the epoch, over all devices
  /// Errors    InvalidArgument for more than kMaxPositions ids.
  std::span<const Selection> select(std::span<const std::int32_t> ids, std::int64_t epoch,
                                    std::int64_t example);
  /// Most selections of one sequence.
  [[nodiscard]] std::int64_t maxSelections() const { return masking_.maxSelections; }

 private:
  struct Candidate {
    std::uint32_t draw;  ///< of 2^32
    std::int32_t position;
  };
  [[nodiscard]] std::size_t countSelected() const;

  experiment::Masking masking_;
  MaskingPieces pieces_;
  std::uint64_t seed_;
  std::vector<Candidate> candidates_;
  std::vector<Selection> selections_;
};

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
