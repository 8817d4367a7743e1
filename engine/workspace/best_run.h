// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "engine/workspace/workspace.h"

namespace parapet::workspace {

/// The run that is better by a metric than each other one that has it, beyond three paired standard
/// errors over the same held-out queries or rows; nullopt where none is, and
/// MetricRow::notComparable says why.
std::optional<std::size_t> bestRun(const Comparison::MetricRow& metric);

}  // namespace parapet::workspace
