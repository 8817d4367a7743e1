// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/workspace/comparison.h"

namespace parapet::workspace {

/// The contexts that the first two runs read, by name: the lists whose overlap was measured answer
/// their values in each user's last training row. Empty if there is no overlap.
std::vector<std::string> overlapContexts(const Comparison& comparison);

}  // namespace parapet::workspace
