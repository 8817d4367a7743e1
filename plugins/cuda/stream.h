// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "engine/tensor/call_abi.h"
#include "engine/tensor/dense_abi.h"

namespace parapet::cuda {

/// The object that PpCall.stream points to: a device with its one stream, and memory for what an op needs
/// between its kernels. Ops of a stream run one after the other, so they all use the same.
struct Stream {
  std::int32_t device = 0;
  void* handle = nullptr;  ///< cudaStream_t
  std::byte* scratch = nullptr;
  std::uint64_t scratchBytes = 0;
  /// A library's matrix product with its epilogue, of linear or relu, or null: PP_UNSUPPORTED where
  /// it does not take this one. In PP_PRECISION_BF16 a and b point to bf16, and strides count
  /// those.
  std::int32_t (*multiply)(Stream&, const PpMatmul&, std::int32_t precision) = nullptr;
  void* library = nullptr;
  /// Sends what the device was sent and does not have yet, or null. Called before each op, with the
  /// mutex held; what it does not answer PP_OK to, the op does not begin.
  std::int32_t (*send)(Stream&) = nullptr;
  std::int32_t code = PP_OK;      ///< of the op that is being launched: the first that went wrong
  std::atomic<bool> lost{false};  ///< after an error of the device: it does nothing more
  std::mutex losing;
  std::string lostReason{};  ///< guarded by losing
  /// Ops of several ranks may come at once; the kernels of each stay together.
  std::mutex mutex;
};

inline Stream& streamOf(const PpCall* call) {
  return *static_cast<Stream*>(call->stream);
}

/// Sets the text that PpDevice.lastError gives on this thread.
void say(std::string text);
const char* said();

/// The device does nothing more in this process. The first reason stays; this one is said.
void lose(Stream& stream, const std::string& reason);
/// Whether it is lost; then the first reason is said, on whatever thread.
bool isLost(Stream& stream);

/// Stops the current op for this reason.
void fail(Stream& stream, std::int32_t code, std::string text);

/// Result code of the current op; the next one begins anew.
std::int32_t done(const PpCall* call);

/// Hands out the scratch memory of a stream to one op.
class Scratch {
 public:
  explicit Scratch(const PpCall* call) : stream_(streamOf(call)) {}
  /// Null, and the op goes no further, if there is not enough left.
  template <class T>
  T* take(std::int64_t count) {
    return static_cast<T*>(takeBytes(static_cast<std::uint64_t>(count) * sizeof(T)));
  }
  template <class T>
  [[nodiscard]] std::int64_t left() const {
    return static_cast<std::int64_t>((stream_.scratchBytes - used_) / sizeof(T));
  }

 private:
  void* takeBytes(std::uint64_t bytes);
  Stream& stream_;
  std::uint64_t used_ = 0;
};

}  // namespace parapet::cuda
