// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>

namespace parapet::tensor {

/// The bytes that may be in use at once in a part of a device's memory. Device handles that share a
/// limit take from it what they allocate, and are refused what goes beyond it, whatever room the
/// device has.
///
/// Units    bytes as they are asked for, as plans count them; a device rounds them up.
/// Thread   any.
class MemoryLimit {
 public:
  /// `devices`: those that share it, for messages: "emu:0/0, emu:0/1".
  MemoryLimit(std::string devices, std::uint64_t bytes)
      : devices_(std::move(devices)), bytes_(bytes) {}
  /// Counts what a dry run asks for; there is none of it. See Device::dry.
  MemoryLimit() : bytes_(std::numeric_limits<std::uint64_t>::max()), isDry_(true) {}

  /// Errors   InternalError with what was asked for, the limit and what is in use, if it goes
  ///          beyond the limit; nothing is taken then.
  void take(std::uint64_t bytes);
  void giveBack(std::uint64_t bytes) { inUse_ -= bytes; }

  [[nodiscard]] const std::string& devices() const { return devices_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] bool isDry() const { return isDry_; }
  [[nodiscard]] std::uint64_t inUse() const { return inUse_; }
  /// The most that was in use at once.
  [[nodiscard]] std::uint64_t peak() const { return peak_; }

 private:
  const std::string devices_;
  const std::uint64_t bytes_;
  const bool isDry_ = false;
  std::atomic<std::uint64_t> inUse_ = 0, peak_ = 0;
};

}  // namespace parapet::tensor
