// SPDX-License-Identifier: Apache-2.0
// Probe for a level of x86-64, which a processor and its system support as a whole.
#include <cstdio>

#include "engine/tensor/plugin_abi.h"
#include "plugins/cpu/probe.h"

namespace parapet::plugin {

std::int32_t probe(char* reason, std::size_t reasonBytes) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports(PARAPET_INSTRUCTION_SET)) return PP_OK;
  std::snprintf(reason, reasonBytes, "this processor lacks %s", PARAPET_INSTRUCTION_SET);
  return PP_UNSUPPORTED;
}

}  // namespace parapet::plugin
