// SPDX-License-Identifier: Apache-2.0
// AMX: instructions of the processor, and tiles that the system keeps for a program that asked for
// them.
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "engine/tensor/plugin_abi.h"
#include "plugins/cpu/probe.h"

namespace parapet::plugin {
namespace {

/// The registers of a thread that the system saves and restores.
std::uint64_t savedStates() {
  std::uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low | std::uint64_t{high} << 32;
}

/// Asks for the tiles of every thread of this process. "" or what the system says.
const char* askForTiles() {
  constexpr long kAskForPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;              // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kAskForPermission, kTileData) == 0 ? "" : std::strerror(errno);
}

}  // namespace

std::int32_t probe(char* reason, std::size_t reasonBytes) {
  constexpr std::uint64_t kStatesOfTiles = std::uint64_t{3} << 17;  // their shape, their data
  const auto refuse = [&](const char* what, const char* which) {
    std::snprintf(reason, reasonBytes, "%s%s", what, which);
    return std::int32_t{PP_UNSUPPORTED};
  };
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("x86-64-v4")) return refuse("this processor lacks ", "x86-64-v4");
  if (!__builtin_cpu_supports("amx-tile")) return refuse("this processor lacks ", "amx-tile");
  if (!__builtin_cpu_supports("amx-bf16")) return refuse("this processor lacks ", "amx-bf16");
  if ((savedStates() & kStatesOfTiles) != kStatesOfTiles)
    return refuse("the system does not save the tiles of amx-tile", "");
  const char* said = askForTiles();
  return *said ? refuse("the system refuses the tiles of amx-tile: ", said) : std::int32_t{PP_OK};
}

}  // namespace parapet::plugin
