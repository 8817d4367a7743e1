// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace parapet::plugin {

/// The plugin's probe: PP_OK where this machine runs the instruction set, else PP_UNSUPPORTED and
/// the reason. Compiled for every processor.
std::int32_t probe(char* reason, std::size_t reasonBytes);

}  // namespace parapet::plugin
