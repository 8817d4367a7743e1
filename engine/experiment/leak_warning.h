// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parapet::experiment {

/// What a warning of a run begins with that tells of held-out rows known from training: the results
/// of such a run are flattered, and the window says so beside them.
inline constexpr std::string_view kLeakWarning = "the split leaks: ";

}  // namespace parapet::experiment
