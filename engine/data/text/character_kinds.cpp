// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text/character_kinds.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include "engine/base/result.h"

namespace parapet::data {
namespace {

UChar32 asIcu(char32_t character) {
  return static_cast<UChar32>(character);
}

bool isIn(char32_t character, char32_t first, char32_t last) {
  return character >= first && character <= last;
}

const UNormalizer2* nfd() {
  static const UNormalizer2* const normalizer = [] {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2* found = unorm2_getNFDInstance(&status);
    if (U_FAILURE(status)) throw InternalError("[text] ICU has no NFD normalizer");
    return found;
  }();
  return normalizer;
}

// The blocks of CJK ideographs, as BERT lists them.
bool isIdeograph(char32_t character) {
  return isIn(character, 0x4E00, 0x9FFF) || isIn(character, 0x3400, 0x4DBF) ||
         isIn(character, 0x20000, 0x2A6DF) || isIn(character, 0x2A700, 0x2B73F) ||
         isIn(character, 0x2B740, 0x2B81F) || isIn(character, 0x2B820, 0x2CEAF) ||
         isIn(character, 0xF900, 0xFAFF) || isIn(character, 0x2F800, 0x2FA1F);
}

// Controls, format characters, private use and surrogates; not tab and line ends. Code points that
// no Unicode version has assigned stay, so that new letters are letters.
bool isRemoved(char32_t character) {
  if (character == '\t' || character == '\n' || character == '\r') return false;
  if (character == 0 || character == kReplacement) return true;
  const auto mask = U_GET_GC_MASK(asIcu(character));
  return (mask & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK | U_GC_CS_MASK)) != 0;
}

bool hasDecomposition(char32_t character) {
  UErrorCode status = U_ZERO_ERROR;
  std::array<UChar, 16> buffer{};
  return unorm2_getDecomposition(nfd(), asIcu(character), buffer.data(),
                                 static_cast<std::int32_t>(buffer.size()), &status) >= 0;
}

}  // namespace

const CharacterKinds& CharacterKinds::of(Casing casing) {
  static const CharacterKinds uncased(Casing::kUncased), cased(Casing::kCased);
  return casing == Casing::kUncased ? uncased : cased;
}

CharacterKinds::CharacterKinds(Casing casing) : casing_(casing) {
  for (std::size_t character = 0; character < table_.size(); ++character)
    table_[character] = classify(static_cast<char32_t>(character), casing);
}

CharacterKind CharacterKinds::classify(char32_t character, Casing casing) {
  if (isRemoved(character)) return CharacterKind::kRemoved;
  if (u_isUWhiteSpace(asIcu(character))) return CharacterKind::kSpace;
  if (isIdeograph(character)) return CharacterKind::kIdeograph;
  if (casing == Casing::kUncased &&
      (combiningClass(character) != 0 || isAccent(character) || hasDecomposition(character)))
    return CharacterKind::kComposed;
  if (isPunctuation(character)) return CharacterKind::kPunctuation;
  const bool changes = casing == Casing::kUncased && lowerCase(character) != character;
  return changes ? CharacterKind::kUpper : CharacterKind::kLetter;
}

char32_t lowerCase(char32_t character) {
  return static_cast<char32_t>(u_tolower(asIcu(character)));
}

std::uint8_t combiningClass(char32_t character) {
  return u_getCombiningClass(asIcu(character));
}

bool isAccent(char32_t character) {
  return u_charType(asIcu(character)) == U_NON_SPACING_MARK;
}

bool isPunctuation(char32_t character) {
  if (character < 0x80)
    return isIn(character, '!', '/') || isIn(character, ':', '@') || isIn(character, '[', '`') ||
           isIn(character, '{', '~');
  return u_ispunct(asIcu(character));
}

Decomposition decompose(char32_t character) {
  UErrorCode status = U_ZERO_ERROR;
  std::array<UChar, 16> buffer{};
  const std::int32_t length = unorm2_getDecomposition(
      nfd(), asIcu(character), buffer.data(), static_cast<std::int32_t>(buffer.size()), &status);
  Decomposition found;
  if (length < 0 || U_FAILURE(status)) {
    found.characters[0] = character;
    found.count = 1;
    return found;
  }
  for (std::int32_t at = 0; at < length && found.count < std::ssize(found.characters);) {
    UChar32 next = 0;
    U16_NEXT(buffer.data(), at, length, next);
    found.characters[static_cast<std::size_t>(found.count++)] = static_cast<char32_t>(next);
  }
  return found;
}

}  // namespace parapet::data
