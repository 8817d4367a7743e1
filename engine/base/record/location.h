// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/base/record/problem.h"

namespace parapet::record {

/// A JSON pointer into a document, and the findings to which what is found there is added. Readers
/// and checks hand it down: `root / "tables" / 0` is the location of the first table.
class Location {
 public:
  Location(std::string pointer, Findings& findings)
      : pointer_(std::move(pointer)), findings_(&findings) {}

  [[nodiscard]] Location operator/(std::string_view key) const;
  [[nodiscard]] Location operator/(std::size_t index) const;

  /// Another pointer with the same findings.
  [[nodiscard]] Location at(std::string pointer) const { return {std::move(pointer), *findings_}; }

  void problem(std::string message, std::string accepted) const;
  void warning(std::string message, std::string accepted = {}) const;

  [[nodiscard]] const std::string& pointer() const { return pointer_; }
  /// Problems of the whole document so far; a reader compares to see whether a part was read.
  [[nodiscard]] std::size_t problemCount() const { return findings_->problems.size(); }
  /// Findings of the whole document so far.
  [[nodiscard]] const Findings& findings() const { return *findings_; }

 private:
  std::string pointer_;
  Findings* findings_;
};

/// A key as a token of a JSON pointer: "~" and "/" escaped (RFC 6901).
std::string escapeToken(std::string_view key);
/// A value for a message: "the text "abc"", "the number -3"; short and printable.
std::string shown(const nlohmann::json& value);

}  // namespace parapet::record
