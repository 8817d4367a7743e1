// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// Ops that a device is asked for again and again, as a step of training asks: those that are launched
/// with it run at end(), in their order, and what is the same as last time may run as one (a CUDA graph).
/// What is read of them is read after end(); copies to the device that are made before end() come before
/// all of them.
///
/// Thread   one at a time.
class Recording {
 public:
  /// Of a device; ops run as they come where it has none.
  explicit Recording(const Device& device);
  Recording(Recording&& other) noexcept;
  Recording& operator=(Recording&&) = delete;
  ~Recording();

  /// Whether ops may be launched with it.
  [[nodiscard]] bool exists() const { return handle_ != nullptr; }
  /// Of PpCall.
  [[nodiscard]] void* handle() const { return handle_; }
  enum class Ran { kNothing, kEach, kAsOne };
  /// Runs them, and says how. DeviceFailure if the device refuses one.
  Ran end();
  /// Forgets them.
  void drop() noexcept;

 private:
  Device device_;
  void* handle_;
};

}  // namespace parapet::tensor
