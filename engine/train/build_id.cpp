// SPDX-License-Identifier: Apache-2.0
#include "engine/train/build_id.h"

#include <fmt/format.h>

namespace parapet::train {

std::string version() {
  return PARAPET_VERSION;
}

std::string buildId() {
#if defined(__clang__)
  constexpr const char* kCompiler = "clang " __clang_version__;
#else
  constexpr const char* kCompiler = "gcc " __VERSION__;
#endif
#if defined(__x86_64__)
  constexpr const char* kInstructionSet = "x86-64";
#elif defined(__aarch64__)
  constexpr const char* kInstructionSet = "aarch64";
#else
  constexpr const char* kInstructionSet = "generic";
#endif
  return fmt::format("{} {} {}", version(), kCompiler, kInstructionSet);
}

}  // namespace parapet::train
