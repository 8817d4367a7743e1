// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/recommend_lines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "app/cli/arguments.h"
#include "app/cli/commands/recommendation_text.h"
#include "app/cli/interrupts.h"
#include "app/cli/line_reader.h"
#include "app/cli/output.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

struct Question {
  std::string user;
  std::int64_t k = 0;
};

constexpr std::string_view kAccepted = R"(accepted: {"user": "12", "k": 10} or a bare id)";

Error wrongLine(std::int64_t line, std::string_view found) {
  Error error = wrongArgument(fmt::format("stdin, line {}: {}; {}", line, found, kAccepted));
  error.line = line;
  return error;
}

Result<Question> readQuestion(std::string_view text, std::int64_t line, std::int64_t defaultK) {
  if (!text.starts_with('{')) return Question{std::string(text), defaultK};
  const Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) return wrongLine(line, "not a JSON object");
  Question question{{}, defaultK};
  for (const auto& [key, member] : value.items()) {
    if (key == "user" && member.is_string()) {
      question.user = member.get<std::string>();
    } else if (key == "user" && member.is_number_integer()) {
      question.user = member.dump();
    } else if (key == "k" && member.is_number_integer()) {
      question.k = member.get<std::int64_t>();
    } else {
      return wrongLine(line,
                       fmt::format("\"{}\": {} is not accepted", key, printable(member.dump())));
    }
  }
  if (question.user.empty()) return wrongLine(line, "\"user\" is missing");
  if (question.k < 1)
    return wrongLine(line, fmt::format("k is {}, which is less than 1", question.k));
  return question;
}

Result<Json> answer(const retrieval::Recommender& recommender, const Question& question,
                    retrieval::SeenItems seen, const ListOrigin& origin) {
  const std::array users{question.user};
  PARAPET_ASSIGN(const auto lists, recommender.recommend(users, question.k, seen));
  return recommendationJson(lists.front(), origin);
}

}  // namespace

Answer answerLines(const retrieval::Recommender& recommender, std::int64_t defaultK,
                   retrieval::SeenItems seen, const ListOrigin& origin) {
  Answer result;
  result.written = true;
  LineReader lines(STDIN_FILENO);
  std::int64_t lineNumber = 0;
  while (const auto line = lines.next()) {
    ++lineNumber;
    const std::string_view text = trim(*line);
    if (text.empty()) continue;
    const auto question = readQuestion(text, lineNumber, defaultK);
    auto value = question.ok() ? answer(recommender, *question, seen, origin)
                               : Result<Json>(question.error());
    if (!value.ok()) {
      writeStderr("error: " + value.error().text());
      result.code = moreUrgent(result.code, exitCodeOf(value.error().code));
      value = Json{{"user", question.ok() ? Json(question->user) : Json(nullptr)},
                   {"context", nullptr},
                   {"given", Json::array()},
                   {"items", nullptr},
                   {"step", origin.step},
                   {"warnings", origin.warnings},
                   {"error", errorJson(value.error())}};
    }
    const Written written = writeStdout(jsonLine(*value));
    if (written == Written::kPipeClosed) return result;
    if (written == Written::kFailed) {
      writeStderr(
          fmt::format("error: cannot write the answer to stdout: {}", std::strerror(errno)));
      result.code = moreUrgent(result.code, ExitCode::kFailed);
      return result;
    }
  }
  if (stopRequested()) result.code = moreUrgent(result.code, ExitCode::kStopped);
  return result;
}

}  // namespace parapet::cli
