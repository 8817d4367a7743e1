// SPDX-License-Identifier: Apache-2.0
// The CPU backend for one instruction set. Its table is the portable one, compiled for this
// instruction set, with the kernels that decide the speed of a run in place of theirs.
#include "plugins/cpu/kernels.h"
#include "plugins/cpu/probe.h"

namespace parapet::plugin {
namespace {

std::int32_t deviceCount() {
  return 1;
}

PpOps makeOps() {
  PpOps ops = *parapet_portable_cpu()->ops;
#define PP_OP(op, Args)
#define PP_TUNED_OP(op, Args) ops.op = op;
#include "engine/tensor/ops.def"
  return ops;
}

const PpPlugin& plugin() {
  static const PpOps ops = makeOps();
  static const PpDevice device = [] {
    PpDevice made = *parapet_portable_cpu();
    made.ops = &ops;
    return made;
  }();
  static const PpPlugin made{sizeof(PpPlugin), "cpu",  PARAPET_INSTRUCTION_SET, probe,
                             deviceCount,      &device};
  return made;
}

}  // namespace
}  // namespace parapet::plugin

extern "C" {

__attribute__((visibility("default"))) uint32_t parapet_plugin_abi(void) {
  return PP_ABI_VERSION;
}
__attribute__((visibility("default"))) const char* parapet_plugin_build_tag(void) {
  return PARAPET_BUILD_TAG;
}
__attribute__((visibility("default"))) const PpPlugin* parapet_plugin(void) {
  return &parapet::plugin::plugin();
}

}  // extern "C"
