// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

namespace parapet {

/// Reports how far a long piece of work is. `total` 0 means unknown.
using ProgressFunction =
    std::function<void(std::string_view stage, std::int64_t done, std::int64_t total)>;

/// Progress and cancellation of one piece of long work; both may be empty.
struct WorkContext {
  ProgressFunction progress{};
  std::stop_token stop{};

  void report(std::string_view stage, std::int64_t done, std::int64_t total) const {
    if (progress) progress(stage, done, total);
  }
  [[nodiscard]] bool cancelled() const { return stop.stop_requested(); }
};

}  // namespace parapet
