// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/answer.h"
#include "engine/base/text.h"

namespace parapet::cli {

/// How a write to stdout went.
enum class Written {
  kAll,
  kPipeClosed,  ///< the reader has gone, as with `| head`: nothing to complain about
  kFailed,      ///< a full disk behind a redirection
};

/// Keeps stdout for answers: what else this process or its plugins print there, as some libraries do
/// while they load, goes to stderr from now on. Once, before any other thread.
void reserveStdout();
/// Writes bytes to stdout at once, without a buffer that could fail later unseen.
Written writeStdout(std::string_view text);
/// One value and a newline. Bytes that are not UTF-8 become U+FFFD, so that the line stays JSON.
std::string jsonLine(const Json& value);

/// Text on stderr as a terminal may be shown it, and a line end; a line of progress is wiped first.
void writeStderr(std::string_view text, LineEnds lineEnds = LineEnds::kEscape);
void printWarning(std::string_view message);
void printWarnings(const std::vector<std::string>& warnings);
/// Findings that stop nothing, a line each, with the lines of `fixes` (none, or an entry each) below it.
/// Of those that say the same of many places the first ones are printed, and how many more there are.
void printWarnings(const std::vector<experiment::Problem>& warnings,
                   const std::vector<std::vector<std::string>>& fixes = {});

/// Two moments in seconds since 1970 as dates; beyond the year 9999 as the numbers that they are.
std::array<std::string, 2> datesOf(const std::array<std::int64_t, 2>& seconds);

/// Puts an answer where it belongs: the value, or the text as a terminal may be shown it, on
/// stdout; `error: …` lines on stderr, `stopped: …` if the user ended the work. Returns the exit
/// code of the process.
ExitCode deliver(const Answer& answer, bool asJson);

}  // namespace parapet::cli
