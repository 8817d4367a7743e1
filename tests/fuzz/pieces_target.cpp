// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text/word_piece.h"
#include "tests/fuzz/fuzz_target.h"

using namespace parapet;
using namespace parapet::data;

namespace {

// The cut between the two parts of an input: the vocabulary stands before it, the text behind it.
constexpr std::string_view kCut = "\n=====\n";
constexpr std::string_view kPieces =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##a\nab\n##b\n\xC3\xA9\n##\xCC\x81\n.\n";

void checkRanges(const WordPiece& encoder, std::string_view text) {
  const EncodedText encoded = encoder.encodePrompt(text);
  std::size_t before = 0;
  for (const ByteRange& range : encoded.ranges) {
    if (range.first >= range.last || range.last > text.size())
      fuzz::breakInvariant("a piece is made from bytes of the text");
    if (range.first < before) fuzz::breakInvariant("pieces come in the order of the text");
    before = range.first;
  }
  (void)encoder.decode(encoded.ids);
}

void checkSequence(const WordPiece& encoder, std::string_view text) {
  std::vector<std::int32_t> ids;
  encoder.encodeSequence(text, 16, ids);
  if (ids.size() < 2 || ids.size() > 16) fuzz::breakInvariant("a sequence is as long as it may be");
  for (const std::int32_t id : ids)
    if (id < 0 || id >= encoder.vocabulary().size())
      fuzz::breakInvariant("an id is one of the vocabulary");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::asText(data, size);
  const std::size_t cut = input.find(kCut);
  auto vocabulary = PieceVocabulary::parse(input.substr(0, cut), "input");
  if (!vocabulary.ok()) {
    fuzz::tell(vocabulary.error().message);
    if (cut != std::string_view::npos) return 0;
    vocabulary = PieceVocabulary::parse(kPieces, "seed");
  }
  const std::string_view text =
      cut == std::string_view::npos ? input : input.substr(cut + kCut.size());
  for (const Casing casing : {Casing::kUncased, Casing::kCased}) {
    const WordPiece encoder(*vocabulary, casing);
    checkRanges(encoder, text);
    checkSequence(encoder, text);
  }
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  const std::string pieces(kPieces), cut(kCut);
  return {pieces + cut + "a ab. aab [MASK] b",
          pieces + "##c" + cut + "caf\xC3\xA9 e\xCC\x81\xCC\xA3",
          pieces + cut + "\xE6\x9D\xB1\xE4\xBA\xAC\xC2\xA0\xE2\x89\xA0 \xEF\xBF\xBD",
          "an ordinary text of words, 3.14 and a\xCC\x81"};
}

std::vector<std::string> fuzz::words() {
  return {std::string(kCut), "[MASK]",       "##",           "\xCC\x81",         "\xE2\x89\xA0",
          "\xEF\xBB\xBF",    "\xE1\xB9\xA9", "\xED\x95\x9C", "\xF0\xA0\x80\x80", "\n"};
}
