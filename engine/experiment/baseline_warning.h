// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parapet::experiment {

/// What a warning begins with that tells which baseline does not stand beside a result, and why: the
/// window says so beside the verdict.
inline constexpr std::string_view kBaselineWarning = "a baseline is left out: ";

}  // namespace parapet::experiment
