// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/process_load.h"

#include <time.h>
#include <unistd.h>

#include <fstream>

namespace parapet::ui {

ProcessLoad::Sample ProcessLoad::sample() {
  Sample sample;
  timespec used{};
  if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0) {
    const double cpuSeconds =
        static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
    const double passed = since_.seconds();
    if (lastCpuSeconds_ >= 0.0 && passed > 0.0)
      sample.cores = (cpuSeconds - lastCpuSeconds_) / passed;
    lastCpuSeconds_ = cpuSeconds;
    since_.restart();
  }
  // Second field of statm: resident pages. Files of /proc have no size, so they cannot be mapped.
  std::ifstream statm("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  if (statm >> all >> resident)
    sample.residentBytes = resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return sample;
}

}  // namespace parapet::ui
