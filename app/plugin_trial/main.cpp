// SPDX-License-Identifier: Apache-2.0
// parapet-plugin-trial FILE ABI BUILD-TAG KIND: opens a plugin, asks it what the programs ask, and
// writes a byte to descriptor 3 if it came back from all of that. It says nothing else: the
// programs see how this process ended (engine/base/plugin_trial.h).
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <string_view>

#include "engine/base/plugin_library.h"
#include "engine/base/text.h"
#include "engine/tensor/backend_probe.h"

int main(int argc, char** argv) {
  using namespace parapet;
  // Whoever waits for the answer may be killed; a plugin that hangs must not outlive it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto abi = argc == 5 ? parseInt(argv[2]) : std::nullopt;
  if (!abi) return 2;
  const PluginOpening opening =
      openPlugin(argv[1], {static_cast<std::uint32_t>(*abi), argv[3], PluginKind::kDevice});
  if (opening.table && argv[4] == std::string_view(pluginKindName(PluginKind::kDevice))) {
    std::vector<std::uint64_t> memoryBytes;
    (void)tensor::probeBackend(*static_cast<const PpPlugin*>(opening.table), memoryBytes);
  }
  return ::write(3, "1", 1) == 1 ? 0 : 1;
}
