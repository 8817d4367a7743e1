// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/graphs.h"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <mutex>
#include <string_view>

#include "plugins/cuda/gpu.h"
#include "plugins/cuda/recording.h"

namespace parapet::cuda {
namespace {

using Run = tensor::RecordedOps::Run;

cudaStream_t handleOf(const Stream& stream) {
  return static_cast<cudaStream_t>(stream.handle);
}

void forgetGraph(Recording& recording) {
  if (!recording.graph) return;
  // The recording may still run.
  if (canGiveBack(gpuOf(recording.stream), "a recorded step"))
    (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(recording.graph));
  recording.graph = nullptr;
}

/// The stream on which ops are captured, with what they use of the device. No copy that another
/// thread asks for goes there.
Stream& capturingOf(Gpu& gpu) {
  Stream& capturing = gpu.capturing;
  capturing.device = gpu.device;
  capturing.scratch = gpu.scratch;
  capturing.scratchBytes = gpu.scratchBytes;
  capturing.multiply = gpu.multiply;
  capturing.library = gpu.library;
  return capturing;
}

/// Makes a graph of the ops; null, with all as it was, if they cannot be captured.
cudaGraphExec_t captured(Recording& recording) {
  Stream& capturing = capturingOf(gpuOf(recording.stream));
  const cudaStream_t on = handleOf(capturing);
  if (cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
    (void)cudaGetLastError();
    return nullptr;
  }
  const std::int32_t code = recording.ops.runEach(&capturing);
  cudaGraph_t graph{};
  cudaError_t error = cudaStreamEndCapture(on, &graph);
  cudaGraphExec_t made{};
  if (code == PP_OK && error == cudaSuccess) error = cudaGraphInstantiate(&made, graph, 0);
  if (graph) (void)cudaGraphDestroy(graph);
  (void)cudaGetLastError();
  // An op that cannot be captured is an error of this stream alone: others of the device still can.
  capturing.lost = false;
  return error == cudaSuccess ? made : nullptr;
}

void capture(Recording& recording) {
  forgetGraph(recording);
  recording.graph = captured(recording);
  if (recording.graph)
    recording.ops.setCaptured();
  else
    recording.ops.giveUp();
}

}  // namespace

void* makeRecording(std::int32_t index) {
  const char* const wanted = std::getenv("PARAPET_CUDA_GRAPHS");
  return wanted && std::string_view(wanted) == "0" ? nullptr : new Recording{gpuAt(index)};
}

void releaseRecording(void* handle) {
  auto* const recording = static_cast<Recording*>(handle);
  if (recording->graph && enter(recording->stream)) forgetGraph(*recording);
  delete recording;
}

// The kernels of a recording stay together.
std::int32_t endRecording(void* handle, std::int32_t run, std::int32_t* ran) {
  *ran = PP_RAN_NOTHING;
  Recording& recording = *static_cast<Recording*>(handle);
  Stream& stream = recording.stream;
  const std::lock_guard lock(stream.mutex);
  if (!run || !enter(stream)) {
    recording.ops.drop();
    return run ? PP_FAILED : PP_OK;
  }
  if (const std::int32_t code = sendUploads(stream)) {
    recording.ops.drop();
    return code;
  }
  const Run how = recording.ops.end();
  *ran = tensor::RecordedOps::ranOf(how);
  if (how == Run::kCapture) capture(recording);
  if ((how != Run::kCapture && how != Run::kReplay) || !recording.graph)
    return recording.ops.runEach(&stream);
  const cudaError_t error =
      cudaGraphLaunch(static_cast<cudaGraphExec_t>(recording.graph), handleOf(stream));
  return error ? lose(stream, "a recorded step", error) : PP_OK;
}

}  // namespace parapet::cuda
