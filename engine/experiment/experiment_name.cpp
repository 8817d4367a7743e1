// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/experiment_name.h"

#include <fmt/format.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>

#include <algorithm>
#include <utility>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"

namespace parapet::experiment {
namespace {

constexpr std::size_t kRunIdDigits = 12;
/// A longer number at the end is part of what it names, as in "clicks-2024".
constexpr std::size_t kMaxNumberDigits = 3;

bool isAsciiWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

bool isNonAscii(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}

/// Spaces and invisible characters outside of ASCII: two names that look alike would differ.
bool isInvisible(char32_t code) {
  return code == 0xA0 || code == 0xAD || (code >= 0x2000 && code < 0x2080) || code == 0x3000;
}

bool isPlainText(std::string_view name) {
  for (std::size_t at = 0; at < name.size();) {
    const auto [code, bytes] = decodeUtf8(name, at);
    if (bytes == 0 || isControl(code) || isInvisible(code)) return false;
    at += bytes;
  }
  return true;
}

bool isRunId(std::string_view name) {
  return name.size() == kRunIdDigits && std::ranges::all_of(name, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool isRecipe(std::string_view name) {
  return std::ranges::find(recipes(), name, &Recipe::name) != recipes().end();
}

/// Why a text is no name; "" if it is one.
std::string faultOf(std::string_view name) {
  if (name.empty()) return "the name is empty";
  if (name.size() > kMaxExperimentNameBytes)
    return fmt::format("the name has {} bytes", name.size());
  if (!isPlainText(name) ||
      !std::ranges::all_of(name, [](char c) { return isAsciiWordByte(c) || isNonAscii(c); }))
    return fmt::format("\"{}\" holds a character that a name may not have", printable(name));
  if (name.front() == '-' || name.front() == '.')
    return fmt::format("\"{}\" begins with '{}'", printable(name), name.front());
  if (name.ends_with(".json")) return fmt::format("\"{}\" names a file", printable(name));
  if (name == "latest" || isRunId(name)) return fmt::format("\"{}\" names a run", printable(name));
  if (isRecipe(name)) return fmt::format("\"{}\" is a recipe", printable(name));
  return {};
}

/// "clicks-2" → {"clicks", 2}; a name without a number is followed by 2, since it was the first.
std::pair<std::string, int> stemAndNext(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  if (dash != name.npos && dash > 0 && dash + 1 < name.size() &&
      name.size() - dash - 1 <= kMaxNumberDigits && name[dash + 1] != '0')
    if (const auto number = parseInt(name.substr(dash + 1)); number && *number > 0)
      return {std::string(name.substr(0, dash)), static_cast<int>(*number) + 1};
  return {std::string(name), isRecipe(name) ? 1 : 2};
}

/// Controls, marks of direction, and what is not seen. The joiner of emoji (U+200D) stays.
bool hidesOrTurns(char32_t code) {
  return isControl(code) || code == 0xAD || code == 0x200B || code == 0x200C ||
         (code >= 0x2060 && code <= 0x206F) || code >= 0xE0000;
}

/// Letters of Latin-1 and Latin Extended-A in ASCII, from U+00C0 on; marks that combine vanish.
std::string_view asciiOf(char32_t code) {
  static constexpr std::string_view kLetters =
      "A A A A Ae A Ae C E E E E I I I I D N O O O O Oe x O U U U Ue Y Th ss a a a a ae a "
      "ae c e e e e i i i i d n o o o o oe - o u u u ue y th y A a A a A a C c C c C c C c "
      "D d D d E e E e E e E e E e G g G g G g G g H h H h I i I i I i I i I i IJ ij J j K "
      "k k L l L l L l L l L l N n N n N n n N n O o O o O o Oe oe R r R r R r S s S s S s "
      "S s T t T t T t U u U u U u U u U u U u W w Y y Y Z z Z z Z z s ";
  constexpr char32_t kFirst = 0xC0, kEnd = 0x180;
  if (code < kFirst || code >= kEnd) return {};
  std::size_t at = 0;
  for (char32_t skipped = kFirst; skipped < code; ++skipped) at = kLetters.find(' ', at) + 1;
  return kLetters.substr(at, kLetters.find(' ', at) - at);
}

bool combines(char32_t code) {
  return code >= 0x300 && code < 0x370;
}

/// Why a text is no title; "" if it is one.
std::string titleFaultOf(std::string_view title) {
  if (trim(title).empty()) return "the name is empty";
  if (!isValidUtf8(title)) return fmt::format("\"{}\" is not UTF-8", printable(title));
  std::size_t characters = 0;
  for (std::string_view rest = title; !rest.empty(); ++characters) {
    const auto [code, bytes] = decodeUtf8(rest, 0);
    if (hidesOrTurns(code))
      return fmt::format("\"{}\" holds U+{:04X}, {}", printable(title),
                         static_cast<std::uint32_t>(code),
                         code < 0x20 || (code >= 0x7F && code < 0xA0)
                             ? "a control character"
                             : "a mark that is invisible or turns the text");
    rest.remove_prefix(bytes);
  }
  if (characters > kMaxExperimentTitle)
    return fmt::format("the name has {} characters", characters);
  if (trim(title) != title)
    return fmt::format("\"{}\" begins or ends with a space", printable(title));
  if (title.ends_with(".json")) return fmt::format("\"{}\" names a file", printable(title));
  if (title == "latest" || isRunId(title))
    return fmt::format("\"{}\" names a run", printable(title));
  if (isRecipe(title)) return fmt::format("\"{}\" is a recipe", printable(title));
  return {};
}

/// Cut so that no character is torn apart.
std::string_view cutTo(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace

Status checkExperimentName(std::string_view name) {
  std::string fault = faultOf(name);
  if (fault.empty()) return {};
  return Error{
      ErrorCode::kInvalidDocument,
      fmt::format("{}; accepted: letters, digits, . _ - (at most {} bytes, beginning with "
                  "a letter, a digit or _), and no recipe, run id, .json file or \"latest\"",
                  fault, kMaxExperimentNameBytes),
      "/name"};
}

std::string normalizedTitle(std::string_view title) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(status);
  if (U_FAILURE(status)) throw InternalError("[experiment] ICU has no NFC normalizer");
  if (!isValidUtf8(title)) return std::string(title);
  std::string normalized;
  icu::StringByteSink<std::string> sink(&normalized);
  nfc->normalizeUTF8(0, icu::StringPiece(title.data(), static_cast<std::int32_t>(title.size())),
                     sink, nullptr, status);
  if (U_FAILURE(status)) throw InternalError("[experiment] ICU cannot normalize a title");
  return normalized;
}

std::string experimentNameFrom(std::string_view given) {
  // Room is left for a number.
  constexpr std::size_t kMaxStemBytes = kMaxExperimentNameBytes - kMaxNumberDigits - 1;
  const std::string normalized = normalizedTitle(given);
  std::string_view text = normalized;
  const bool isText = isValidUtf8(text);
  while (text.ends_with(".json")) text.remove_suffix(5);
  std::string name;
  while (!text.empty()) {
    const auto [code, bytes] = isText ? decodeUtf8(text, 0) : Utf8Character{0, 1};
    const char c = text.front();
    if (isAsciiWordByte(c))
      name += c;
    else if (const std::string_view letters = asciiOf(code); !letters.empty())
      name += letters;
    else if (!combines(code) && !name.empty() && name.back() != '-')
      name += '-';
    text.remove_prefix(bytes);
  }
  name = cutTo(name, kMaxStemBytes);
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  name.erase(0, std::min(name.size(), name.find_first_not_of("-.")));
  if (name.empty()) return "experiment";
  return faultOf(name).empty() ? name
                               : freeExperimentName(name, [](std::string_view) { return false; });
}

std::string freeExperimentName(std::string_view wanted,
                               const std::function<bool(std::string_view)>& isTaken) {
  if (faultOf(wanted).empty() && !isTaken(wanted)) return std::string(wanted);
  auto [stem, number] = stemAndNext(wanted);
  // A run id or "latest" becomes a name by its number; anything else that is none is made one first.
  if (!faultOf(fmt::format("{}-{}", stem, number)).empty()) stem = experimentNameFrom(stem);
  for (;; ++number) {
    std::string name = fmt::format("{}-{}", stem, number);
    if (!isTaken(name)) return name;
  }
}

Status checkExperimentTitle(std::string_view title) {
  const std::string fault = titleFaultOf(title);
  if (fault.empty()) return {};
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("{}; accepted: any text of one line, of 1 to {} characters, and no "
                           "recipe, run id, .json file or \"latest\"",
                           fault, kMaxExperimentTitle),
               "/name"};
}

std::string experimentTitleFrom(std::string_view given) {
  if (!isValidUtf8(given)) return experimentNameFrom(given);
  const std::string text = normalizedTitle(given);
  std::string title;
  std::size_t characters = 0;
  for (std::string_view rest = trim(text); !rest.empty() && characters < kMaxExperimentTitle;) {
    const auto [code, bytes] = decodeUtf8(rest, 0);
    if (!hidesOrTurns(code))
      title += rest.substr(0, bytes), ++characters;
    else if (code < 0x20 && !title.empty() && title.back() != ' ')
      title += ' ', ++characters;
    rest.remove_prefix(bytes);
  }
  title = trim(title);
  while (title.ends_with(".json")) title.resize(title.size() - 5);
  return title.empty() ? "experiment" : title;
}

std::string freeExperimentTitle(std::string_view wanted,
                                const std::function<bool(std::string_view)>& isTaken) {
  const std::string title = experimentTitleFrom(wanted);
  if (titleFaultOf(title).empty() && !isTaken(title)) return title;
  if (std::ranges::all_of(title, isAsciiWordByte)) return freeExperimentName(title, isTaken);
  // Room is left for the number.
  std::string_view stem = title;
  std::size_t characters = 0, at = 0;
  while (at < stem.size() && characters < kMaxExperimentTitle - kMaxNumberDigits - 2)
    at += decodeUtf8(stem, at).bytes, ++characters;
  stem = trim(stem.substr(0, at));
  for (int number = 2;; ++number) {
    std::string numbered = fmt::format("{} {}", stem, number);
    if (!isTaken(numbered)) return numbered;
  }
}

}  // namespace parapet::experiment
