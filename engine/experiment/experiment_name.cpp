// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/experiment_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
bool holdsInvisible(std::string_view name) {
  constexpr std::array<std::string_view, 7> kInvisible{
      "\xC2\x85",      // next line
      "\xC2\xA0",      // no-break space
      "\xC2\xAD",      // soft hyphen
      "\xE2\x80",      // spaces, dashes, direction marks
      "\xE2\x81",      // invisible operators
      "\xE3\x80\x80",  // ideographic space
      "\xEF\xBB\xBF",  // byte order mark
  };
  return std::ranges::any_of(
      kInvisible, [name](std::string_view bytes) { return name.find(bytes) != name.npos; });
}

bool isPlainText(std::string_view name) {
  return isValidUtf8(name) && terminalText(name, LineEnds::kEscape) == name &&
         !holdsInvisible(name);
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

std::string experimentNameFrom(std::string_view text) {
  // Room is left for a number.
  constexpr std::size_t kMaxStemBytes = kMaxExperimentNameBytes - kMaxNumberDigits - 1;
  const bool plain = isPlainText(text);
  while (text.ends_with(".json")) text.remove_suffix(5);
  std::string name;
  for (const char c : text) {
    const bool stays = isAsciiWordByte(c) || (plain && isNonAscii(c));
    if (stays)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
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

}  // namespace parapet::experiment
