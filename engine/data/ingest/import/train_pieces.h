// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/text/piece_training.h"

namespace parapet::data {

/// A trained vocabulary, and what it was trained on.
struct TrainedPieces {
  std::vector<std::string> pieces;  ///< in the order of their ids
  std::int64_t lines = 0;           ///< of the training part, rejected ones included
  std::int64_t rejected = 0;        ///< too long, or not UTF-8
  std::int64_t words = 0;
  std::vector<std::string> warnings{};
  double seconds = 0.0;

  /// A piece a line, as a file of a vocabulary has them.
  [[nodiscard]] std::string text() const;
};

/// Trains a vocabulary on the training lines of a corpus: a file, or the folder of one
/// (findCorpus). A file by itself trains whole.
///
/// Errors   those of findCorpus, of reading its files and of PieceTrainer.
Result<TrainedPieces> trainPieces(const std::filesystem::path& corpus,
                                  const PieceTraining& training, const WorkContext& context);

}  // namespace parapet::data
