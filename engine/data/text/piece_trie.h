// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/data/text/piece_vocabulary.h"

namespace parapet::data {

/// Finds the longest piece that a text begins with, a byte a step.
///
/// A double array: the child of node s for byte c is node base[s] + c if check of that node is s,
/// so a step is one comparison, whatever the number of pieces. Children of different nodes lie
/// between each other.
/// Source   Aoe, "An efficient digital search algorithm by using a double-array structure" (1989).
class PieceTrie {
 public:
  static constexpr std::int32_t kNone = -1;

  /// A piece, and how many bytes of the text it is.
  struct Match {
    std::int32_t id = kNone;
    std::size_t bytes = 0;
  };

  explicit PieceTrie(const PieceVocabulary& vocabulary);

  /// The longest piece that begins a word which begins like `text`; id kNone if there is none.
  [[nodiscard]] Match longestStart(std::string_view text) const { return longest(0, text); }
  /// The longest piece "##…" that goes on a word which goes on like `text`.
  [[nodiscard]] Match longestContinuation(std::string_view text) const {
    return continuation_ == kNone ? Match{} : longest(continuation_, text);
  }

 private:
  struct Node {
    std::int32_t base = 0;       // of the children
    std::int32_t check = kNone;  // parent; kNone: the node is free
    std::int32_t id = kNone;     // of the piece that ends here
  };
  struct Range {
    std::size_t first, last;  // of the sorted pieces
    std::size_t depth;        // bytes that they share
    std::int32_t node;
  };

  [[nodiscard]] Match longest(std::int32_t node, std::string_view text) const {
    Match match;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::int32_t next =
          nodes_[static_cast<std::size_t>(node)].base + static_cast<unsigned char>(text[at]);
      if (nodes_[static_cast<std::size_t>(next)].check != node) break;
      node = next;
      if (const std::int32_t id = nodes_[static_cast<std::size_t>(node)].id; id != kNone)
        match = {id, at + 1};
    }
    return match;
  }
  std::int32_t placeChildren(const std::vector<unsigned char>& bytes);

  std::vector<Node> nodes_;
  // Where the search for a base begins: of one child, which fits any free node, and of more.
  std::array<std::size_t, 2> firstFree_{1, 1};
  std::int32_t continuation_ = kNone;  // node of "##"
};

}  // namespace parapet::data
