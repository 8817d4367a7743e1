// SPDX-License-Identifier: Apache-2.0
#include "app/cli/answer.h"

#include <fmt/format.h>

#include "engine/base/json_number.h"

namespace parapet::cli {

Answer Answer::refused(std::vector<experiment::Problem> problems, Json known) {
  Error first = errorOf(problems.front());
  return Answer{std::move(known),
                {},
                Failure{std::move(first), std::move(problems)},
                ExitCode::kWrong,
                false};
}

Error errorOf(const experiment::Problem& problem) {
  std::string message = problem.message;
  if (!problem.accepted.empty()) message += "; accepted: " + problem.accepted;
  return Error{ErrorCode::kInvalidDocument, std::move(message), problem.pointer};
}

std::string lineOf(const experiment::Problem& problem) {
  const std::string where = problem.pointer.empty() ? "document" : problem.pointer;
  if (problem.accepted.empty()) return fmt::format("{}: {}", where, problem.message);
  return fmt::format("{}: {}; accepted: {}", where, problem.message, problem.accepted);
}

Json errorJson(const Error& error) {
  return Json{{"code", errorCodeName(error.code)},
              {"message", error.text()},
              {"pointer", textOrNull(error.pointer)},
              {"path", textOrNull(error.path)},
              {"line", error.line ? Json(*error.line) : Json(nullptr)}};
}

Json problemsJson(const std::vector<experiment::Problem>& problems) {
  Json list = Json::array();
  for (const experiment::Problem& problem : problems)
    list.push_back(Json{{"pointer", problem.pointer},
                        {"message", problem.message},
                        {"accepted", textOrNull(problem.accepted)}});
  return list;
}

Json number(double value) {
  return numberOrNull<Json>(value);
}

Json textOrNull(const std::string& value) {
  return value.empty() ? Json(nullptr) : Json(value);
}

Json countOrNull(std::int64_t value) {
  return value == 0 ? Json(nullptr) : Json(value);
}

}  // namespace parapet::cli
