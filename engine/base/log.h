// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace parapet {

enum class LogLevel { kInfo, kWarning, kError };

/// Receives the messages of the process; the application sets it once at start (the window shows
/// them in its log dock). Without one, warnings and errors go to stderr. Called from any thread.
using LogHandler = std::function<void(LogLevel, std::string_view message)>;
void setLogHandler(LogHandler handler);
void log(LogLevel level, std::string_view message);

}  // namespace parapet
