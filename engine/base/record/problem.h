// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"

namespace parapet::record {

/// One thing that is wrong with (or worth a warning about) a document, at one value of it.
struct Problem {
  std::string pointer;   ///< JSON pointer (RFC 6901) of the value, e.g. "/tables/0/embedding_dim"
  std::string message;   ///< what was found and why it cannot be
  std::string accepted;  ///< what would be accepted, in words; may be empty for warnings

  bool operator==(const Problem&) const = default;
};

/// All findings at once: problems stop a run, warnings do not.
struct Findings {
  std::vector<Problem> problems;
  std::vector<Problem> warnings;

  void append(const Findings& other) {
    problems.insert(problems.end(), other.problems.begin(), other.problems.end());
    warnings.insert(warnings.end(), other.warnings.begin(), other.warnings.end());
  }
};

/// A problem as the error of what stops at it.
inline Error errorOf(const Problem& problem) {
  std::string message = problem.message;
  if (!problem.accepted.empty()) message += "; accepted: " + problem.accepted;
  return Error{ErrorCode::kInvalidDocument, std::move(message), problem.pointer};
}

/// The error of code that works on a document and stops at the first wrong value of it.
inline Error documentError(std::string pointer, std::string message) {
  return {.code = ErrorCode::kInvalidDocument,
          .message = std::move(message),
          .pointer = std::move(pointer)};
}

}  // namespace parapet::record
