// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/base/hash.h"
#include "engine/data/dataset/batches.h"
#include "engine/data/dataset/event_columns.h"
#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/import/preview.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using experiment::ColumnRole;
using experiment::OovKind;
using experiment::VocabularyKind;
using SizeKind = experiment::VocabularySize::Kind;

namespace {

using Ids = std::vector<std::int32_t>;
using Numbers = std::vector<float>;

template <class T>
std::vector<T> values(std::span<const T> span) {
  return {span.begin(), span.end()};
}

experiment::Vocabulary vocabulary(const char* name, VocabularyKind kind, std::int64_t size = 0) {
  experiment::Vocabulary vocabulary;
  vocabulary.name = name;
  vocabulary.kind = kind;
  if (size > 0) vocabulary.size = {SizeKind::kFixed, size};
  return vocabulary;
}

experiment::Column number(const char* name, const char* from) {
  return {.name = name, .role = ColumnRole::kNumeric, .from = from};
}

// A text with the columns user, item and x.
experiment::Dataset textSpec(const ImportFixture& fixture, const std::string& rows) {
  fixture.write("rows.csv", "user,item,x\n" + rows);
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kCsv;
  spec.path = (fixture.source() / "rows.csv").string();
  spec.label.column.reset();
  spec.columns = {{.name = "user", .role = ColumnRole::kUser},
                  {.name = "item", .role = ColumnRole::kItem}};
  spec.vocabularies = {vocabulary("user", VocabularyKind::kCompressed),
                       vocabulary("item", VocabularyKind::kCompressed)};
  spec.maxRejectedShare = 1.0;
  return spec;
}

std::string reasonsOf(const ImportReport& report) {
  std::string text;
  for (const RejectedLine& bad : report.rejectedLines)
    text += std::to_string(bad.line) + " " + bad.reason + "\n";
  return text;
}

}  // namespace

/// Columns besides ids of their own: numbers, attributes of users and movies, unknown
/// ids; and where they tell about one user or item.
class ColumnsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void numbersOfARowAreImported() {
    const ImportFixture fixture;
    auto spec = textSpec(fixture, "3600,1,0.5\n7200,1,-3\n3600,2,1e3\n");
    spec.columns.push_back(number("label", "x"));  // a name that a file of the data set has
    experiment::Derived hour;
    hour.name = "hour";
    hour.kind = experiment::DerivedKind::kHour;
    hour.from = "user";
    spec.derived = {hour};
    spec.columns.push_back(number("item/hour", "hour"));
    spec.label.column = "x";
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const Dataset& dataset = *report->dataset;
    QCOMPARE(dataset.denseColumns(), (std::vector<std::string>{"label", "item/hour"}));
    QCOMPARE(values(dataset.denseValues("label")), (Numbers{0.5f, -3.0f, 1000.0f}));
    QCOMPARE(values(dataset.denseValues("item/hour")), (Numbers{1.0f, 2.0f, 1.0f}));
    QCOMPARE(values(dataset.labels()), values(dataset.denseValues("label")));
    QCOMPARE(dataset.columns().size(), std::size_t{2});
    QVERIFY(dataset.isDense("label") && !dataset.isDense("user"));
    QVERIFY_EXCEPTION_THROWN((void)dataset.denseValues("user"), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN((void)dataset.ids("label"), InvalidArgument);
    QVERIFY(dataset.verify().ok());
    std::filesystem::resize_file(dataset.folder() / "item/hour.number.f32", 8);
    QVERIFY(!Dataset::open(dataset.folder()));
  }

