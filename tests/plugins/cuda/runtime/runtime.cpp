// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>

#include "cuda_runtime_api.h"

namespace {

std::map<void*, std::size_t>& taken() {
  static std::map<void*, std::size_t> all;
  return all;
}

/// Each its own.
template <class Handle>
cudaError_t makeHandle(Handle* made) {
  static std::deque<char> all;
  *made = reinterpret_cast<Handle>(&all.emplace_back());
  return cudaSuccess;
}

}  // namespace

FakeMachine& fakeMachine() {
  static FakeMachine machine;
  return machine;
}

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory" : "unspecified launch failure";
}
const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation"
                                            : "cudaErrorLaunchFailure";
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  if (fakeMachine().found == cudaSuccess) *count = fakeMachine().devices;
  return fakeMachine().found;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "Fake %d", device);
  properties->major = fakeMachine().major;
  properties->totalGlobalMem = fakeMachine().totalBytes;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  FakeMachine& machine = fakeMachine();
  if (bytes > machine.totalBytes - machine.usedBytes) return cudaErrorMemoryAllocation;
  *memory = std::malloc(bytes);
  taken()[*memory] = bytes;
  machine.usedBytes += bytes;
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  const auto at = taken().find(memory);
  if (at == taken().end()) return cudaSuccess;
  fakeMachine().usedBytes -= at->second;
  taken().erase(at);
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = fakeMachine().totalBytes - fakeMachine().usedBytes;
  *total = fakeMachine().totalBytes;
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* out, const void* in, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  fakeMachine().copies.push_back({kind, stream});
  std::memcpy(out, in, bytes);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return makeHandle(stream);
}
cudaError_t cudaStreamQuery(cudaStream_t) {
  return fakeMachine().othersGoOn ? cudaErrorNotReady : fakeMachine().work;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  ++fakeMachine().captures;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  *graph = nullptr;
  if (fakeMachine().capture != cudaSuccess) return fakeMachine().capture;
  ++fakeMachine().graphs;
  return makeHandle(graph);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t, unsigned long long) {
  ++fakeMachine().graphs;
  return makeHandle(made);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) {
  ++fakeMachine().graphLaunches;
  return fakeMachine().work == cudaErrorNotReady ? cudaSuccess : fakeMachine().work;
}
cudaError_t cudaGraphDestroy(cudaGraph_t) {
  --fakeMachine().graphs;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) {
  --fakeMachine().graphs;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  ++fakeMachine().marks;
  return makeHandle(event);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) {
  ++fakeMachine().records;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t) {
  --fakeMachine().marks;
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t) {
  return fakeMachine().work;
}
