// SPDX-License-Identifier: Apache-2.0
#include "engine/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <mutex>

#include "engine/base/text.h"

namespace parapet {
namespace {

std::mutex handlerMutex;
std::shared_ptr<const LogHandler> handler;  // guarded by handlerMutex

void logToStderr(LogLevel level, std::string_view message) {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made = spdlog::stderr_color_mt("parapet");
    made->set_pattern("%^%l%$: %v");
    return made;
  }();
  if (level == LogLevel::kInfo) return;
  logger->log(level == LogLevel::kError ? spdlog::level::err : spdlog::level::warn, "{}",
              terminalText(message, LineEnds::kEscape));
}

}  // namespace

void setLogHandler(LogHandler newHandler) {
  std::lock_guard lock(handlerMutex);
  handler = newHandler ? std::make_shared<const LogHandler>(std::move(newHandler)) : nullptr;
}

void log(LogLevel level, std::string_view message) {
  std::shared_ptr<const LogHandler> current;
  {
    std::lock_guard lock(handlerMutex);
    current = handler;
  }
  if (current)
    (*current)(level, message);
  else
    logToStderr(level, message);
}

}  // namespace parapet
