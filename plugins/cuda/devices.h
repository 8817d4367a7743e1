// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/tensor/plugin_abi.h"

/// The GPUs of this machine that the kernels are made for, in the order of the driver.
namespace parapet::cuda {

/// PP_OK, or PP_UNSUPPORTED and why there is none. Runs on every machine, with or without a driver.
std::int32_t findDevices(char* reason, std::size_t reasonBytes);
std::int32_t deviceCount();
/// "sm_90" of the first of them.
const char* architecture();

/// See PpDevice.
void* allocate(std::int32_t index, std::uint64_t bytes);
void release(std::int32_t index, void* memory);
void* streamOfDevice(std::int32_t index);
std::int32_t copyToDevice(void* stream, void* out, const void* in, std::uint64_t bytes);
std::int32_t copyToHost(void* stream, void* out, const void* in, std::uint64_t bytes);
std::int32_t wait(void* stream, std::int64_t timeoutMs);
std::uint64_t memoryBytes(std::int32_t index);

}  // namespace parapet::cuda
