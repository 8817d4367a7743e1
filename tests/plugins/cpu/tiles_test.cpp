// SPDX-License-Identifier: Apache-2.0
// Products on tiles, against the sums in the order that the instruction defines and in f64.
#include <immintrin.h>

#include <QtTest>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/tensor/kernels/kernel.h"
#include "plugins/cpu/denormals.h"
#include "tests/plugins/cpu/emulated_tiles.h"

using namespace parapet;

namespace {

using Floats = std::vector<float>;

PpCall callHere() {
  PpCall call{};
  call.structSize = sizeof(PpCall);
  call.precision = PP_PRECISION_BF16;
  return tensor::onThisThread(call);
}

struct Size {
  std::int64_t m, n, k;
};

/// Uniform in [−1, 1).
Floats drawn(std::int64_t count, std::uint64_t key) {
  Floats values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(
        static_cast<float>(tensor::draw(key, static_cast<std::uint64_t>(i))) / (1 << 23) - 1.0f);
  return values;
}

/// To the nearest bf16, ties to even.
float rounded(float x) {
  auto bits = std::bit_cast<std::uint32_t>(x);
  bits += 0x7fffu + (bits >> 16 & 1u);
  return std::bit_cast<float>(bits & 0xffff0000u);
}

/// A product with strides beyond its rows, and c before it.
struct Product {
  Size size;
  bool transposeA, transposeB;
  float beta;
  std::int64_t strideA = (transposeA ? size.m : size.k) + 3,
               strideB = (transposeB ? size.k : size.n) + 1, strideC = size.n + 2;
  Floats a = drawn((transposeA ? size.k : size.m) * strideA, 1),
         b = drawn((transposeB ? size.n : size.k) * strideB, 2), c = drawn(size.m * strideC, 3);

  [[nodiscard]] float atA(std::int64_t i, std::int64_t p) const {
    return rounded(a[static_cast<std::size_t>(transposeA ? p * strideA + i : i * strideA + p)]);
  }
  [[nodiscard]] float atB(std::int64_t p, std::int64_t j) const {
    return rounded(b[static_cast<std::size_t>(transposeB ? j * strideB + p : p * strideB + j)]);
  }
  [[nodiscard]] PpMatmul into(Floats& out) const {
    return {.m = size.m,
            .n = size.n,
            .k = size.k,
            .transposeA = transposeA,
            .transposeB = transposeB,
            .a = a.data(),
            .strideA = strideA,
            .b = b.data(),
            .strideB = strideB,
            .beta = beta,
            .c = out.data(),
            .strideC = strideC};
  }
};

/// One sum in the order that bf16_tiles.h tells.
float inOrder(const Product& of, std::int64_t i, std::int64_t j) {
  constexpr std::int64_t kAtOnce = 32;
  const float before = of.c[static_cast<std::size_t>(i * of.strideC + j)];
  float sum = of.beta == 0.0f ? 0.0f : of.beta * before;
  const plugin::DenormalsOff denormals;
  for (std::int64_t k = 0; k < of.size.k; k += kAtOnce) {
    float first = 0.0f, second = 0.0f;
    for (std::int64_t p = k; p < std::min(k + kAtOnce, of.size.k); ++p) {
      float& half = p % 2 == 0 ? first : second;
      half = std::fma(of.atA(i, p), of.atB(p, j), half);
    }
    sum = sum + (first + second);
  }
  return sum;
}

double exactly(const Product& of, std::int64_t i, std::int64_t j) {
  double sum = double{of.beta} * double{of.c[static_cast<std::size_t>(i * of.strideC + j)]};
  for (std::int64_t p = 0; p < of.size.k; ++p) sum += double{of.atA(i, p)} * double{of.atB(p, j)};
  return sum;
}

/// Why the product on tiles is not what it should be; "" if it is.
QString faultOf(const Product& of) {
  Floats out = of.c;
  const PpCall call = callHere();
  const PpMatmul args = of.into(out);
  test::multiplyOnTiles(call, args);
  for (std::int64_t i = 0; i < of.size.m; ++i)
    for (std::int64_t j = 0; j < of.strideC; ++j) {
      const auto at = static_cast<std::size_t>(i * of.strideC + j);
      const float got = out[at], wanted = j < of.size.n ? inOrder(of, i, j) : of.c[at];
      if (std::bit_cast<std::uint32_t>(got) != std::bit_cast<std::uint32_t>(wanted))
        return QString("c[%1, %2] is %3, in order %4").arg(i).arg(j).arg(got).arg(wanted);
      const double tolerance = static_cast<double>(of.size.k + 2) * 0x1p-24;
      if (j < of.size.n &&
          std::abs(double{got} - exactly(of, i, j)) > tolerance * double(of.size.k + 1))
        return QString("c[%1, %2] is %3, exactly %4").arg(i).arg(j).arg(got).arg(exactly(of, i, j));
    }
  return {};
}

}  // namespace

class TilesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("x86-64-v3")) QSKIP("this processor lacks x86-64-v3");
  }

  void addsInTheOrderOfTheInstruction_data() {
    QTest::addColumn<int>("m");
    QTest::addColumn<int>("n");
    for (const int m : {0, 1, 16, 17, 32, 33, 65})
      for (const int n : {0, 1, 16, 31, 33}) QTest::addRow("%d×%d", m, n) << m << n;
    QTest::newRow("two blocks of rows") << 257 << 35;
  }
  void addsInTheOrderOfTheInstruction() {
    QFETCH(int, m);
    QFETCH(int, n);
    for (const int k : {0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 511, 513})
      for (const bool transposeA : {false, true})
        for (const bool transposeB : {false, true})
          for (const float beta : {0.0f, 1.0f, 0.5f}) {
            const QString fault = faultOf({{m, n, k}, transposeA, transposeB, beta});
            QVERIFY2(fault.isEmpty(),
                     qPrintable(QString("k = %1, β = %2: %3").arg(k).arg(beta).arg(fault)));
          }
  }

  void blocksOfColumnsChangeNoBit() {
    const QString fault = faultOf({{40, 700, 170}, true, false, 1.0f});
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
  }

  /// A c that was never written may hold NaN.
  void readsNoCWithoutBeta() {
    Product product{{33, 17, 40}, false, true, 0.0f};
    std::ranges::fill(product.c, std::numeric_limits<float>::quiet_NaN());
    Floats out = product.c;
    test::multiplyOnTiles(callHere(), product.into(out));
    for (std::int64_t i = 0; i < product.size.m; ++i)
      for (std::int64_t j = 0; j < product.size.n; ++j)
        QVERIFY(std::isfinite(out[static_cast<std::size_t>(i * product.strideC + j)]));
  }

  void takesAndGivesDenormalsAsZero() {
    Product product{{16, 16, 2}, false, false, 1.0f};
    std::ranges::fill(product.c, 1e-39f);
    std::ranges::fill(product.a, 0x1p-64f);
    std::ranges::fill(product.b, 0x1p-64f);  // 2⁻¹²⁸ is none that f32 has whole
    Floats out = product.c;
    test::multiplyOnTiles(callHere(), product.into(out));
    QCOMPARE(out[0], 0.0f);
    QVERIFY2(out[17] == product.c[17], "beyond the row nothing is touched");
  }
};

QTEST_APPLESS_MAIN(TilesTest)
#include "tiles_test.moc"
