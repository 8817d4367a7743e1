// SPDX-License-Identifier: Apache-2.0
// Draws of dropout, several at a time. A product of 64 bits is one instruction of AVX-512 and three
// of AVX2; both give the same bits.
#include "plugins/cpu/lines.h"

#include <immintrin.h>

#include "plugins/cpu/kernels.h"
#include "plugins/cpu/powers.h"

namespace parapet::plugin {
namespace {

constexpr std::uint64_t kGrowth = 0x9E3779B97F4A7C15ull, kFirst = 0xBF58476D1CE4E5B9ull,
                        kSecond = 0x94D049BB133111EBull;
constexpr int kDrawShift = 40;

inline long long bitsOf(std::uint64_t x) {
  return static_cast<long long>(x);
}

void keepOneByOne(float* factors, std::int64_t begin, std::int64_t count, const Draws& draws) {
  for (std::int64_t i = begin; i < count; ++i)
    factors[i] =
        tensor::draw(draws.key, draws.first + static_cast<std::uint64_t>(i)) < draws.dropBelow
            ? 0.0f
            : draws.scale;
}

/// Eight states of the generator.
using States = std::uint64_t __attribute__((vector_size(64)));

__attribute__((target("avx512f,avx512dq,avx512vl"))) void keepByWideProducts(float* factors,
                                                                             std::int64_t count,
                                                                             const Draws& draws) {
  States state = draws.key + (draws.first + 1) * kGrowth + States{0, 1, 2, 3, 4, 5, 6, 7} * kGrowth;
  const States least = States{} + (static_cast<std::uint64_t>(draws.dropBelow) << kDrawShift);
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8, state += 8 * kGrowth) {
    States z = state;
    z = (z ^ z >> 30) * kFirst;
    z = (z ^ z >> 27) * kSecond;
    z = z ^ z >> 31;
    const __mmask8 kept =
        _mm512_cmpge_epu64_mask(reinterpret_cast<__m512i>(z), reinterpret_cast<__m512i>(least));
    _mm256_storeu_ps(factors + i, _mm256_maskz_mov_ps(kept, _mm256_set1_ps(draws.scale)));
  }
  keepOneByOne(factors, i, count, draws);
}

/// The low halves of four products.
inline __m256i multiplied(__m256i x, std::uint64_t by) {
  const __m256i low = _mm256_set1_epi64x(bitsOf(by)), high = _mm256_set1_epi64x(bitsOf(by >> 32));
  const __m256i across =
      _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), low), _mm256_mul_epu32(x, high));
  return _mm256_add_epi64(_mm256_mul_epu32(x, low), _mm256_slli_epi64(across, 32));
}

void keepByParts(float* factors, std::int64_t count, const Draws& draws) {
  const std::uint64_t first = draws.key + (draws.first + 1) * kGrowth;
  __m256i state = _mm256_set_epi64x(bitsOf(first + 3 * kGrowth), bitsOf(first + 2 * kGrowth),
                                    bitsOf(first + kGrowth), bitsOf(first));
  const __m256i step = _mm256_set1_epi64x(bitsOf(4 * kGrowth));
  const __m256i below = _mm256_set1_epi64x(draws.dropBelow);
  const __m256i evenWords = _mm256_set_epi32(7, 7, 7, 7, 6, 4, 2, 0);
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    __m256i z = state;
    state = _mm256_add_epi64(state, step);
    z = multiplied(_mm256_xor_si256(z, _mm256_srli_epi64(z, 30)), kFirst);
    z = multiplied(_mm256_xor_si256(z, _mm256_srli_epi64(z, 27)), kSecond);
    z = _mm256_srli_epi64(_mm256_xor_si256(z, _mm256_srli_epi64(z, 31)), kDrawShift);
    const __m256i dropped = _mm256_permutevar8x32_epi32(_mm256_cmpgt_epi64(below, z), evenWords);
    _mm_storeu_ps(factors + i, _mm_andnot_ps(_mm_castsi128_ps(_mm256_castsi256_si128(dropped)),
                                             _mm_set1_ps(draws.scale)));
  }
  keepOneByOne(factors, i, count, draws);
}

using Keep = void (*)(float*, std::int64_t, const Draws&);

Keep bestKeep() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
             ? keepByWideProducts
             : keepByParts;
}

}  // namespace

void keepFactors(float* factors, std::int64_t count, const Draws& draws) {
  static const Keep keep = bestKeep();
  keep(factors, count, draws);
}

std::int32_t dropout(const PpCall* call, const PpDropout* args) {
  constexpr std::int64_t kTogether = 512;
  const PpDropout a = current(*args);
  forBlocks(call, a.count, rowGrain(1), [=](std::int64_t begin, std::int64_t end) {
    alignas(32) float factors[kTogether];
    for (std::int64_t first = begin; first < end; first += kTogether) {
      const std::int64_t count = std::min(kTogether, end - first);
      keepFactors(factors, count,
                  {a.key, a.first + static_cast<std::uint64_t>(first), a.dropBelow, a.scale});
      // A dropped element is 0 whatever it was.
      forLine(count, [&]<class Number>(int, std::int64_t at) {
        const Number factor = load<Number>(factors + at), x = load<Number>(a.x + first + at);
        store(a.y + first + at, where(factor == 0.0f, Number{}, x * factor));
      });
    }
  });
  return PP_OK;
}

}  // namespace parapet::plugin
