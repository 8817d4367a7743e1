// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

namespace parapet::emulated {

/// The memory of an emulated device: the same pages twice. The addresses that are handed out cannot
/// be read or written by anybody, as those of a GPU on the host; ops and copies translate them to
/// where the pages are.
///
/// New memory is full of NaN, so that what an op reads before it was written is seen.
class Arena {
 public:
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
  explicit Arena(std::uint64_t bytes);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// 64-byte aligned; null if there is no room.
  void* allocate(std::uint64_t bytes);
  void release(void* memory);
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// Where the pages of an address are; an address of another memory stays as it is.
  template <class T>
  [[nodiscard]] T* translate(T* address) const {
    return reinterpret_cast<T*>(translate(reinterpret_cast<std::uintptr_t>(address)));
  }
  [[nodiscard]] std::uintptr_t translate(std::uintptr_t address) const {
    return address - shown_ < bytes_ ? address - shown_ + pages_ : address;
  }

 private:
  const std::uint64_t bytes_;
  std::uintptr_t shown_ = 0, pages_ = 0;  // first address of the unreadable view, and of the pages
  std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> free_;  // bytes by offset
  std::map<std::uint64_t, std::uint64_t> used_;  // the same
};

}  // namespace parapet::emulated
