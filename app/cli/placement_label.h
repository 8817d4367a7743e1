// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parapet::cli {

/// A placement as people of the field name it; JSON has the document's key, which is given here.
inline std::string placementLabel(std::string_view key) {
  if (key == "row") return "row-wise (modulo)";
  if (key == "row_block") return "row-wise (block)";
  if (key == "column") return "column-wise";
  if (key == "table") return "table-wise";
  return std::string(key);
}

}  // namespace parapet::cli
