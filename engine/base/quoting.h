// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parapet {

/// A cell of a CSV file (RFC 4180): quoted where it has a comma, a quote or an end of line, with
/// quotes inside doubled; else as it is.
void appendCsvField(std::string& line, std::string_view text);
std::string csvField(std::string_view text);

/// Whether no shell changes a word: letters, digits and _@%+=:,./- alone, at least one.
bool isPlainShellWord(std::string_view text);
/// A word of a command as a POSIX shell reads it, quoted where it must be.
std::string shellWord(std::string_view text);

}  // namespace parapet
