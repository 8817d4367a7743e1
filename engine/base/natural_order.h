// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parapet {

/// Whether `a` comes before `b` where ids are listed: runs of decimal digits compare as numbers
/// ("9" before "10", "u9" before "u10"), everything else byte by byte. Equal numbers with different
/// leading zeros are ordered by their length, so that different texts are never equal.
///
/// Thread   pure.
bool naturalLess(std::string_view a, std::string_view b);

}  // namespace parapet
