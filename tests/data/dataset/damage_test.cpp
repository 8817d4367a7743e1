// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <functional>

#include "engine/base/file_error.h"
#include "engine/data/dataset/batches.h"
#include "engine/data/dataset/checked_file.h"
#include "engine/data/dataset/user_groups.h"
#include "tests/data/dataset/sample_dataset.h"

using namespace parapet;
using namespace parapet::data;

namespace fs = std::filesystem;

namespace {

using Change = std::function<void(Manifest&)>;

// A number inside the text of a file.
template <class T>
std::string withElement(std::string content, std::size_t index, T value) {
  std::memcpy(content.data() + index * sizeof(T), &value, sizeof(T));
  return content;
}

}  // namespace

/// No damage to a file of a data set reaches a reader: it is refused when the set is opened, or, in a
/// large set, when the column is first asked for.
class DamageTest : public QObject {
  Q_OBJECT

 private:
  static constexpr std::uint64_t kNothingAtOpen = 0, kAllAtOpen = std::uint64_t{1} << 30;

  static fs::path root(const QTemporaryDir& directory) { return directory.path().toStdString(); }

  // The file whose damage is told; "" if none is.
  static std::string damagedFile(const fs::path& folder, std::uint64_t checkedAtOpen) {
    const auto dataset = Dataset::open(folder, checkedAtOpen);
    std::string path;
    if (!dataset) {
      if (dataset.error().code != ErrorCode::kData) return "another error";
      path = dataset.error().path;
    } else {
      try {
        readAll(**dataset);
        (void)(*dataset)->vectors("image");
      } catch (const FileError& damage) {
        path = damage.error().path;
      }
    }
    return fs::path(path).filename().string();
  }

  static void addFiles() {
    QTest::addColumn<QString>("file");
    const QTemporaryDir directory;
    const SampleDataset sample(root(directory));
    for (const std::string& name : sample.files())
      QTest::newRow(name.c_str()) << QString(name.c_str());
  }

 private Q_SLOTS:
  void theSampleIsSound() {
    const QTemporaryDir directory;
    const SampleDataset sample(root(directory));
    const auto dataset = Dataset::open(sample.folder());
    QVERIFY2(dataset.ok(), dataset.ok() ? "" : dataset.error().text().c_str());
    readAll(**dataset);
    QCOMPARE((*dataset)->vectors("image").values.size(), std::size_t{10});
    QVERIFY((*dataset)->verify().ok());
  }

