// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/experiment/problem.h"

namespace parapet::experiment {

/// A place of a document and where what is found there is noted. Readers and checks hand it down:
/// `place / "tables" / 0` is the place of the first table.
class Place {
 public:
  Place(std::string pointer, Findings& findings)
      : pointer_(std::move(pointer)), findings_(&findings) {}

  [[nodiscard]] Place operator/(std::string_view key) const;
  [[nodiscard]] Place operator/(std::size_t index) const;

  /// The place of a pointer that another finding names.
  [[nodiscard]] Place at(std::string pointer) const { return {std::move(pointer), *findings_}; }

  void problem(std::string message, std::string accepted) const;
  void warning(std::string message, std::string accepted = {}) const;

  [[nodiscard]] const std::string& pointer() const { return pointer_; }
  /// Problems of the whole document so far; a reader compares to see whether a part was read.
  [[nodiscard]] std::size_t problemCount() const { return findings_->problems.size(); }

 private:
  std::string pointer_;
  Findings* findings_;
};

/// A key as a token of a JSON pointer: "~" and "/" escaped (RFC 6901).
std::string escapeToken(std::string_view key);
/// A value as it stands in a message: "text "abc"", "the number -3", short and printable.
std::string shown(const nlohmann::json& value);

}  // namespace parapet::experiment
