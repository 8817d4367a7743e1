// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/ops.h"

#include <mutex>
#include <type_traits>

#include "plugins/cuda/recording.h"

namespace parapet::cuda {
namespace {

/// An op whose kernels no other op of the stream comes between.
template <class Args, std::int32_t (*op)(const PpCall*, const Args*)>
std::int32_t alone(const PpCall* call, const Args* args) {
  Recording* const recording = recordingOf(call);
  if (recording && !std::is_same_v<Args, PpScanScores>) {
    recording->ops.add(op, *call, *args);
    return PP_OK;
  }
  Stream& stream = streamOf(call);
  const std::lock_guard lock(stream.mutex);
  if (stream.send)
    if (const std::int32_t code = stream.send(stream)) return code;
  return op(call, args);
}

constexpr PpOps makeOps() {
  PpOps made{};
  made.structSize = sizeof(PpOps);
#define PP_OP(op, Args) made.op = alone<Args, op>;
#include "engine/tensor/ops.def"
  return made;
}

}  // namespace

const PpOps& ops() {
  static constexpr PpOps kOps = makeOps();
  return kOps;
}

}  // namespace parapet::cuda
