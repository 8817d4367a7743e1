// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <stop_token>

#include "engine/base/clock.h"
#include "engine/mesh/measured_rates.h"
#include "engine/tensor/buffer.h"

namespace parapet::mesh {

/// Times calls of ops on a device: the shortest, once others agree with it or enough was tried. The
/// first call, which meets cold pages, does not count.
///
/// A device that works beside the host is given several calls at a time and waited for once, so
/// that a call counts for what it takes there and the wait for next to nothing.
class CallTimer {
 public:
  CallTimer(const tensor::Device& device, std::stop_token stop)
      : device_(device), stop_(std::move(stop)), mark_(device, 1) {}

  [[nodiscard]] const std::stop_token& stop() const { return stop_; }

  /// Seconds of a call. At most 1 where it was stopped: the caller drops the figure.
  template <class Call>
  double seconds(const Call& call) const {
    constexpr double kEnoughSeconds = 0.02, kMaxSeconds = 0.2;
    constexpr int kMinCalls = 5;
    timed(call, 1);
    const std::int64_t together = device_.isHost() ? 1 : callsFor(timed(call, 1));
    ShortestTime shortest;
    const Stopwatch total;
    for (int calls = 0; !stop_.stop_requested(); ++calls) {
      const double spent = total.seconds();
      if (calls >= kMinCalls && spent >= (shortest.agrees() ? kEnoughSeconds : kMaxSeconds)) break;
      shortest.add(timed(call, together));
    }
    return std::min(shortest.seconds(), 1.0);
  }

 private:
  /// Calls for each wait, so many that the wait is a small part of their time.
  static std::int64_t callsFor(double secondsOfOne) {
    constexpr double kTogetherSeconds = 1e-3;
    constexpr std::int64_t kMaxCalls = 64;
    const double calls = kTogetherSeconds / std::max(secondsOfOne, 1e-9);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(calls), 1, kMaxCalls);
  }

  template <class Call>
  double timed(const Call& call, std::int64_t calls) const {
    const Stopwatch watch;
    for (std::int64_t i = 0; i < calls; ++i) call();
    if (!device_.isHost()) {
      float mark = 0.0f;
      device_.copyOut(&mark, mark_.data(), sizeof mark);
    }
    return watch.seconds() / static_cast<double>(calls);
  }

  const tensor::Device& device_;
  std::stop_token stop_;
  tensor::Buffer<float> mark_;
};

}  // namespace parapet::mesh
