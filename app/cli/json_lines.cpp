// SPDX-License-Identifier: Apache-2.0
#include "app/cli/json_lines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/interrupts.h"
#include "app/cli/output.h"
#include "engine/base/text.h"

namespace parapet::cli {

Result<Json> objectOf(std::string_view text) {
  // nlohmann keeps the last of two values of a name.
  std::vector<std::set<std::string>> keys;
  std::string repeated;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end && !keys.empty()) keys.pop_back();
    if (event == Json::parse_event_t::key)
      if (auto key = parsed.get<std::string>(); !keys.back().insert(key).second)
        repeated = std::move(key);
    return true;
  };
  Json value = Json::parse(text, watch, false);
  if (value.is_discarded() || !value.is_object()) return wrongArgument("not a JSON object");
  if (!repeated.empty())
    return wrongArgument(fmt::format("\"{}\" is given twice", printable(repeated)));
  return value;
}

std::optional<std::string> textOf(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  return std::nullopt;
}

Error ofLine(const Error& error, std::int64_t line) {
  Error of = error.wrap(fmt::format("stdin, line {}", line));
  of.line = line;
  return of;
}

Answer answerLines(const std::function<Json(std::string_view, std::int64_t)>& answer) {
  Answer result;
  result.written = true;
  LineReader lines(STDIN_FILENO);
  std::int64_t number = 0;
  while (const auto line = lines.next()) {
    ++number;
    const std::string_view text = trim(number == 1 ? withoutByteOrderMark(*line) : *line);
    if (text.empty()) continue;
    const Written written = writeStdout(jsonLine(answer(text, number)));
    if (written == Written::kPipeClosed) return result;
    if (written == Written::kFailed) {
      writeStderr(
          fmt::format("error: cannot write the answer to stdout: {}", std::strerror(errno)));
      result.code = ExitCode::kFailed;
      return result;
    }
  }
  if (stopRequested()) result.code = ExitCode::kStopped;
  return result;
}

}  // namespace parapet::cli