  void whatIsNoNumberIsABadLine() {
    const ImportFixture fixture;
    auto spec = textSpec(fixture, "1,1,1\n1,2,much\n1,3,\n1,4,nan\n1,5,1e39\n1,6,inf\n1,7,2\n");
    spec.columns.push_back(number("x", "x"));
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(values(report->dataset->denseValues("x")), (Numbers{1.0f, 2.0f}));
    QCOMPARE(report->quarantined, std::int64_t{5});
    const std::string reasons = reasonsOf(*report);
    for (const char* part : {"3 ", "much", "4 x is missing or no number; a number is accepted",
                             "5 x is missing", "6 x 1e+39 is too large", "7 "})
      QVERIFY2(reasons.find(part) != std::string::npos, reasons.c_str());
    spec.columns.back().from = "user";
    spec.columns.push_back(number("y", "z"));
    QCOMPARE(fixture.import(spec).error().pointer, std::string("/dataset/columns/3/from"));
  }

  void aKCoreLeavesTheNumbersOfItsRows() {
    const ImportFixture fixture;
    auto spec = textSpec(fixture, "1,1,1\n2,9,2\n1,2,3\n3,1,4\n3,2,5\n");
    spec.columns.push_back(number("x", "x"));
    spec.kCore = experiment::KCore{.user = 2, .item = 2};
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(values(report->dataset->denseValues("x")), (Numbers{1, 3, 4, 5}));
  }

  void batchesHaveNumbersBesideIds() {
    const ImportFixture fixture;
    std::string rows;
    for (int row = 0; row < 30; ++row)
      rows += std::to_string(row % 3 + 1) + "," + std::to_string(row + 1) + "," +
              std::to_string(row) + ".5\n";
    auto spec = textSpec(fixture, rows);
    for (auto& each : spec.vocabularies) each.kind = VocabularyKind::kDirect;
    spec.columns.push_back(number("x", "x"));
    const auto dataset = fixture.import(spec)->dataset;
    for (const bool cache : {true, false})
      for (const bool lists : {false, true}) {
        BatchLoader::Options options{.batchRows = 7, .cache = cache};
        if (lists) options.groupSize = 3;
        BatchLoader loader(dataset, RowSet::all(30), {"item", "x"}, options);
        for (const int epoch : {1, 2}) {
          loader.begin(epoch);
          while (const Batch* batch = loader.next()) {
            QVERIFY(batch->features[0].dense.empty() && batch->features[1].ids.empty());
            QCOMPARE(std::int64_t(batch->features[1].dense.size()), batch->rows);
            for (std::size_t i = 0; i < batch->features[0].ids.size(); ++i)
              QCOMPARE(batch->features[1].dense[i], float(batch->features[0].ids[i]) - 0.5f);
          }
        }
      }
  }

  void aNumberIsAUseOfAColumn() {
    const ImportFixture fixture;
    fixture.write("p.csv", "user,item,price,rating\n1,1,9.5,3\n2,1,3,4\n");
    experiment::Dataset spec;
    spec.source = experiment::SourceKind::kCsv;
    spec.path = (fixture.source() / "p.csv").string();
    const auto preview = previewSource(spec, 10, {}, makeGenerator).value();
    spec = suggestDataset(spec, preview);
    QCOMPARE(useOfColumn(spec, preview.columns, "price"), std::string("number"));
    QCOMPARE(spec.vocabularies.size(), std::size_t{2});
    spec = withUse(spec, preview.columns, "rating", "number");
    QVERIFY(!spec.label.column);
    QCOMPARE(useOfColumn(spec, preview.columns, "rating"), std::string("number"));
    spec = withUse(spec, preview.columns, "price", "");
    QCOMPARE(useOfColumn(spec, preview.columns, "price"), std::string());
    QCOMPARE(spec.vocabularies.size(), std::size_t{2});
    QVERIFY_OK(fixture.import(spec));
  }

