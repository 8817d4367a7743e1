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

}  // namespace parapet::data
