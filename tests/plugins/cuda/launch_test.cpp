// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <limits>
#include <vector>

// The threads of the host come before the kernels.
#include "tests/plugins/grid/device_on_host.h"

#include "plugins/cuda/grid.h"
#include "plugins/cuda/matmul.h"
#include "plugins/cuda/ordered_keys.h"
#include "plugins/cuda/sums.h"

using namespace parapet::cuda;

/// Launch arithmetic, and the grid on the host that the kernels of plugins/cuda are run on.
class LaunchTest : public QObject {
  Q_OBJECT

  Stream stream_;
  std::vector<std::byte> scratch_ = std::vector<std::byte>(1 << 20);
  PpCall call_{};

 private Q_SLOTS:
  void init() {
    stream_.code = PP_OK;
    stream_.scratch = scratch_.data();
    stream_.scratchBytes = scratch_.size();
    call_.structSize = sizeof call_;
    call_.stream = &stream_;
  }

  void everyElementHasOneThread_data() {
    QTest::addColumn<qint64>("count");
    for (const qint64 count : {0, 1, 31, 32, 255, 256, 257, 1000, 65'537})
      QTest::addRow("%lld", static_cast<long long>(count)) << count;
  }
  void everyElementHasOneThread() {
    QFETCH(qint64, count);
    std::vector<int> met(static_cast<std::size_t>(count));
    int* const at = met.data();
    forElements(&call_, count, [at](std::int64_t i) { ++at[i]; });
    QCOMPARE(done(&call_), std::int32_t{PP_OK});
    QCOMPARE(met, std::vector<int>(met.size(), 1));
  }

  // f32 is f32; who names less gets it.
  void operandsAreRoundedAsNamed() {
    for (const float x : {1.0f + 0x1p-23f, -3.0f - 0x1p-20f, 0x1p-140f, 0.0f})
      QCOMPARE(operand(x, PP_PRECISION_FP32), x);
    QCOMPARE(operand(1.0f + 0x1p-10f, PP_PRECISION_TF32), 1.0f + 0x1p-10f);  // ten bits stay
    QCOMPARE(operand(1.0f + 0x1p-12f, PP_PRECISION_TF32), 1.0f);
    QCOMPARE(operand(-1.0f - 0x1.8p-11f, PP_PRECISION_TF32), -1.0f - 0x1p-10f);
    QCOMPARE(operand(1.0f + 0x1p-11f, PP_PRECISION_TF32), 1.0f);  // a tie goes to the even one
    QCOMPARE(operand(1.0f + 0x1.8p-10f, PP_PRECISION_TF32), 1.0f + 0x1p-9f);
    QCOMPARE(operand(1.0f + 0x1p-7f, PP_PRECISION_BF16), 1.0f + 0x1p-7f);
    QCOMPARE(operand(1.0f + 0x1p-9f, PP_PRECISION_BF16), 1.0f);
    for (const std::int32_t precision : {PP_PRECISION_TF32, PP_PRECISION_BF16}) {
      const float nan = operand(std::numeric_limits<float>::quiet_NaN(), precision);
      QVERIFY(nan != nan);
      QCOMPARE(operand(std::numeric_limits<float>::infinity(), precision),
               std::numeric_limits<float>::infinity());
    }
  }

  void bf16KeepsTheUpperHalfAndNoNaNBecomesInfinite() {
    QCOMPARE(bf16BitsOf(1.0f), std::uint16_t{0x3f80});
    QCOMPARE(bf16BitsOf(-2.0f - 0x1.8p-7f), std::uint16_t{0xc001});
    QCOMPARE(bf16BitsOf(floatOf(0x7f800001u)),
             std::uint16_t{0x7fc0});  // its upper half is infinity
    QCOMPARE(bf16BitsOf(floatOf(0x7f800000u)), std::uint16_t{0x7f80});
  }

  void operandsInBf16AreCutWhereTheyDoNotFit() {
    const Bf16Cut whole = bf16Cut(100, 33, 50, 10'000);
    QVERIFY(whole.rows >= 100 && whole.columns >= 33);
    const Bf16Cut cut = bf16Cut(100'000, 9'000'000, 64, 1 << 20);
    QVERIFY(cut.rows >= 64 && cut.columns >= 64);
    QVERIFY(cut.rows % Bf16Cut::kLine == 0 && cut.columns % Bf16Cut::kLine == 0);
    QVERIFY((cut.rows + cut.columns) * 64 <= 1 << 20);
    // With few rows, the columns get the rest.
    QVERIFY(bf16Cut(8, 9'000'000, 64, 1 << 20).columns > (1 << 20) / 64 - 16);
    QCOMPARE(bf16Cut(1000, 1000, 1 << 20, 1 << 20).rows, std::int64_t{0});
  }

  void everyElementOfAMatrixHasOneThread_data() {
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<qint64>("width");
    for (const qint64 rows : {0, 1, 7, 300})
      for (const qint64 width : {1, 2, 3, 31, 64, 255, 256, 257, 600})
        QTest::addRow("%lld x %lld", static_cast<long long>(rows), static_cast<long long>(width))
            << rows << width;
  }
  void everyElementOfAMatrixHasOneThread() {
    QFETCH(qint64, rows);
    QFETCH(qint64, width);
    std::vector<int> met(static_cast<std::size_t>(rows * width));
    int* const at = met.data();
    forRows(&call_, rows, width,
            [at, width](std::int64_t row, std::int64_t d) { ++at[row * width + d]; });
    QCOMPARE(done(&call_), std::int32_t{PP_OK});
    QCOMPARE(met, std::vector<int>(met.size(), 1));
  }

  void gridsStayWithinWhatADeviceTakes_data() {
    QTest::addColumn<qint64>("count");
    for (const qint64 count : {qint64{1}, qint64{1} << 20, qint64{1} << 33, qint64{1} << 40})
      QTest::addRow("%lld", static_cast<long long>(count)) << count;
  }
  void gridsStayWithinWhatADeviceTakes() {
    QFETCH(qint64, count);
    for (const Grid& grid : {gridOfElements(count), gridOfWarps(count), gridOfBlocks(count),
                             gridOfRows(count, 64).grid}) {
      QVERIFY(grid.blocks >= 1 && grid.blocks <= kMaxBlocks);
      QVERIFY(grid.threads % kWarp == 0 && grid.threads <= 1024);
    }
    QVERIFY(parapet::cuda::sumParts(count) <= kThreads);
  }

  void columnsAreCutIntoRunsThatCoverTheRows_data() {
    QTest::addColumn<qint64>("rows");
    for (const qint64 rows : {0, 1, 63, 64, 65, 4095, 4096, 4097, 100'000})
      QTest::addRow("%lld", static_cast<long long>(rows)) << rows;
  }
  void columnsAreCutIntoRunsThatCoverTheRows() {
    QFETCH(qint64, rows);
    const ColumnCut cut = columnCut(rows, 33);
    QCOMPARE(cut.strips, std::int64_t{2});
    QVERIFY(cut.parts >= 1 && cut.parts <= 64);
    QVERIFY(cut.parts * cut.rowsPerPart >= rows);
    QVERIFY(rows == 0 || (cut.parts - 1) * cut.rowsPerPart < rows);
  }

  void aDeepProductOfFewTilesIsCutInDepth() {
    const MatmulCut flat = matmulCut(8192, 8192, 64, 1 << 20);
    QCOMPARE(flat.parts, std::int64_t{1});
    QCOMPARE(flat.tilesM, std::int64_t{128});
    const MatmulCut deep = matmulCut(64, 65, 10'000, 1 << 20);
    QCOMPARE(deep.tilesN, std::int64_t{2});
    QVERIFY(deep.parts > 1);
    QCOMPARE(deep.depthPerPart % MatmulCut::kDepth, std::int64_t{0});
    QVERIFY(deep.parts * deep.depthPerPart >= 10'000);
    QVERIFY((deep.parts - 1) * deep.depthPerPart < 10'000);
    QCOMPARE(matmulCut(64, 64, 10'000, 100).parts, std::int64_t{1});
    QCOMPARE(matmulCut(0, 64, 0, 100).tilesM, std::int64_t{0});
  }

  void scoresFitIntoTheMemoryThatThereIs() {
    for (const std::int64_t queries : {1, 10, 5000})
      for (const std::int64_t candidates : {1, 100, 10'000'000}) {
        const ScoreCut cut = scoreCut(queries, candidates, 1 << 20, 3, 40);
        QVERIFY(cut.queries >= 1 && cut.queries <= queries);
        QVERIFY(cut.candidates >= 1 && cut.candidates <= candidates);
        QVERIFY(cut.queries * (cut.candidates * 3 + 40) <= 1 << 20);
      }
    QCOMPARE(scoreCut(1, 10, 20, 3, 40).queries, std::int64_t{0});
  }

  void keysAreSortedInAsManyPassesAsTheyHaveBytes() {
    QCOMPARE(sortPasses(1), 1);
    QCOMPARE(sortPasses(256), 1);
    QCOMPARE(sortPasses(257), 2);
    QCOMPARE(sortPasses(65'536), 2);
    QCOMPARE(sortPasses(65'537), 3);
    QCOMPARE(sortPasses(std::int64_t{1} << 31), 4);
  }

  void keysAreInTheOrderOfTheScores() {
    const std::vector<float> scores{-kInfinity, -2.5f, -1e-30f, 0.0f, 1e-30f, 2.0f, kInfinity};
    for (std::size_t i = 1; i < scores.size(); ++i)
      QVERIFY(orderedKey(scores[i - 1], 3) < orderedKey(scores[i], 3));
    QVERIFY(orderedKey(1.0f, 4) < orderedKey(1.0f, 3));
    QCOMPARE(orderedKey(-0.0f, 3), orderedKey(0.0f, 3));
    QCOMPARE(orderedKey(std::numeric_limits<float>::quiet_NaN(), 3), std::uint64_t{0});
    QCOMPARE(scoreOf(orderedKey(-2.5f, 7)), -2.5f);
    QCOMPARE(candidateOf(orderedKey(-2.5f, 7)), std::uint32_t{7});
  }

  void aBlockAddsUpWhatItsThreadsHave() {
    double sum = 0.0;
    double* const at = &sum;
    launch(&call_, {3, 64}, [at] {
      const double total = sumOverBlock(static_cast<double>(parapet::cuda::thread() + 1));
      if (parapet::cuda::thread() == 63) *at += total;
    });
    QCOMPARE(done(&call_), std::int32_t{PP_OK});
    QCOMPARE(sum, 3 * 64 * 65 / 2.0);
  }

  void aMeetingThatNotAllReachIsAnError() {
    launch(&call_, {1, 64}, [] {
      if (parapet::cuda::thread() != 5) meet();
    });
    QCOMPARE(done(&call_), std::int32_t{PP_FAILED});
    QVERIFY2(std::string(said()).find("63 wait for the block") != std::string::npos, said());
    launch(&call_, {1, 64}, [] { meet(); });
    QCOMPARE(done(&call_), std::int32_t{PP_OK});
  }

  void meetingsAtDifferentLinesAreAnError() {
    launch(&call_, {1, 64}, [] {
      if (parapet::cuda::thread() < 32)
        meet();
      else
        meet();
    });
    QCOMPARE(done(&call_), std::int32_t{PP_FAILED});
  }

  void anExchangeThatNotAllLanesReachIsAnError() {
    launch(&call_, {1, 32}, [] {
      if (parapet::cuda::thread() < 31) (void)acrossLanes(1, 1);
    });
    QCOMPARE(done(&call_), std::int32_t{PP_FAILED});
  }

  void partOfAWarpIsRefused() {
    launch(&call_, {1, 40}, [] {});
    QCOMPARE(done(&call_), std::int32_t{PP_FAILED});
  }

  void anOpThatNeedsMoreScratchSaysHowMuch() {
    Scratch scratch(&call_);
    QVERIFY(scratch.take<float>(1000) != nullptr);
    QVERIFY(scratch.take<float>(1 << 20) == nullptr);
    QCOMPARE(done(&call_), std::int32_t{PP_OUT_OF_MEMORY});
    QVERIFY2(std::string(said()).find("1048576") != std::string::npos, said());
  }
};

QTEST_GUILESS_MAIN(LaunchTest)
#include "launch_test.moc"
