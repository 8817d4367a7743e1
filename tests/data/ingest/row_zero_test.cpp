// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/experiment/query_context.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using experiment::ColumnRole;
using experiment::VocabularyKind;

/// The owner of row 0, and warnings of tables whose rows are not used.
class RowZeroTest : public QObject {
  Q_OBJECT

 private:
  ImportFixture fixture_;

  [[nodiscard]] experiment::Dataset specOf(const std::string& text) const {
    fixture_.write("plays.csv", text);
    experiment::Dataset spec;
    spec.source = experiment::SourceKind::kCsv;
    spec.path = (fixture_.source() / "plays.csv").string();
    spec.label.column.reset();
    spec.label.scale.reset();
    for (const auto& [name, role] :
         {std::pair{"user", ColumnRole::kUser}, std::pair{"item", ColumnRole::kItem},
          std::pair{"is_organic", ColumnRole::kContext}}) {
      experiment::Column column;
      column.name = name;
      column.role = role;
      spec.columns.push_back(column);
      experiment::Vocabulary vocabulary;
      vocabulary.name = name;
      vocabulary.kind = VocabularyKind::kDirect;
      spec.vocabularies.push_back(vocabulary);
    }
    return spec;
  }

 private Q_SLOTS:
  void contextsOfDirectVocabulariesUseIt() {
    const auto spec = specOf("user,item,is_organic\n1,1,0\n1,2,1\n2,1,0\n");
    const auto report = fixture_.import(spec);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    const Vocabulary& organic = report->dataset->vocabulary("is_organic");
    QCOMPARE(organic.size(), std::int64_t{2});
    QCOMPARE(organic.rawId(0), std::string_view("0"));
    QCOMPARE(organic.count(0), std::int64_t{2});
    QCOMPARE(organic.row("0").value_or(-1), 0);
    QVERIFY(!organic.isCandidate(0));
    const auto ids = report->dataset->ids("is_organic");
    QCOMPARE(std::vector<std::int32_t>(ids.begin(), ids.end()),
             (std::vector<std::int32_t>{0, 1, 0}));
    for (const auto& vocabulary : report->vocabularies) QCOMPARE(vocabulary.oovShare, 0.0);
    // The set opens again.
    QVERIFY(Dataset::open(report->dataset->folder()).ok());
  }

  void usersAndItemsDoNot() {
    auto spec = specOf("user,item,is_organic\n1,0,0\n");
    spec.maxRejectedShare = 1.0;
    const auto report = fixture_.import(spec);
    QVERIFY(!report.ok());
    QVERIFY2(report.error().text().find("item id 0: row 0 is reserved") != std::string::npos,
             report.error().text().c_str());
    QVERIFY(!experiment::usesRowZero(spec, spec.vocabularies[1]));
    QVERIFY(experiment::usesRowZero(spec, spec.vocabularies[2]));
  }

  // Unknown and missing ids need a row of their own.
  void vocabulariesWithUnknownIdsDoNot() {
    auto spec = specOf("user,item,is_organic\n1,1,1\n");
    spec.vocabularies[2].oov = experiment::OovKind::kRow;
    QVERIFY(!experiment::usesRowZero(spec, spec.vocabularies[2]));
    spec.vocabularies[2].oov.reset();
    spec.vocabularies[2].kind = VocabularyKind::kCompressed;
    QVERIFY(!experiment::usesRowZero(spec, spec.vocabularies[2]));
  }

  void tablesThatAreMostlyUnusedAreTold() {
    const auto report = fixture_.import(specOf("user,item,is_organic\n100,1,0\n900,2,1\n"));
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    QCOMPARE(report->warnings.size(), std::size_t{1});
    QVERIFY2(report->warnings[0].starts_with(
                 "898 of the 901 rows of vocabulary \"user\" are in no imported row"),
             report->warnings[0].c_str());
  }
};

QTEST_GUILESS_MAIN(RowZeroTest)
#include "row_zero_test.moc"
