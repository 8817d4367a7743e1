// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/tensor/device.h"

namespace parapet::bench {

/// The device that a run on "cpu:0" gets here, with the kernels chosen for this machine.
inline tensor::Device runDevice() {
  auto device = tensor::DeviceRegistry::instance().find("cpu:0");
  if (!device) throw InternalError("the registry has no cpu:0");
  return *device;
}

}  // namespace parapet::bench
