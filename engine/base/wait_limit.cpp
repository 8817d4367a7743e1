// SPDX-License-Identifier: Apache-2.0
#include "engine/base/wait_limit.h"

#include <fmt/format.h>

#include <cstdlib>

#include "engine/base/log.h"
#include "engine/base/text.h"

namespace parapet {
namespace {

constexpr std::chrono::milliseconds kStandard{30'000};

std::chrono::milliseconds read() {
  const char* const set = std::getenv("PARAPET_TIMEOUT_MS");
  if (!set || !*set) return kStandard;
  if (const auto limit = parseInt(set); limit && *limit > 0)
    return std::chrono::milliseconds(*limit);
  log(LogLevel::kWarning,
      fmt::format("PARAPET_TIMEOUT_MS is \"{}\"; accepted are milliseconds from 1; {} are used",
                  printable(set), kStandard.count()));
  return kStandard;
}

}  // namespace

std::chrono::milliseconds waitLimit() {
  static const std::chrono::milliseconds limit = read();
  return limit;
}

}  // namespace parapet
