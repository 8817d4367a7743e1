// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace parapet::data {

/// Pieces that stand for no text.
enum class SpecialPiece {
  kPad,        ///< [PAD]: fills a batch up
  kUnknown,    ///< [UNK]: a word without pieces
  kClassify,   ///< [CLS]: begins every sequence
  kSeparator,  ///< [SEP]: ends it
  kMask,       ///< [MASK]: to be predicted
};

/// The pieces of a WordPiece vocabulary. The id of a piece is its line in the file, from 0; a piece
/// that continues a word begins with "##".
class PieceVocabulary {
 public:
  static constexpr std::string_view kContinuation = "##";
  static constexpr std::array<std::string_view, 5> kSpecialNames{"[PAD]", "[UNK]", "[CLS]", "[SEP]",
                                                                 "[MASK]"};

  /// Reads a file with one piece per line.
  ///
  /// Errors   those of readFile; Data with path and line: an empty line, a piece that is there
  ///          already, bytes that are not UTF-8, blanks inside a piece, a missing special piece,
  ///          too many pieces.
  static Result<PieceVocabulary> read(const std::filesystem::path& path);
  /// Parses the text of a file; `path` is for messages. Errors as of read().
  static Result<PieceVocabulary> parse(std::string_view text, const std::string& path);

  /// V.
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(ends_.size()) - 1; }
  [[nodiscard]] std::string_view piece(std::int64_t id) const {
    const auto at = static_cast<std::size_t>(id);
    return std::string_view(bytes_).substr(ends_[at], ends_[at + 1] - ends_[at]);
  }
  [[nodiscard]] std::int32_t id(SpecialPiece piece) const {
    return special_[static_cast<std::size_t>(piece)];
  }
  /// Whether the piece is one of the five.
  [[nodiscard]] bool isSpecial(std::int32_t id) const;
  /// The ids of the five, in the order of SpecialPiece.
  [[nodiscard]] const std::array<std::int32_t, 5>& specialIds() const { return special_; }

 private:
  std::string bytes_;                 // of the pieces, end to end
  std::vector<std::size_t> ends_{0};  // [V + 1]
  std::array<std::int32_t, 5> special_{};
};

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
