// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parapet::cli {

/// A placement as people of the field name it; JSON has the document's key, which is given here.
inline std::string placementLabel(std::string_view key) {
  if (key == "row") return "row-wise (modulo)";
  if (key == "row_block") return "row-wise (block)";
  if (key == "column") return "column-wise";
  if (key == "table") return "table-wise";
  return std::string(key);
}

/// Columns a terminal needs for a UTF-8 text: 0 for combining marks, 2 for wide East Asian
/// characters.
std::size_t displayWidth(std::string_view text);

enum class Align { kLeft, kRight };

/// A table as aligned text, two spaces between columns.
class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };
  explicit TextTable(std::vector<Column> columns);
  /// As many cells as columns, InvalidArgument otherwise. A cell is shown as a terminal may be
  /// shown it, in one line.
  void add(std::vector<std::string> cells);
  [[nodiscard]] std::string text() const;

 private:
  void append(std::string& out, const std::vector<std::string>& cells,
              const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// "1 epoch", "4,800 steps".
std::string counted(std::int64_t count, std::string_view noun);

/// A value as tables show it: four decimals, "–" for NaN.
std::string shortNumber(double value);
/// A metric as tables show it: shortNumber(), and a count as a whole number.
std::string metricText(std::string_view metric, double value);

}  // namespace parapet::cli
