// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>

#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using experiment::ColumnRole;
using experiment::MissingNumbers;
using experiment::VocabularyKind;

namespace {

experiment::Dataset specOf(const ImportFixture& fixture, MissingNumbers missing) {
  fixture.write("rows.csv",
                "user,item,price\n"
                "1,10,2\n"
                "1,20,\n"
                "2,10,4\n"
                "2,30,\n");
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kCsv;
  spec.path = (fixture.source() / "rows.csv").string();
  spec.label.column.reset();
  spec.maxRejectedShare = 0.6;
  spec.columns = {{.name = "user", .role = ColumnRole::kUser},
                  {.name = "item", .role = ColumnRole::kItem},
                  {.name = "price", .role = ColumnRole::kNumeric, .missing = missing}};
  for (const char* name : {"user", "item"}) {
    experiment::Vocabulary vocabulary;
    vocabulary.name = name;
    vocabulary.kind = VocabularyKind::kCompressed;
    spec.vocabularies.push_back(vocabulary);
  }
  return spec;
}

std::vector<float> pricesOf(const Dataset& dataset) {
  const auto values = dataset.denseValues("price");
  return {values.begin(), values.end()};
}

}  // namespace

class MissingNumbersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void linesAreRejectedUnlessTheColumnSaysOtherwise() {
    const ImportFixture fixture;
    const auto report = fixture.import(specOf(fixture, MissingNumbers::kReject));
    QVERIFY_OK(report);
    QCOMPARE(report->quarantined, 2);
    QCOMPARE(pricesOf(*report->dataset), (std::vector<float>{2, 4}));
  }

  void cellsBecomeTheMeanOfTheOthers() {
    const ImportFixture fixture;
    const auto report = fixture.import(specOf(fixture, MissingNumbers::kMean));
    QVERIFY_OK(report);
    QCOMPARE(report->quarantined, 0);
    QCOMPARE(pricesOf(*report->dataset), (std::vector<float>{2, 3, 4, 3}));
    QVERIFY2(report->warnings.front().find("2 of the 4 numbers of \"price\" are missing; they "
                                           "become 3, the mean of the others") != std::string::npos,
             report->warnings.front().c_str());
  }

  void nanIsAMissingNumberAndInfinityIsNone() {
    const ImportFixture fixture;
    for (const auto& [missing, rejected] :
         {std::pair{MissingNumbers::kMean, 1}, {MissingNumbers::kReject, 3}}) {
      const experiment::Dataset spec = specOf(fixture, missing);
      fixture.write("rows.csv",
                    "user,item,price\n1,10,2\n1,20,nan\n2,10,4\n2,30,inf\n3,10,NaN\n3,30,6\n");
      const auto report = fixture.import(spec);
      QVERIFY_OK(report);
      QCOMPARE(report->quarantined, rejected);
      QCOMPARE(pricesOf(*report->dataset),
               rejected == 1 ? (std::vector<float>{2, 4, 4, 4, 6}) : (std::vector<float>{2, 4, 6}));
    }
  }

  void cellsBecomeZero() {
    const ImportFixture fixture;
    const auto mean = fixture.import(specOf(fixture, MissingNumbers::kMean));
    const auto report = fixture.import(specOf(fixture, MissingNumbers::kZero));
    QVERIFY_OK(report);
    QCOMPARE(pricesOf(*report->dataset), (std::vector<float>{2, 0, 4, 0}));
    QVERIFY(report->dataset->hash() != mean->dataset->hash());
  }

  // Numbers of rows that a k-core leaves out have no part in the mean.
  void theMeanIsOfTheRowsThatStay() {
    const ImportFixture fixture;
    experiment::Dataset spec = specOf(fixture, MissingNumbers::kMean);
    fixture.write("rows.csv", "user,item,price\n1,10,2\n1,20,\n2,10,100\n");
    spec.kCore = experiment::KCore{.user = 2, .item = 1};
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(pricesOf(*report->dataset), (std::vector<float>{2, 2}));
  }

  void aColumnWithoutNumbersIsZero() {
    const ImportFixture fixture;
    experiment::Dataset spec = specOf(fixture, MissingNumbers::kMean);
    spec.filter = "price is missing";
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(pricesOf(*report->dataset), (std::vector<float>{0, 0}));
  }
};

QTEST_APPLESS_MAIN(MissingNumbersTest)
#include "missing_numbers_test.moc"
