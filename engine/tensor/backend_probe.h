// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/plugin_library.h"
#include "engine/tensor/plugin_abi.h"

namespace parapet::tensor {

/// Asks an opened plugin whether its table is whole and whether it works here, and appends the
/// memory of each of its devices in bytes. Runs code of the plugin: see tryPlugin.
PluginOpening probeBackend(const PpPlugin& plugin, std::vector<std::uint64_t>& memoryBytes);

}  // namespace parapet::tensor
