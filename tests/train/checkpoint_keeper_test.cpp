// SPDX-License-Identifier: Apache-2.0
#include "engine/train/kept_checkpoints.h"

#include <QDir>
#include <QFile>
#include <QtTest>

#include "tests/train/small_training.h"

using namespace parapet;
using train::CheckpointKeeper;
using train::CheckpointReason;

class CheckpointKeeperTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;
  std::unique_ptr<train::Session> session_;
  QTemporaryDir folder_;

  static checkpoint::Manifest at(std::int64_t step) {
    checkpoint::Manifest manifest;
    manifest.step = step;
    return manifest;
  }
  static std::vector<std::int64_t> stepsIn(const std::filesystem::path& folder) {
    std::vector<std::int64_t> steps;
    for (const checkpoint::Listed& listed : checkpoint::list(folder)) steps.push_back(listed.step);
    return steps;
  }
  [[nodiscard]] std::filesystem::path folderOf(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }

 private Q_SLOTS:
  void initTestCase() { session_ = training_.session(testing::ratingsDocument()); }

  void keepsTheLastOnesAndTheBest() {
    testing::EventList events;
    CheckpointKeeper keeper(folderOf("kept"), {.every = {}, .keep = 2},
                            [&](const auto& event) { events.onEvent("", event); });
    QVERIFY(keeper.commit(*session_, at(1), CheckpointReason::kBest).ok());
    for (const std::int64_t step : {2, 3, 4})
      QVERIFY(keeper.commit(*session_, at(step), CheckpointReason::kDue).ok());
    QCOMPARE(stepsIn(folderOf("kept")), (std::vector<std::int64_t>{1, 3, 4}));
    QVERIFY(keeper.commit(*session_, at(5), CheckpointReason::kBest).ok());
    QCOMPARE(stepsIn(folderOf("kept")), (std::vector<std::int64_t>{4, 5}));
    QCOMPARE(keeper.bestStep(), 5);
    QVERIFY(keeper.isLast(5, 0) && !keeper.isLast(4, 0) && !keeper.isLast(5, 1));
    QCOMPARE(events.all<experiment::CheckpointWritten>().size(), std::size_t{5});
    QCOMPARE(events.all<experiment::CheckpointRemoved>().size(), std::size_t{3});
  }

  // A file stands where the folder should be, so nothing can be written below it.
  void aFailureWarnsAndIsNotRepeatedAtOnceUnlessTheRunEnds() {
    QFile blocker(QString::fromStdString(folderOf("blocked").string()));
    QVERIFY(blocker.open(QFile::WriteOnly));
    testing::EventList events;
    CheckpointKeeper keeper(folderOf("blocked"), {.every = {}, .keep = 2},
                            [&](const auto& event) { events.onEvent("", event); });
    QVERIFY(!keeper.commit(*session_, at(1), CheckpointReason::kDue).ok());
    QCOMPARE(events.all<experiment::RunWarning>().size(), std::size_t{1});
    QVERIFY(keeper.commit(*session_, at(2), CheckpointReason::kBest).ok());  // not tried
    QCOMPARE(events.all<experiment::RunWarning>().size(), std::size_t{1});
    QVERIFY(!keeper.commit(*session_, at(3), CheckpointReason::kLast).ok());
    QCOMPARE(events.all<experiment::RunWarning>().size(), std::size_t{2});
    QVERIFY(!keeper.isLast(3, 0));
    blocker.remove();
    QVERIFY(keeper.commit(*session_, at(4), CheckpointReason::kLast).ok());
    QVERIFY(keeper.isLast(4, 0));
  }
};

QTEST_GUILESS_MAIN(CheckpointKeeperTest)
#include "checkpoint_keeper_test.moc"
