// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/buffer.h"

namespace parapet::tensor {

/// An array that the host writes and the ops of a device read. On a device that reads the host's
/// memory it exists once, elsewhere upload() copies what was written. All memory is taken at
/// construction.
template <class T>
class StagedArray {
 public:
  StagedArray() = default;
  StagedArray(const Device& device, std::int64_t capacity) : host_(hostFor(device), capacity) {
    if (!device.isHost()) copy_ = Buffer<T>(device, capacity);
  }

  [[nodiscard]] std::int64_t size() const { return host_.size(); }
  /// For the host to write and read.
  [[nodiscard]] T* data() { return host_.data(); }
  [[nodiscard]] const T* data() const { return host_.data(); }
  /// Uploads the first `count` elements; ops read them from now on.
  void upload(std::int64_t count) { upload(0, count); }
  /// Uploads `count` elements from `begin` on.
  void upload(std::int64_t begin, std::int64_t count) {
    if (copy_.size() > 0)
      copy_.device()->copyIn(copy_.data() + begin, host_.data() + begin,
                             static_cast<std::uint64_t>(count) * sizeof(T));
  }
  /// For ops to read.
  [[nodiscard]] const T* here() const { return copy_.size() > 0 ? copy_.data() : host_.data(); }

 private:
  Buffer<T> host_, copy_;
};

}  // namespace parapet::tensor