  void moviesHaveColumnsOfTheirUsersAndItems_data() {
    QTest::addColumn<QByteArray>("layout");
    for (const char* layout : {"100K", "1M"}) QTest::newRow(layout) << QByteArray(layout);
  }
  void moviesHaveColumnsOfTheirUsersAndItems() {
    QFETCH(QByteArray, layout);
    const ImportFixture fixture;
    if (layout == "100K") {
      fixture.write("u.data", "1\t2\t3\t0\n2\t1\t4\t1\n1\t1\t5\t2\n");
      fixture.write("u.user", "1|24|M|lawyer|85711\n2|53|F|other|94043\n");
      fixture.write("u.item",
                    "1|Heat (1995)|||http|0|1|0|0|0|1|0|0|0|0|0|0|0|0|0|0|0|0|0\n"
                    "2|Untitled|||http|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0\n");
    } else {
      fixture.write("ratings.dat", "1::2::3::0\n2::1::4::1\n1::1::5::2\n");
      fixture.write("users.dat", "1::M::24::11::85711\n2::F::53::0::94043\n");
      fixture.write("movies.dat", "1::Heat (1995)::Action|Comedy\n2::Untitled::\n");
    }
    auto spec = fixture.spec();
    spec.columns = {{.name = "user", .role = ColumnRole::kUser},
                    {.name = "item", .role = ColumnRole::kItem},
                    {.name = "job", .role = ColumnRole::kFeature, .from = "user_occupation"},
                    {.name = "genres", .role = ColumnRole::kFeature, .separator = "|"},
                    {.name = "year", .role = ColumnRole::kContext},
                    number("age", "user_age")};
    for (const char* name : {"job", "genres", "year"})
      spec.vocabularies.push_back(vocabulary(name, VocabularyKind::kCompressed));
    spec.filter = "user_gender in (\"M\", \"F\") and user_zip starts with \"8\" or user_age > 50";
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const Dataset& dataset = *report->dataset;
    QCOMPARE(values(dataset.denseValues("age")), (Numbers{24, 53, 24}));
    QCOMPARE(dataset.vocabulary("job").rawId(dataset.ids("job")[0]), std::string_view("lawyer"));
    QCOMPARE(values(dataset.bagOffsets("genres")), (std::vector<std::int64_t>{0, 0, 2, 4}));
    QCOMPARE(dataset.vocabulary("genres").rawId(dataset.ids("genres")[1]),
             std::string_view("Comedy"));
    QCOMPARE(values(dataset.ids("year")), (Ids{0, 1, 1}));  // a title without a year has none
    QCOMPARE(dataset.vocabulary("year").rawId(1), std::string_view("1995"));
    const auto preview = previewSource(spec, 10, {}, makeGenerator);
    QVERIFY_OK(preview);
    QCOMPARE(preview->columns.size(), std::size_t{11});
    QCOMPARE(preview->rows[1][5].value_or(""), std::string("Action|Comedy"));
    QVERIFY(!preview->rows[0][6]);
  }

  void aMissingFileOfUsersIsNamed() {
    const ImportFixture fixture;
    fixture.write("u.data", "1\t1\t3\t0\n");
    auto spec = fixture.spec();
    spec.columns = {{.name = "user", .role = ColumnRole::kUser},
                    {.name = "item", .role = ColumnRole::kItem},
                    number("user_age", "user_age")};
    const auto report = fixture.import(spec);
    QVERIFY(!report);
    QCOMPARE(report.error().pointer, std::string("/dataset/columns/2/from"));
    for (const char* part : {"\"user_age\"", "u.user", "is missing", "user, item, rating, time"})
      QVERIFY2(report.error().message.find(part) != std::string::npos,
               report.error().message.c_str());
  }

