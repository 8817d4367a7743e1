// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/text/piece_vocabulary.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// The effect of masking on a piece.
enum class PieceFate {
  kSeen,      ///< nothing: it is read and not predicted
  kMasked,    ///< [MASK] stands there; it is to be predicted
  kReplaced,  ///< another piece stands there; it is to be predicted
  kKept,      ///< it still stands there, and is to be predicted nevertheless
};

/// A text as a masked language model is trained with it.
struct MaskedText {
  struct Piece {
    std::string piece;  ///< in the text
    std::string shown;  ///< as the model reads it
    PieceFate fate = PieceFate::kSeen;
  };
  std::string text;
  std::vector<Piece> pieces;  ///< [CLS] … [SEP]
};

/// The first training lines of a data set of texts as pieces. Immutable.
class TextSample {
 public:
  /// The first `lines` lines that pass the filter; fewer if there are no more.
  ///
  /// Errors   those of openCorpus, Filter and DerivedColumns; kCancelled.
  static Result<std::shared_ptr<const TextSample>> read(const experiment::Dataset& spec,
                                                        std::int64_t lines,
                                                        const WorkContext& context);

  [[nodiscard]] std::int64_t size() const { return std::ssize(texts_); }
  /// Every line as SequenceMasker masks it in an epoch whose examples are in the order of the
  /// lines. A shuffled epoch masks the same way by another number of the example.
  ///
  /// epoch    from 1, or SequenceMasker::kHeldOutEpoch
  [[nodiscard]] std::vector<MaskedText> masked(const experiment::Masking& masking,
                                               std::uint64_t seed, std::int64_t epoch) const;

 private:
  explicit TextSample(PieceVocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}
  Status readLines(const experiment::Dataset& spec, std::int64_t lines, const WorkContext& context);

  PieceVocabulary vocabulary_;
  std::vector<std::string> texts_;
  std::vector<std::int32_t> ids_;
  std::vector<std::size_t> offsets_{0};
};

}  // namespace parapet::data
