// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "app/cli/progress.h"

namespace parapet::cli {
namespace {

/// Where answers go.
int answerDescriptor = STDOUT_FILENO;

// The value of a failed command: what is known, and the error.
Json valueOf(const Answer& answer) {
  if (!answer.failure) return answer.json;
  Json value = answer.json.is_object() ? answer.json : Json::object();
  value["error"] = errorJson(answer.failure->error);
  if (!answer.failure->problems.empty() && !value.contains("problems"))
    value["problems"] = problemsJson(answer.failure->problems);
  return value;
}

// Some messages have several lines: a filter with a caret below its fault. The further ones are
// indented, so that nothing quoted in a message can begin a line of its own.
void printMessage(const std::string& message) {
  std::string text;
  for (const char c : message) text += c == '\n' ? "\n  " : std::string(1, c);
  writeStderr(text, LineEnds::kKeep);
}

// A command that the user stopped did not fail.
void printFailure(const Failure& failure, ExitCode code) {
  const std::string kind = code == ExitCode::kStopped ? "stopped: " : "error: ";
  if (failure.problems.empty()) {
    // Some messages begin with the pointer themselves.
    const std::string text = failure.error.text(), where = failure.error.pointer + ": ";
    const bool named = failure.error.pointer.empty() || text.starts_with(where);
    printMessage(abbreviated(kind + (named ? text : where + text)));
  }
  for (std::size_t i = 0; i < failure.problems.size(); ++i) {
    printMessage(abbreviated(kind + lineOf(failure.problems[i])));
    if (i < failure.fixes.size())
      for (const std::string& fix : failure.fixes[i]) printMessage("  " + fix);
  }
}

}  // namespace

void reserveStdout() {
  const int kept = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  // A caller that closed one of the two gets no more and no less than before.
  if (kept < 0) return;
  if (::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    ::close(kept);
  else
    answerDescriptor = kept;
}

Written writeStdout(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(answerDescriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EPIPE ? Written::kPipeClosed : Written::kFailed;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return Written::kAll;
}

std::string jsonLine(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void writeStderr(std::string_view text, LineEnds lineEnds) {
  static std::mutex mutex;  // warnings come from the threads of a run
  const std::lock_guard lock(mutex);
  const std::string out = wipeProgressLine() + terminalText(text, lineEnds) + "\n";
  // Whoever closed stderr does not want to hear it.
  [[maybe_unused]] const ssize_t count = ::write(STDERR_FILENO, out.data(), out.size());
}

void printWarning(std::string_view message) {
  writeStderr(fmt::format("warning: {}", message));
}

void printWarnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) printWarning(warning);
}

void printWarnings(const std::vector<experiment::Problem>& warnings,
                   const std::vector<std::vector<std::string>>& fixes) {
  constexpr std::int64_t kMaxAlike = 10;
  std::map<std::string_view, std::int64_t> counts;
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    if (++counts[warnings[i].message] > kMaxAlike) continue;
    printWarning(lineOf(warnings[i]));
    if (i < fixes.size())
      for (const std::string& fix : fixes[i]) writeStderr("  " + fix);
  }
  for (const auto& [message, count] : counts)
    if (count > kMaxAlike)
      printWarning(fmt::format("{} more of: {}", formatCount(count - kMaxAlike), message));
}

std::array<std::string, 2> datesOf(const std::array<std::int64_t, 2>& seconds) {
  constexpr std::int64_t kYear9999 = 253'402'300'799;
  const auto text = [](std::int64_t second) {
    return std::abs(second) > kYear9999 ? fmt::format("{}", second) : formatUtc(1000 * second);
  };
  return {text(seconds.front()), text(seconds.back())};
}

ExitCode deliver(const Answer& answer, bool asJson) {
  Written written = Written::kAll;
  int reason = 0;
  if (!answer.written) {
    written = writeStdout(asJson ? jsonLine(valueOf(answer))
                                 : terminalText(answer.text, LineEnds::kKeep));
    reason = errno;
  }
  if (answer.failure) printFailure(*answer.failure, answer.code);
  if (written == Written::kFailed) {
    writeStderr(fmt::format("error: cannot write the answer to stdout: {}", std::strerror(reason)));
    return moreUrgent(answer.code, ExitCode::kFailed);
  }
  return answer.code;
}

}  // namespace parapet::cli
