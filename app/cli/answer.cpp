// SPDX-License-Identifier: Apache-2.0
#include "app/cli/answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/json_number.h"

namespace parapet::cli {

Answer Answer::refused(std::vector<experiment::Problem> problems, Json known) {
  Answer answer(errorOf(problems.front()), std::move(known));
  answer.failure->problems = std::move(problems);
  answer.code = ExitCode::kWrong;
  return answer;
}

std::string abbreviated(std::string_view message) {
  constexpr std::size_t kMaxWord = 300, kHead = 120, kTail = 40;
  const auto isInside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  std::string text;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find_first_of(" \n"), message.size());
    const std::string_view word = message.substr(0, end);
    std::size_t head = word.size(), tail = word.size();
    if (word.size() > kMaxWord) {
      head = kHead;
      tail = word.size() - kTail;
      while (head > 0 && isInside(word[head])) --head;  // not within a character
      while (tail < word.size() && isInside(word[tail])) ++tail;
    }
    text += word.substr(0, head);
    if (head < tail) text += fmt::format("[…{} bytes…]", tail - head);
    text += word.substr(tail);
    message.remove_prefix(end);
    const std::size_t blanks = std::min(message.find_first_not_of(" \n"), message.size());
    text += message.substr(0, blanks);
    message.remove_prefix(blanks);
  }
  return text;
}

std::string lineOf(const experiment::Problem& problem) {
  const std::string where = problem.pointer.empty() ? "document" : problem.pointer;
  if (problem.accepted.empty()) return fmt::format("{}: {}", where, problem.message);
  return fmt::format("{}: {}; accepted: {}", where, problem.message, problem.accepted);
}

Json errorJson(const Error& error) {
  return Json{{"code", errorCodeName(error.code)},
              {"message", abbreviated(error.text())},
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
