// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>

#include "engine/data/ingest/import/preview.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using experiment::ColdRows;
using experiment::ColumnRole;
using experiment::VocabularyKind;
using SizeKind = experiment::VocabularySize::Kind;

namespace {

constexpr const char* kRatings =
    "userId,movieId,rating\n"
    "1,10,5\n"
    "1,20,3\n"
    "2,10,4\n"
    "2,30,2\n"
    "3,20,1\n";
// 40 has no rating, 30 no entry.
constexpr const char* kMovies =
    "movieId,title,genres,price\n"
    "40,\"Ghost, The (2001)\",Drama|Horror,7\n"
    "10,Heat (1995),Action|Drama,3\n"
    "20,Babe (1995),Children,\n";

experiment::Catalogue movies(const char* path = "movies.csv") {
  return {.of = "item", .path = path, .id = "movieId", .title = "title"};
}

// Ratings with movies.csv beside them, and its genres as a feature.
experiment::Dataset ratingSpec(const ImportFixture& fixture) {
  fixture.write("ratings.csv", kRatings);
  fixture.write("movies.csv", kMovies);
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kCsv;
  spec.path = (fixture.source() / "ratings.csv").string();
  spec.label.column = "rating";
  spec.columns = {
      {.name = "user", .role = ColumnRole::kUser, .from = "userId"},
      {.name = "item", .role = ColumnRole::kItem, .from = "movieId"},
      {.name = "genres", .role = ColumnRole::kFeature, .from = "genres", .separator = "|"}};
  for (const char* name : {"user", "item", "genres"}) {
    experiment::Vocabulary vocabulary;
    vocabulary.name = name;
    vocabulary.kind = VocabularyKind::kCompressed;
    spec.vocabularies.push_back(vocabulary);
  }
  spec.catalogues = {movies()};
  return spec;
}

std::int32_t rowOf(const Dataset& dataset, const char* vocabulary, const char* id) {
  return dataset.vocabulary(vocabulary).row(id).value_or(-1);
}

// The genres of a row of a column of bags, as raw ids.
std::vector<std::string> bag(const Dataset& dataset, std::span<const std::int32_t> ids,
                             std::span<const std::int64_t> offsets, std::int64_t row) {
  std::vector<std::string> texts;
  for (auto i = offsets[static_cast<std::size_t>(row)];
       i < offsets[static_cast<std::size_t>(row) + 1]; ++i)
    texts.emplace_back(dataset.vocabulary("genres").rawId(ids[static_cast<std::size_t>(i)]));
  std::ranges::sort(texts);
  return texts;
}

bool hasWarning(const ImportReport& report, const char* text) {
  return std::ranges::any_of(report.warnings, [&](const std::string& warning) {
    return warning.find(text) != std::string::npos;
  });
}

#define QVERIFY_FAILS(result, words, at)                               \
  do {                                                                 \
    QVERIFY(!(result));                                                \
    QVERIFY2((result).error().text().find(words) != std::string::npos, \
             (result).error().text().c_str());                         \
    QCOMPARE((result).error().pointer, std::string(at));               \
  } while (false)

}  // namespace

class CataloguesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void titlesAndAttributesStandInTheVocabulary() {
    const ImportFixture fixture;
    const auto report = fixture.import(ratingSpec(fixture));
    QVERIFY_OK(report);
    const Vocabulary& items = report->dataset->vocabulary("item");
    QCOMPARE(items.title(*items.row("10")), std::string_view("Heat (1995)"));
    QCOMPARE(items.attributeNames(), (std::vector<std::string>{"genres", "price"}));
    QCOMPARE(items.attribute(0, *items.row("10")), std::string_view("Action|Drama"));
    QCOMPARE(items.attribute(1, *items.row("40")), std::string_view("7"));
    QCOMPARE(items.title(*items.row("30")), std::string_view(""));
    QVERIFY(hasWarning(*report, "1 of the 3 items of the data have no entry in movies.csv"));
  }

  void theDataMayBeTheirOwnCatalogue() {
    const ImportFixture fixture;
    experiment::Dataset spec = ratingSpec(fixture);
    fixture.write("ratings.csv",
                  "userId,movieId,rating,genres,called\n"
                  "1,10,5,Action,Heat\n2,20,4,Drama,Babe\n2,10,2,Action,Heat (cut)\n");
    spec.maxRejectedShare = 0.0;  // the second row of an id is a row, and no bad line
    spec.catalogues = {{.of = "item",
                        .path = "ratings.csv",
                        .id = "movieId",
                        .title = "called",
                        .columns = std::vector<std::string>()}};
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->rows, std::int64_t{3});
    const Vocabulary& items = report->dataset->vocabulary("item");
    QCOMPARE(items.title(*items.row("10")), std::string_view("Heat"));
    QCOMPARE(items.title(*items.row("20")), std::string_view("Babe"));
    // The rows have the column already.
    const auto preview = previewSource(spec, 10, {}, makeGenerator);
    QVERIFY_OK(preview);
    QCOMPARE(preview->columns.size(), std::size_t{5});
  }

  void anEntryWithoutRowsIsACandidateWithFeatures() {
    const ImportFixture fixture;
    const auto report = fixture.import(ratingSpec(fixture));
    QVERIFY_OK(report);
    const Dataset& dataset = *report->dataset;
    const Vocabulary& items = dataset.vocabulary("item");
    const std::int32_t ghost = rowOf(dataset, "item", "40");
    QCOMPARE(ghost, std::int32_t{4});  // behind those with rows
    QVERIFY(items.isCandidate(ghost));
    QCOMPARE(items.count(ghost), std::int64_t{0});
    QCOMPARE(items.title(ghost), std::string_view("Ghost, The (2001)"));
    const auto known = dataset.entityColumn("genres");
    QVERIFY(known.has_value());
    QCOMPARE(known->vocabulary, std::string_view("item"));
    // "Horror" is in no rating, so nothing is trained for it.
    QCOMPARE(bag(dataset, known->ids, known->offsets, ghost),
             (std::vector<std::string>{"", "Drama"}));
    QCOMPARE(bag(dataset, known->ids, known->offsets, rowOf(dataset, "item", "20")),
             (std::vector<std::string>{"Children"}));
    QVERIFY(bag(dataset, known->ids, known->offsets, rowOf(dataset, "item", "30")).empty());
    // And the rows of the data have the same.
    QCOMPARE(bag(dataset, dataset.ids("genres"), dataset.bagOffsets("genres"), 0),
             (std::vector<std::string>{"Action", "Drama"}));
    QVERIFY(dataset.verify().ok());
  }

  void coldEntriesCanBeLeftOut() {
    const ImportFixture fixture;
    auto spec = ratingSpec(fixture);
    spec.catalogues[0].cold = ColdRows::kDrop;
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->dataset->vocabulary("item").size(), std::int64_t{4});
    QCOMPARE(rowOf(*report->dataset, "item", "40"), std::int32_t{-1});
    spec.catalogues[0].cold = ColdRows::kKeep;
    spec.vocabularies[1].minCount = 2;  // rarer ids than that, those of the catalogue too
    const auto frequent = fittedToAllRows(fixture.import(spec), spec);
    QVERIFY_OK(frequent);
    QCOMPARE((*frequent)->vocabulary("item").size(), std::int64_t{3});
    // The attributes of an item move with its row.
    const auto genres = (*frequent)->entityColumn("genres");
    QVERIFY(genres.has_value());
    QCOMPARE(genres->offsets.size(), std::size_t{4});
    for (const char* id : {"10", "20"})
      if (const auto row = (*frequent)->vocabulary("item").row(id); row && *row > 0) {
        const auto before = fixture.import(spec);
        QCOMPARE(bag(**frequent, genres->ids, genres->offsets, *row),
                 bag(*before->dataset, before->dataset->entityColumn("genres")->ids,
                     before->dataset->entityColumn("genres")->offsets,
                     rowOf(*before->dataset, "item", id)));
      }
  }

  void everyKindOfVocabularyHasColdRows_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("fixed");
    QTest::newRow("direct") << static_cast<int>(VocabularyKind::kDirect) << 0;
    QTest::newRow("compressed") << static_cast<int>(VocabularyKind::kCompressed) << 0;
    QTest::newRow("hash") << static_cast<int>(VocabularyKind::kHash) << 1000;
  }
  void everyKindOfVocabularyHasColdRows() {
    QFETCH(int, kind);
    QFETCH(int, fixed);
    const ImportFixture fixture;
    auto spec = ratingSpec(fixture);
    spec.vocabularies[1].kind = static_cast<VocabularyKind>(kind);
    if (fixed > 0) spec.vocabularies[1].size = {SizeKind::kFixed, fixed};
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const Vocabulary& items = report->dataset->vocabulary("item");
    const auto ghost = items.row("40");
    QVERIFY(ghost.has_value());
    QCOMPARE(items.rawId(*ghost), std::string_view("40"));
    QVERIFY(items.isCandidate(*ghost));
    QCOMPARE(items.title(*ghost), std::string_view("Ghost, The (2001)"));
    if (static_cast<VocabularyKind>(kind) == VocabularyKind::kDirect)
      QCOMPARE(items.size(), std::int64_t{41});
  }

  void textIdsAreJoinedAsTheyAre() {
    const ImportFixture fixture;
    auto spec = ratingSpec(fixture);
    fixture.write("ratings.csv", "userId,movieId,rating\na,x 1,5\nb,tt02,4\na,tt02,1\n");
    fixture.write("movies.csv", "movieId,title,genres\ntt02,Two,A\n\"x 1\",One,B|A\ntt3,Three,C\n");
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const Vocabulary& items = report->dataset->vocabulary("item");
    QCOMPARE(items.title(*items.row("x 1")), std::string_view("One"));
    QCOMPARE(items.title(*items.row("tt3")), std::string_view("Three"));
  }

  void catalogueColumnsAreColumnsOfTheRows() {
    const ImportFixture fixture;
    auto spec = ratingSpec(fixture);
    experiment::Derived buckets;
    buckets.name = "price_level";
    buckets.kind = experiment::DerivedKind::kBuckets;
    buckets.from = "price";
    buckets.bounds = {5.0};
    spec.derived = {buckets};
    spec.columns.push_back({.name = "price_level", .role = ColumnRole::kFeature});
    experiment::Vocabulary vocabulary;
    vocabulary.name = "price_level";
    vocabulary.kind = VocabularyKind::kCompressed;
    spec.vocabularies.push_back(vocabulary);
    spec.filter = "price is not missing";
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->rows, std::int64_t{2});  // those of 10
    const auto levels = report->dataset->entityColumn("price_level");
    QVERIFY(levels.has_value());
    const auto row = static_cast<std::size_t>(rowOf(*report->dataset, "item", "10"));
    QCOMPARE(report->dataset->vocabulary("price_level").rawId(levels->ids[row]),
             std::string_view("< 5"));
  }

  void missingNumbersOfEntriesBecomeTheMean() {
    const ImportFixture fixture;
    auto spec = ratingSpec(fixture);
    fixture.write("movies.csv",
                  "movieId,title,genres,price\n10,A,a,3\n20,B,b,5\n30,C,c,1\n40,D,d,\n");
    spec.columns.push_back({.name = "price", .role = ColumnRole::kNumeric});
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const auto prices = report->dataset->entityColumn("price");
    QVERIFY(prices.has_value());
    const auto priceOf = [&](const char* id) {
      return prices->values[static_cast<std::size_t>(rowOf(*report->dataset, "item", id))];
    };
    QCOMPARE(priceOf("20"), 5.0f);
    QCOMPARE(priceOf("40"), 3.0f);
    QCOMPARE(report->dataset->denseValues("price")[1], 5.0f);
  }

  void usersHaveCataloguesToo() {
    const ImportFixture fixture;
    auto spec = ratingSpec(fixture);
    fixture.write("people.tsv", "who\tname\tcity\n1\tAnn\tOslo\n3\tCid\tRome\n");
    spec.catalogues.push_back(
        {.of = "user", .path = "people.tsv", .id = "who", .title = "name", .columns = {{"city"}}});
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const Vocabulary& users = report->dataset->vocabulary("user");
    QCOMPARE(users.title(*users.row("3")), std::string_view("Cid"));
    QCOMPARE(users.attribute(0, *users.row("1")), std::string_view("Oslo"));
  }

  void severalCataloguesOfOneRoleAreOne() {
    const ImportFixture fixture;
    auto spec = ratingSpec(fixture);
    fixture.write("prices.csv", "movieId,price,shop\n10,9,x\n50,1,y\n");
    spec.catalogues.push_back({.of = "item", .path = "prices.csv", .id = "movieId"});
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const Vocabulary& items = report->dataset->vocabulary("item");
    QCOMPARE(items.attributeNames(),
             (std::vector<std::string>{"genres", "price", "item.price", "shop"}));
    QCOMPARE(items.attribute(2, *items.row("10")), std::string_view("9"));
    QCOMPARE(items.title(*items.row("10")), std::string_view("Heat (1995)"));
    QVERIFY(items.row("50").has_value());
  }

  void movielensTakesCataloguesOfTheDocumentToo() {
    const ImportFixture fixture;
    fixture.write("u.data", "1\t1\t3\t0\n2\t2\t4\t0\n");
    fixture.writeItems(2);
    fixture.write("names.csv", "movie,name\n1,Eins\n");
    auto spec = fixture.spec();
    spec.catalogues = {{.of = "item", .path = "names.csv", .id = "movie", .title = "name"}};
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const Vocabulary& items = report->dataset->vocabulary("item");
    QCOMPARE(items.title(1), std::string_view("Eins"));
    QCOMPARE(items.title(2), std::string_view("Item 2 (1990)"));
    QCOMPARE(items.attribute(0, 1), std::string_view("Comedy"));
  }

  void previewShowsTitles() {
    const ImportFixture fixture;
    const auto spec = ratingSpec(fixture);
    const auto preview = previewSource(spec, 3, {}, makeGenerator);
    QVERIFY_OK(preview);
    const auto at = std::ranges::find(preview->columns, "title", &SourceColumn::name) -
                    preview->columns.begin();
    QCOMPARE(preview->rows[0][static_cast<std::size_t>(at)].value_or(""),
             std::string("Heat (1995)"));
  }

  void anotherCatalogueIsAnotherDataSet() {
    const ImportFixture fixture;
    const auto spec = ratingSpec(fixture);
    const auto first = fixture.import(spec);
    QVERIFY_OK(first);
    const auto same = fixture.import(spec);
    QVERIFY(same->reused);
    std::string changed = kMovies;
    changed.replace(changed.find("Heat"), 4, "Hitz");
    fixture.write("movies.csv", changed);
    const auto second = fixture.import(spec);
    QVERIFY_OK(second);
    QVERIFY(!second->reused);
    QVERIFY(first->dataset->hash() != second->dataset->hash());
    const Vocabulary& items = second->dataset->vocabulary("item");
    QCOMPARE(items.title(*items.row("10")), std::string_view("Hitz (1995)"));
    auto untitled = spec;
    untitled.catalogues[0].title.reset();
    const auto third = fixture.import(untitled);
    QVERIFY_OK(third);
    QVERIFY(third->dataset->hash() != second->dataset->hash());
  }

  // Bad input: where, what was found, what is accepted; nothing is left behind.
  void saysWhatIsWrongWithACatalogue_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("words");
    QTest::addColumn<QByteArray>("pointer");
    const auto add = [](const char* name, QByteArray content, const char* words,
                        const char* pointer) {
      QTest::newRow(name) << content << QByteArray(words) << QByteArray(pointer);
    };
    add("an id twice", "movieId,title,genres\n10,A,a\n10,B,b\n20,C,c\n",
        "id 10 occurs a second time; the first line counts", "/dataset/catalogues/0");
    add("no id column", "movie,title,genres\n10,A,a\n", "has no column \"movieId\"",
        "/dataset/catalogues/0/id");
    add("no title column", "movieId,name,genres\n10,A,a\n", "has no column \"title\"",
        "/dataset/catalogues/0/title");
    add("no id of the data", "movieId,title,genres\n11,A,a\n12,B,b\n",
        "names none of the 3 items of the data; its ids are \"11\", \"12\", …, those of the data "
        "\"10\", \"20\", \"30\", …",
        "/dataset/catalogues/0/id");
    add("ids that are no numbers", "movieId,title,genres\ntt1,A,a\ntt2,B,b\n",
        "id \"tt1\"; a whole number is accepted, as the ids of the data are",
        "/dataset/catalogues/0");
    add("an empty file", "", "movies.csv", "/dataset/catalogues/0/path");
    add("an open quote", "movieId,title,genres\n10,\"A,a\n20,B,b\n", "movies.csv: 1 of 2 lines",
        "/dataset/catalogues/0");
    add("a huge title",
        "movieId,title,genres\n10," + QByteArray(100'000, 'x') + ",a\n20,B,b\n30,C,c\n",
        "title of 100000 bytes; at most 65536 are accepted", "/dataset/catalogues/0");
    add("a line without its end", "movieId,title,genres\n10," + QByteArray(3'000'000, 'x'),
        "movies.csv", "/dataset/catalogues/0");
    add("a NUL byte", QByteArray("movieId,title,genres\n10,A\0B,a\n20,B,b\n", 36), "NUL",
        "/dataset/catalogues/0");
  }
  void saysWhatIsWrongWithACatalogue() {
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, words);
    QFETCH(QByteArray, pointer);
    const ImportFixture fixture;
    const auto spec = ratingSpec(fixture);
    fixture.write("movies.csv", content.toStdString());
    const auto report = fixture.import(spec);
    QVERIFY_FAILS(report, words.toStdString(), pointer.toStdString());
    QCOMPARE(fixture.leftBehind(), 0);
  }

  void aMissingFileIsToldWithWhereItWasLookedFor() {
    const ImportFixture fixture;
    auto spec = ratingSpec(fixture);
    spec.catalogues = {movies("films.csv")};
    const auto report = fixture.import(spec);
    QVERIFY_FAILS(report, (fixture.source() / "films.csv").string(), "/dataset/catalogues/0/path");
    std::filesystem::create_directory(fixture.source() / "folder");
    spec.catalogues = {movies("folder")};
    const auto folder = fixture.import(spec);
    QVERIFY_FAILS(folder, "has no table", "/dataset/catalogues/0/path");
  }

  void rejectedLinesAreToldWithTheFileThatTheyStandIn() {
    const ImportFixture fixture;
    const auto spec = ratingSpec(fixture);
    const std::string content = "movieId,title,genres\n10,A,a\n10,B,b\n20,C,c\n";
    fixture.write("movies.csv", content);
    const auto report = fixture.import(spec);
    const std::string path = (fixture.source() / "movies.csv").string();
    QVERIFY_FAILS(report, path + ": 1 of 3 lines were rejected", "/dataset/catalogues/0");
    QCOMPARE(report.error().path, path);
    QCOMPARE(*report.error().line, std::int64_t{3});
  }

  void otherBytesAreLatin1AndTold() {
    const ImportFixture fixture;
    const auto spec = ratingSpec(fixture);
    fixture.write("movies.csv", "movieId,title,genres\n10,Caf\xE9,a\n20,Na\xC3\xAFve,b\n30,C,c\n");
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    const Vocabulary& items = report->dataset->vocabulary("item");
    QCOMPARE(items.title(*items.row("10")), std::string_view("Caf\xC3\xA9"));
    QCOMPARE(items.title(*items.row("20")), std::string_view("Na\xC3\xAFve"));
    QVERIFY(hasWarning(*report, "is not UTF-8 throughout"));
  }

  void someRejectedLinesAreKept() {
    const ImportFixture fixture;
    auto spec = ratingSpec(fixture);
    spec.maxRejectedShare = 0.5;
    fixture.write("movies.csv", "movieId,title,genres\n10,A,a\n10,B,b\n,C,c\n20,D,d\n");
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(report->quarantined, std::int64_t{2});
    QCOMPARE(report->rejectedLines[0].line, std::int64_t{3});
    QCOMPARE(report->rejectedLines[1].reason, std::string("the id is missing; an id is accepted"));
    QVERIFY(report->rejectedLines[0].path.ends_with("movies.csv"));
  }

  void cellsThatAreNoNumbersAreMissingAndTold() {
    const ImportFixture fixture;
    auto spec = ratingSpec(fixture);
    std::string many = "movieId,title,genres,year\n10,A,a,1990\n20,B,b,1991\n30,C,c,1992\n";
    // The type of the column is that of its first lines.
    for (int id = 50; id < 100'000; ++id) many += std::to_string(id) + ",x,x,1999\n";
    fixture.write("movies.csv", many + "40,D,d,19xx\n");
    spec.columns.push_back({.name = "year", .role = ColumnRole::kNumeric});
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QVERIFY(hasWarning(*report, "1 cells of the column \"year\""));
  }

  void aCataloguesImportCanBeCancelled() {
    const ImportFixture fixture;
    const auto spec = ratingSpec(fixture);
    std::string many = "movieId,title,genres\n";
    for (int id = 1; id < 200'000; ++id) many += std::to_string(id) + ",some title,a|b\n";
    fixture.write("movies.csv", many);
    std::stop_source stop;
    WorkContext context;
    context.stop = stop.get_token();
    bool told = false;
    context.progress = [&](std::string_view stage, std::int64_t, std::int64_t) {
      told = told || stage == "catalogue";
      if (stage == "catalogue") stop.request_stop();
    };
    const auto report = fixture.import(spec, context);
    QVERIFY(told);
    QVERIFY(!report);
    QVERIFY(report.error().code == ErrorCode::kCancelled);
    QCOMPARE(fixture.leftBehind(), 0);
  }
};

QTEST_GUILESS_MAIN(CataloguesTest)
#include "catalogues_test.moc"
