// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/plugin_library.h"
#include "engine/tensor/plugin_abi.h"

namespace parapet::tensor {

/// Asks an opened plugin whether its table is whole and whether it works here, and appends the
/// memory of each of its devices in bytes. Runs code of the plugin: see tryPlugin.
PluginOpening probeBackend(const PpPlugin& plugin, std::vector<std::uint64_t>& memoryBytes);

/// The remark of a plugin that works on a device, from its last probe: the text that its probe left
/// has a line for each, or one for all of them. "" if it said nothing. Any thread.
std::string remarkOn(const PpPlugin& plugin, std::size_t index);

}  // namespace parapet::tensor
