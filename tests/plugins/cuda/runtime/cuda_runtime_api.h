// SPDX-License-Identifier: Apache-2.0
#pragma once

/// As much of CUDA's runtime as plugins/cuda/devices.cpp and its neighbours call, over the host's
/// memory, and what a test makes of it: no driver, an old one, too little memory, kernels that do not
/// end, errors. Names and codes are those of CUDA 13.

#include <cstddef>
#include <cstdint>
#include <vector>

enum cudaError_t : int {
  cudaSuccess = 0,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchFailure = 719,
  cudaErrorStreamCaptureUnsupported = 900,
};
enum cudaMemcpyKind {
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3
};
enum { cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2 };
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal = 1 };

struct FakeStream;
struct FakeEvent;
struct FakeGraph;
struct FakeGraphExec;
using cudaStream_t = FakeStream*;
using cudaEvent_t = FakeEvent*;
using cudaGraph_t = FakeGraph*;
using cudaGraphExec_t = FakeGraphExec*;

struct cudaDeviceProp {
  char name[256];
  int major, minor, pciDomainID, pciBusID, pciDeviceID;
  std::size_t totalGlobalMem;
};

const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaMemcpyAsync(void* out, const void* in, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph,
                                 unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventDestroy(cudaEvent_t event);

/// Properties of the machine.
struct FakeMachine {
  cudaError_t found = cudaSuccess;  ///< of cudaGetDeviceCount
  int devices = 2, major = 9;
  std::size_t totalBytes = std::size_t{1} << 30, usedBytes = 0;
  cudaError_t work = cudaSuccess;  ///< what streams and events answer
  bool othersGoOn = false;  ///< a stream always has more to do; what was asked before is done
  int marks = 0;            ///< events made and not yet destroyed
  int records = 0;          ///< events put on a stream
  struct Copy {
    cudaMemcpyKind kind;
    cudaStream_t on;
  };
  std::vector<Copy> copies{};
  cudaError_t capture = cudaSuccess;  ///< what the end of a capture answers
  int captures = 0, graphLaunches = 0;
  int graphs = 0;  ///< made and not yet destroyed, of both kinds
};
FakeMachine& fakeMachine();
