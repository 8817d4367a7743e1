// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/base/result.h"

namespace parapet::checkpoint {

/// Parses JSON that a machine wrote: duplicate keys and nesting deeper than `maxDepth` are refused
/// before anything is built, so a hostile header costs no memory. kData error that says where.
Result<nlohmann::json> parseStrictJson(std::string_view text, int maxDepth);

}  // namespace parapet::checkpoint
