// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/text/character_kinds.h"
#include "engine/data/text/word_reader.h"

namespace parapet::data {

/// What a vocabulary is trained to.
struct PieceTraining {
  std::int64_t size = 30522;  ///< V, the special pieces included
  Casing casing = Casing::kUncased;
  std::int64_t minCount = 2;  ///< pairs that occur less often are not merged
  std::int64_t alphabet =
      1000;  ///< characters: the most frequent ones; words with others are left out
};

/// Trains a WordPiece vocabulary by merging pairs, as byte-pair encoding does.
///
/// Words are those of WordReader. At first every character is a piece, "c" at the start of a word
/// and "##c" inside. Then, until there are V pieces, the pair of adjacent pieces that occurs most
/// often in the corpus becomes one piece. The count of a pair decides, not its likelihood
/// count(ab)/(count(a)·count(b)), which prefers rare pairs: vocabularies of libraries in use are
/// made this way.
///
/// Order    ties go to the pair whose pieces came first, characters in the order of their code
///          points; the corpus alone decides, in whichever order its lines come.
/// Source   Schuster, Nakajima, "Japanese and Korean voice search" (2012); Sennrich et al., "Neural
///          machine translation of rare words with subword units" (2016).
class PieceTrainer {
 public:
  explicit PieceTrainer(const PieceTraining& training);

  /// Counts the words of a text, which is UTF-8.
  void add(std::string_view text);
  /// Occurrences of words so far.
  [[nodiscard]] std::int64_t words() const { return occurrences_; }

  /// The pieces: the special ones, the characters, then the merged ones as they were found; fewer
  /// than V where no pair is left. Once.
  ///
  /// Errors   Data for a corpus without words; InvalidDocument if V has no room for the characters;
  ///          kCancelled.
  Result<std::vector<std::string>> train(const WorkContext& context);

 private:
  PieceTraining training_;
  WordReader reader_;
  std::unordered_map<std::string, std::int64_t> counts_;
  std::int64_t occurrences_ = 0;
};

}  // namespace parapet::data
