// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/common/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "engine/base/clock.h"

namespace parapet::bench {

Timing measure(const Budget& budget, const std::function<void()>& work) {
  work();
  std::vector<double> seconds;
  const Stopwatch total;
  while (static_cast<int>(seconds.size()) < budget.runs || total.seconds() < budget.seconds) {
    const Stopwatch watch;
    work();
    seconds.push_back(watch.seconds());
  }
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds.front(), seconds.back(),
          static_cast<int>(seconds.size())};
}

nlohmann::json toJson(const Timing& timing) {
  return {{"seconds", timing.median},
          {"best_seconds", timing.best},
          {"worst_seconds", timing.worst},
          {"runs", timing.runs}};
}

void printLine(const nlohmann::json& line) {
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

}  // namespace parapet::bench
