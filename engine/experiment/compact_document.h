// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/experiment/document.h"

namespace parapet::experiment {

/// A document that means the same as `experiment` and is short: settings that stand at their defaults
/// are left out, except those at or above a pointer of `kept`.
///
/// Time   a parse for each setting.
nlohmann::ordered_json compactJson(const Experiment& experiment,
                                   const std::vector<std::string>& kept = {});

}  // namespace parapet::experiment
