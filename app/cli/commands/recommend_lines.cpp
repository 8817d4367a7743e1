// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/recommend_lines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "app/cli/arguments.h"
#include "app/cli/commands/recommendation_text.h"
#include "app/cli/interrupts.h"
#include "app/cli/line_reader.h"
#include "app/cli/output.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

struct Question {
  retrieval::Query query;
  std::int64_t k = 0;
};

constexpr std::string_view kAccepted =
    R"(accepted: {"user": "12", "k": 10, "context": {"weekday": "monday"}, "history": ["50"]} )"
    "or a bare id";

Error wrongLine(std::int64_t line, std::string_view found) {
  Error error = wrongArgument(fmt::format("stdin, line {}: {}; {}", line, found, kAccepted));
  error.line = line;
  return error;
}

// A text, or a number as it would stand in a file.
std::optional<std::string> textOf(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  return std::nullopt;
}

/// Gives a query a value in place of one it may have. False if the value is none.
bool give(retrieval::Query& query, const std::string& name, const Json& value) {
  const auto text = textOf(value);
  if (!text) return false;
  const auto given = std::ranges::find(query.context, name, &retrieval::ContextValue::name);
  if (given != query.context.end())
    given->value = *text;
  else
    query.context.push_back({name, *text, true});
  return true;
}

/// Changes the question as a line says; the user is known even where the rest is wrong.
Status readQuestion(std::string_view text, std::int64_t line, Question& question) {
  if (!text.starts_with('{')) {
    question.query.user = text;
    return {};
  }
  // nlohmann keeps the last of two values of a name; which one was meant nobody knows.
  std::vector<std::vector<std::string>> keys;
  std::string repeated;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end && !keys.empty()) keys.pop_back();
    if (event != Json::parse_event_t::key) return true;
    const auto key = parsed.get<std::string>();
    if (std::ranges::find(keys.back(), key) != keys.back().end()) repeated = key;
    keys.back().push_back(key);
    return true;
  };
  const Json value = Json::parse(text, watch, false);
  if (value.is_discarded()) return wrongLine(line, "not a JSON object");
  if (!repeated.empty())
    return wrongLine(line, fmt::format("\"{}\" is given twice", printable(repeated)));
  if (const auto user = value.find("user"); user != value.end()) {
    if (user->is_string())
      question.query.user = user->get<std::string>();
    else if (user->is_number_integer())
      question.query.user = user->dump();
    else if (user->is_null())  // as an answer to a history says it
      question.query.user.clear();
    else
      return wrongLine(line, fmt::format("\"user\": {} is not accepted", printable(user->dump())));
  }
  for (const auto& [key, member] : value.items()) {
    if (key == "user" || (key == "history" && member.is_null())) {
      continue;  // an answer without a history says so, too
    } else if (key == "context" && member.is_object()) {
      for (const auto& [name, given] : member.items())
        if (!give(question.query, name, given))
          return wrongLine(line, fmt::format("context \"{}\": {} is not accepted", printable(name),
                                             printable(given.dump())));
    } else if (key == "history" && member.is_array()) {
      question.query.history.emplace();
      for (const Json& given : member) {
        const auto item = textOf(given);
        if (!item)
          return wrongLine(line,
                           fmt::format("\"history\": {} is not accepted", printable(given.dump())));
        question.query.history->push_back(*item);
      }
    } else if (key == "k" && member.is_number_integer()) {
      question.k = member.get<std::int64_t>();
    } else {
      return wrongLine(line,
                       fmt::format("\"{}\": {} is not accepted", key, printable(member.dump())));
    }
  }
  if (question.query.user.empty() && !question.query.history)
    return wrongLine(line, "\"user\" is missing, and so is \"history\"");
  if (question.k < 1)
    return wrongLine(line, fmt::format("k is {}, which is less than 1", question.k));
  return {};
}

Result<Json> answer(const retrieval::Recommender& recommender, const Question& question,
                    retrieval::SeenItems seen, const ListOrigin& origin) {
  PARAPET_ASSIGN(const auto lists, recommender.recommend({&question.query, 1}, question.k, seen));
  printWarnings(lists.front().warnings);
  return recommendationJson(lists.front(), origin);
}

}  // namespace

Answer answerLines(const retrieval::Recommender& recommender, const retrieval::Query& usualQuery,
                   std::int64_t defaultK, retrieval::SeenItems seen, const ListOrigin& origin) {
  const Question usual{usualQuery, defaultK};
  Answer result;
  result.written = true;
  LineReader lines(STDIN_FILENO);
  std::int64_t lineNumber = 0;
  while (const auto line = lines.next()) {
    ++lineNumber;
    const std::string_view text = trim(*line);
    if (text.empty()) continue;
    Question question = usual;
    const Status read = readQuestion(text, lineNumber, question);
    auto value =
        read.ok() ? answer(recommender, question, seen, origin) : Result<Json>(read.error());
    if (!value.ok()) {
      writeStderr("error: " + value.error().text());
      result.code = moreUrgent(result.code, exitCodeOf(value.error().code));
      const std::string& user = question.query.user;
      value = Json{{"user", read.ok() || !user.empty() ? Json(user) : Json(nullptr)},
                   {"context", nullptr},
                   {"history", nullptr},
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
