// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/data/generate/generate.h"

namespace parapet::data {

/// Errors   InvalidDocument below /dataset/generator for counts that no generator can have.
Status checkGenerator(const experiment::Generator& settings);

/// The event as u.data has it, without the end of line.
std::string movieLine(const GeneratedEvent& event);
/// "01-Jan-1987" for a title that ends with "(1987)".
std::string releaseDate(std::string_view title);

}  // namespace parapet::data
