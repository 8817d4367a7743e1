// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>
#include <limits>

#include "engine/base/files.h"
#include "tests/checkpoint/sample.h"

using namespace parapet;
using namespace parapet::checkpoint;
using parapet::checkpoint::test::kSampleRun;
using parapet::checkpoint::test::sameContent;
using parapet::checkpoint::test::sample;
namespace fs = std::filesystem;

class CheckpointTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { root_ = fs::path(folder_.path().toStdString()) / QTest::currentTestFunction(); }
  void readsBackBitForBit();
  void keepsMetricsThatWereNotMeasured();
  void replacesTheSameStep();
  void listsOnlyCommittedOnes();
  void removesWhatCrashesLeave();
  void bringsBackAReplacedOne();
  void removesOne();
  void fallsBackAndTellsWhatItSkipped();
  void tellsWhenNoneIsLeft();
  void refusesAnotherStepUnderThisName();
  void refusesAnotherRunUnderThisName();
  void refusesNewerFormat();

 private:
  void commit(std::int64_t step) {
    const auto made = sample(step, 8);
    const auto written = write(root_, made.manifest, made.tensors);
    QVERIFY2(written.ok(), written.ok() ? "" : written.error().text().c_str());
  }
  void scratch(const fs::path& file) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(200);
    stream.put('\x7f');
  }
  QTemporaryDir folder_;
  fs::path root_;
};

