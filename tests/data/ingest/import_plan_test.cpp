// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/import_plan.h"

#include <QTest>

#include "engine/data/ingest/import/shaped_rows.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using experiment::ColumnRole;
using experiment::VocabularyKind;

namespace {

constexpr const char* kRows =
    "who,what,when,device,stars\n"
    "1,10,5,phone,5\n"
    "2,20,6,,3\n"
    "3,900,7,tv,9\n"
    "4,30,8,tv,1\n";

experiment::Dataset specOf(const ImportFixture& fixture) {
  fixture.write("rows.csv", kRows);
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kCsv;
  spec.path = (fixture.source() / "rows.csv").string();
  spec.label.column = "stars";
  spec.label.scale = {1.0, 5.0};
  spec.columns = {{.name = "user", .role = ColumnRole::kUser, .from = "who"},
                  {.name = "item", .role = ColumnRole::kItem, .from = "what"},
                  {.name = "time", .role = ColumnRole::kTime, .from = "when"},
                  {.name = "device", .role = ColumnRole::kContext}};
  for (const char* name : {"user", "item", "device"}) {
    experiment::Vocabulary vocabulary;
    vocabulary.name = name;
    vocabulary.kind = VocabularyKind::kCompressed;
    spec.vocabularies.push_back(vocabulary);
  }
  return spec;
}

}  // namespace

/// Columns that an import reads (import_plan), and the shape of a piece of rows (shaped_rows).
class ImportPlanTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void userAndItemComeFirst() {
    experiment::Dataset spec = specOf(fixture_);
    std::ranges::rotate(spec.columns, spec.columns.begin() + 2);
    const auto source = openSource(spec, makeGenerator);
    QVERIFY_OK(source);
    const auto plan = planImport(spec, **source);
    QVERIFY_OK(plan);
    QCOMPARE(plan->ids.size(), std::size_t{3});
    QCOMPARE(plan->ids[0].spec.name, std::string("user"));
    QCOMPARE(plan->ids[1].spec.name, std::string("item"));
    QVERIFY(plan->ids[0].isRequired() && !plan->ids[2].isRequired());
    QVERIFY(plan->vocabularies[plan->ids[2].vocabulary].type == ValueType::kText);
    QVERIFY(plan->time && plan->label && !plan->weight);
  }

  void whatDoesNotFitTheSourceIsToldAtItsSetting_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("pointer");
    QTest::newRow("a column that is not there") << "column"
                                                << "/dataset/columns/3";
    QTest::newRow("no user") << "user"
                             << "/dataset/columns";
    QTest::newRow("a vocabulary that is missing") << "missing"
                                                  << "/dataset/vocabularies";
    QTest::newRow("direct ids of text") << "direct"
                                        << "/dataset/columns";
    QTest::newRow("a filter of nothing") << "filter"
                                         << "/dataset/filter";
    QTest::newRow("a label that is not there") << "label"
                                               << "/dataset/label/column";
  }
  void whatDoesNotFitTheSourceIsToldAtItsSetting() {
    QFETCH(QString, change);
    QFETCH(QString, pointer);
    experiment::Dataset spec = specOf(fixture_);
    if (change == "column") spec.columns[3].from = "devices";
    if (change == "user") spec.columns.erase(spec.columns.begin());
    if (change == "missing") spec.vocabularies.pop_back();
    if (change == "direct") spec.vocabularies[2].kind = VocabularyKind::kDirect;
    if (change == "filter") spec.filter = "price > 3";
    if (change == "label") spec.label.column = "rating";
    const auto source = openSource(spec, makeGenerator);
    QVERIFY_OK(source);
    const auto plan = planImport(spec, **source);
    QVERIFY(!plan.ok());
    QCOMPARE(plan.error().code, ErrorCode::kInvalidDocument);
    QVERIFY2(QString::fromStdString(plan.error().pointer).startsWith(pointer),
             plan.error().pointer.c_str());
  }

  // A label outside its scale is a rejected line; a context without a value is a missing id.
  void rowsBecomeColumnsAndWrongLinesAreRejected() {
    const experiment::Dataset spec = specOf(fixture_);
    ShapedRows rows;
    shape(spec, rows);
    QCOMPARE(rows.rows, std::int64_t{3});
    QCOMPARE(rows.ids[0].integers, (std::vector<std::int64_t>{1, 2, 4}));
    QCOMPARE(rows.ids[1].integers, (std::vector<std::int64_t>{10, 20, 30}));
    QCOMPARE(rows.ids[2].missing, (std::vector<std::uint8_t>{0, 1, 0}));
    QCOMPARE(rows.labels, (std::vector<float>{1.0f, 0.5f, 0.0f}));
    QCOMPARE(rows.times, (std::vector<std::int64_t>{5, 6, 8}));
    QCOMPARE(rows.block.rejected.size(), std::size_t{1});
    QVERIFY(rows.block.rejected[0].reason.find('9') != std::string::npos);
    QVERIFY(!rows.unfit);
  }

  void aFilterLeavesRowsOutWithoutRejectingThem() {
    experiment::Dataset spec = specOf(fixture_);
    spec.filter = "what < 25";
    ShapedRows rows;
    shape(spec, rows);
    QCOMPARE(rows.ids[1].integers, (std::vector<std::int64_t>{10, 20}));
    QCOMPARE(rows.filteredOut + static_cast<std::int64_t>(rows.block.rejected.size()),
             std::int64_t{2});
  }

  // The document says that ids are rows, and they are not.
  void anIdBeyondADirectVocabularyEndsTheImport() {
    experiment::Dataset spec = specOf(fixture_);
    spec.label.scale.reset();
    spec.vocabularies[1].kind = VocabularyKind::kDirect;
    spec.vocabularies[1].size = {experiment::VocabularySize::Kind::kFixed, 100};
    ShapedRows rows;
    shape(spec, rows);
    QVERIFY(rows.unfit);
    QVERIFY(rows.unfit->reason.find("900") != std::string::npos);
    QCOMPARE(rows.unfit->vocabulary, std::size_t{1});
  }

 private:
  /// The first piece of a source, all its lines.
  static void shape(const experiment::Dataset& spec, ShapedRows& rows) {
    const auto source = openSource(spec, makeGenerator);
    QVERIFY_OK(source);
    auto plan = planImport(spec, **source);
    QVERIFY_OK(plan);
    QVERIFY_OK(planRanges(*plan, **source));
    const auto more = (*source)->next(rows.piece);
    QVERIFY(more.ok() && *more);
    QVERIFY_OK(RowShaper(**source, *plan).shape(rows, 0, 1000));
  }
  ImportFixture fixture_;
};

QTEST_APPLESS_MAIN(ImportPlanTest)
#include "import_plan_test.moc"
