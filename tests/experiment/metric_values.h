// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/experiment/run_event.h"

namespace parapet::experiment::test {

/// Metrics by their keys.
using Values = std::map<std::string, double>;
inline Values valuesOf(const std::vector<Metric>& metrics) {
  return {metrics.begin(), metrics.end()};
}

}  // namespace parapet::experiment::test
