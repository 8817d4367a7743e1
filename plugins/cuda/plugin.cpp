// SPDX-License-Identifier: Apache-2.0
// The backend for NVIDIA GPUs. It needs no driver to be loaded, and says so where there is none.
#include "engine/tensor/plugin_abi.h"
#include "plugins/cuda/devices.h"
#include "plugins/cuda/graphs.h"
#include "plugins/cuda/ops.h"
#include "plugins/cuda/stream.h"

namespace parapet::cuda {
namespace {

PpPlugin thePlugin{};

std::int32_t probe(char* reason, std::size_t reasonBytes) {
  const std::int32_t code = findDevices(reason, reasonBytes);
  if (code == PP_OK) thePlugin.instructionSet = architecture();
  return code;
}

std::int32_t supports(std::int32_t, std::uint64_t op, std::int32_t, std::int32_t) {
  return op < sizeof(PpOps) ? 1 : 0;
}

const PpPlugin& plugin() {
  static const PpDevice device{.structSize = sizeof(PpDevice),
                               .kind = "cuda",
                               .memoryKind = PP_MEMORY_DEVICE,
                               .ops = &ops(),
                               .allocate = allocate,
                               .release = release,
                               .stream = streamOfDevice,
                               .copyToDevice = copyToDevice,
                               .copyToHost = copyToHost,
                               .wait = wait,
                               .makeRecording = makeRecording,
                               .releaseRecording = releaseRecording,
                               .endRecording = endRecording,
                               .supports = supports,
                               .memoryBytes = memoryBytes,
                               .lastError = said};
  if (!thePlugin.device)
    thePlugin = {sizeof(PpPlugin), "cuda", "cuda", probe, deviceCount, &device};
  return thePlugin;
}

}  // namespace
}  // namespace parapet::cuda

extern "C" {

__attribute__((visibility("default"))) uint32_t parapet_plugin_abi(void) {
  return PP_ABI_VERSION;
}
__attribute__((visibility("default"))) const char* parapet_plugin_build_tag(void) {
  return PARAPET_BUILD_TAG;
}
__attribute__((visibility("default"))) const PpPlugin* parapet_plugin(void) {
  return &parapet::cuda::plugin();
}

}  // extern "C"
