// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parapet::data {

/// How a line is cut into cells. A quote counts only at the start of a cell; inside, a doubled one
/// is a quote, and the cell ends on its line.
struct CellFormat {
  std::string delimiter = ",";  ///< a byte, or several
  std::optional<char> quote = '"';
};

/// The text that had to be made, because it is not in the file as it is needed.
using MadeText = std::deque<std::string>;

/// Replaces `cells` by the cells of a line: views into it, or into `made` where quotes were
/// doubled. Returns why that cannot be, or "".
std::string cutCells(std::string_view line, const CellFormat& format,
                     std::vector<std::string_view>& cells, MadeText& made);

/// The message about a list of which `weights` of `ids` ids have a weight; `subject` begins it.
std::string unevenWeights(std::string_view subject, std::string_view cell, std::size_t weights,
                          std::size_t ids);

/// For messages: "tabs", "commas", "\"::\"".
std::string delimiterName(std::string_view delimiter);

}  // namespace parapet::data
