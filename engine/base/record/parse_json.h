// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace parapet::record {

/// Text to JSON, for text that people write: the error names line and column, counted in bytes from
/// 1. Duplicate keys, NUL bytes and nesting deeper than 64 levels are refused.
///
/// Errors   InvalidDocument with `path` and `line`.
Result<nlohmann::json> parseJson(std::string_view text, const std::string& path = {});

}  // namespace parapet::record
