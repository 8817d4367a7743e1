// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/cpu/emulated_tiles.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "plugins/cpu/bf16_tiles.h"

namespace parapet::test {
namespace {

using plugin::tiles::kTile;

/// Eight tiles of 16 rows of 16 elements of 32 bits.
class EmulatedTiles {
 public:
  EmulatedTiles() { configured_ = true; }
  ~EmulatedTiles() {
    configured_ = false;
    std::memset(tiles_, 0xff, sizeof tiles_);
  }
  EmulatedTiles(const EmulatedTiles&) = delete;
  EmulatedTiles& operator=(const EmulatedTiles&) = delete;

  template <int kIndex>
  static void zero() {
    std::memset(tile(kIndex), 0, kBytes);
  }
  template <int kIndex>
  static void load(const void* from, std::int64_t stride) {
    for (std::int64_t i = 0; i < kTile; ++i)
      std::memcpy(tile(kIndex)[i], static_cast<const std::uint32_t*>(from) + i * stride, kRowBytes);
  }
  template <int kIndex>
  static void store(float* to, std::int64_t stride) {
    for (std::int64_t i = 0; i < kTile; ++i)
      std::memcpy(to + i * stride, tile(kIndex)[i], kRowBytes);
  }
  template <int kSum, int kLeft, int kRight>
  static void addProduct() {
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);  // denormals are 0, whatever the program says
    for (std::int64_t i = 0; i < kTile; ++i)
      for (std::int64_t j = 0; j < kTile; ++j) {
        float first = 0.0f, second = 0.0f;
        for (std::int64_t p = 0; p < kTile; ++p) {
          const std::uint32_t x = tile(kLeft)[i][p], y = tile(kRight)[p][j];
          first = __builtin_fmaf(widened(x << 16), widened(y << 16), first);
          second = __builtin_fmaf(widened(x & kHigh), widened(y & kHigh), second);
        }
        std::uint32_t& sum = tile(kSum)[i][j];
        sum = std::bit_cast<std::uint32_t>(widened(sum) + (first + second));
      }
    _mm_setcsr(before);
  }

 private:
  using Row = std::uint32_t[kTile];
  static constexpr std::uint32_t kHigh = 0xffff0000;
  static constexpr std::size_t kRowBytes = sizeof(Row), kBytes = kTile * kRowBytes;

  static float widened(std::uint32_t bits) { return std::bit_cast<float>(bits); }
  static Row* tile(int index) {
    if (!configured_) __builtin_trap();  // as the processor does
    return tiles_[index];
  }

  static thread_local bool configured_;
  static thread_local Row tiles_[8][kTile];
};

thread_local bool EmulatedTiles::configured_ = false;
thread_local EmulatedTiles::Row EmulatedTiles::tiles_[8][kTile];

}  // namespace

void multiplyOnTiles(const PpCall& call, const PpMatmul& args) {
  namespace tiles = plugin::tiles;
  plugin::forProductBlocks(&call, args, plugin::productBlocks(args, tiles::kProductTile),
                           tiles::multiplyBlock<EmulatedTiles>);
}

}  // namespace parapet::test
