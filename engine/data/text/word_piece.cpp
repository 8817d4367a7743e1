// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text/word_piece.h"

#include <fmt/format.h>

#include <algorithm>

namespace parapet::data {

WordPiece::WordPiece(PieceVocabulary vocabulary, Casing casing) {
  PieceTrie trie(vocabulary);
  state_ = std::make_shared<const State>(State{std::move(vocabulary), std::move(trie), casing});
}

// Calls append(id, first, last) for each piece, bytes [first, last) of the word; once, with [UNK]
// and the whole word, where the pieces do not cover it.
template <class Append>
void WordPiece::encodeWord(const WordReader::Word& word, const Append& append) const {
  struct Piece {
    std::int32_t id;
    std::size_t first, last;
  };
  std::array<Piece, WordReader::kMaxCharacters> pieces;
  std::size_t count = 0, at = 0;
  while (!word.isTooLong && at < word.bytes.size()) {
    const std::string_view rest = word.bytes.substr(at);
    const PieceTrie::Match match =
        at == 0 ? state_->trie.longestStart(rest) : state_->trie.longestContinuation(rest);
    if (match.id == PieceTrie::kNone) break;
    pieces[count++] = {match.id, at, at + match.bytes};
    at += match.bytes;
  }
  if (word.isTooLong || at < word.bytes.size())
    return append(state_->vocabulary.id(SpecialPiece::kUnknown), std::size_t{0}, word.bytes.size());
  for (const Piece& piece : std::span(pieces).first(count))
    append(piece.id, piece.first, piece.last);
}

bool WordPiece::encode(std::string_view text, std::vector<std::int32_t>& ids,
                       std::int64_t maxPieces) const {
  const std::size_t before = ids.size();
  const auto room = static_cast<std::size_t>(maxPieces);
  WordReader reader(state_->casing);
  reader.begin(text);
  for (WordReader::Word word; ids.size() - before <= room && reader.next(word);)
    encodeWord(word, [&ids](std::int32_t id, std::size_t, std::size_t) { ids.push_back(id); });
  const bool isWhole = ids.size() - before <= room;
  if (!isWhole) ids.resize(before + room);
  return isWhole;
}

EncodedText WordPiece::encodePrompt(std::string_view text) const {
  EncodedText encoded;
  WordReader reader(state_->casing);
  const auto encodePlain = [&](std::size_t first, std::size_t last) {
    reader.begin(text.substr(first, last - first));
    for (WordReader::Word word; reader.next(word);)
      encodeWord(word, [&](std::int32_t id, std::size_t from, std::size_t to) {
        const ByteRange range = reader.rangeOf(word, from, to);
        encoded.ids.push_back(id);
        encoded.ranges.push_back({first + range.first, first + range.last});
      });
  };
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t found = text.size(), special = 0;
    for (std::size_t each = 0; each < PieceVocabulary::kSpecialNames.size(); ++each)
      if (const std::size_t begin = text.find(PieceVocabulary::kSpecialNames[each], at);
          begin < found) {
        found = begin;
        special = each;
      }
    encodePlain(at, found);
    if (found == text.size()) break;
    at = found + PieceVocabulary::kSpecialNames[special].size();
    encoded.ids.push_back(state_->vocabulary.specialIds()[special]);
    encoded.ranges.push_back({found, at});
  }
  return encoded;
}

bool WordPiece::encodeSequence(std::string_view text, std::int64_t maxLength,
                               std::vector<std::int32_t>& ids) const {
  ids.push_back(state_->vocabulary.id(SpecialPiece::kClassify));
  const bool isWhole = encode(text, ids, maxLength - 2);
  ids.push_back(state_->vocabulary.id(SpecialPiece::kSeparator));
  return isWhole;
}

std::string WordPiece::decode(std::span<const std::int32_t> ids) const {
  constexpr std::string_view kContinuation = PieceVocabulary::kContinuation;
  std::string text;
  for (const std::int32_t id : ids) {
    if (id < 0 || id >= state_->vocabulary.size())
      throw InvalidArgument(fmt::format("[WordPiece.decode] token {}; 0 to {} is accepted", id,
                                        state_->vocabulary.size() - 1));
    std::string_view piece = state_->vocabulary.piece(id);
    if (piece.starts_with(kContinuation) && !text.empty())
      piece.remove_prefix(kContinuation.size());
    else if (!text.empty())
      text += ' ';
    text += piece;
  }
  return text;
}

}  // namespace parapet::data