  void generatedPeopleTellOfTheirTastes() {
    experiment::Dataset spec;
    spec.source = experiment::SourceKind::kGenerated;
    spec.generator = experiment::Generator{.users = 500, .items = 200, .events = 20'000};
    spec.columns = {{.name = "user", .role = ColumnRole::kUser},
                    {.name = "item", .role = ColumnRole::kItem},
                    {.name = "genres", .role = ColumnRole::kFeature, .separator = "|"},
                    {.name = "job", .role = ColumnRole::kFeature, .from = "user_occupation"},
                    number("age", "user_age"),
                    number("year", "year")};
    for (const char* name : {"user", "item", "genres", "job"})
      spec.vocabularies.push_back(vocabulary(name, VocabularyKind::kCompressed));
    const ImportFixture fixture;
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const Dataset& dataset = *report->dataset;
    const auto ages = dataset.denseValues("age");
    QVERIFY(std::ranges::min(ages) >= 16 && std::ranges::max(ages) <= 70);
    QVERIFY(std::ranges::min(dataset.denseValues("year")) >= 1950);
    // Users who rate action well are younger than the others.
    const std::int32_t action = dataset.vocabulary("genres").row("Action").value();
    double sum[2]{}, count[2]{};
    for (std::size_t row = 0; row < ages.size(); ++row) {
      const auto first = dataset.bagOffsets("genres")[row],
                 last = dataset.bagOffsets("genres")[row + 1];
      const auto genres =
          dataset.ids("genres").subspan(std::size_t(first), std::size_t(last - first));
      if (std::ranges::find(genres, action) == genres.end()) continue;
      const bool likes = dataset.labels()[row] >= 4;
      sum[likes] += ages[row];
      ++count[likes];
    }
    QVERIFY2(sum[1] / count[1] + 3 < sum[0] / count[0], "age tells nothing about action");
  }

  void unknownIdsFallIntoBuckets() {
    const ImportFixture fixture;
    std::string rows;
    for (int i = 0; i < 40; ++i) rows += "1,often,0\n2,once" + std::to_string(i) + ",0\n";
    auto spec = textSpec(fixture, rows);
    spec.vocabularies[1].minCount = 2;
    spec.vocabularies[1].oov = OovKind::kBuckets;
    spec.vocabularies[1].oovBuckets = 4;
    const auto fitted = fittedToAllRows(fixture.import(spec), spec);
    QVERIFY_OK(fitted);
    const Dataset& dataset = **fitted;
    const Vocabulary& items = dataset.vocabulary("item");
    QCOMPARE(items.size(), std::int64_t{6});  // nobody, "often", four buckets
    QCOMPARE(items.oovBuckets(), std::int64_t{4});
    std::int64_t inBuckets = 0;
    for (std::int64_t row = 2; row < 6; ++row) {
      QVERIFY(!items.isCandidate(row));
      QVERIFY(items.count(row) > 0);
      inBuckets += items.count(row);
    }
    QCOMPARE(inBuckets, std::int64_t{40});
    QCOMPARE(items.count(0), std::int64_t{0});
    QCOMPARE(dataset.ids("item")[0], 1);
    QCOMPARE(dataset.ids("item")[1], items.row("once0").value());
    QCOMPARE(items.row("never seen").value(), std::int32_t(2 + hash64("never seen") % 4));
    QVERIFY(dataset.verify().ok());

    spec.vocabularies[1].size = {SizeKind::kFixed, 5};
    QCOMPARE(fixture.import(spec).error().pointer, std::string("/dataset/vocabularies/1/size"));
    spec.vocabularies[1].size = {SizeKind::kFixed, 6};
    spec.vocabularies[1].minCount = 1;  // one known row, and 40 ids of it
    const auto fixed = fittedToAllRows(fixture.import(spec), spec);
    QVERIFY_OK(fixed);
    QCOMPARE((*fixed)->vocabulary("item").size(), std::int64_t{6});
    QVERIFY(values((*fixed)->ids("item")) == values(dataset.ids("item")));
  }

  void directIdsBeyondTheirRowsAreWhatOovSays() {
    const ImportFixture fixture;
    auto spec = textSpec(fixture, "1,1,0\n2,3,0\n3,700,0\n");
    spec.vocabularies[1] = vocabulary("item", VocabularyKind::kDirect, 6);
    const auto strict = fixture.import(spec);
    QVERIFY(!strict);
    QVERIFY(strict.error().message.find("item id 700 is too large") != std::string::npos);
    spec.vocabularies[1].oov = OovKind::kRow;
    const auto row = fixture.import(spec);
    QCOMPARE(row->rows, std::int64_t{3});
    QCOMPARE(values(row->dataset->ids("item")), (Ids{1, 3, 0}));
    spec.vocabularies[1].oov = OovKind::kBuckets;
    spec.vocabularies[1].oovBuckets = 2;
    const auto buckets = fixture.import(spec);
    QCOMPARE(buckets->dataset->vocabulary("item").size(), std::int64_t{6});
    QCOMPARE(values(buckets->dataset->ids("item")),
             (Ids{1, 3, std::int32_t(4 + hash64("700") % 2)}));
    spec.vocabularies[1].size.kind = SizeKind::kMaxPlusOne;
    QCOMPARE(fixture.import(spec)->dataset->vocabulary("item").size(), std::int64_t{703});
  }

  void unknownIdsMayBeAnError() {
    const ImportFixture fixture;
    auto spec = textSpec(fixture, "1,a,p\n2,b,\n3,a,q\n");
    spec.columns.push_back({.name = "x", .role = ColumnRole::kContext});
    spec.vocabularies.push_back(vocabulary("x", VocabularyKind::kCompressed));
    QCOMPARE(fixture.import(spec)->rows, std::int64_t{3});
    spec.vocabularies[2].oov = OovKind::kError;
    const auto report = fixture.import(spec);
    QCOMPARE(report->rows, std::int64_t{2});
    QCOMPARE(reasonsOf(*report), std::string("3 x id \"\"; an id is accepted\n"));
    spec.vocabularies[2].size = {SizeKind::kFixed, 2};
    const auto full = fittedToAllRows(fixture.import(spec), spec);
    QVERIFY(!full);
    QCOMPARE(full.error().pointer, std::string("/dataset/vocabularies/2/size"));
    spec.vocabularies[2] = vocabulary("x", VocabularyKind::kCompressed);
    spec.vocabularies[2].oov = OovKind::kError;
    spec.vocabularies[2].minCount = 2;
    QCOMPARE(fixture.import(spec).error().pointer, std::string("/dataset/vocabularies/2/oov"));
    QCOMPARE(fixture.leftBehind(), 2);
  }

  void featuresOfAnEntityLieInItsLastTrainingRow() {
    const ImportFixture fixture;
    // Item 2 has a later row that is not for training, item 3 two of the same time.
    fixture.write("u.data",
                  "1\t1\t3\t50\n2\t2\t3\t10\n3\t1\t3\t20\n1\t2\t3\t99\n2\t3\t3\t7\n3\t3\t3\t7\n"
                  "3\t5\t3\t1\n");
    auto spec = fixture.spec();
    const auto timed = fixture.import(spec)->dataset;
    const RowSet training(std::vector<std::int64_t>{5, 4, 2, 1, 0});
    using Rows = std::vector<std::int64_t>;
    QCOMPARE(values(EntityFeatures(*timed, "item", training).rows()), (Rows{-1, 0, 1, 5, -1, -1}));
    QCOMPARE(values(EntityFeatures(*timed, "user", training).rows()), (Rows{-1, 0, 1, 2}));
    spec.columns = {{.name = "user", .role = ColumnRole::kUser},
                    {.name = "item", .role = ColumnRole::kItem}};
    const auto plain = fixture.import(spec)->dataset;
    QCOMPARE(values(EntityFeatures(*plain, "item", training).rows()), (Rows{-1, 2, 1, 5, -1, -1}));
    QCOMPARE(EntityFeatures(*plain, "user", training).rowOf(3), std::int64_t{5});
    QVERIFY_EXCEPTION_THROWN(EntityFeatures(*plain, "rating", training), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(EntityFeatures(*plain, "user", RowSet(Rows{7})), InvalidArgument);
  }
};

QTEST_GUILESS_MAIN(ColumnsTest)
#include "columns_test.moc"
