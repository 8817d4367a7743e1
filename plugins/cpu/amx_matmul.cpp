// SPDX-License-Identifier: Apache-2.0
// The products of bf16_tiles.h by the tiles of AMX.
#include "plugins/cpu/bf16_tiles.h"
#include "plugins/cpu/kernels.h"

namespace parapet::plugin {
namespace {

/// The configuration that LDTILECFG reads.
struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1, startRow = 0, reserved[14] = {};
  std::uint16_t bytesOfRow[16] = {};
  std::uint8_t rows[16] = {};
};

/// The eight tiles of the processor, of this thread while it lives.
class AmxTiles {
 public:
  AmxTiles() {
    TileConfiguration configuration;
    std::fill_n(configuration.bytesOfRow, 8, std::uint16_t{64});
    std::fill_n(configuration.rows, 8, std::uint8_t{tiles::kTile});
    asm volatile("ldtilecfg %0" ::"m"(configuration));
  }
  ~AmxTiles() { asm volatile("tilerelease" :::); }
  AmxTiles(const AmxTiles&) = delete;
  AmxTiles& operator=(const AmxTiles&) = delete;

  template <int kIndex>
  static void zero() {
    asm volatile("tilezero %%tmm%c0" ::"i"(kIndex));
  }
  /// `stride` counts elements of 32 bits.
  template <int kIndex>
  static void load(const void* from, std::int64_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(stride * 4), "i"(kIndex)
                 : "memory");
  }
  template <int kIndex>
  static void store(float* to, std::int64_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(stride * 4), "i"(kIndex)
                 : "memory");
  }
  template <int kSum, int kLeft, int kRight>
  static void addProduct() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSum), "i"(kLeft), "i"(kRight));
  }
};

}  // namespace

std::int32_t bf16Matmul(const PpCall* call, const PpMatmul* args) {
  forProductBlocks(call, *args, productBlocks(*args, tiles::kProductTile),
                   [](const PpMatmul& part) {
                     tiles::multiplyBlock<AmxTiles>(part);
                     finishProduct(part);
                   });
  return PP_OK;
}

}  // namespace parapet::plugin
