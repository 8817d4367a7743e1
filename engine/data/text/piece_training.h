// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/text/word_reader.h"

namespace parapet::data {

/// Words as lists of pieces, and how often each pair of neighbours occurs. A merge touches only the
/// words that have the pair; the counts of their other pairs follow.
class PieceMerger {
 public:
  /// A word of the corpus: indices of its pieces, and its occurrences.
  struct Word {
    std::vector<std::int32_t> pieces;
    std::int64_t count = 0;
  };

  /// `pieces`: the characters, which words are made of.
  PieceMerger(std::vector<std::string> pieces, std::vector<Word> words);

  /// Makes the most frequent pair one piece, unless its count is below `minCount`: then false, and
  /// nothing is left to merge. A merge may give a piece that another pair gave before.
  bool merge(std::int64_t minCount);
  /// The characters, then the merged pieces.
  [[nodiscard]] const std::vector<std::string>& pieces() const { return pieces_; }

 private:
  struct Pair {
    std::int32_t left = 0, right = 0;
    bool operator==(const Pair&) const = default;
  };
  struct HashPair {
    std::size_t operator()(const Pair& pair) const {
      return static_cast<std::size_t>(pair.left) * 0x9E3779B97F4A7C15ull ^
             static_cast<std::size_t>(pair.right) * 0xC2B2AE3D27D4EB4Full;
    }
  };
  struct Occurrences {
    std::int64_t count = 0;
    std::vector<std::int32_t> words;  // that have it, or had it; a word may be there twice
  };
  /// A pair and what its count was when it was queued.
  struct Candidate {
    std::int64_t count = 0;
    Pair pair;
    bool operator<(const Candidate& other) const;
  };

  std::optional<Candidate> mostFrequent();
  std::int32_t pieceOf(const Pair& pair);
  void mergeIn(std::int32_t word, const Pair& pair, std::int32_t merged);
  void change(const Pair& pair, std::int64_t by, std::int32_t word);

  std::vector<std::string> pieces_;
  std::unordered_map<std::string, std::int32_t> indexOf_;
  std::vector<Word> words_;
  std::unordered_map<Pair, Occurrences, HashPair> pairs_;
  std::vector<Pair> grown_;  // whose counts a merge has raised
  std::priority_queue<Candidate> queue_;
};

/// The settings by which a vocabulary is trained.
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
