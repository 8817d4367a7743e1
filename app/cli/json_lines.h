// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "app/cli/answer.h"
#include "engine/base/result.h"

namespace parapet::cli {

/// The JSON object on a line of stdin.
///
/// Errors   kInvalidDocument for another value, text that is no JSON or not UTF-8, and an object that
///          has a key twice: which of the two was meant nobody knows.
Result<Json> objectOf(std::string_view text);
/// A text, or a number as it would stand in a file.
std::optional<std::string> textOf(const Json& value);

/// Answers each line of stdin that is not blank with one line of JSON as it arrives, until the input
/// ends; lines are counted from 1. A line that cannot be answered is the caller's to say in its
/// answer. The exit code is that of a stop or of a stdout that cannot be written.
Answer answerLines(const std::function<Json(std::string_view text, std::int64_t line)>& answer);
/// The error, with the line of stdin that it is of.
Error ofLine(const Error& error, std::int64_t line);

}  // namespace parapet::cli
