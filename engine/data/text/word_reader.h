// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace parapet::data {

/// Whether a vocabulary tells upper from lower case.
enum class Casing {
  kUncased,  ///< lower case, accents are stripped
  kCased,    ///< characters as they are
};

/// Stands for bytes that are no character.
inline constexpr char32_t kReplacement = 0xFFFD;

/// The class of a character in BERT's normalisation.
enum class CharacterKind : std::uint8_t {
  kLetter,       ///< part of a word, as it is: letters, digits, marks, symbols
  kUpper,        ///< kUncased: part of a word, in lower case
  kSpace,        ///< ends a word
  kRemoved,      ///< controls, format characters, U+0000 and U+FFFD: as if not there
  kPunctuation,  ///< a word of its own
  kComposed,     ///< kUncased: to be decomposed (NFD) first, or a mark that takes part in it
  kIdeograph,    ///< CJK: a word of its own, decomposed where kUncased does so
};

/// Kinds of characters, as ICU knows them; the Basic Multilingual Plane from a table.
class CharacterKinds {
 public:
  /// Made once for each casing.
  static const CharacterKinds& of(Casing casing);

  [[nodiscard]] CharacterKind kindOf(char32_t character) const {
    return character < table_.size() ? table_[character] : classify(character, casing_);
  }

 private:
  explicit CharacterKinds(Casing casing);
  static CharacterKind classify(char32_t character, Casing casing);

  Casing casing_;
  std::array<CharacterKind, 1 << 16> table_;
};

/// Lower case of one character.
char32_t lowerCase(char32_t character);
/// Canonical combining class; 0: the character begins a new one.
std::uint8_t combiningClass(char32_t character);
/// Whether a character is a mark without a width of its own (Mn): an accent.
bool isAccent(char32_t character);
/// Punctuation of Unicode, or any printable ASCII character that is no letter, digit or space.
bool isPunctuation(char32_t character);

/// The full canonical decomposition of a character; itself if it has none.
struct Decomposition {
  std::array<char32_t, 4> characters{};
  int count = 0;
};
Decomposition decompose(char32_t character);

/// Bytes [first, last) of a text.
struct ByteRange {
  std::size_t first = 0, last = 0;
  bool operator==(const ByteRange&) const = default;
};

/// Cuts a text into words as BERT does, word by word.
///
/// Controls, format characters and U+FFFD are removed; uncased, characters are decomposed (NFD),
/// put in canonical order, accents dropped and the rest put in lower case; blanks end words;
/// punctuation and ideographs are words of their own. Bytes that are not UTF-8 count as U+FFFD.
/// Plain ASCII goes a way of its own that asks no tables of Unicode.
class WordReader {
 public:
  /// Words of more characters have no pieces, so that their bytes are not kept.
  static constexpr int kMaxCharacters = 100;

  struct Word {
    std::string_view bytes;  ///< normalised; of a word that is too long its first characters
    bool isTooLong = false;
    std::size_t first = 0;  ///< of the word in the text
    /// Byte i of the word is byte first + i of the text; otherwise see rangeOf().
    bool isPlain = true;
  };

  /// The text must outlive the reader, which starts anew with every text.
  explicit WordReader(Casing casing);
  void begin(std::string_view text);
  /// The next word, whose bytes stay valid until the next call; false at the end.
  bool next(Word& word);
  /// The bytes of the text that bytes [first, last) of the last word, which are whole characters,
  /// were made from.
  [[nodiscard]] ByteRange rangeOf(const Word& word, std::size_t first, std::size_t last) const {
    if (word.isPlain) return {word.first + first, word.first + last};
    return {sources_[first].first, sources_[last - 1].last};
  }

 private:
  /// A normalised character of the text.
  struct Character {
    char32_t value = 0;
    CharacterKind kind = CharacterKind::kLetter;  ///< letter, space or punctuation
    std::uint8_t combining = 0;
    ByteRange source;
  };

  enum class Plain {
    kWord,
    kMore,  ///< there are other characters
    kEnd,
  };

  Plain nextPlain(Word& word);
  bool nextAny(Word& word);
  /// The next character, which stays until queued_ goes on; null at the end.
  const Character* peek();
  void fill();
  void queueComposed(char32_t character, ByteRange source);
  char32_t decode(std::size_t at, std::size_t& bytes) const;
  void append(const Character& character);

  const CharacterKinds& kinds_;
  Casing casing_;
  std::array<std::uint8_t, 256> byteKinds_;  // ASCII: CharacterKind; above: kNotAscii
  std::array<char, 256> lower_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Character> queue_;  // normalised, not yet taken from queued_ on
  std::size_t queued_ = 0;
  std::array<char, 4 * kMaxCharacters> bytes_;
  std::array<ByteRange, 4 * kMaxCharacters> sources_;  // of each byte, unless the word is plain
  std::size_t size_ = 0;
  int characters_ = 0;
  bool isTooLong_ = false;
};

}  // namespace parapet::data
