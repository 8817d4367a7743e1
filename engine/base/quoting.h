// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parapet {

/// A cell of a CSV file (RFC 4180): quoted where it has a comma, a quote or an end of line, with
/// quotes inside doubled; else as it is.
void appendCsvField(std::string& line, std::string_view text);
std::string csvField(std::string_view text);

/// Counts the cells of a CSV file that spreadsheets take for formulas, which may open addresses or run
/// programs: they begin with =, +, - or @ and are no numbers. The cells stay as they are, since other
/// programs read them back.
class FormulaCount {
 public:
  void look(std::string_view cell);
  /// A warning of the cells that were looked at; "" if none is a formula.
  [[nodiscard]] std::string note() const;

 private:
  std::int64_t count_ = 0;
  std::string first_;
};
/// The note of FormulaCount over all cells of a CSV text.
std::string formulaNote(std::string_view csv);

/// Whether no shell changes a word: letters, digits and _@%+=:,./- alone, at least one.
bool isPlainShellWord(std::string_view text);
/// A word of a command as a POSIX shell reads it, quoted where it must be.
std::string shellWord(std::string_view text);

}  // namespace parapet
