// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace parapet::data {

/// Whether a vocabulary tells upper from lower case.
enum class Casing {
  kUncased,  ///< lower case, accents are stripped
  kCased,    ///< characters as they are
};

/// Stands for bytes that are no character.
inline constexpr char32_t kReplacement = 0xFFFD;

/// What a character is to BERT's normalisation.
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

}  // namespace parapet::data
