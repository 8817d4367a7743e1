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

void Recording::end() {
  if (!handle_) return;
  if (const std::int32_t code = device_.backend().endRecording(handle_, 1))
    throw DeviceFailure(device_.name(),
                        fmt::format("[tensor.Recording] {} failed with code {}: {}", device_.name(),
                                    code, device_.backend().lastError()));
}

void Recording::drop() noexcept {
  if (handle_) (void)device_.backend().endRecording(handle_, 0);
}

std::int64_t Recording::replays() const {
  return handle_ ? device_.backend().replays(handle_) : 0;
}

}  // namespace parapet::tensor
