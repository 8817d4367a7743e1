// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/text/word_piece.h"
#include "engine/workspace/workspace.h"

namespace parapet::workspace {

struct OpenedRun;

/// A piece that may stand at a masked position.
struct PieceGuess {
  std::string piece;
  double probability = 0.0;
};

/// A masked position of a text, and the most probable pieces for it, best first.
struct MaskedPosition {
  std::int64_t position = 0;  ///< among the pieces of the sequence; [CLS] is 0
  std::vector<PieceGuess> pieces;
};

/// What a model makes of a text.
struct FilledText {
  std::vector<std::string> pieces;  ///< [CLS] … [SEP]
  std::vector<MaskedPosition> masked;
};

/// A trained masked language model that is asked about texts.
///
/// Thread   any; questions wait for one another.
class MaskedModel {
 public:
  MaskedModel(std::unique_ptr<OpenedRun> opened, data::WordPiece pieces);
  ~MaskedModel();

  /// The `k` most probable pieces of every "[MASK]" of a text.
  ///
  /// Errors   kInvalidDocument: a text without [MASK], or longer than the sequences of the model; a k
  ///          outside 1 … V.
  Result<FilledText> fill(std::string_view text, std::int64_t k);

  [[nodiscard]] const std::string& runId() const;
  [[nodiscard]] std::int64_t step() const;
  [[nodiscard]] const std::vector<std::string>& warnings() const;

 private:
  [[nodiscard]] std::vector<PieceGuess> best(std::span<const float> hidden, std::int64_t k) const;

  std::unique_ptr<OpenedRun> opened_;
  data::WordPiece pieces_;
  std::vector<float> table_, bias_;  ///< [V, D], [V]
  std::mutex mutex_;
};

}  // namespace parapet::workspace
