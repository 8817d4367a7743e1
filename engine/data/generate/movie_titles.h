// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace parapet::data {

/// An invented film name in UTF-8, such as "The Quiet Harbour"; another one for every index from 0.
/// Some have letters beyond ASCII, all of them in ISO-8859-1.
std::string inventedName(std::int64_t index);

}  // namespace parapet::data
