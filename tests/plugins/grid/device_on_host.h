// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The promises of plugins/cuda/device_code.h, kept on the host: kernels run as C++, a block after
/// the other, the threads of a block as fibers that take turns where they meet. Memory that a block
/// shares is static, so a sanitizer sees what lies outside of it. A meeting that not all threads
/// reach, or that they reach at different lines, is an error.

#include <cstdint>
#include <cstring>

#define PP_DEVICE
#define PP_SHARED static

#include "engine/tensor/plugin_abi.h"
#include "plugins/cuda/grid.h"
#include "plugins/cuda/stream.h"

namespace parapet::cuda {

namespace on_host {

struct Running {
  std::int64_t thread = 0, threads = 0, block = 0, blocks = 0;
};
extern Running running;

/// A number of 8 bytes for each thread of a block: what it shows to its warp.
inline constexpr std::int64_t kMaxThreads = 1024;
extern std::uint64_t shown[kMaxThreads];

void meetBlock(int line);
void meetWarp(int line);

/// Runs body(argument) on every thread of a grid. What went wrong, or null.
const char* run(Grid grid, void (*body)(const void*), const void* argument);

template <class T>
T exchanged(T value, std::int64_t from, int line) {
  static_assert(sizeof(T) <= sizeof shown[0]);
  std::memcpy(&shown[running.thread], &value, sizeof value);
  meetWarp(line);
  std::memcpy(&value, &shown[from], sizeof value);
  meetWarp(line);
  return value;
}

}  // namespace on_host

inline std::int64_t thread() {
  return on_host::running.thread;
}
inline std::int64_t threads() {
  return on_host::running.threads;
}
inline std::int64_t block() {
  return on_host::running.block;
}
inline std::int64_t blocks() {
  return on_host::running.blocks;
}
inline void meet(int line = __builtin_LINE()) {
  on_host::meetBlock(line);
}
template <class T>
T acrossLanes(T value, int mask, int line = __builtin_LINE()) {
  return on_host::exchanged(value, thread() ^ mask, line);
}
template <class T>
T fromLane(T value, int lane, int line = __builtin_LINE()) {
  return on_host::exchanged(value, thread() / 32 * 32 + lane, line);
}
inline std::int32_t addAtomically(std::int32_t* at, std::int32_t value) {
  const std::int32_t before = *at;
  *at += value;
  return before;
}
inline std::uint32_t bitsOf(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
inline float floatOf(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

template <class Body>
void launch(const PpCall* call, Grid grid, const Body& body) {
  Stream& stream = streamOf(call);
  if (grid.blocks <= 0 || stream.code != PP_OK) return;
  const char* const wrong = on_host::run(
      grid, [](const void* argument) { (*static_cast<const Body*>(argument))(); }, &body);
  if (wrong) fail(stream, PP_FAILED, wrong);
}

}  // namespace parapet::cuda
