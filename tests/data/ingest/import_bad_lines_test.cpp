// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/base/files.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using SizeKind = experiment::VocabularySize::Kind;

class ImportBadLinesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // One bad line between good ones: quarantined with its number and reason, the rest is imported.
  void quarantinesTheLine_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("reason");
    const auto add = [](const char* name, QByteArray line, const char* reason) {
      QTest::newRow(name) << line << QByteArray(reason);
    };
    add("letters for a user", "abc\t1\t3\t0", "user id \"abc\"");
    add("letters for an item", "1\tx7\t3\t0", "item id \"x7\"");
    add("a fraction for an id", "1.5\t1\t3\t0", "user id \"1.5\"");
    add("space in an id", "1 1\t1\t3\t0", "user id \"1 1\"");
    add("empty id", "\t1\t3\t0", "user id \"\"");
    add("missing column", "1\t1\t3", "3 columns");
    add("extra column", "1\t1\t3\t0\t9", "5 columns");
    add("other separator", "1,1,3,0", "1 columns");
    add("2^63", "9223372036854775808\t1\t3\t0", "user id \"9223372036854775808\"");
    add("rating below", "1\t1\t0\t0", "outside the label scale");
    add("rating above", "1\t1\t5.01\t0", "outside the label scale");
    add("rating NaN", "1\t1\tnan\t0", "finite");
    add("rating infinite", "1\t1\tinf\t0", "finite");
    add("rating in words", "1\t1\tgood\t0", "rating \"good\"");
    add("time in words", "1\t1\t3\tnoon", "time \"noon\"");
    add("NUL byte", QByteArray("1\t1\0\t3\t0", 8), "NUL byte");
    add("bad UTF-8", "1\t\xFF\xFE\t3\t0", "not UTF-8");
  }
  void quarantinesTheLine() {
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, reason);
    const ImportFixture fixture;
    fixture.writeItems(3);
    fixture.write("u.data", "1\t1\t3\t0\n\n" + line.toStdString() + "\n2\t2\t4\t0\n");
    auto spec = fixture.spec(SizeKind::kCataloguePlusOne);
    spec.maxRejectedShare = 0.5;
    const auto report = fixture.import(spec);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    QCOMPARE(report->rows, std::int64_t{2});
    QCOMPARE(report->quarantined, std::int64_t{1});
    QCOMPARE(report->dataset->quarantined(), std::int64_t{1});
    const RejectedLine& bad = report->rejectedLines.at(0);
    QCOMPARE(bad.line, std::int64_t{3});
    QCOMPARE(bad.path, (fixture.source() / "u.data").string());
    QVERIFY2(bad.reason.find(reason.toStdString()) != std::string::npos, bad.reason.c_str());
    QVERIFY(!bad.excerpt.empty());
  }

  // An id without a row is no fault of its line: all rows of a user or an item would be lost.
  void aDirectVocabularyFailsAtAnIdWithoutARow_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("reason");
    QTest::addColumn<int>("vocabulary");
    const auto add = [](const char* name, const char* line, const char* reason, int vocabulary) {
      QTest::newRow(name) << QByteArray(line) << QByteArray(reason) << vocabulary;
    };
    add("user 0", "0\t1\t3\t0", "user id 0: row 0 is reserved", 0);
    add("item 0", "1\t0\t3\t0", "item id 0: row 0 is reserved", 1);
    add("negative user", "-1\t1\t3\t0", "user id -1 is negative", 0);
    add("negative item", "1\t-9\t3\t0", "item id -9 is negative", 1);
    add("2^31 - 1", "2147483647\t1\t3\t0", "user id 2147483647 is too large", 0);
    add("beyond the catalogue", "1\t4\t3\t0", "item id 4 is too large", 1);
  }
  void aDirectVocabularyFailsAtAnIdWithoutARow() {
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, reason);
    QFETCH(int, vocabulary);
    const ImportFixture fixture;
    fixture.writeItems(3);
    fixture.write("u.data", "1\t1\t3\t0\n\n" + line.toStdString() + "\n2\t2\t4\t0\n0\t0\t1\t0\n");
    auto spec = fixture.spec(SizeKind::kCataloguePlusOne);
    spec.maxRejectedShare = 1.0;
    const auto report = fixture.import(spec);
    QVERIFY(!report);
    const Error& error = report.error();
    QVERIFY(error.code == ErrorCode::kData);
    QCOMPARE(QString::fromStdString(error.pointer),
             QString("/dataset/vocabularies/%1/kind").arg(vocabulary));
    QCOMPARE(error.path, (fixture.source() / "u.data").string());
    QVERIFY(error.line == 3);
    QVERIFY2(error.message.find(reason.toStdString()) != std::string::npos, error.message.c_str());
    QVERIFY2(error.message.find("the kind \"compressed\" with the size \"auto\" accepts any id") !=
                 std::string::npos,
             error.message.c_str());
    QCOMPARE(fixture.leftBehind(), 0);
  }

  // Under "compressed" and "hash" an id is a name: signed hashes are half negative.
  void aNumberIsANameUnlessIdsAreRows() {
    const ImportFixture fixture;
    fixture.write("u.data", "0\t0\t3\t0\n1\t-1\t3\t0\n-9223372036854775808\t1\t3\t0\n");
    for (const auto kind :
         {experiment::VocabularyKind::kCompressed, experiment::VocabularyKind::kHash}) {
      auto spec = fixture.spec();
      for (auto& vocabulary : spec.vocabularies) {
        vocabulary.kind = kind;
        vocabulary.size = {};
        if (kind == experiment::VocabularyKind::kHash)
          vocabulary.size = {.kind = SizeKind::kFixed, .fixed = 8};
      }
      const auto report = fixture.import(spec);
      QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
      QCOMPARE(report->rows, std::int64_t{3});
      QCOMPARE(report->quarantined, std::int64_t{0});
      if (kind == experiment::VocabularyKind::kHash) continue;
      const Vocabulary& items = report->dataset->vocabulary("item");
      QVERIFY(items.row("-1").has_value());
      QVERIFY(report->dataset->vocabulary("user").row("-9223372036854775808").has_value());
    }
  }

  // A row that the filter leaves out is no row of the vocabulary.
  void aFilterMayLeaveOutId0() {
    const ImportFixture fixture;
    fixture.write("u.data", "0\t1\t3\t0\n1\t1\t3\t0\n");
    auto spec = fixture.spec();
    spec.filter = "user > 0";
    QCOMPARE(fixture.import(spec)->rows, std::int64_t{1});
  }

  // 100 MB without an end of line: one bad line, and nobody holds it in memory.
  void aLineOf100MegabytesCostsNoMemory() {
    const ImportFixture fixture;
    fixture.write("u.data", "1\t1\t3\t0\n");
    constexpr std::uintmax_t kBytes = 100'000'000;
    {
      auto writer = FileWriter::create(fixture.source() / "long").value();
      const std::string block(1'000'000, '7');
      QVERIFY(writer.write("1\t1\t3\t0\n").ok());
      for (std::uintmax_t done = 0; done < kBytes; done += block.size())
        QVERIFY(writer.write(block).ok());
      QVERIFY(writer.write("\n2\t1\t3\t0\n").ok());
      QVERIFY(writer.finish().ok());
    }
    std::filesystem::rename(fixture.source() / "long", fixture.source() / "u.data");
    auto spec = fixture.spec();
    spec.maxRejectedShare = 0.5;
    const auto report = fixture.import(spec);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    QCOMPARE(report->rows, std::int64_t{2});
    QCOMPARE(report->rejectedLines.at(0).line, std::int64_t{2});
    QVERIFY(report->rejectedLines[0].reason.find("100000000 bytes") != std::string::npos);
    QVERIFY(report->rejectedLines[0].excerpt.size() < 100);
  }

  void catalogueLinesAreQuarantinedToo() {
    const ImportFixture fixture;
    fixture.writeItems(3);
    const std::string items = readFile(fixture.source() / "u.item").value();
    fixture.write("u.item",
                  items + "4|no flags\n2|Twice||||0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0\n");
    fixture.write("u.data", "1\t1\t3\t0\n");
    auto spec = fixture.spec(SizeKind::kCataloguePlusOne);
    spec.maxRejectedShare = 0.5;
    const auto report = fixture.import(spec);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    QCOMPARE(report->quarantined, std::int64_t{2});
    QCOMPARE(report->rejectedLines[0].path, (fixture.source() / "u.item").string());
    QCOMPARE(report->rejectedLines[1].line, std::int64_t{5});
    QVERIFY(report->rejectedLines[1].reason.find("second time") != std::string::npos);
    QCOMPARE(report->dataset->vocabulary("item").title(2), std::string_view("Item 2 (1990)"));
  }

  void keepsTheFirstHundredAndCountsAll() {
    const ImportFixture fixture;
    std::string text;
    for (int i = 0; i < 150; ++i) text += "bad\n1\t1\t3\t0\n";
    fixture.write("u.data", text);
    auto spec = fixture.spec();
    spec.maxRejectedShare = 0.5;
    const auto report = fixture.import(spec);
    QVERIFY(report.ok());
    QCOMPARE(report->quarantined, std::int64_t{150});
    QCOMPARE(report->rejectedLines.size(), std::size_t{100});
  }

  // Lines rejected for one reason fill the list of a piece first, others come before them in it.
  void everyLineOfTheListHasItsReason() {
    const ImportFixture fixture;
    std::string text;
    for (int i = 0; i < 120; ++i) text += "1\t1\t3\t9223372036854775807\n";  // times
    for (int i = 0; i < 120; ++i) text += "1\t1\t9\t0\n";                    // labels
    fixture.write("u.data", text + "1\t1\t3\t0\n");
    auto spec = fixture.spec();
    spec.maxRejectedShare = 1.0;
    const auto report = fixture.import(spec);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    QCOMPARE(report->quarantined, std::int64_t{240});
    QCOMPARE(report->rejectedLines.size(), std::size_t{100});
    for (const RejectedLine& bad : report->rejectedLines) {
      QVERIFY2(bad.reason.find("time 9223372036854775807") != std::string::npos,
               std::to_string(bad.line).c_str());
      QVERIFY(!bad.excerpt.empty());
    }
  }

  // The data are at fault, whichever of their columns it is.
  void linesOverTheShareAreAFaultOfTheData_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("pointer");
    QTest::newRow("labels") << QByteArray("1\t1\t9\t0\n") << "/dataset/label/column";
    QTest::newRow("ids") << QByteArray("x\t1\t3\t0\n") << "/dataset/columns/0";
    QTest::newRow("times") << QByteArray("1\t1\t3\tnoon\n") << "/dataset/columns/2";
    QTest::newRow("lines") << QByteArray("bad\n") << "";
  }
  void linesOverTheShareAreAFaultOfTheData() {
    QFETCH(QByteArray, line);
    QFETCH(QString, pointer);
    const ImportFixture fixture;
    fixture.write("u.data", "1\t1\t3\t0\n" + line.toStdString());
    auto spec = fixture.spec();
    spec.columns = {{.name = "user", .role = experiment::ColumnRole::kUser},
                    {.name = "item", .role = experiment::ColumnRole::kItem},
                    {.name = "time", .role = experiment::ColumnRole::kTime}};
    spec.maxRejectedShare = 0.4;
    const auto report = fixture.import(spec);
    QVERIFY(!report);
    QVERIFY2(report.error().code == ErrorCode::kData, report.error().text().c_str());
    QCOMPARE(QString::fromStdString(report.error().pointer), pointer);
  }

  // One of them is no better to look at than the others, even where most lines fail there.
  void linesRejectedAtSeveralSettingsNameTheShare() {
    const ImportFixture fixture;
    fixture.write("u.data", "1\t1\t3\t0\nx\t1\t3\t0\ny\t1\t3\t0\n1\t1\t9\t0\n");
    auto spec = fixture.spec();
    spec.columns = {{.name = "user", .role = experiment::ColumnRole::kUser},
                    {.name = "item", .role = experiment::ColumnRole::kItem}};
    spec.maxRejectedShare = 0.4;
    const auto report = fixture.import(spec);
    QVERIFY(!report);
    QCOMPARE(report.error().pointer, std::string("/dataset/max_rejected_share"));
    QVERIFY2(report.error().message.find("3 of 4 lines were rejected") != std::string::npos,
             report.error().text().c_str());
  }

  void failsOverTheAcceptedShare() {
    const ImportFixture fixture;
    fixture.write("u.data", "1\t1\t3\t0\nbad\n1\t2\t9\t0\n2\t2\t4\t0\n");
    auto spec = fixture.spec();
    spec.maxRejectedShare = 0.49;
    const auto report = fixture.import(spec);
    QVERIFY(!report);
    const Error& error = report.error();
    QVERIFY(error.code == ErrorCode::kData);
    QCOMPARE(error.path, (fixture.source() / "u.data").string());
    QVERIFY(error.line == 2);
    QVERIFY2(error.message.find("2 of 4 lines were rejected") != std::string::npos,
             error.message.c_str());
    QVERIFY(error.message.find("line 3: rating 9") != std::string::npos);
    QCOMPARE(fixture.leftBehind(), 0);
  }

  void failsWithoutAGoodRow() {
    const ImportFixture fixture;
    fixture.write("u.data", "bad\nworse\n");
    auto spec = fixture.spec();
    spec.maxRejectedShare = 1.0;
    const auto report = fixture.import(spec);
    QVERIFY(!report);
    QVERIFY(report.error().code == ErrorCode::kData);
    QVERIFY(report.error().message.find("at least one row") != std::string::npos);
    QCOMPARE(fixture.leftBehind(), 0);
  }

  void failsOnOneStrayIdThatWouldMakeAHugeTable() {
    const ImportFixture fixture;
    fixture.write("u.data", "1\t1\t3\t0\n2000000000\t1\t3\t0\n");
    const auto report = fixture.import(fixture.spec());
    QVERIFY(!report);
    QVERIFY(report.error().message.find("compressed") != std::string::npos);
    auto spec = fixture.spec();
    spec.vocabularies[0].kind = experiment::VocabularyKind::kCompressed;
    spec.vocabularies[0].size = {};
    QVERIFY(fixture.import(spec).ok());
  }
};

QTEST_GUILESS_MAIN(ImportBadLinesTest)
#include "import_bad_lines_test.moc"
