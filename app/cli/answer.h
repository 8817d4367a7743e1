// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/exit_codes.h"
#include "engine/base/result.h"
#include "engine/experiment/problem.h"

namespace parapet::cli {

using Json = nlohmann::ordered_json;

/// Why a command failed: one error, or everything that is wrong with a document at once.
struct Failure {
  Error error;
  std::vector<experiment::Problem> problems{};    ///< all of them; `error` is then about the first
  std::vector<std::vector<std::string>> fixes{};  ///< lines below each problem; empty: none
};

/// The answer of a command: as JSON for programs, as text for people, and whether it worked.
/// A failed command keeps the fields it already knows in `json`.
struct Answer {
  Json json = Json::object();
  std::string text{};
  std::optional<Failure> failure{};
  ExitCode code = ExitCode::kDone;
  bool written = false;  ///< the command has written its answer itself, line by line

  Answer() = default;
  /// A failure: commands end with it as functions that return a Result do (PARAPET_TRY).
  Answer(Error error, Json known = Json::object())
      : json(std::move(known)),
        failure(Failure{std::move(error)}),
        code(exitCodeOf(failure->error.code)) {}
  static Answer of(Json value, std::string readable) {
    Answer answer;
    answer.json = std::move(value);
    answer.text = std::move(readable);
    return answer;
  }
  /// A document with problems, at least one.
  static Answer refused(std::vector<experiment::Problem> problems, Json known = Json::object());
  /// The answer, with these fields if it is a failure that knows none.
  Answer orKnown(Json fields) && {
    if (failure && json.empty()) json = std::move(fields);
    return std::move(*this);
  }
};

/// A message in which words of more than 300 bytes, as a mistyped argument may be, have lost their
/// middle.
std::string abbreviated(std::string_view message);
/// "/pointer: message; accepted: …"
std::string lineOf(const experiment::Problem& problem);
/// {"code", "message", "pointer", "path", "line"}, null where unknown.
Json errorJson(const Error& error);
/// [{"pointer", "message", "accepted"}]
Json problemsJson(const std::vector<experiment::Problem>& problems);

/// NaN and ±Inf become null.
Json number(double value);
/// Empty texts become null: for fields where "" means unknown.
Json textOrNull(const std::string& value);
/// 0 becomes null: for sizes and times where 0 means unknown.
Json countOrNull(std::int64_t value);

}  // namespace parapet::cli