  void everyBitOfAFileMatters_data() { addFiles(); }
  void everyBitOfAFileMatters() {
    QFETCH(QString, file);
    const QTemporaryDir directory;
    const SampleDataset sample(root(directory));
    const std::string name = file.toStdString(), content = sample.read(name);
    for (std::size_t byte = 0; byte < content.size(); ++byte) {
      std::string damaged = content;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << byte % 8));
      sample.write(name, damaged);
      QCOMPARE(damagedFile(sample.folder(), byte % 2 == 0 ? kNothingAtOpen : kAllAtOpen), name);
    }
    sample.write(name, content);
    QCOMPARE(damagedFile(sample.folder(), kAllAtOpen), std::string());
  }

  void bitsAllOverTheManifestMatter() {
    const QTemporaryDir directory;
    const SampleDataset sample(root(directory));
    const std::string content = sample.read(Manifest::kFileName);
    for (std::size_t byte = 0; byte < content.size(); byte += 5) {
      std::string damaged = content;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << byte % 8));
      sample.write(Manifest::kFileName, damaged);
      const auto dataset = Dataset::open(sample.folder());
      QVERIFY2(!dataset, ("byte " + std::to_string(byte)).c_str());
      QVERIFY(dataset.error().path.ends_with(Manifest::kFileName));
    }
  }

  void lengthsMatter_data() { addFiles(); }
  void lengthsMatter() {
    QFETCH(QString, file);
    const QTemporaryDir directory;
    const SampleDataset sample(root(directory));
    const std::string name = file.toStdString(), content = sample.read(name);
    for (const std::string& damaged :
         {std::string(), content.substr(0, content.size() - 1),
          content.substr(0, content.size() - 8), content + '\0', content + content}) {
      sample.write(name, damaged);
      QCOMPARE(damagedFile(sample.folder(), kNothingAtOpen), name);
    }
    fs::remove(sample.folder() / name);
    QCOMPARE(damagedFile(sample.folder(), kNothingAtOpen), name);
  }

  void swappedFilesAreTold() {
    const QTemporaryDir directory;
    const SampleDataset sample(root(directory));
    sample.write("item.i32", sample.read("label.f32"));
    QCOMPARE(damagedFile(sample.folder(), kNothingAtOpen), std::string("item.i32"));
    QCOMPARE(damagedFile(sample.folder(), kAllAtOpen), std::string("item.i32"));
  }

  // Hashes that agree do not make an element one that may be followed.
  void elementsStayInsideTheirTables_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("says");
    const QTemporaryDir directory;
    const SampleDataset sample(root(directory));
    const auto add = [](const char* name, const char* file, const std::string& content,
                        const char* says) {
      QTest::newRow(name) << QString(file) << QByteArray(content.data(), qsizetype(content.size()))
                          << QString(says);
    };
    const std::string items = sample.read("item.i32"), offsets = sample.read("tags.offsets.i64");
    add("a row behind the last", "item.i32", withElement(items, 3, 5),
        "has row 5 at element 3; rows 0 to 4 of the vocabulary are accepted");
    add("a negative row", "item.i32", withElement(items, 0, -1), "has row -1 at element 0");
    add("a label as a row", "item.i32", sample.read("label.f32"), "rows 0 to 4");
    add("a value behind the last", "tags.i32", withElement(sample.read("tags.i32"), 4, 3),
        "has row 3 at element 4; rows 0 to 2");
    add("a first offset", "tags.offsets.i64", withElement(offsets, 0, std::int64_t{1}),
        "begins with offset 1");
    add("descending offsets", "tags.offsets.i64", withElement(offsets, 3, std::int64_t{1}),
        "has offset 1 after 2");
    add("an offset far behind", "tags.offsets.i64", withElement(offsets, 3, std::int64_t{1} << 40),
        "up to 5");
    add("a negative offset", "tags.offsets.i64", withElement(offsets, 2, std::int64_t{-1}),
        "has offset -1");
    add("a longer bag", "tags.offsets.i64", withElement(offsets, 3, std::int64_t{5}),
        "in steps of at most 2");
    add("a last offset", "tags.offsets.i64", withElement(offsets, 6, std::int64_t{4}),
        "has offset 4 after 5");
  }
  void elementsStayInsideTheirTables() {
    QFETCH(QString, file);
    QFETCH(QByteArray, content);
    QFETCH(QString, says);
    const QTemporaryDir directory;
    SampleDataset sample(root(directory));
    sample.write(file.toStdString(), content.toStdString());
    sample.agree();
    const auto dataset = Dataset::open(sample.folder());
    QVERIFY(!dataset);
    QCOMPARE(dataset.error().path, (sample.folder() / file.toStdString()).string());
    QVERIFY2(dataset.error().message.find(says.toStdString()) != std::string::npos,
             dataset.error().message.c_str());
    QCOMPARE(damagedFile(sample.folder(), kNothingAtOpen), file.toStdString());
  }

  void aManifestThatContradictsItselfIsRefused_data() {
    QTest::addColumn<Change>("change");
    const auto add = [](const char* name, Change change) { QTest::newRow(name) << change; };
    add("more rows than elements", [](Manifest& m) { m.rows = 7; });
    add("rows beyond all memory", [](Manifest& m) { m.rows = (std::int64_t{1} << 62) - 1; });
    add("a smaller vocabulary", [](Manifest& m) { m.vocabularies[1].size = 4; });
    add("a vocabulary that is not there", [](Manifest& m) { m.columns[0].vocabulary = "none"; });
    add("no labels", [](Manifest& m) {
      std::erase_if(m.files, [](const auto& file) { return file.name == kLabelFile; });
    });
    add("a file of no column", [](Manifest& m) { m.columns.pop_back(); });
    add("a file of two columns", [](Manifest& m) { m.columns.push_back(m.columns[0]); });
    add("wider vectors", [](Manifest& m) { m.vectors[0].width = std::int64_t{1} << 62; });
    add("vectors of no vocabulary", [](Manifest& m) { m.vectors[0].vocabulary = "none"; });
    add("no hash", [](Manifest& m) { m.files[3].blocks.clear(); });
  }
  void aManifestThatContradictsItselfIsRefused() {
    QFETCH(Change, change);
    const QTemporaryDir directory;
    SampleDataset sample(root(directory));
    change(sample.manifest());
    QVERIFY(sample.manifest().write(sample.folder()).ok());
    const auto dataset = Dataset::open(sample.folder());
    QVERIFY(!dataset);
    QCOMPARE(dataset.error().code, ErrorCode::kData);
    QVERIFY(!examineDataset(sample.folder()).status().ok());
  }

  void anotherDataSetUnderThisNameIsRefused() {
    const QTemporaryDir directory;
    const SampleDataset sample(root(directory));
    const fs::path renamed = root(directory) / std::string(32, 'f');
    fs::rename(sample.folder(), renamed);
    const auto dataset = Dataset::open(renamed);
    QVERIFY(!dataset);
    QCOMPARE(dataset.error().code, ErrorCode::kData);
    QVERIFY2(dataset.error().message.find("the folder is named") != std::string::npos,
             dataset.error().message.c_str());
  }

  void whatIsWrittenAfterACheckIsCheckedAgain() {
    const QTemporaryDir directory;
    const SampleDataset sample(root(directory));
    QTest::qWait(100);  // beyond the resolution of a file's times: the check is remembered
    const std::string labels = sample.read("label.f32");
    for (int round = 0; round < 3; ++round) {
      QVERIFY(Dataset::open(sample.folder()).ok());
      sample.write("label.f32", withElement(labels, 0, 0.5f));
      QCOMPARE(damagedFile(sample.folder(), kAllAtOpen), std::string("label.f32"));
      sample.write("label.f32", labels);
    }
  }

  // Without a fault: the rest of a page behind the end of a file reads as zeros.
  void aFileThatBecomesShorterIsNamed_data() { addFiles(); }
  void aFileThatBecomesShorterIsNamed() {
    QFETCH(QString, file);
    const QTemporaryDir directory;
    const SampleDataset sample(root(directory));
    const auto dataset = Dataset::open(sample.folder()).value();
    QVERIFY(dataset->intact().ok());
    const fs::path path = sample.folder() / file.toStdString();
    fs::resize_file(path, fs::file_size(path) - 1);
    QVERIFY(!dataset->intact().ok());
    QCOMPARE(dataset->intact().error().path, path.string());
  }

  void aColumnThatIsCutOffUnderBatchesIsThrown_data() {
    QTest::addColumn<QString>("file");
    for (const char* file : {"user.i32", "tags.i32", "tags.offsets.i64", "tags.weights.f32",
                             "x.number.f32", "label.f32", "weight.f32"})
      QTest::newRow(file) << QString(file);
  }
  void aColumnThatIsCutOffUnderBatchesIsThrown() {
    QFETCH(QString, file);
    const QTemporaryDir directory;
    const SampleDataset sample(root(directory));
    const auto dataset = Dataset::open(sample.folder()).value();
    BatchLoader loader(dataset, RowSet::all(6), {"user", "item", "tags", "x"},
                       {.batchRows = 2, .cache = false});
    const fs::path path = sample.folder() / file.toStdString();
    std::string damaged;
    // Batches that were gathered before are sound.
    for (std::int64_t epoch = 1; epoch < 100'000 && damaged.empty(); ++epoch) {
      if (epoch == 3) fs::resize_file(path, 0);
      loader.begin(epoch);
      try {
        while (loader.next()) {
        }
      } catch (const FileError& lost) {
        damaged = lost.error().path;
      }
    }
    QCOMPARE(damaged, path.string());
    QVERIFY(!dataset->readsIntact().ok());
  }

  void lostPagesLeadNowhere() {
    const QTemporaryDir directory;
    const SampleDataset sample(root(directory));
    const auto dataset = Dataset::open(sample.folder()).value();
    const auto offsets = dataset->bagOffsets("tags");
    const Vocabulary& items = dataset->vocabulary("item");
    QCOMPARE(items.title(1), std::string_view("item 1"));
    for (const char* file : {"tags.offsets.i64", "item.vocab"})
      fs::resize_file(sample.folder() / file, 0);
    for (std::int64_t row = 0; row < 6; ++row) {
      const BagRange bag(offsets, row);
      QCOMPARE(bag.end, bag.begin);
    }
    QCOMPARE(items.title(1), std::string_view());
    QVERIFY(!items.intact().ok());
    QVERIFY_THROWS_EXCEPTION(FileError, (void)dataset->bagOffsets("tags"));
    const std::vector<std::int64_t> half{3, 5, 0};
    QCOMPARE(BagRange(half, 1).end, std::int64_t{5});
  }

  // The counts of users that were made before.
  void usersThatAreLostBetweenTwoPassesStayInTheirValues() {
    std::vector<std::int32_t> users(1000);
    for (std::size_t row = 0; row < users.size(); ++row)
      users[row] = static_cast<std::int32_t>(row % 10);
    const UserGroups groups(users, 10);
    std::ranges::fill(users, 0);
    std::size_t values = 0;
    groups.forEach<std::int64_t>(
        [](std::int64_t row) { return row; },
        [&](std::int32_t user, std::span<const std::int64_t> rows) {
          QCOMPARE(user, 0);
          QVERIFY(std::ranges::all_of(rows, [](std::int64_t row) { return row < 1000; }));
          values += rows.size();
        });
    QCOMPARE(values, std::size_t{100});
  }

  void examiningTellsOfEveryFile() {
    const QTemporaryDir directory;
    const SampleDataset sample(root(directory));
    const DatasetOutcome sound = examineDataset(sample.folder());
    QVERIFY(sound.status().ok());
    QCOMPARE(sound.files.size(), sample.files().size() + 1);
    QVERIFY(Dataset::open(sample.folder()).ok());
    sample.write("time.i64", withElement(sample.read("time.i64"), 1, std::int64_t{7}));
    fs::remove(sample.folder() / "image.vec.f32");
    const DatasetOutcome outcome = examineDataset(sample.folder());
    std::vector<std::string> damaged;
    for (const FileOutcome& file : outcome.files)
      if (!file.problem.empty()) damaged.push_back(file.path.filename().string());
    QCOMPARE(damaged, (std::vector<std::string>{"time.i64", "image.vec.f32"}));
    QCOMPARE(outcome.status().error().path, (sample.folder() / "time.i64").string());
  }
};

QTEST_GUILESS_MAIN(DamageTest)
#include "damage_test.moc"
