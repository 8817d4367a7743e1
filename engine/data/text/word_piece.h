// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/text/piece_vocabulary.h"
#include "engine/data/text/word_reader.h"

namespace parapet::data {

/// Pieces of a text and where they stand in it.
struct EncodedText {
  std::vector<std::int32_t> ids;
  std::vector<ByteRange> ranges;  ///< of each id in the text
};

/// WordPiece as BERT does it: text → words (WordReader) → the longest piece that begins the word,
/// the longest "##…" piece that goes on, and so forth. A word of which some part is no piece, or of
/// more than 100 characters, is [UNK].
///
/// Immutable and cheap to copy. Thread: safe to use from many.
/// Source   Wu et al., "Google's neural machine translation system" (2016), 4.1; Devlin et al.,
///          "BERT" (2019).
class WordPiece {
 public:
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

  WordPiece(PieceVocabulary vocabulary, Casing casing);

  [[nodiscard]] const PieceVocabulary& vocabulary() const { return state_->vocabulary; }
  [[nodiscard]] Casing casing() const { return state_->casing; }

  /// Appends the pieces of the text, of which no more than `maxPieces`. Names of special pieces in
  /// it are text like any other.
  ///
  /// Returns   whether all of the text was encoded.
  bool encode(std::string_view text, std::vector<std::int32_t>& ids,
              std::int64_t maxPieces = kUnlimited) const;
  /// Encodes a prompt, with the range of the text that each id covers. Names of special pieces
  /// ("[MASK]") stand for these pieces, as users write them in a query.
  [[nodiscard]] EncodedText encodePrompt(std::string_view text) const;
  /// Appends [CLS], the pieces of the text, [SEP]: no more than `maxLength` ≥ 3 ids, for which the
  /// last pieces are left out.
  ///
  /// Returns   whether all of the text was encoded.
  bool encodeSequence(std::string_view text, std::int64_t maxLength,
                      std::vector<std::int32_t>& ids) const;
  /// The words of the pieces with a blank between them; special pieces by their names.
  ///
  /// Errors   InvalidArgument for an id outside [0, V).
  [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const;

 private:
  struct State {
    PieceVocabulary vocabulary;
    PieceTrie trie;
    Casing casing;
  };
  template <class Append>
  void encodeWord(const WordReader::Word& word, const Append& append) const;

  std::shared_ptr<const State> state_;
};

}  // namespace parapet::data
