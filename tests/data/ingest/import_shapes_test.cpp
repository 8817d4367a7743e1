// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <set>

#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using experiment::Column;
using experiment::ColumnRole;
using experiment::VocabularyKind;
using SizeKind = experiment::VocabularySize::Kind;

namespace {

template <class T>
std::vector<T> values(std::span<const T> span) {
  return {span.begin(), span.end()};
}

constexpr const char* kClicks =
    "who,what,when,device,tags,stars\n"
    "ann,x1,0,phone,7:0.5|9:1,5\n"
    "bob,x2,3600,tv,,3\n"
    "ann,x2,86400,phone,9:2,1\n"
    "cid,x1,90000,,7|8|9,4\n"
    "ann,x3,172800,web,8,2\n";

// Columns of kClicks with all roles.
experiment::Dataset clickSpec(const ImportFixture& fixture) {
  fixture.write("clicks.csv", kClicks);
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kCsv;
  spec.path = (fixture.source() / "clicks.csv").string();
  spec.label.column = "stars";
  spec.columns = {{.name = "user", .role = ColumnRole::kUser, .from = "who"},
                  {.name = "item", .role = ColumnRole::kItem, .from = "what"},
                  {.name = "time", .role = ColumnRole::kTime, .from = "when"},
                  {.name = "device", .role = ColumnRole::kContext},
                  {.name = "item/tags",
                   .role = ColumnRole::kFeature,
                   .from = "tags",
                   .vocabulary = "tag",
                   .separator = "|",
                   .weights = ":"}};
  for (const char* name : {"user", "item", "device", "tag"}) {
    experiment::Vocabulary vocabulary;
    vocabulary.name = name;
    vocabulary.kind = VocabularyKind::kCompressed;
    spec.vocabularies.push_back(vocabulary);
  }
  return spec;
}

// Vectors of items in the column "v" of vectors.csv.
experiment::PretrainedEmbeddings itemVectors(const ImportFixture& fixture, const char* name) {
  return {.name = name,
          .of = "item",
          .path = (fixture.source() / "vectors.csv").string(),
          .id = "id",
          .column = "v"};
}

experiment::Derived weekday(const char* from) {
  experiment::Derived derived;
  derived.name = "day";
  derived.kind = experiment::DerivedKind::kWeekday;
  derived.from = from;
  return derived;
}

std::vector<std::string> rawIds(const Dataset& dataset, const std::string& column) {
  const IdColumnInfo& info = *std::ranges::find(dataset.columns(), column, &IdColumnInfo::name);
  std::vector<std::string> ids;
  for (const std::int32_t row : dataset.ids(column))
    ids.emplace_back(dataset.vocabulary(info.vocabulary).rawId(row));
  return ids;
}

}  // namespace

class ImportShapesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsContextsBagsAndTexts() {
    const ImportFixture fixture;
    const auto report = fixture.import(clickSpec(fixture));
    QVERIFY_OK(report);
    const Dataset& dataset = *report->dataset;
    QCOMPARE(report->rows, std::int64_t{5});
    QCOMPARE(rawIds(dataset, "user"),
             (std::vector<std::string>{"ann", "bob", "ann", "cid", "ann"}));
    // Ties of frequency by bytes: "tv" before "web"; a missing context is row 0.
    QCOMPARE(values(dataset.ids("device")), (std::vector<std::int32_t>{1, 2, 1, 0, 3}));
    QCOMPARE(values(dataset.bagOffsets("item/tags")),
             (std::vector<std::int64_t>{0, 2, 2, 3, 6, 7}));
    QCOMPARE(rawIds(dataset, "item/tags"),
             (std::vector<std::string>{"7", "9", "9", "7", "8", "9", "8"}));
    QCOMPARE(values(dataset.bagWeights("item/tags")),
             (std::vector<float>{0.5f, 1.0f, 2.0f, 1.0f, 1.0f, 1.0f, 1.0f}));
    QVERIFY(dataset.bagOffsets("user").empty());
    QCOMPARE(values(dataset.times()), (std::vector<std::int64_t>{0, 3600, 86400, 90000, 172800}));
    QCOMPARE(values(dataset.labels()), (std::vector<float>{5, 3, 1, 4, 2}));
    QCOMPARE(dataset.columns()[3].longestBag, std::int64_t{3});
    QVERIFY(dataset.verify().ok());
  }

  void filtersOnColumnsOfTheSourceAndDerivedOnes() {
    const ImportFixture fixture;
    auto spec = clickSpec(fixture);
    spec.derived = {weekday("when")};
    // Second 0 was a Thursday.
    spec.filter = "day in (\"thursday\", \"saturday\") and stars != 3";
    spec.columns.push_back({.name = "day", .role = ColumnRole::kContext});
    spec.vocabularies.push_back(spec.vocabularies.back());
    spec.vocabularies.back().name = "day";
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->rows, std::int64_t{2});
    QCOMPARE(report->filteredOut, std::int64_t{3});
    QCOMPARE(report->quarantined, std::int64_t{0});
    QCOMPARE(rawIds(*report->dataset, "day"), (std::vector<std::string>{"thursday", "saturday"}));
    QCOMPARE(values(report->dataset->bagOffsets("item/tags")),
             (std::vector<std::int64_t>{0, 2, 3}));
  }

  void aFilterThatLeavesNothingIsAnErrorAtTheFilter() {
    const ImportFixture fixture;
    auto spec = clickSpec(fixture);
    spec.filter = "stars > 5";
    const auto report = fixture.import(spec);
    QVERIFY(!report);
    QCOMPARE(report.error().pointer, std::string("/dataset/filter"));
    QVERIFY2(report.error().message.find("no row of 5") != std::string::npos,
             report.error().message.c_str());
    QCOMPARE(fixture.leftBehind(), 0);
  }

  // ann has 3 rows, x1 and x2 two each; cid and bob go, and then x1 has one row and goes as well.
  void keepsTheCoreAndItsBags() {
    const ImportFixture fixture;
    auto spec = clickSpec(fixture);
    spec.kCore = experiment::KCore{.user = 2, .item = 1};
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->rows, std::int64_t{3});
    QCOMPARE(report->belowCore, std::int64_t{2});
    const Dataset& dataset = *report->dataset;
    QCOMPARE(rawIds(dataset, "user"), (std::vector<std::string>{"ann", "ann", "ann"}));
    QCOMPARE(dataset.vocabulary("user").size(), std::int64_t{2});
    QCOMPARE(rawIds(dataset, "item/tags"), (std::vector<std::string>{"7", "9", "9", "8"}));
    QCOMPARE(values(dataset.bagOffsets("item/tags")), (std::vector<std::int64_t>{0, 2, 3, 4}));
    QCOMPARE(values(dataset.bagWeights("item/tags")), (std::vector<float>{0.5f, 1.0f, 2.0f, 1.0f}));
    QCOMPARE(values(dataset.labels()), (std::vector<float>{5, 1, 2}));
    spec.kCore = experiment::KCore{.user = 4, .item = 1};
    const auto empty = fixture.import(spec);
    QVERIFY(!empty);
    QCOMPARE(empty.error().pointer, std::string("/dataset/k_core"));
  }

  void slicesByRowAndByShare_data() {
    QTest::addColumn<QString>("slice");
    QTest::addColumn<QList<float>>("labels");
    QTest::newRow("first two") << "[:2]" << QList<float>{5, 3};
    QTest::newRow("from the third") << "[2:]" << QList<float>{1, 4, 2};
    QTest::newRow("between") << "[1:3]" << QList<float>{3, 1};
    QTest::newRow("40 %") << "[:40%]" << QList<float>{5, 3};
    QTest::newRow("rounded to the nearest") << "[:29%]" << QList<float>{5};
    QTest::newRow("beyond the end") << "[3:100]" << QList<float>{4, 2};
  }
  void slicesByRowAndByShare() {
    QFETCH(QString, slice);
    QFETCH(QList<float>, labels);
    const ImportFixture fixture;
    auto spec = clickSpec(fixture);
    spec.slice = slice.toStdString();
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(values(report->dataset->labels()), std::vector<float>(labels.begin(), labels.end()));
  }

  void hashedIdsShareRowsAndUnknownOnesHaveOne() {
    const ImportFixture fixture;
    auto spec = clickSpec(fixture);
    spec.vocabularies[0].kind = VocabularyKind::kHash;
    spec.vocabularies[0].size = {SizeKind::kFixed, 3};
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const Vocabulary& users = report->dataset->vocabulary("user");
    QCOMPARE(users.size(), std::int64_t{3});
    const char* names[] = {"ann", "bob", "ann", "cid", "ann"};
    for (std::size_t row = 0; row < 5; ++row)
      QCOMPARE(report->dataset->ids("user")[row],
               static_cast<std::int32_t>(1 + hash64(names[row]) % 2));
    QCOMPARE(users.row("never seen"),
             std::optional(static_cast<std::int32_t>(1 + hash64("never seen") % 2)));
    QCOMPARE(report->vocabularies[0].oovShare, 0.0);
  }

  // The item is known of every row of the data, and of every id that shares a row.
  void hashedItemsAreToldApart() {
    const ImportFixture fixture;
    auto spec = clickSpec(fixture);
    spec.vocabularies[1].kind = VocabularyKind::kHash;
    spec.vocabularies[1].size = {SizeKind::kFixed, 2};
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const Dataset& dataset = *report->dataset;
    const Vocabulary& items = dataset.vocabulary("item");
    QCOMPARE(items.size(), std::int64_t{2});
    QVERIFY(items.entries() > 2);
    std::set<std::string_view> ids;
    for (const std::int32_t entry : dataset.entries("item")) {
      ids.insert(items.rawId(entry));
      QCOMPARE(items.rowOf(entry), 1);
    }
    QCOMPARE(static_cast<std::int64_t>(ids.size()), items.entries() - 1);
    QVERIFY(std::ranges::any_of(report->warnings, [](const std::string& warning) {
      return warning.find("collide") != std::string::npos;
    }));
    QVERIFY(dataset.verify().ok());
    QCOMPARE(values(dataset.entries("user")), values(dataset.ids("user")));
  }

  void vectorsLieByRowOfTheVocabulary() {
    const ImportFixture fixture;
    auto spec = clickSpec(fixture);
    fixture.write("vectors.csv", "id,v\nx2,1 2 3\nx9,7 7 7\nx1,0.5 -1 4\n");
    spec.vectors = {itemVectors(fixture, "item/embedding")};
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const DenseMatrix vectors = report->dataset->vectors("item/embedding");
    QCOMPARE(vectors.width, std::int64_t{3});
    QCOMPARE(vectors.values.size(), std::size_t{12});
    const auto rowOf = [&](const char* id) {
      const auto row = static_cast<std::size_t>(*report->dataset->vocabulary("item").row(id));
      return values(vectors.values.subspan(row * 3, 3));
    };
    QCOMPARE(rowOf("x1"), (std::vector<float>{0.5f, -1.0f, 4.0f}));
    QCOMPARE(rowOf("x2"), (std::vector<float>{1, 2, 3}));
    QCOMPARE(rowOf("x3"), (std::vector<float>{0, 0, 0}));
    QVERIFY(report->warnings.size() == 1);
    fixture.write("vectors.csv", "id,v\nx2,1 2 3\nx1,1 2\n");
    const auto ragged = fixture.import(spec);
    QVERIFY(!ragged);
    QVERIFY2(ragged.error().message.find("has 2 numbers, the first one 3") != std::string::npos,
             ragged.error().message.c_str());
  }

  // A setting that does not fit the source is found before a row is read; the message says what the
  // source has.
  void namesTheSettingThatDoesNotFit_data() {
    QTest::addColumn<QString>("setting");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("message");
    const auto add = [](const char* name, const char* pointer, const char* message) {
      QTest::newRow(name) << name << pointer << message;
    };
    add("label", "/dataset/label/column", "no column \"star\" (did you mean \"stars\"?)");
    add("from", "/dataset/columns/0/from", "no column \"whom\"");
    add("no vocabulary", "/dataset/vocabularies", "column \"device\" has no vocabulary");
    add("unused vocabulary", "/dataset/vocabularies/4/name", "belongs to no id column");
    add("derived", "/dataset/derived/0/from", "no column \"wen\"");
    add("derived name", "/dataset/derived/0/name", "has a column \"device\" already");
    add("filter", "/dataset/filter", "tagz");
    add("two users", "/dataset/columns", "2 columns have the role \"user\"");
  }
  void namesTheSettingThatDoesNotFit() {
    QFETCH(QString, setting);
    QFETCH(QString, pointer);
    QFETCH(QString, message);
    const ImportFixture fixture;
    auto spec = clickSpec(fixture);
    if (setting == "label") spec.label.column = "star";
    if (setting == "from") spec.columns[0].from = "whom";
    if (setting == "no vocabulary") spec.vocabularies.erase(spec.vocabularies.begin() + 2);
    if (setting == "unused vocabulary") {
      spec.vocabularies.push_back(spec.vocabularies[0]);
      spec.vocabularies.back().name = "other";
    }
    if (setting.startsWith("derived")) {
      spec.derived = {weekday(setting == "derived" ? "wen" : "when")};
      if (setting == "derived name") spec.derived[0].name = "device";
      spec.filter = "day = \"monday\"";
    }
    if (setting == "filter") spec.filter = "tagz is missing";
    if (setting == "two users") spec.columns[1].role = ColumnRole::kUser;
    const auto report = fixture.import(spec);
    QVERIFY(!report);
    QVERIFY(report.error().code == ErrorCode::kInvalidDocument);
    QCOMPARE(QString::fromStdString(report.error().pointer), pointer);
    QVERIFY2(QString::fromStdString(report.error().message).contains(message),
             report.error().message.c_str());
    QCOMPARE(fixture.leftBehind(), 0);
  }

  // Pieces are shaped side by side; rows, numbers of lines and vocabularies are those of one pass.
  void manyPiecesGiveTheRowsInOrder() {
    const ImportFixture fixture;
    constexpr int kRows = 300'000;
    std::string text = "user,item,rating,time\n";
    for (int row = 0; row < kRows; ++row)
      text += row % 100'000 == 77'777
                  ? std::string("not,a,good,row\n")
                  : fmt::format("{},{},{},{}\n", row % 997 + 1, row % 4999 + 1, row % 5 + 1, row);
    fixture.write("many.csv", text);
    auto spec = fixture.spec();
    spec.source = experiment::SourceKind::kCsv;
    spec.path = (fixture.source() / "many.csv").string();
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->rows, std::int64_t{kRows - 3});
    QCOMPARE(report->rejectedLines.size(), std::size_t{3});
    QCOMPARE(report->rejectedLines[2].line, std::int64_t{277'777 + 2});
    const auto times = report->dataset->times();
    QVERIFY(std::ranges::is_sorted(times));
    for (std::size_t row = 0; row < times.size(); ++row) {
      QCOMPARE(report->dataset->ids("user")[row], static_cast<std::int32_t>(times[row] % 997 + 1));
      QCOMPARE(report->dataset->ids("item")[row], static_cast<std::int32_t>(times[row] % 4999 + 1));
    }
  }

  // One cell may be text, a list, a list with weights, a number and a label, each by itself.
  void columnsOfOneCellAreKeptApart() {
    const ImportFixture fixture;
    auto spec = clickSpec(fixture);
    const auto add = [&](Column column) {
      spec.vocabularies.push_back(spec.vocabularies.back());
      spec.vocabularies.back().name = column.vocabularyName();
      spec.columns.push_back(std::move(column));
    };
    add({.name = "plain", .role = ColumnRole::kContext, .from = "tags"});
    add({.name = "cut", .role = ColumnRole::kFeature, .from = "tags", .separator = "|"});
    add({.name = "halves", .role = ColumnRole::kFeature, .from = "tags", .separator = ":"});
    add({.name = "stars", .role = ColumnRole::kContext});
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const Dataset& dataset = *report->dataset;
    QCOMPARE(rawIds(dataset, "item/tags")[0], std::string("7"));
    QCOMPARE(rawIds(dataset, "plain"),
             (std::vector<std::string>{"7:0.5|9:1", "", "9:2", "7|8|9", "8"}));
    QCOMPARE(rawIds(dataset, "cut"),
             (std::vector<std::string>{"7:0.5", "9:1", "9:2", "7", "8", "9", "8"}));
    QCOMPARE(rawIds(dataset, "halves"),
             (std::vector<std::string>{"7", "0.5|9", "1", "9", "2", "7|8|9", "8"}));
    QVERIFY(dataset.bagWeights("cut").empty());
    QCOMPARE(rawIds(dataset, "stars"), (std::vector<std::string>{"5", "3", "1", "4", "2"}));
    QCOMPARE(values(dataset.labels()), (std::vector<float>{5, 3, 1, 4, 2}));
  }

  void labelsMayBeDerivedAndTextsMayNot() {
    const ImportFixture fixture;
    auto spec = clickSpec(fixture);
    spec.derived = {weekday("when")};
    spec.label.column = "day";
    auto report = fixture.import(spec);
    QVERIFY(!report);
    QCOMPARE(report.error().pointer, std::string("/dataset/label/column"));
    spec.derived[0].kind = experiment::DerivedKind::kHour;
    report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(values(report->dataset->labels()), (std::vector<float>{0, 1, 0, 1, 0}));
  }

  void directIdsOfTextsAreRefused() {
    const ImportFixture fixture;
    auto spec = clickSpec(fixture);
    spec.derived = {weekday("when")};
    spec.columns[3].from = "day";
    spec.vocabularies[2].kind = VocabularyKind::kDirect;
    const auto report = fixture.import(spec);
    QVERIFY(!report);
    QCOMPARE(report.error().pointer, std::string("/dataset/vocabularies/2/kind"));
  }

  void linesWithWeightsThatAreNoneAreRejected() {
    const ImportFixture fixture;
    auto spec = clickSpec(fixture);
    fixture.write("clicks.csv",
                  std::string(kClicks) + "ann,x1,5,tv,7:-1,1\nann,x1,5,tv,7:1e300,1\n");
    spec.maxRejectedShare = 0.5;
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->rows, std::int64_t{5});
    QCOMPARE(report->rejectedLines.size(), std::size_t{2});
    QVERIFY2(report->rejectedLines[0].reason.starts_with("weight -1 of item/tags"),
             report->rejectedLines[0].reason.c_str());
    spec.maxRejectedShare = 0.0;
    const auto refused = fixture.import(spec);
    QVERIFY(!refused);
    QVERIFY(refused.error().code == ErrorCode::kData);
    QCOMPARE(refused.error().pointer, std::string("/dataset/columns/4/weights"));
  }

  // A vocabulary that hashes has a row for every id, but only the id that names it gives its
  // vector.
  void strangersGiveNoVectors() {
    const ImportFixture fixture;
    auto spec = clickSpec(fixture);
    spec.vocabularies[1].kind = VocabularyKind::kHash;
    spec.vocabularies[1].size = {SizeKind::kFixed, 1000};
    std::string text = "id,v\nx1,1 2\nx2,3 4\nx3,5 6\n";
    for (int i = 0; i < 5000; ++i) text += fmt::format("stranger{},9 9\n", i);
    fixture.write("vectors.csv", text);
    spec.vectors = {itemVectors(fixture, "v")};
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const auto matrix = report->dataset->vectors("v").values;
    QCOMPARE(std::ranges::count(matrix, 9.0f), std::ptrdiff_t{0});
    const auto row = static_cast<std::size_t>(*report->dataset->vocabulary("item").row("x2"));
    QCOMPARE(values(matrix.subspan(row * 2, 2)), (std::vector<float>{3, 4}));
  }

  void filesOfAFolderCountTheirOwnLines() {
    const ImportFixture fixture;
    std::filesystem::create_directory(fixture.source() / "parts");
    fixture.write("parts/a.csv", "user,item,rating\n1,1,3\n2,2,3\n");
    fixture.write("parts/b.csv", "user,item,rating\n1,2,3\n2,1,9\nx,1,3\n");
    fixture.write("parts/empty.csv", "");
    auto spec = fixture.spec();
    spec.source = experiment::SourceKind::kCsv;
    spec.path = (fixture.source() / "parts").string();
    spec.maxRejectedShare = 0.9;
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->rows, std::int64_t{3});
    QCOMPARE(report->rejectedLines.size(), std::size_t{2});
    QCOMPARE(report->rejectedLines[0].line, std::int64_t{3});
    QCOMPARE(report->rejectedLines[1].line, std::int64_t{4});
    QCOMPARE(report->rejectedLines[0].path, (fixture.source() / "parts" / "b.csv").string());
  }

  void rejectedLinesBeforeASliceAreNotCounted() {
    const ImportFixture fixture;
    std::string text = "user,item,rating\n";
    for (int row = 0; row < 50; ++row) text += "bad,1,3\n";
    for (int row = 0; row < 100; ++row) text += fmt::format("1,{},3\n", row + 1);
    fixture.write("mixed.csv", text);
    auto spec = fixture.spec();
    spec.source = experiment::SourceKind::kCsv;
    spec.path = (fixture.source() / "mixed.csv").string();
    spec.slice = "[90:]";
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->rows, std::int64_t{10});
    QCOMPARE(report->quarantined, std::int64_t{0});
    spec.slice = "[500:]";
    const auto beyond = fixture.import(spec);
    QVERIFY(!beyond);
    QCOMPARE(beyond.error().pointer, std::string("/dataset/slice"));
  }

  // Every line is refused by a rule: the work does not grow with the square of their number.
  void manyRefusedLinesAreCountedAndFewKept() {
    const ImportFixture fixture;
    std::string text = "user,item,rating\n1,1,3\n";
    for (int row = 0; row < 200'000; ++row) text += "1,1,9\n";
    fixture.write("refused.csv", text);
    auto spec = fixture.spec();
    spec.source = experiment::SourceKind::kCsv;
    spec.path = (fixture.source() / "refused.csv").string();
    spec.maxRejectedShare = 1.0;
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->quarantined, std::int64_t{200'000});
    QCOMPARE(report->rejectedLines.size(), std::size_t{100});
    QVERIFY(report->rejectedLines.back().reason.find("outside the label scale") !=
            std::string::npos);
  }

  void removesWhatADeadImportLeft() {
    const ImportFixture fixture;
    const auto spec = clickSpec(fixture);
    const auto first = fixture.import(spec);
    QVERIFY_OK(first);
    const std::string hash = first->dataset->hash();
    std::filesystem::remove_all(fixture.datasets() / hash);
    // No process has this number: it is beyond the largest that Linux gives.
    std::filesystem::create_directories(fixture.datasets() / (hash + ".tmp-4194999-0"));
    QVERIFY_OK(fixture.import(spec));
    QCOMPARE(fixture.leftBehind(), 1);
  }

  void everyRowHasLabelOneWithoutALabelColumn() {
    const ImportFixture fixture;
    auto spec = clickSpec(fixture);
    spec.label.column = std::nullopt;
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(values(report->dataset->labels()), (std::vector<float>{1, 1, 1, 1, 1}));
  }
};

QTEST_GUILESS_MAIN(ImportShapesTest)
#include "import_shapes_test.moc"
