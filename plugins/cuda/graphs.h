// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Recordings of a GPU, replayed as CUDA graphs: see PpDevice. None where PARAPET_CUDA_GRAPHS is 0.
namespace parapet::cuda {

void* makeRecording(std::int32_t index);
void releaseRecording(void* recording);
std::int32_t endRecording(void* recording, std::int32_t run, std::int32_t* ran);

}  // namespace parapet::cuda
