// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/clock.h"

namespace parapet::data {

/// Speed of a transfer and the time it still takes, from its progress reports.
class TransferMeter {
 public:
  /// The first report sets the start: bytes that were there before were not transferred. So does
  /// one that falls back, of a new start or another stage.
  void report(std::int64_t done, std::int64_t total) {
    if (!first_ || done < done_) {
      first_ = done;
      watch_.restart();
    }
    done_ = done;
    total_ = total;
  }
  /// Since the first report; nullopt in its first half second, when it would only jump about.
  [[nodiscard]] std::optional<double> bytesPerSecond() const {
    const double seconds = watch_.seconds();
    if (!first_ || seconds < 0.5) return {};
    return static_cast<double>(done_ - *first_) / seconds;
  }
  /// nullopt while speed or total are not known.
  [[nodiscard]] std::optional<double> secondsLeft() const {
    const auto speed = bytesPerSecond();
    if (!speed || *speed <= 0.0 || total_ <= 0) return {};
    return static_cast<double>(total_ - done_) / *speed;
  }

 private:
  std::optional<std::int64_t> first_;
  std::int64_t done_ = 0, total_ = 0;
  Stopwatch watch_;
};

}  // namespace parapet::data
