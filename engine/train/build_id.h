// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parapet::train {

/// Version, compiler and the instruction set that the CPU device computes with, for manifests:
/// "0.2.0 gcc 12.2.0 x86-64-v3".
std::string buildId();
/// The instruction set of the CPU device: "x86-64-v3".
std::string instructionSet();
/// "0.2.0"
std::string version();

}  // namespace parapet::train