void CheckpointTest::readsBackBitForBit() {
  const auto made = sample(1234, 10'000);  // 2.4 MiB: three blocks
  const auto written = write(root_, made.manifest, made.tensors);
  QVERIFY(written.ok());
  QCOMPARE(*written, root_ / "ckpt-1234");
  const auto found = open(*written);
  QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
  QVERIFY(sameContent(*found, made));
  QCOMPARE(found->folder(), *written);
  QCOMPARE(found->bytes(), fs::file_size(*written / "tensors.safetensors"));
  QCOMPARE(found->manifest().metrics, made.manifest.metrics);
  QCOMPARE(found->manifest().epoch, made.manifest.epoch);
  QCOMPARE(found->manifest().batch, made.manifest.batch);
  QCOMPARE(found->manifest().runId, made.manifest.runId);
  QVERIFY(std::signbit(found->manifest().trainerState.at("negative_zero").get<double>()));
  QVERIFY(found->find("tables/none") == nullptr);
  for (const TensorView& tensor : found->tensors())
    QCOMPARE(reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % elementBytes(tensor.type),
             std::uintptr_t{0});
}

void CheckpointTest::keepsMetricsThatWereNotMeasured() {
  auto made = sample(1, 1);
  made.manifest.metrics["val_loss"] = std::numeric_limits<double>::quiet_NaN();
  QVERIFY(write(root_, made.manifest, made.tensors).ok());
  const auto found = open(root_ / "ckpt-1");
  QVERIFY(found.ok());
  QVERIFY(std::isnan(found->manifest().metrics.at("val_loss")));
}

void CheckpointTest::replacesTheSameStep() {
  commit(5);
  auto other = sample(5, 16);
  other.manifest.build = "second";
  QVERIFY(write(root_, other.manifest, other.tensors).ok());
  const auto found = open(root_ / "ckpt-5");
  QVERIFY(found.ok());
  QVERIFY(sameContent(*found, other));
  QCOMPARE(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 1);
}

void CheckpointTest::listsOnlyCommittedOnes() {
  for (const std::int64_t step : {100, 9, 20}) commit(step);
  for (const char* name : {"ckpt-30.tmp", "ckpt-", "ckpt-x", "ckpt-007", "ckpt--1", "other"})
    fs::create_directory(root_ / name);
  std::ofstream(root_ / "ckpt-40") << "a file";
  std::vector<std::int64_t> steps;
  for (const Listed& listed : list(root_)) steps.push_back(listed.step);
  QCOMPARE(steps, (std::vector<std::int64_t>{9, 20, 100}));
  QVERIFY(list(root_ / "absent").empty());
}

void CheckpointTest::removesWhatCrashesLeave() {
  commit(1);
  fs::create_directories(root_ / "ckpt-2.tmp" / "deep");
  fs::create_directory(root_ / "mine.tmp");
  QCOMPARE(removeTemporaries(root_), 1);
  QVERIFY(!fs::exists(root_ / "ckpt-2.tmp"));
  QVERIFY(fs::exists(root_ / "mine.tmp"));
  QCOMPARE(list(root_).size(), std::size_t{1});
}

void CheckpointTest::bringsBackAReplacedOne() {
  commit(3);
  fs::rename(root_ / "ckpt-3", root_ / "ckpt-3.replaced");
  removeTemporaries(root_);
  QVERIFY(open(root_ / "ckpt-3").ok());
  fs::create_directory(root_ / "ckpt-3.replaced");
  QCOMPARE(removeTemporaries(root_), 1);
  QVERIFY(open(root_ / "ckpt-3").ok());
}

void CheckpointTest::removesOne() {
  commit(1);
  QVERIFY(checkpoint::remove(root_ / "ckpt-1").ok());
  QVERIFY(fs::is_empty(root_));
  QCOMPARE(checkpoint::remove(root_ / "ckpt-1").error().code, ErrorCode::kNotFound);
  QVERIFY_THROWS_EXCEPTION(InvalidArgument, (void)checkpoint::remove(root_));
}

void CheckpointTest::fallsBackAndTellsWhatItSkipped() {
  for (const std::int64_t step : {10, 20, 30}) commit(step);
  scratch(root_ / "ckpt-30" / "tensors.safetensors");
  fs::remove(root_ / "ckpt-20" / "manifest.json");
  const auto latest = openOfRun(root_, kSampleRun);
  QVERIFY(latest.ok());
  QVERIFY(sameContent(latest->checkpoint, sample(10, 8)));
  QCOMPARE(latest->warnings.size(), std::size_t{2});
  QVERIFY2(latest->warnings[0].find("step 30") != std::string::npos, latest->warnings[0].c_str());
  QVERIFY(latest->warnings[0].find("20 steps are lost") != std::string::npos);
  QVERIFY(latest->warnings[0].find("block 1 of 1") != std::string::npos);
  QVERIFY(latest->warnings[1].find("is missing") != std::string::npos);
}

void CheckpointTest::tellsWhenNoneIsLeft() {
  QCOMPARE(openOfRun(root_, kSampleRun).error().code, ErrorCode::kNotFound);
  commit(10);
  scratch(root_ / "ckpt-10" / "manifest.json");
  const auto latest = openOfRun(root_, kSampleRun);
  QCOMPARE(latest.error().code, ErrorCode::kData);
  QVERIFY(latest.error().message.find("step 10") != std::string::npos);
  QCOMPARE(open(root_ / "ckpt-11").error().code, ErrorCode::kNotFound);
  QCOMPARE(openOfRun(root_, kSampleRun, 10).error().code, ErrorCode::kData);
  QCOMPARE(openOfRun(root_, kSampleRun, 11).error().code, ErrorCode::kNotFound);
}

void CheckpointTest::refusesAnotherStepUnderThisName() {
  commit(10);
  commit(20);
  fs::copy(root_ / "ckpt-10", root_ / "ckpt-30");
  const auto latest = openOfRun(root_, kSampleRun);
  QVERIFY(latest.ok());
  QCOMPARE(latest->checkpoint.manifest().step, std::int64_t{20});
  QCOMPARE(latest->warnings.size(), std::size_t{1});
  QVERIFY2(latest->warnings[0].find("is the manifest of step 10") != std::string::npos,
           latest->warnings[0].c_str());
  QCOMPARE(open(root_ / "ckpt-30").error().code, ErrorCode::kData);
}

void CheckpointTest::refusesAnotherRunUnderThisName() {
  commit(10);
  for (const auto step : {std::optional<std::int64_t>{}, std::optional<std::int64_t>{10}}) {
    const auto foreign = openOfRun(root_, "00c0ffee0002", step);
    QCOMPARE(foreign.error().code, ErrorCode::kData);
    QVERIFY2(foreign.error().message.find(kSampleRun) != std::string::npos,
             foreign.error().message.c_str());
  }
}

void CheckpointTest::refusesNewerFormat() {
  commit(1);
  const fs::path path = root_ / "ckpt-1" / "manifest.json";
  std::string text = readFile(path).value();
  const std::size_t at = text.find("\"version\": 1");
  QVERIFY(at != std::string::npos);
  text[at + 11] = '2';
  QVERIFY(writeFileAtomically(path, text).ok());
  const auto found = open(root_ / "ckpt-1");
  QVERIFY(!found.ok());
  QVERIFY2(found.error().message.find("version 2") != std::string::npos,
           found.error().message.c_str());
}

QTEST_GUILESS_MAIN(CheckpointTest)
#include "checkpoint_test.moc"
