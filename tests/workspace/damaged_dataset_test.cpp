// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>

#include "tests/workspace/damage.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::RunState;
namespace fs = std::filesystem;

/// A damaged data set gives no answer: questions name the file and the remedy, training imports the
/// set anew and says so.
class DamagedDatasetTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void questionsRefuseDamage_data();
  void questionsRefuseDamage();
  void trainingImportsAnewAndSaysSo_data() { questionsRefuseDamage_data(); }
  void trainingImportsAnewAndSaysSo();
  void anotherDataSetUnderThisNameIsRefused();
  void aDataSetOfAnOlderProgramIsImportedAgain();

 private:
  using Damage = std::function<void(const fs::path&)>;
  static fs::path onlyDataset(const testing::TemporaryWorkspace& place) {
    const auto folder = fs::path(place.folder.path().toStdString()) / "datasets";
    return fs::directory_iterator(folder)->path();
  }
  static bool tells(const std::vector<std::string>& warnings, const std::string& what) {
    return std::ranges::any_of(warnings, [&](const std::string& warning) {
      return warning.find(what) != std::string::npos;
    });
  }
};

void DamagedDatasetTest::questionsRefuseDamage_data() {
  QTest::addColumn<Damage>("damage");
  QTest::addColumn<QString>("file");
  const auto add = [](const char* name, const char* file, Damage damage) {
    QTest::newRow(name) << damage << QString(file);
  };
  // The highest bits of ids lead far outside every table.
  for (const char* name : {"user.i32", "item.i32"})
    for (const int byte : {0, 3, 4 * 599 + 3})
      add(qPrintable(QString("a bit of byte %1 of %2").arg(byte).arg(name)), name,
          [name, byte](auto& f) { testing::flipBit(f / name, std::uint64_t(byte), 6); });
  for (const char* name : {"label.f32", "user.vocab", "item.vocab", "manifest.json"})
    add(name, name, [name](auto& f) { testing::flipBit(f / name, 200, 1); });
  add("a short file", "item.i32", [](auto& f) { fs::resize_file(f / "item.i32", 2396); });
  add("a long file", "label.f32", [](auto& f) { fs::resize_file(f / "label.f32", 4096); });
  add("labels as items", "item.i32", [](auto& f) {
    fs::copy_file(f / "label.f32", f / "item.i32", fs::copy_options::overwrite_existing);
  });
}

void DamagedDatasetTest::questionsRefuseDamage() {
  QFETCH(Damage, damage);
  QFETCH(QString, file);
  testing::TemporaryWorkspace place;
  const std::string run = place.train(testing::smallSample()).runId;
  const fs::path dataset = onlyDataset(place);
  damage(dataset);
  const auto evaluation = place->evaluate(run, {}, {});
  const auto recommender = place->recommender(run, {});
  QVERIFY(!evaluation.ok() && !recommender.ok());
  for (const Error& error : {evaluation.error(), recommender.error()}) {
    QCOMPARE(error.code, ErrorCode::kData);
    QCOMPARE(error.path, (dataset / file.toStdString()).string());
    QVERIFY2(error.text().find("imported anew") != std::string::npos, error.text().c_str());
  }
  const auto comparison = place->compare({run, run}, {});
  QVERIFY(comparison.ok() && tells(comparison->warnings, "lists are not compared"));
}

void DamagedDatasetTest::trainingImportsAnewAndSaysSo() {
  QFETCH(Damage, damage);
  testing::TemporaryWorkspace place;
  const workspace::RunOutcome before = place.train(testing::smallSample());
  damage(onlyDataset(place));
  (void)place->preflight(testing::smallSample());
  testing::RecordingSink sink;
  auto run = place->start(testing::smallSample(), {.threads = 1, .sink = &sink});
  QVERIFY(run.ok());
  const workspace::RunOutcome after = (*run)->wait();
  QVERIFY2(after.state == RunState::kFinished, after.error ? after.error->text().c_str() : "");
  QCOMPARE(after.epochs[1].loss, before.epochs[1].loss);
  std::vector<std::string> warnings;
  for (const auto& warning : sink.all<experiment::RunWarning>())
    warnings.push_back(warning.message);
  QVERIFY(tells(warnings, "was damaged; it is imported anew"));
  QVERIFY(place->evaluate(before.runId, {}, {}).ok());
}

void DamagedDatasetTest::anotherDataSetUnderThisNameIsRefused() {
  testing::TemporaryWorkspace place;
  const std::string run = place.train(testing::smallSample()).runId;
  const fs::path first = onlyDataset(place);
  experiment::Experiment other = testing::smallSample();
  other.dataset.generator->seed = 8;
  QVERIFY(place->importData(other, {}).ok());
  for (const auto& entry : fs::directory_iterator(first.parent_path()))
    if (entry.path() != first) {
      fs::remove_all(first);
      fs::rename(entry.path(), first);
      break;
    }
  const auto evaluation = place->evaluate(run, {}, {});
  QVERIFY(!evaluation.ok());
  QCOMPARE(evaluation.error().code, ErrorCode::kData);
  QVERIFY2(evaluation.error().text().find("the folder is named") != std::string::npos,
           evaluation.error().text().c_str());
}

void DamagedDatasetTest::aDataSetOfAnOlderProgramIsImportedAgain() {
  testing::TemporaryWorkspace place;
  const std::string run = place.train(testing::smallSample()).runId;
  const fs::path manifest = onlyDataset(place) / "manifest.json";
  std::ofstream(manifest) << R"({"parapet_dataset": 3})";
  const auto evaluation = place->evaluate(run, {}, {});
  QVERIFY2(evaluation.ok(), evaluation.ok() ? "" : evaluation.error().text().c_str());
  QVERIFY(tells(evaluation->warnings, "imported again"));
}

QTEST_GUILESS_MAIN(DamagedDatasetTest)
#include "damaged_dataset_test.moc"
