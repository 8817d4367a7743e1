// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace parapet {

/// Seconds since it was made or restarted, on the monotonic clock.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  void restart() { start_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Monotonic clock in milliseconds since some time, for durations.
std::int64_t steadyMs();
/// Wall clock in milliseconds since 1970-01-01 UTC, for records; never for durations.
std::int64_t wallClockMs();
/// 2026-11-21T10:46:00Z
std::string formatUtc(std::int64_t wallMs);

}  // namespace parapet
