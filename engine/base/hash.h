// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace parapet {

/// Streaming 128-bit content hash (XXH3). Detects accidents, not attackers.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  /// 32 lower-case hex digits of everything so far.
  [[nodiscard]] std::string hex() const;

 private:
  void* state_;
};

/// 32 lower-case hex digits.
std::string hashHex(std::string_view bytes);
std::string hashHex(std::span<const std::byte> bytes);
/// Stable 64-bit hash of a name (XXH3), for random streams and for orders that must know nothing
/// else.
std::uint64_t hash64(std::string_view text);

}  // namespace parapet
