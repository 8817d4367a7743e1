// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace parapet::data {

/// Longer lines are no text of ours; keeping or parsing them would only cost memory and time.
constexpr std::size_t kMaxLineBytes = 1 << 20;

/// What the bytes of a text file are.
enum class TextEncoding {
  kUtf8,          ///< a line with other bytes is rejected
  kUtf8OrLatin1,  ///< a cell that is not UTF-8 is ISO-8859-1 (catalogues of MovieLens)
};

/// Bytes that text seldom has.
struct OddBytes {
  bool nul = false;
  bool high = false;                ///< something else than ASCII
  bool loneCarriageReturn = false;  ///< a CR that no LF follows
};
OddBytes findOddBytes(std::string_view text);

/// Errors   Data for a text whose lines end with CR alone, as those of old Macs do.
Status checkLineEnds(std::string_view start, const std::string& path);

/// Cuts the next line off `rest`, which is not empty; without its end, LF or CR LF.
std::string_view takeLine(std::string_view& rest);
/// Line `lineIndex`, counted from 0; "" behind the last one.
std::string_view lineAt(std::string_view text, std::int64_t lineIndex);
/// A line of nothing but spaces.
bool isBlankLine(std::string_view line);

/// Why a line cannot be text of ours: too long, a NUL byte, a carriage return inside, bad UTF-8;
/// "" if it can.
std::string reasonAgainstLine(std::string_view line, TextEncoding encoding);
std::string reasonAgainstLength(std::size_t lineBytes);

}  // namespace parapet::data
