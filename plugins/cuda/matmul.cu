// SPDX-License-Identifier: Apache-2.0
// Matrix products where no library does them: a block makes a tile of 64 × 64, a thread 4 × 4 of
// it, and finishes what it stores. Of a library's products what the library does not finish is done
// after it.
#include "plugins/cuda/matmul.h"

#include "plugins/cuda/activations.h"
#include "plugins/cuda/launch.h"
#include "plugins/cuda/ops.h"

namespace parapet::cuda {
namespace {

constexpr std::int64_t kTile = MatmulCut::kTile, kDepth = MatmulCut::kDepth, kEach = 4;

/// op(x) of a product, whose element (outer, k) is at outer·strideOuter + k·strideK.
struct Operand {
  const float* x;
  std::int64_t outer, strideOuter, strideK;
};

/// tile[k][outer] of an operand; neighbouring threads read what lies side by side.
PP_DEVICE void loadTile(float (*tile)[kTile + 1], const Operand& of, std::int64_t outer0,
                        std::int64_t k0, std::int64_t kEnd, std::int32_t precision) {
  for (std::int64_t i = thread(); i < kTile * kDepth; i += kThreads) {
    const bool alongK = of.strideK == 1;
    const std::int64_t k = alongK ? i % kDepth : i / kTile;
    const std::int64_t outer = alongK ? i / kDepth : i % kTile;
    float x = 0.0f;
    if (outer0 + outer < of.outer && k0 + k < kEnd)
      x = of.x[(outer0 + outer) * of.strideOuter + (k0 + k) * of.strideK];
    tile[k][outer] = operand(x, precision);
  }
}

struct Product {
  Operand a, b;
  std::int64_t k, depthPerPart, tilesM, tilesN;
  std::int32_t precision;
  float beta;
  float* c;
  std::int64_t strideC, partStride;
  Finish finish;

