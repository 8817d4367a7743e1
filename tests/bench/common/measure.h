// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

namespace parapet::bench {

/// How long a piece of work is repeated: at least `runs` times and for `seconds`.
struct Budget {
  double seconds = 1.0;
  int runs = 5;
};

/// The seconds that each run of one piece of work took.
struct Timing {
  double median = 0.0, best = 0.0, worst = 0.0;
  int runs = 0;
};

/// Calls `work` once to warm up, which is not counted, then as often as the budget asks.
Timing measure(const Budget& budget, const std::function<void()>& work);

/// {"seconds", "best_seconds", "worst_seconds", "runs"}; `seconds` is the median.
nlohmann::json toJson(const Timing& timing);

/// One JSON object on a line of its own on stdout: what the harness reads.
void printLine(const nlohmann::json& line);

}  // namespace parapet::bench
