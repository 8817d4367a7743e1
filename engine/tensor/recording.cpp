// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/recording.h"

#include <fmt/format.h>

#include <utility>

namespace parapet::tensor {

Recording::Recording(const Device& device)
    : device_(device),
      handle_(device.backend().makeRecording ? device.backend().makeRecording(device.index())
                                             : nullptr) {}

Recording::Recording(Recording&& other) noexcept
    : device_(other.device_), handle_(std::exchange(other.handle_, nullptr)) {}

Recording::~Recording() {
  if (handle_) device_.backend().releaseRecording(handle_);
}

Recording::Ran Recording::end() {
  std::int32_t ran = PP_RAN_NOTHING;
  if (!handle_) return Ran::kNothing;
  if (const std::int32_t code = device_.backend().endRecording(handle_, 1, &ran))
    throw DeviceFailure(device_.name(),
                        fmt::format("[tensor.Recording] {} failed with code {}: {}", device_.name(),
                                    code, device_.backend().lastError()));
  return ran == PP_RAN_REPLAY ? Ran::kAsOne : ran == PP_RAN_EACH ? Ran::kEach : Ran::kNothing;
}

void Recording::drop() noexcept {
  std::int32_t ran = PP_RAN_NOTHING;
  if (handle_) (void)device_.backend().endRecording(handle_, 0, &ran);
}

}  // namespace parapet::tensor
