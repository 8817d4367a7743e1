// SPDX-License-Identifier: Apache-2.0
#include "plugins/cpu/product_blocks.h"

#include <QtTest>

using namespace parapet;
using plugin::ProductBlocks;
using plugin::ProductTile;

namespace {

constexpr ProductTile kTile{12, 32, 396, false};

PpMatmul product(std::int64_t m, std::int64_t n, std::int64_t k, bool transposeA = false) {
  PpMatmul made{};
  made.m = m;
  made.n = n;
  made.k = k;
  made.transposeA = transposeA;
  made.strideA = transposeA ? m : k;
  made.strideB = n;
  made.strideC = n;
  return made;
}

std::int64_t countOf(const PpMatmul& of, const ProductBlocks& blocks) {
  return plugin::quotientUp(of.m, blocks.rows) * plugin::quotientUp(of.n, blocks.columns);
}

}  // namespace

class ProductBlocksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theyAreWholeTilesOfAtMostSoManyRows_data() {
    QTest::addColumn<int>("m");
    QTest::addColumn<int>("n");
    QTest::addColumn<int>("k");
    for (const int m : {0, 1, 2, 12, 100, 395, 397, 1024, 8192})
      for (const int n : {0, 1, 31, 64, 1000, 30522})
        for (const int k : {0, 1, 64, 1024}) QTest::addRow("%d×%d×%d", m, n, k) << m << n << k;
  }
  void theyAreWholeTilesOfAtMostSoManyRows() {
    QFETCH(int, m);
    QFETCH(int, n);
    QFETCH(int, k);
    for (const bool transposeA : {false, true}) {
      const ProductBlocks blocks = productBlocks(product(m, n, k, transposeA), kTile);
      QCOMPARE(blocks.rows % kTile.rows, std::int64_t{0});
      QCOMPARE(blocks.columns % kTile.columns, std::int64_t{0});
      QVERIFY(blocks.rows > 0 && blocks.rows <= kTile.maxRows && blocks.columns > 0);
    }
  }

  void everyElementIsOfOneBlock() {
    const std::int64_t m = 803, n = 517;
    std::vector<float> a(static_cast<std::size_t>(m)), b(static_cast<std::size_t>(n)),
        c(static_cast<std::size_t>(m * n));
    for (const ProductBlocks blocks : {ProductBlocks{396, 544}, {12, 32}, {96, 160}}) {
      std::ranges::fill(c, 0.0f);
      for (const bool transposed : {false, true}) {
        PpMatmul all = product(m, n, 1, transposed);
        all.transposeB = transposed;
        all.strideB = transposed ? 1 : n;
        all.a = a.data();
        all.b = b.data();
        all.c = c.data();
        all.bias = b.data();
        PpCall call{};
        const PpCall here = tensor::onThisThread(call);
        plugin::forProductBlocks(&here, all, blocks, [&](const PpMatmul& part) {
          const std::int64_t row = part.a - a.data(), column = part.b - b.data();
          QCOMPARE(part.c - c.data(), row * n + column);
          QCOMPARE(part.bias - b.data(), column);
          for (std::int64_t i = 0; i < part.m; ++i)
            for (std::int64_t j = 0; j < part.n; ++j) part.c[i * part.strideC + j] += 1.0f;
        });
      }
      QVERIFY(std::ranges::all_of(c, [](float times) { return times == 2.0f; }));
    }
  }

  void whatIsSmallIsOneBlock() {
    const PpMatmul small = product(64, 128, 128);
    QCOMPARE(countOf(small, productBlocks(small, kTile)), std::int64_t{1});
  }

  /// Rows alone would leave a worker without work, or with half of the other's.
  void severalWorkersFindWorkInEveryShape_data() {
    QTest::addColumn<int>("m");
    QTest::addColumn<int>("n");
    QTest::addColumn<int>("k");
    QTest::newRow("few rows") << 64 << 8192 << 1024;
    QTest::newRow("one tile of rows") << 12 << 8192 << 1024;
    QTest::newRow("few columns") << 8192 << 32 << 1024;
    QTest::newRow("deep") << 64 << 64 << 65536;
    QTest::newRow("two and a half blocks of rows") << 990 << 30522 << 128;
    QTest::newRow("square") << 1024 << 1024 << 1024;
  }
  void severalWorkersFindWorkInEveryShape() {
    QFETCH(int, m);
    QFETCH(int, n);
    QFETCH(int, k);
    for (const bool transposeA : {false, true}) {
      const PpMatmul shape = product(m, n, k, transposeA);
      const ProductBlocks blocks = productBlocks(shape, kTile);
      const std::int64_t count = countOf(shape, blocks);
      QVERIFY2(count >= 2, "one block");
      // The work of two workers when each takes the next block.
      const std::int64_t largest = blocks.rows * blocks.columns;
      QVERIFY((count + 1) / 2 * largest <= shape.m * shape.n * 5 / 8 + largest / 4);
    }
  }
};

QTEST_APPLESS_MAIN(ProductBlocksTest)
#include "product_blocks_test.moc"
