// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/emulated/arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace parapet::emulated {
namespace {

constexpr std::uint64_t kLine = 64;
constexpr int kEveryBit = 0xff;  // as f32 and f64 NaN, as i32 −1

std::uintptr_t requireMapped(void* memory) {
  if (memory == MAP_FAILED) throw std::runtime_error("the memory of the device cannot be mapped");
  return reinterpret_cast<std::uintptr_t>(memory);
}

// Addresses that end in 0xc0000000 … 0xffffffff. An op's arguments are translated word by word, and
// a word may be a number of 32 bits beside padding, whose bits may be those of an address: as an
// integer such an end is negative, as f32 below −2, which no argument is.
std::uintptr_t reserve() {
  constexpr std::uintptr_t kSpan = std::uintptr_t{1} << 32;
  const std::uintptr_t begin = requireMapped(
      ::mmap(nullptr, 2 * kSpan, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  return (begin + kSpan - 1) / kSpan * kSpan + kSpan - Arena::kMaxBytes;
}

}  // namespace

Arena::Arena(std::uint64_t bytes) : bytes_(bytes), free_{{0, bytes}} {
  const int file = ::memfd_create("parapet-emulated", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0)
    throw std::runtime_error("there is no memory for the device");
  shown_ = requireMapped(::mmap(reinterpret_cast<void*>(reserve()), bytes, PROT_NONE,
                                MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file, 0));
  pages_ = requireMapped(
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0));
  ::close(file);
}

Arena::~Arena() {
  ::munmap(reinterpret_cast<void*>(shown_), bytes_);
  ::munmap(reinterpret_cast<void*>(pages_), bytes_);
}

void* Arena::allocate(std::uint64_t bytes) {
  const std::uint64_t size = std::max(kLine, (bytes + kLine - 1) / kLine * kLine);
  std::uint64_t offset = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto room =
        std::ranges::find_if(free_, [size](const auto& block) { return block.second >= size; });
    if (room == free_.end()) return nullptr;
    offset = room->first;
    const std::uint64_t rest = room->second - size;
    free_.erase(room);
    if (rest > 0) free_[offset + size] = rest;
    used_[offset] = size;
  }
  std::memset(reinterpret_cast<void*>(pages_ + offset), kEveryBit, size);
  return reinterpret_cast<void*>(shown_ + offset);
}

void Arena::release(void* memory) {
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(memory) - shown_;
  const std::lock_guard lock(mutex_);
  const auto used = used_.find(offset);
  if (used == used_.end()) return;
  std::uint64_t size = used->second, begin = offset;
  used_.erase(used);
  if (const auto after = free_.find(begin + size); after != free_.end()) {
    size += after->second;
    free_.erase(after);
  }
  if (auto before = free_.lower_bound(begin); before != free_.begin()) {
    --before;
    if (before->first + before->second == begin) {
      begin = before->first;
      size += before->second;
      free_.erase(before);
    }
  }
  free_[begin] = size;
}

}  // namespace parapet::emulated
