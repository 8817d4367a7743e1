// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parapet::data {

/// Texts end to end, so that millions of them cost little more than their bytes.
struct CompactTexts {
  std::vector<std::uint64_t> ends{0};  ///< text i is bytes [ends[i], ends[i + 1])
  std::string bytes;

  void add(std::string_view text) {
    bytes.append(text);
    ends.push_back(bytes.size());
  }
  [[nodiscard]] std::size_t size() const { return ends.size() - 1; }
  [[nodiscard]] std::string_view at(std::size_t index) const {
    return std::string_view(bytes).substr(ends[index], ends[index + 1] - ends[index]);
  }
};

}  // namespace parapet::data
