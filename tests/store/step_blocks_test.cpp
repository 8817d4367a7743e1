// SPDX-License-Identifier: Apache-2.0
#include "engine/store/step_blocks.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/base/result.h"
#include "engine/store/recorder.h"
#include "engine/store/run_store.h"
#include "tests/store/run_database.h"

using namespace parapet;
using namespace parapet::store;
using experiment::StepBucket;

namespace {

constexpr const char* kRun = "aaaa11112222";

/// Steps first..last, one bucket each: an extreme at 77, no finite loss at 123.
std::vector<StepBucket> stepsOf(std::int64_t first, std::int64_t last) {
  std::vector<StepBucket> steps;
  for (std::int64_t at = first; at <= last; ++at) {
    const double loss = at == 77 ? 99.0 : at == 123 ? NAN : 1.0 / static_cast<double>(at);
    steps.push_back({at, at, 1 + at / 100, loss, loss, loss, 0.5 * static_cast<double>(at),
                     std::isfinite(loss) ? 0 : 1});
  }
  return steps;
}

std::string textOf(const StepBucket& bucket) {
  return QString::asprintf("[%lld, %lld] epoch %lld: %g to %g, last %g after %g s, %lld not finite",
                           static_cast<long long>(bucket.firstStep),
                           static_cast<long long>(bucket.lastStep),
                           static_cast<long long>(bucket.epoch), bucket.min, bucket.max,
                           bucket.last, bucket.seconds, static_cast<long long>(bucket.nonFinite))
      .toStdString();
}

/// The buckets of a level, joined one by one.
std::vector<StepBucket> joined(const std::vector<StepBucket>& steps, int level) {
  std::vector<StepBucket> blocks;
  for (const StepBucket& step : steps)
    if (!blocks.empty() && blocks.back().lastStep >> level == step.lastStep >> level)
      experiment::joinBucket(blocks.back(), step);
    else
      blocks.push_back(step);
  return blocks;
}

}  // namespace

/// Blocks alone, in one transaction of a database without a sync: what run_store_test shows of them
/// takes a store with its threads.
class StepBlocksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    database_ = databaseWithRun(*folder_, kRun);
    QVERIFY(database_);
  }
  void cleanup() {
    QVERIFY(database_->run("ROLLBACK").ok());
    database_.reset();
  }

  void aLevelIsWhatItsStepsGiveJoinedOneByOne_data() {
    QTest::addColumn<int>("pieces");
    QTest::newRow("at once") << 700;
    QTest::newRow("across the borders of blocks") << 13;
    QTest::newRow("step by step") << 1;
  }
  void aLevelIsWhatItsStepsGiveJoinedOneByOne() {
    QFETCH(int, pieces);
    const std::int64_t last = pieces == 1 ? 150 : 700;
    const auto steps = stepsOf(1, last);
    for (std::size_t at = 0; at < steps.size(); at += static_cast<std::size_t>(pieces))
      add({steps.begin() + static_cast<std::ptrdiff_t>(at),
           steps.begin() + static_cast<std::ptrdiff_t>(
                               std::min(steps.size(), at + static_cast<std::size_t>(pieces)))});
    for (const std::int64_t most : {8, 20, 100}) {
      int level = 3;
      while ((last >> level) + 1 > most) level += 3;
      compare(readBlocks(*database_, kRun, 0, last, most).value(), joined(steps, level));
    }
  }

  void aFewStepsAreReadAsTheyWereRecorded() {
    const auto steps = stepsOf(1, 90);
    add(steps);
    compare(readBlocks(*database_, kRun, 0, 90, 90).value(), steps);
    compare(readBlocks(*database_, kRun, 11, 30, 20).value(),
            {steps.begin() + 10, steps.begin() + 30});
  }

  // Steps after the checkpoint are gone, and so must be their part of the blocks.
  void aRunThatGoesOnFromAnEarlierStepHasNothingOfTheOthers() {
    add(stepsOf(1, 300));
    QVERIFY(database_->run("DELETE FROM steps WHERE last_step>100").ok());
    QVERIFY(rebuildBlocks(*database_, kRun, 100).ok());
    compare(readBlocks(*database_, kRun, 0, 100, 20).value(), joined(stepsOf(1, 100), 3));
    add(stepsOf(101, 200));
    compare(readBlocks(*database_, kRun, 0, 200, 8).value(), joined(stepsOf(1, 200), 6));
  }

  void aRunWithoutBlocksIsReadAsItIsAndGetsThemOnce() {
    const auto steps = stepsOf(1, 200);
    add(steps);
    QVERIFY(database_->run("DELETE FROM step_blocks").ok());
    compare(readBlocks(*database_, kRun, 0, 200, 8).value(), steps);
    QVERIFY(rebuildBlocks(*database_, kRun, 190).ok());
    compare(readBlocks(*database_, kRun, 0, 200, 8).value(), joined(steps, 6));
  }

  void fewerThanEightBucketsAreNoPicture() {
    QVERIFY_EXCEPTION_THROWN((void)readBlocks(*database_, kRun, 0, 10, 7), InvalidArgument);
  }

 private:
  void add(const std::vector<StepBucket>& steps) {
    QVERIFY(recordSteps(*database_, kRun, steps).ok());
  }
  static void compare(const std::vector<StepBucket>& found,
                      const std::vector<StepBucket>& expected) {
    QCOMPARE(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) QCOMPARE(textOf(found[i]), textOf(expected[i]));
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Database> database_;
};

QTEST_GUILESS_MAIN(StepBlocksTest)
#include "step_blocks_test.moc"
