// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "engine/base/clock.h"

namespace parapet::ui {

/// What this process takes of the machine, from /proc/self.
class ProcessLoad {
 public:
  struct Sample {
    double cores = -1.0;              ///< busy cores since the last sample; −1: not known yet
    std::uint64_t residentBytes = 0;  ///< 0: unknown
  };
  Sample sample();

 private:
  Stopwatch since_;
  double lastCpuSeconds_ = -1.0;
};

}  // namespace parapet::ui
