// SPDX-License-Identifier: Apache-2.0
#include "engine/train/build_id.h"

#include <fmt/format.h>

#include "engine/tensor/device.h"

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
  return fmt::format("{} {} {}", version(), kCompiler, instructionSet());
}

std::string instructionSet() {
  const auto cpu = tensor::DeviceRegistry::instance().find("cpu:0");
  return std::string(cpu ? cpu->instructionSet() : "no CPU device");
}

}  // namespace parapet::train
