// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/dataset.h"

#include <QTest>
#include <functional>

#include "engine/base/files.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;

namespace {

namespace fs = std::filesystem;
using Damage = std::function<void(const fs::path&)>;

void replaceInManifest(const fs::path& folder, const std::string& from, const std::string& to) {
  std::string text = readFile(folder / "manifest.json").value();
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw InternalError("the manifest has no " + from);
  std::ofstream(folder / "manifest.json") << text.replace(at, from.size(), to);
}

}  // namespace

class DatasetTest : public QObject {
  Q_OBJECT

 private:
  static fs::path imported(const ImportFixture& fixture) {
    fixture.write("u.data", "1\t1\t3\t0\n2\t1\t4\t7\n");
    return fixture.import(fixture.spec())->dataset->folder();
  }

 private Q_SLOTS:
  void opensWhatWasImported() {
    const ImportFixture fixture;
    const fs::path folder = imported(fixture);
    const auto dataset = Dataset::open(folder);
    QVERIFY(dataset.ok());
    QCOMPARE((*dataset)->rows(), std::int64_t{2});
    QCOMPARE((*dataset)->vocabularies().size(), std::size_t{2});
    QCOMPARE((*dataset)->folder(), folder);
    std::uint64_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().filename() != "manifest.json") bytes += entry.file_size();
    QCOMPARE((*dataset)->bytes(), bytes);
  }

  void refusesDamage_data() {
    QTest::addColumn<Damage>("damage");
    QTest::addColumn<QString>("file");
    const auto add = [](const char* name, Damage damage, const char* file) {
      QTest::newRow(name) << damage << QString(file);
    };
    add(
        "short column", [](auto& f) { fs::resize_file(f / "label.f32", 7); }, "label.f32");
    add(
        "long column", [](auto& f) { fs::resize_file(f / "time.i64", 24); }, "time.i64");
    add(
        "missing column", [](auto& f) { fs::remove(f / "item.i32"); }, "item.i32");
    add(
        "missing vocabulary", [](auto& f) { fs::remove(f / "item.vocab"); }, "item.vocab");
    add(
        "short vocabulary", [](auto& f) { fs::resize_file(f / "user.vocab", 40); }, "user.vocab");
    add(
        "no manifest", [](auto& f) { fs::remove(f / "manifest.json"); }, "manifest.json");
    add(
        "half a manifest", [](auto& f) { fs::resize_file(f / "manifest.json", 60); },
        "manifest.json");
    add(
        "newer manifest",
        [](auto& f) { replaceInManifest(f, "\"parapet_dataset\": 5", "\"parapet_dataset\": 6"); },
        "manifest.json");
    add(
        "rows of another type",
        [](auto& f) { replaceInManifest(f, "\"rows\": 2", "\"rows\": \"2\""); }, "manifest.json");
    add(
        "more rows than there are",
        [](auto& f) { replaceInManifest(f, "\"rows\": 2", "\"rows\": 3"); }, "manifest.json");
  }
  void refusesDamage() {
    QFETCH(Damage, damage);
    QFETCH(QString, file);
    const ImportFixture fixture;
    const fs::path folder = imported(fixture);
    damage(folder);
    const auto dataset = Dataset::open(folder);
    QVERIFY(!dataset);
    QVERIFY(dataset.error().code == ErrorCode::kData);
    QCOMPARE(QString::fromStdString(dataset.error().path),
             QString::fromStdString((folder / file.toStdString()).string()));
  }

  void aChangedByteIsFound() {
    const ImportFixture fixture;
    const fs::path folder = imported(fixture);
    const auto open = Dataset::open(folder);
    QVERIFY(open.ok() && (*open)->verify().ok());
    std::string labels = readFile(folder / "label.f32").value();
    labels[0] = static_cast<char>(labels[0] ^ 1);
    std::ofstream(folder / "label.f32", std::ios::binary) << labels;
    for (const Status& found : {(*open)->verify(), Status(Dataset::open(folder).error())}) {
      QVERIFY(!found);
      QCOMPARE(found.error().path, (folder / "label.f32").string());
    }
  }

  void anImportSaysThatItReplacesADamagedSet() {
    const ImportFixture fixture;
    const fs::path folder = imported(fixture);
    const auto reused = fixture.import(fixture.spec());
    QVERIFY(reused.ok() && reused->reused && reused->warnings.empty());
    fs::resize_file(folder / "label.f32", 4);
    const auto anew = fixture.import(fixture.spec());
    QVERIFY(anew.ok() && !anew->reused);
    QCOMPARE(anew->warnings.size(), std::size_t{1});
    QVERIFY2(anew->warnings[0].find("was damaged; it is imported anew") != std::string::npos,
             anew->warnings[0].c_str());
    QVERIFY(fixture.import(fixture.spec())->warnings.empty());
  }
};

QTEST_GUILESS_MAIN(DatasetTest)
#include "dataset_test.moc"
