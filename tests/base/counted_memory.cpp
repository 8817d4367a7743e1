// SPDX-License-Identifier: Apache-2.0
// Replaces operator new and delete for the whole program, and, by the linker's --wrap, malloc and
// aligned_alloc for what is linked into it.
#include "tests/base/counted_memory.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> count{0};

void* obtain(std::size_t bytes) {
  // std::malloc is wrapped below and counts.
  if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}

void* obtain(std::size_t bytes, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(to, (bytes + to - 1) / to * to)) return memory;
  throw std::bad_alloc();
}

}  // namespace

std::int64_t parapet::sample::allocations() {
  return count.load();
}

extern "C" {
void* __real_malloc(std::size_t bytes);
void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
void* __wrap_malloc(std::size_t bytes);
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes);

void* __wrap_malloc(std::size_t bytes) {
  ++count;
  return __real_malloc(bytes);
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  ++count;
  return __real_aligned_alloc(alignment, bytes);
}
}

void* operator new(std::size_t bytes) {
  return obtain(bytes);
}
void* operator new[](std::size_t bytes) {
  return obtain(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes ? bytes : 1);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes ? bytes : 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return obtain(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return obtain(bytes, alignment);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