  PP_DEVICE void operator()(std::int64_t index) const {
    PP_SHARED float left[kDepth][kTile + 1], right[kDepth][kTile + 1];
    const std::int64_t part = index / (tilesM * tilesN), tile = index % (tilesM * tilesN);
    const std::int64_t m0 = tile / tilesN * kTile, n0 = tile % tilesN * kTile;
    const std::int64_t kEnd = std::min(k, (part + 1) * depthPerPart);
    const std::int64_t row = thread() / (kTile / kEach), column = thread() % (kTile / kEach);
    float sums[kEach][kEach] = {};
    for (std::int64_t k0 = part * depthPerPart; k0 < kEnd; k0 += kDepth) {
      loadTile(left, a, m0, k0, kEnd, precision);
      loadTile(right, b, n0, k0, kEnd, precision);
      meet();
      for (std::int64_t d = 0; d < kDepth; ++d) {
        float x[kEach], y[kEach];
        for (std::int64_t i = 0; i < kEach; ++i) {
          x[i] = left[d][row + i * (kTile / kEach)];
          y[i] = right[d][column + i * (kTile / kEach)];
        }
        for (std::int64_t i = 0; i < kEach; ++i)
          for (std::int64_t j = 0; j < kEach; ++j) sums[i][j] += x[i] * y[j];
      }
      meet();
    }
    for (std::int64_t i = 0; i < kEach; ++i)
      for (std::int64_t j = 0; j < kEach; ++j) {
        const std::int64_t m = m0 + row + i * (kTile / kEach);
        const std::int64_t n = n0 + column + j * (kTile / kEach);
        if (m >= a.outer || n >= b.outer) continue;
        float& out = c[part * partStride + m * strideC + n];
        // 0·c is no zero where c, never written, holds a NaN.
        out = finish(beta == 0.0f ? sums[i][j] : beta * out + sums[i][j], n);
      }
  }
};

/// Multiplies by the library, with as much of the epilogue as it takes. PP_UNSUPPORTED where it
/// does not take even the product.
std::int32_t multiplyByLibrary(const PpCall* call, const PpMatmul& p) {
  Stream& stream = streamOf(call);
  PpMatmul within = p;  // an approximation of gelu would have another error
  if (p.activation != PP_RELU) within.activation = PP_LINEAR;
  std::int32_t code = stream.multiply(stream, within, call->precision);
  if (code == PP_UNSUPPORTED && (within.bias || within.activation != PP_LINEAR)) {
    within.bias = nullptr;
    within.activation = PP_LINEAR;
    code = stream.multiply(stream, within, call->precision);
  }
  const Finish rest{within.bias ? nullptr : p.bias,
                    within.activation == p.activation ? std::int32_t{PP_LINEAR} : p.activation};
  if (code != PP_OK || rest.isNone()) return code;
  forRows(call, p.m, p.n, [=] PP_DEVICE(std::int64_t row, std::int64_t column) {
    float& out = p.c[row * p.strideC + column];
    out = rest(out, column);
  });
  return PP_OK;
}

void multiplyByKernel(const PpCall* call, Scratch scratch, const PpMatmul& p) {
  const MatmulCut cut = matmulCut(p.m, p.n, p.k, scratch.left<float>());
  Product product{{p.a, p.m, p.transposeA ? 1 : p.strideA, p.transposeA ? p.strideA : 1},
                  {p.b, p.n, p.transposeB ? p.strideB : 1, p.transposeB ? 1 : p.strideB},
                  p.k,
                  cut.depthPerPart,
                  cut.tilesM,
                  cut.tilesN,
                  call->precision,
                  p.beta,
                  p.c,
                  p.strideC,
                  0,
                  {p.bias, p.activation}};
  const std::int64_t tiles = cut.tilesM * cut.tilesN;
  if (cut.parts == 1) return forBlocks(call, tiles, product);
  const std::int64_t parts = cut.parts, size = p.m * p.n;
  float* const partial = scratch.take<float>(parts * size);
  product.beta = 0.0f;
  product.c = partial;
  product.strideC = p.n;
  product.partStride = size;
  const Finish finish = product.finish;
  product.finish = {};
  forBlocks(call, tiles * parts, product);
  forRows(call, p.m, p.n, [=] PP_DEVICE(std::int64_t row, std::int64_t column) {
    float sum = 0.0f;
    for (std::int64_t part = 0; part < parts; ++part)
      sum += partial[part * size + row * p.n + column];
    float& out = p.c[row * p.strideC + column];
    out = finish(p.beta == 0.0f ? sum : p.beta * out + sum, column);
  });
}

/// `p` as the library is asked for it, `own` as our kernel makes it where the library does not take
/// it.
void multiplyByEither(const PpCall* call, const Scratch& scratch, const PpMatmul& p,
                      const PpMatmul& own) {
  const std::int32_t code = multiplyByLibrary(call, p);
  if (code == PP_UNSUPPORTED) return multiplyByKernel(call, scratch, own);
  if (code != PP_OK) fail(streamOf(call), code, said());
}

/// An operand as packed bf16, with the stride that its rows get; for PpMatmul, whose pointers are
/// to f32.
const float* packBf16(const PpCall* call, std::uint16_t* out, const float* in, std::int64_t rows,
                      std::int64_t width, std::int64_t& stride) {
  const std::int64_t from = stride, to = stride = padded(width);
  forRows(call, rows, width, [=] PP_DEVICE(std::int64_t row, std::int64_t d) {
    out[row * to + d] = bf16BitsOf(in[row * from + d]);
  });
  return reinterpret_cast<const float*>(out);
}

// In blocks of c that are whole in k, so that each is finished by itself. The library would round
// f32 operands at its own discretion, and reads twice the bytes.
void multiplyInBf16(const PpCall* call, Scratch scratch, const PpMatmul& p) {
  constexpr std::int64_t kLines = 256;  // what two takes round up to
  const Bf16Cut cut = bf16Cut(p.m, p.n, p.k, scratch.left<std::uint16_t>() - kLines);
  if (cut.rows == 0) return multiplyByKernel(call, scratch, p);
  auto* const a = scratch.take<std::uint16_t>(cut.rows * padded(p.k));
  auto* const b = scratch.take<std::uint16_t>(cut.columns * padded(p.k));
  for (std::int64_t column = 0; column < p.n; column += cut.columns) {
    PpMatmul own = p;
    own.n = std::min(cut.columns, p.n - column);
    own.b += column * (p.transposeB ? p.strideB : 1);
    if (p.bias) own.bias += column;
    std::int64_t strideB = p.strideB;
    const float* const packedB =
        packBf16(call, b, own.b, p.transposeB ? own.n : p.k, p.transposeB ? p.k : own.n, strideB);
    for (std::int64_t row = 0; row < p.m; row += cut.rows) {
      own.m = std::min(cut.rows, p.m - row);
      own.a = p.a + row * (p.transposeA ? 1 : p.strideA);
      own.c = p.c + row * p.strideC + column;
      PpMatmul packed = own;
      packed.a = packBf16(call, a, own.a, p.transposeA ? p.k : own.m, p.transposeA ? own.m : p.k,
                          packed.strideA);
      packed.b = packedB;
      packed.strideB = strideB;
      multiplyByEither(call, scratch, packed, own);
    }
  }
}

}  // namespace

void multiply(const PpCall* call, Scratch scratch, const PpMatmul& p) {
  const Stream& stream = streamOf(call);
  if (stream.code != PP_OK || p.m == 0 || p.n == 0) return;
  if (!stream.multiply || p.k == 0) return multiplyByKernel(call, scratch, p);
  if (call->precision == PP_PRECISION_BF16) return multiplyInBf16(call, scratch, p);
  multiplyByEither(call, scratch, p, p);
}

std::int32_t matmul(const PpCall* call, const PpMatmul* args) {
  multiply(call, Scratch(call), *args);
  return done(call);
}

}  // namespace parapet::cuda
