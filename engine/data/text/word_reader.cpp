// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text/word_reader.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include <algorithm>

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

constexpr std::uint8_t kNotAscii = 255;

constexpr auto isKind(CharacterKind kind) {
  return static_cast<std::uint8_t>(kind);
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

WordReader::WordReader(Casing casing) : kinds_(CharacterKinds::of(casing)), casing_(casing) {
  for (int byte = 0; byte < 256; ++byte) {
    const auto at = static_cast<std::size_t>(byte);
    lower_[at] = static_cast<char>(byte);
    byteKinds_[at] = kNotAscii;
    if (byte >= 0x80) continue;
    const CharacterKind kind = kinds_.kindOf(static_cast<char32_t>(byte));
    // An upper-case letter of ASCII is a letter once it is in lower case.
    byteKinds_[at] = isKind(kind == CharacterKind::kUpper ? CharacterKind::kLetter : kind);
    if (kind == CharacterKind::kUpper) lower_[at] = static_cast<char>(byte - 'A' + 'a');
  }
}

void WordReader::begin(std::string_view text) {
  text_ = text;
  at_ = 0;
  queue_.clear();
  queued_ = 0;
}

bool WordReader::next(Word& word) {
  for (;;) {
    while (queued_ < queue_.size() && queue_[queued_].kind == CharacterKind::kSpace) ++queued_;
    size_ = 0;
    if (queued_ == queue_.size()) {
      const Plain found = nextPlain(word);
      if (found != Plain::kMore) return found == Plain::kWord;
    }
    if (nextAny(word)) return true;
  }
}

// A word of ASCII characters, found byte by byte. What begins with others, or goes on with them, or
// has controls inside, is left to nextAny().
WordReader::Plain WordReader::nextPlain(Word& word) {
  const auto kindAt = [this](std::size_t at) {
    return byteKinds_[static_cast<unsigned char>(text_[at])];
  };
  std::size_t at = at_;
  while (at < text_.size() && (kindAt(at) == isKind(CharacterKind::kSpace) ||
                               kindAt(at) == isKind(CharacterKind::kRemoved)))
    ++at;
  at_ = at;
  if (at == text_.size()) return Plain::kEnd;
  if (kindAt(at) == isKind(CharacterKind::kPunctuation)) {
    word = {text_.substr(at, 1), false, at, true};
    at_ = at + 1;
    return Plain::kWord;
  }
  std::size_t size = 0;
  while (at < text_.size() && size < kMaxCharacters && kindAt(at) == isKind(CharacterKind::kLetter))
    bytes_[size++] = lower_[static_cast<unsigned char>(text_[at++])];
  const bool ends = at == text_.size() || kindAt(at) == isKind(CharacterKind::kSpace) ||
                    kindAt(at) == isKind(CharacterKind::kPunctuation);
  if (ends) {
    word = {{bytes_.data(), size}, false, at_, true};
  } else {
    for (std::size_t i = 0; i < size; ++i) sources_[i] = {at_ + i, at_ + i + 1};
    size_ = size;
  }
  at_ = at;
  return ends ? Plain::kWord : Plain::kMore;
}

// A word of any characters, which goes on with the ASCII ones that are in bytes_ already; false if
// blanks come first, or nothing.
bool WordReader::nextAny(Word& word) {
  characters_ = static_cast<int>(size_);
  isTooLong_ = false;
  const Character* character = peek();
  if (size_ == 0 && character && character->kind == CharacterKind::kPunctuation) {
    append(*character);
    ++queued_;
  } else {
    for (; character && character->kind == CharacterKind::kLetter; character = peek()) {
      append(*character);
      ++queued_;
    }
  }
  if (size_ == 0) return false;
  word = {{bytes_.data(), size_}, isTooLong_, sources_[0].first, false};
  return true;
}

const WordReader::Character* WordReader::peek() {
  if (queued_ == queue_.size()) fill();
  return queued_ < queue_.size() ? &queue_[queued_] : nullptr;
}

// The code point at `at`; kReplacement, a byte long, where the bytes are not UTF-8.
char32_t WordReader::decode(std::size_t at, std::size_t& bytes) const {
  const auto* text = reinterpret_cast<const std::uint8_t*>(text_.data());
  std::int64_t index = 0;
  const auto length = static_cast<std::int64_t>(std::min<std::size_t>(4, text_.size() - at));
  UChar32 found = 0;
  U8_NEXT(text + at, index, length, found);
  bytes = found < 0 ? 1 : static_cast<std::size_t>(index);
  return found < 0 ? kReplacement : static_cast<char32_t>(found);
}

// Normalises what comes next: one character, or one with the marks behind it.
void WordReader::fill() {
  queue_.clear();
  queued_ = 0;
  while (queue_.empty() && at_ < text_.size()) {
    std::size_t bytes = 0;
    const char32_t character = decode(at_, bytes);
    const ByteRange source{at_, at_ + bytes};
    at_ += bytes;
    switch (const CharacterKind kind = kinds_.kindOf(character)) {
      case CharacterKind::kRemoved:
        break;
      case CharacterKind::kUpper:
        queue_.push_back({lowerCase(character), CharacterKind::kLetter, 0, source});
        break;
      case CharacterKind::kIdeograph:
        queue_.push_back(
            {casing_ == Casing::kUncased ? decompose(character).characters[0] : character,
             CharacterKind::kPunctuation, 0, source});
        break;
      case CharacterKind::kComposed:
        queueComposed(character, source);
        break;
      case CharacterKind::kLetter:
      case CharacterKind::kSpace:
      case CharacterKind::kPunctuation:
        queue_.push_back({character, kind, 0, source});
    }
  }
}

// Decomposes a character and the marks behind it, puts marks in canonical order (by combining class
// between characters of class 0), and leaves all but accents.
void WordReader::queueComposed(char32_t character, ByteRange source) {
  const auto add = [this](char32_t composed, ByteRange from) {
    const Decomposition parts = decompose(composed);
    for (int i = 0; i < parts.count; ++i) {
      const char32_t part = parts.characters[static_cast<std::size_t>(i)];
      queue_.push_back({part, CharacterKind::kLetter, combiningClass(part), from});
    }
  };
  add(character, source);
  while (at_ < text_.size()) {
    std::size_t bytes = 0;
    const char32_t mark = decode(at_, bytes);
    const CharacterKind kind = kinds_.kindOf(mark);
    if (kind == CharacterKind::kComposed && combiningClass(decompose(mark).characters[0]) != 0)
      add(mark, {at_, at_ + bytes});
    else if (kind != CharacterKind::kRemoved)
      break;
    at_ += bytes;
  }
  for (auto first = queue_.begin(); first != queue_.end();) {
    const auto isStarter = [](const Character& each) { return each.combining == 0; };
    first = std::find_if_not(first, queue_.end(), isStarter);
    const auto last = std::find_if(first, queue_.end(), isStarter);
    std::stable_sort(first, last, [](const Character& a, const Character& b) {
      return a.combining < b.combining;
    });
    first = last;
  }
  std::erase_if(queue_, [](const Character& each) { return isAccent(each.value); });
  for (Character& each : queue_) {
    each.value = lowerCase(each.value);
    if (isPunctuation(each.value)) each.kind = CharacterKind::kPunctuation;
  }
}

void WordReader::append(const Character& character) {
  if (characters_ == kMaxCharacters) {
    isTooLong_ = true;
    sources_[size_ - 1].last = character.source.last;
    return;
  }
  ++characters_;
  std::size_t end = size_;
  std::array<std::uint8_t, 4> encoded{};
  std::size_t length = 0;
  U8_APPEND_UNSAFE(encoded.data(), length, static_cast<UChar32>(character.value));
  for (std::size_t i = 0; i < length; ++i, ++end) {
    bytes_[end] = static_cast<char>(encoded[i]);
    sources_[end] = character.source;
  }
  size_ = end;
}

}  // namespace parapet::data
