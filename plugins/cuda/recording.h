// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/kernels/recorded_ops.h"
#include "plugins/cuda/stream.h"

namespace parapet::cuda {

/// The object that PpCall.recording points to: ops of a stream that run at its end.
struct Recording {
  Stream& stream;
  void* graph = nullptr;  ///< cudaGraphExec_t of what was captured
  tensor::RecordedOps ops{};
};

/// The one that an op is to be added to, or null: it runs at once.
inline Recording* recordingOf(const PpCall* call) {
  auto* const recording = static_cast<Recording*>(call->recording);
  return recording && !recording->ops.hasGivenUp() ? recording : nullptr;
}

}  // namespace parapet::cuda
