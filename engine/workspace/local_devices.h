// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/mesh/local_devices.h"

namespace parapet::workspace {

// Programs name devices before a workspace is open.
using mesh::LocalDevices;
using mesh::localDevices;
using mesh::namedDevices;

}  // namespace parapet::workspace
