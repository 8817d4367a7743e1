// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/data/ingest/import/choose_data.h"
#include "engine/data/ingest/import/detect_source.h"
#include "engine/data/split/leakage.h"
#include "engine/data/split/split.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using experiment::ColumnRole;
using experiment::SplitKind;
using experiment::VocabularyKind;

namespace {

using Rows = std::vector<std::int64_t>;

constexpr const char* kRows =
    "user,item,part,rating\n"
    "1,10,train,5\n"
    "1,20,validation,3\n"
    "2,10,train,4\n"
    "2,30,test,2\n"
    "3,20, train ,1\n";

experiment::Dataset specOf(const ImportFixture& fixture) {
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kCsv;
  spec.label.column = "rating";
  spec.columns = {{.name = "user", .role = ColumnRole::kUser},
                  {.name = "item", .role = ColumnRole::kItem}};
  for (const char* name : {"user", "item"}) {
    experiment::Vocabulary vocabulary;
    vocabulary.name = name;
    vocabulary.kind = VocabularyKind::kCompressed;
    spec.vocabularies.push_back(vocabulary);
  }
  spec.path = fixture.source().string();
  return spec;
}

// Rows with a column that says the part.
experiment::Dataset columnSpec(const ImportFixture& fixture, const char* text = kRows) {
  fixture.write("rows.csv", text);
  experiment::Dataset spec = specOf(fixture);
  spec.path = (fixture.source() / "rows.csv").string();
  spec.split.kind = SplitKind::kColumn;
  spec.split.validation = {};
  return spec;
}

// A file for each part, beside each other.
experiment::Dataset filesSpec(const ImportFixture& fixture) {
  fixture.write("train.csv", "user,item,rating\n1,10,5\n2,10,4\n3,20,1\n");
  fixture.write("validation.csv", "item,user,rating\n20,1,3\n");
  fixture.write("test.csv", "user,item,rating\n2,abc,2.5\n");
  experiment::Dataset spec = specOf(fixture);
  spec.split.kind = SplitKind::kFiles;
  spec.split.trainFile = "train.csv";
  spec.split.validationFile = "validation.csv";
  spec.split.testFile = "test.csv";
  return spec;
}

Result<Split> splitOf(const Dataset& dataset, const experiment::Dataset& spec) {
  return makeSplit(EventColumns(dataset), {.split = spec.split, .seed = 1});
}

Rows listOf(const RowSet& set) {
  Rows rows;
  set.forEach([&](std::int64_t row) { rows.push_back(row); });
  return rows;
}

std::vector<std::string> rawIds(const Dataset& dataset, const char* column) {
  std::vector<std::string> ids;
  for (const std::int32_t row : dataset.ids(column))
    ids.emplace_back(dataset.vocabularyOf(column).rawId(row));
  return ids;
}

QString text(const Error& error) {
  return QString::fromStdString(error.pointer + ": " + error.text());
}

}  // namespace

class GivenSplitsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aColumnSaysThePartOfEveryRow() {
    const ImportFixture fixture;
    const auto report = fixture.import(columnSpec(fixture));
    QVERIFY_OK(report);
    const auto split = splitOf(*report->dataset, columnSpec(fixture));
    QVERIFY_OK(split);
    QCOMPARE(listOf(split->train), (Rows{0, 2, 4}));
    QCOMPARE(listOf(split->validation), Rows{1});
    QCOMPARE(listOf(split->test), Rows{3});
    QVERIFY_OK(report->dataset->verify());
  }

  void theColumnIsPartOfTheName() {
    const ImportFixture fixture;
    experiment::Dataset spec = columnSpec(fixture);
    const auto first = fixture.import(spec);
    QVERIFY_OK(first);
    const auto again = fixture.import(spec);
    QVERIFY_OK(again);
    QVERIFY(again->reused);
    QCOMPARE(again->dataset->parts().size(), std::size_t{5});
    // Splits that are made of any data set share one.
    spec.split.kind = SplitKind::kLeaveRandom;
    const auto other = fixture.import(spec);
    QVERIFY_OK(other);
    QVERIFY(!other->reused);
    QVERIFY(other->dataset->parts().empty());
    spec.split.kind = SplitKind::kRandom;
    QVERIFY(fixture.import(spec)->reused);
    const auto without = splitOf(*other->dataset, columnSpec(fixture));
    QVERIFY(!without);
    QVERIFY2(text(without.error()).contains("imported without"), qPrintable(text(without.error())));
  }

  void wrongPartsEndTheImport_data() {
    QTest::addColumn<QByteArray>("row");
    QTest::addColumn<QString>("message");
    QTest::newRow("unknown") << QByteArray("4,10,dev,5\n") << "line 7: the part \"dev\"";
    QTest::newRow("missing") << QByteArray("4,10,,5\n") << "line 7: the part \"\"";
    QTest::newRow("capital") << QByteArray("4,10,Train,5\n") << "\"Train\"";
    QTest::newRow("unused") << QByteArray("4,10,unused,5\n") << "\"unused\"";
  }
  void wrongPartsEndTheImport() {
    QFETCH(QByteArray, row);
    QFETCH(QString, message);
    const ImportFixture fixture;
    experiment::Dataset spec = columnSpec(fixture, (kRows + row.toStdString()).c_str());
    spec.maxRejectedShare = 1.0;
    const auto report = fixture.import(spec);
    QVERIFY(!report);
    QCOMPARE(QString::fromStdString(report.error().pointer), "/dataset/split/column");
    QVERIFY2(text(report.error()).contains(message), qPrintable(text(report.error())));
    QVERIFY(text(report.error()).contains("\"train\", \"validation\" and \"test\" are accepted"));
    QCOMPARE(fixture.leftBehind(), 0);
    // Rows that a filter leaves out are nobody's.
    spec.filter = "user != 4";
    QVERIFY_OK(fixture.import(spec));
  }

  void anEmptyPartIsAnError() {
    const ImportFixture fixture;
    const auto errorOf = [&fixture](const char* rows) {
      const experiment::Dataset spec = columnSpec(fixture, rows);
      const auto report = fixture.import(spec);
      if (!report) return text(report.error());
      const auto split = splitOf(*report->dataset, spec);
      return split ? QString() : text(split.error());
    };
    const QString noTraining = errorOf("user,item,part,rating\n1,10,test,5\n");
    QVERIFY2(noTraining.contains("\"train\" is empty"), qPrintable(noTraining));
    const QString noOther = errorOf("user,item,part,rating\n1,10,train,5\n");
    QVERIFY2(noOther.contains("\"validation\" and \"test\" are empty"), qPrintable(noOther));
    QCOMPARE(errorOf("user,item,part,rating\n1,10,train,5\n1,20,test,5\n"), QString());
  }

  void partsFollowTheRowsThatStay() {
    const ImportFixture fixture;
    experiment::Dataset spec = columnSpec(fixture);
    spec.kCore = experiment::KCore{.user = 2, .item = 1};
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const auto split = splitOf(*report->dataset, spec);
    QVERIFY_OK(split);
    QCOMPARE(listOf(split->train), (Rows{0, 2}));
    QCOMPARE(listOf(split->test), Rows{3});
  }

  void aColumnThatIsNotThereIsNamed() {
    const ImportFixture fixture;
    experiment::Dataset spec = columnSpec(fixture);
    spec.split.column = "prat";
    const auto report = fixture.import(spec);
    QVERIFY(!report);
    QVERIFY2(text(report.error()).contains("did you mean \"part\"?"),
             qPrintable(text(report.error())));
    QCOMPARE(QString::fromStdString(report.error().pointer), "/dataset/split/column");
  }

  void everyPartHasItsFile() {
    const ImportFixture fixture;
    const experiment::Dataset spec = filesSpec(fixture);
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const Dataset& dataset = *report->dataset;
    QCOMPARE(dataset.rows(), 5);
    // By name, whatever the order of the columns; text where one file has text.
    QCOMPARE(rawIds(dataset, "user"), (std::vector<std::string>{"1", "2", "3", "1", "2"}));
    QCOMPARE(rawIds(dataset, "item"), (std::vector<std::string>{"10", "10", "20", "20", "abc"}));
    QCOMPARE(dataset.labels()[4], 2.5f);
    const auto split = splitOf(dataset, spec);
    QVERIFY_OK(split);
    QCOMPARE(listOf(split->train), (Rows{0, 1, 2}));
    QCOMPARE(listOf(split->validation), Rows{3});
    QCOMPARE(listOf(split->test), Rows{4});
    const LeakageReport leaks = findLeakage(EventColumns(dataset), *split);
    QCOMPARE(leaks.trainRows, 3);
    QCOMPARE(leaks.held[1].coldItems, 1);
    QVERIFY(fixture.import(spec)->reused);
  }

  void withoutAFileValidationRowsAreDrawn() {
    const ImportFixture fixture;
    experiment::Dataset spec = filesSpec(fixture);
    std::string rows = "user,item,rating\n";
    for (int row = 0; row < 100; ++row) rows += std::to_string(row % 9) + ",10,5\n";
    fixture.write("train.csv", rows);
    spec.split.validationFile.reset();
    spec.split.validation = {0.1, true};
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const auto split = splitOf(*report->dataset, spec);
    QVERIFY_OK(split);
    QCOMPARE(split->train.size(), std::int64_t{90});
    QCOMPARE(split->validation.size(), std::int64_t{10});
    QCOMPARE(listOf(split->test), Rows{100});
    spec.split.validation = {};
    QCOMPARE(splitOf(*report->dataset, spec)->train.size(), std::int64_t{100});
  }

  // Few lines of words look like names; those of the training rows decide.
  void filesWithoutNamesHaveColumnsByNumber() {
    const ImportFixture fixture;
    experiment::Dataset spec = filesSpec(fixture);
    fixture.write("train.csv", "1,10\n2,10\n3,20\n");
    fixture.write("validation.csv", "1,20\n");
    fixture.write("test.csv", "user_a,item_a\nb,abc\n");
    spec.columns[0].from = "1";
    spec.columns[1].from = "2";
    spec.label = {.column = std::nullopt, .scale = std::nullopt};
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(rawIds(*report->dataset, "user"),
             (std::vector<std::string>{"1", "2", "3", "1", "user_a", "b"}));
  }

  void aFolderOfPartsIsDetected_data() {
    QTest::addColumn<QStringList>("files");
    QTest::addColumn<QStringList>("parts");  // train, validation, test; empty: no split by files
    QTest::newRow("all") << QStringList{"train.csv", "valid.csv", "test.csv"}
                         << QStringList{"train.csv", "valid.csv", "test.csv"};
    QTest::newRow("no validation")
        << QStringList{"train.csv", "test.csv"} << QStringList{"train.csv", "", "test.csv"};
    QTest::newRow("words in names")
        << QStringList{"ml-100k_train.tsv", "ml-100k_dev.tsv", "notes.txt"}
        << QStringList{"ml-100k_train.tsv", "ml-100k_dev.tsv", ""};
    QTest::newRow("two of a part")
        << QStringList{"train-1.csv", "train-2.csv", "test.csv"} << QStringList();
    QTest::newRow("one part") << QStringList{"train.csv", "more.csv"} << QStringList();
    QTest::newRow("in other words") << QStringList{"trains.csv", "latest.csv"} << QStringList();
  }
  void aFolderOfPartsIsDetected() {
    QFETCH(QStringList, files);
    QFETCH(QStringList, parts);
    const ImportFixture fixture;
    for (const QString& name : files) fixture.write(name.toStdString(), "user,item\n1,2\n");
    const auto found = detectSource(fixture.source());
    QVERIFY_OK(found);
    const experiment::Split& split = found->split;
    QCOMPARE(split.kind == SplitKind::kFiles, !parts.isEmpty());
    if (parts.isEmpty()) return;
    QCOMPARE(split.trainFile.value_or(""), parts[0].toStdString());
    QCOMPARE(split.validationFile.value_or(""), parts[1].toStdString());
    QCOMPARE(split.testFile.value_or(""), parts[2].toStdString());
    QCOMPARE(split.validation.value, parts[1].isEmpty() ? 0.1 : 0.0);
  }

  void filesMayChangeRolesButNotUnseen() {
    const ImportFixture fixture;
    experiment::Dataset spec = filesSpec(fixture);
    spec.split.testFile.reset();
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QVERIFY(splitOf(*report->dataset, spec)->test.empty());
    // Bytes of a file in another part are another data set.
    spec.split.testFile = spec.split.validationFile;
    spec.split.validationFile.reset();
    const auto other = fixture.import(spec);
    QVERIFY_OK(other);
    QVERIFY(!other->reused);
    QCOMPARE(splitOf(*other->dataset, spec)->test.size(), 1);
  }

  void linesAreCountedInTheirOwnFile() {
    const ImportFixture fixture;
    experiment::Dataset spec = filesSpec(fixture);
    fixture.write("test.csv", "user,item,rating\n2,30,2\n2,40,oops\n");
    spec.maxRejectedShare = 0.6;
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->quarantined, 1);
    QCOMPARE(report->rejectedLines.front().line, 3);
    QVERIFY(report->rejectedLines.front().path.ends_with("test.csv"));
  }

  void filesThatDoNotFitAreRefused_data() {
    QTest::addColumn<QByteArray>("test");
    QTest::addColumn<QString>("message");
    QTest::newRow("other columns") << QByteArray("user,movie,rating\n2,30,2\n")
                                   << "user, movie, rating instead of user, item, rating";
    QTest::newRow("one more") << QByteArray("user,item,rating,when\n2,30,2,9\n") << "other columns";
    QTest::newRow("empty") << QByteArray() << "test.csv";
    QTest::newRow("header only") << QByteArray("user,item,rating\n") << "test";
    QTest::newRow("no header") << QByteArray("2,30,2\n3,20,1\n") << "other columns";
  }
  void filesThatDoNotFitAreRefused() {
    QFETCH(QByteArray, test);
    QFETCH(QString, message);
    const ImportFixture fixture;
    const experiment::Dataset spec = filesSpec(fixture);
    fixture.write("test.csv", test.toStdString());
    const auto report = fixture.import(spec);
    QVERIFY(!report || !splitOf(*report->dataset, spec));
    const Error error = report ? splitOf(*report->dataset, spec).error() : report.error();
    QCOMPARE(QString::fromStdString(error.pointer), "/dataset/split/test");
    QVERIFY2(text(error).contains(message), qPrintable(text(error)));
  }

  void aFileThatIsNotThereIsNamed() {
    const ImportFixture fixture;
    experiment::Dataset spec = filesSpec(fixture);
    spec.split.validationFile = "valid.csv";
    const auto report = fixture.import(spec);
    QVERIFY(!report);
    QCOMPARE(QString::fromStdString(report.error().pointer), "/dataset/split/validation");
    QVERIFY(report.error().code == ErrorCode::kData);
    spec = filesSpec(fixture);
    spec.source = experiment::SourceKind::kMovielens;
    QCOMPARE(QString::fromStdString(fixture.import(spec).error().pointer), "/dataset/split/kind");
  }

  void otherDataHaveNoPartsOfThese() {
    const ImportFixture fixture;
    const experiment::Dataset spec = filesSpec(fixture);
    fixture.write("other.csv", "user,item,rating\n1,10,5\n2,10,4\n3,20,1\n");
    const auto chosen = chooseData(spec, fixture.source() / "other.csv", OtherColumns::kSuggest, 5,
                                   {}, makeGenerator);
    QVERIFY_OK(chosen);
    QVERIFY(chosen->dataset.split.kind == SplitKind::kRandom);
    QVERIFY(!chosen->changes.empty());
    // A folder with the files of the parts.
    const auto folder =
        chooseData(spec, fixture.source(), OtherColumns::kKeep, 5, {}, makeGenerator);
    QVERIFY_OK(folder);
    QVERIFY(folder->dataset.split.kind == SplitKind::kFiles);
  }
};

QTEST_APPLESS_MAIN(GivenSplitsTest)
#include "given_splits_test.moc"
