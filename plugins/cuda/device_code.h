// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The subset of CUDA that kernels here are written in: where a thread is, the meeting of a block,
/// exchange within a warp, atomic counters, memory that a block shares. The same sources compile as
/// C++ for a grid of threads on the host, whose header is included before this one:
/// tests/plugins/grid runs every conformance case on every kernel.
///
///   PP_DEVICE    a function of the device
///   PP_SHARED    an array that the threads of a block share
///   thread(), threads(), block(), blocks()    as threadIdx.x, blockDim.x, blockIdx.x, gridDim.x
///   meet()                  all threads of the block, or none; no thread may have ended before
///   acrossLanes(x, mask)    x of the lane whose number differs by mask; by all lanes of a warp
///   fromLane(x, lane)       x of that lane; by all lanes of a warp
///   addAtomically(p, x)     *p += x; gives what was there before

#include <cstdint>

#ifdef __CUDACC__

#define PP_DEVICE __device__
#define PP_SHARED __shared__

namespace parapet::cuda {

inline __device__ std::int64_t thread() {
  return threadIdx.x;
}
inline __device__ std::int64_t threads() {
  return blockDim.x;
}
inline __device__ std::int64_t block() {
  return blockIdx.x;
}
inline __device__ std::int64_t blocks() {
  return gridDim.x;
}
inline __device__ void meet() {
  __syncthreads();
}
template <class T>
__device__ T acrossLanes(T value, int mask) {
  return __shfl_xor_sync(0xffffffffu, value, mask);
}
template <class T>
__device__ T fromLane(T value, int lane) {
  return __shfl_sync(0xffffffffu, value, lane);
}
inline __device__ std::int32_t addAtomically(std::int32_t* at, std::int32_t value) {
  return atomicAdd(at, value);
}
inline __device__ std::uint32_t bitsOf(float x) {
  return __float_as_uint(x);
}
inline __device__ float floatOf(std::uint32_t bits) {
  return __uint_as_float(bits);
}

}  // namespace parapet::cuda

#elif !defined(PP_DEVICE)
#error "nvcc compiles kernels; a host that runs them includes its own threads before this header"
#endif

namespace parapet::cuda {

inline PP_DEVICE std::int64_t lane() {
  return thread() % 32;
}
inline PP_DEVICE std::int64_t warp() {
  return thread() / 32;
}

}  // namespace parapet::cuda
