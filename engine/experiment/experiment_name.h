// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace parapet::experiment {

/// Names of the experiments of a workspace. A name is one word of a command line, needs no quotes, and
/// is neither an option (-x), a file (a/b, a.json), the id of a run, `latest` nor the name of a recipe, so that
/// `train NAME` means one thing.
inline constexpr std::size_t kMaxExperimentNameBytes = 64;

/// kInvalidDocument at /name that says what is accepted, unless `name` is such a name.
Status checkExperimentName(std::string_view name);

/// The name nearest to a text that may not be one: "My data" gives "My-data". "experiment" if nothing is
/// left; the name of a recipe gets a number.
std::string experimentNameFrom(std::string_view text);

/// `wanted` if it is a name that is not taken; else its stem with the next number that is free:
/// "clicks" → "clicks-2", "clicks-2" → "clicks-3", and "sample", a recipe, → "sample-1".
std::string freeExperimentName(std::string_view wanted,
                               const std::function<bool(std::string_view)>& isTaken);

}  // namespace parapet::experiment
