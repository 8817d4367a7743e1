// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

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

}  // namespace parapet::data
