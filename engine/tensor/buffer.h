// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/device.h"

namespace parapet::tensor {

/// An array of T in a device's memory, 64-byte aligned, not initialised. Moves, never copies.
///
/// Errors   InternalError with the requested bytes if the device has no room, or none within its
///          limit; preflight has compared the plan with the memory before, so the one is a race
///          with another program, the other a buffer that the plan has not counted.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Device& device, std::int64_t count) : device_(device), count_(count) {
    if (count < 0) throw InvalidArgument(fmt::format("[tensor.Buffer] count {} < 0", count));
    if (count == 0) return;
    data_ = static_cast<T*>(device.allocate(bytes()));
  }
  Buffer(Buffer&& other) noexcept
      : device_(other.device_),
        data_(std::exchange(other.data_, nullptr)),
        count_(std::exchange(other.count_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Buffer() {
    if (data_) device_->release(data_, bytes());
  }

  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::int64_t size() const { return count_; }
  /// The device whose memory holds the array; null if it was made without a device.
  [[nodiscard]] const Device* device() const { return device_ ? &*device_ : nullptr; }
  [[nodiscard]] std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(count_) * sizeof(T);
  }
  /// The elements as a span; none in a dry run. InternalError where only the device can read them.
  [[nodiscard]] std::span<T> host() { return {data_, readable()}; }
  [[nodiscard]] std::span<const T> host() const { return {data_, readable()}; }

 private:
  [[nodiscard]] std::size_t readable() const {
    if (device_ && !device_->isHost())
      throw InternalError(
          fmt::format("[tensor.Buffer] the memory of {} is read by a copy", device_->name()));
    return device_ && device_->isDry() ? 0 : static_cast<std::size_t>(count_);
  }

  std::optional<Device> device_;
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

/// A copy of an array, whatever device has it.
template <class T>
std::vector<T> readBack(const Buffer<T>& buffer) {
  std::vector<T> values(static_cast<std::size_t>(buffer.size()));
  if (buffer.device()) buffer.device()->copyOut(values.data(), buffer.data(), buffer.bytes());
  return values;
}

}  // namespace parapet::tensor
