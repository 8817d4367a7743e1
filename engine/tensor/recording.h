// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// A sequence of ops that a device repeats, as every training step does. Ops launched with it run
/// at end(), in their order; a sequence equal to the last one may run as one (a CUDA graph).
/// Results are read after end(). Copies to the device that are made before end() precede all of the
/// ops.
///
/// Thread   one at a time.
class Recording {
 public:
  /// Records for a device; on one that cannot record, ops run as they come.
  explicit Recording(const Device& device);
  Recording(Recording&& other) noexcept;
  Recording& operator=(Recording&&) = delete;
  ~Recording();

  /// Whether ops may be launched with it.
  [[nodiscard]] bool exists() const { return handle_ != nullptr; }
  /// Member `recording` of PpCall.
  [[nodiscard]] void* handle() const { return handle_; }
  enum class Ran { kNothing, kEach, kAsOne };
  /// Runs the ops and says how. DeviceFailure if the device refuses one.
  Ran end();
  /// Forgets them.
  void drop() noexcept;

 private:
  Device device_;
  void* handle_;
};

}  // namespace parapet::tensor
