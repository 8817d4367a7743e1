// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/propose_catalogues.h"

#include <fmt/format.h>

#include <QTest>
#include <algorithm>

#include "engine/data/ingest/import/check_side_files.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using experiment::ColumnRole;

namespace {

/// Rows of 9 users and 30 items whose ids are no numbers from 1 on.
std::string ratings(const char* header = "userId,movieId,rating") {
  std::string text = std::string(header) + '\n';
  for (int row = 0; row < 90; ++row)
    text += std::to_string(1 + row % 9) + ',' + std::to_string(900 + 7 * (row % 30)) + ',' +
            std::to_string(1 + row % 5) + '\n';
  return text;
}

std::string movies() {
  std::string text = "movieId,title,genres\n";
  for (int item = 0; item < 30; ++item)
    text += std::to_string(900 + 7 * item) + ",\"Film " + std::to_string(item) + " (1999)\"," +
            (item % 2 ? "Drama" : "Comedy") + '\n';
  return text;
}

experiment::Dataset specOf(const ImportFixture& fixture, const char* user = "userId",
                           const char* item = "movieId") {
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kCsv;
  spec.path = (fixture.source() / "ratings.csv").string();
  spec.columns = {{.name = "user", .role = ColumnRole::kUser, .from = user},
                  {.name = "item", .role = ColumnRole::kItem, .from = item}};
  for (const char* name : {"user", "item"}) {
    spec.vocabularies.emplace_back();
    spec.vocabularies.back().name = name;
  }
  return spec;
}

std::vector<CatalogueProposal> propose(const experiment::Dataset& spec) {
  const auto preview = previewSource(spec, 200, {}, makeGenerator);
  if (!preview) qFatal("%s", preview.error().text().c_str());
  return proposeCatalogues(spec, *preview, {});
}

}  // namespace

class ProposeCataloguesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theFileOfTitlesBesideTheDataIsProposed() {
    const ImportFixture fixture;
    fixture.write("ratings.csv", ratings());
    fixture.write("movies.csv", movies());
    const auto proposals = propose(specOf(fixture));
    QCOMPARE(proposals.size(), std::size_t{1});
    const experiment::Catalogue& catalogue = proposals[0].catalogue;
    QCOMPARE(catalogue.path, std::string("movies.csv"));
    QCOMPARE(catalogue.of, std::string("item"));
    QCOMPARE(catalogue.id, std::optional<std::string>("movieId"));
    QCOMPARE(catalogue.title, std::optional<std::string>("title"));
    QCOMPARE(proposals[0].found, std::int64_t{30});
    // A file that the document names is not proposed again.
    experiment::Dataset named = specOf(fixture);
    named.catalogues = {catalogue};
    QVERIFY(propose(named).empty());
    QVERIFY(checkSideFiles(named, makeGenerator).empty());
  }

  void aFolderOfDataHasFilesInItAndBesideIt_data() {
    QTest::addColumn<QString>("titles");
    QTest::addColumn<bool>("slash");
    QTest::addColumn<bool>("found");
    QTest::newRow("in it, of another kind") << "parts/movies.txt" << false << true;
    QTest::newRow("beside it") << "movies.csv" << false << true;
    QTest::newRow("beside it, named with a slash") << "movies.csv" << true << true;
    QTest::newRow("in a folder of its own") << "films/movies.csv" << false << false;
  }
  void aFolderOfDataHasFilesInItAndBesideIt() {
    QFETCH(QString, titles);
    QFETCH(bool, slash);
    QFETCH(bool, found);
    const ImportFixture fixture;
    for (const char* folder : {"parts", "films"})
      std::filesystem::create_directory(fixture.source() / folder);
    fixture.write("parts/1.csv", ratings());
    fixture.write("parts/2.csv", ratings());
    std::string table = movies();
    if (titles.endsWith(".txt")) std::ranges::replace(table, ',', '\t');
    fixture.write(titles.toStdString(), table);
    experiment::Dataset spec = specOf(fixture);
    spec.path = (fixture.source() / "parts").string() + (slash ? "/" : "");
    const auto proposals = propose(spec);
    QCOMPARE(proposals.size(), found ? std::size_t{1} : std::size_t{0});
    if (!found) return;
    QCOMPARE(proposals[0].catalogue.title, std::optional<std::string>("title"));
    // The document finds it by the path that is proposed.
    spec.catalogues = {proposals[0].catalogue};
    QVERIFY(checkSideFiles(spec, makeGenerator).empty());
    QVERIFY(propose(spec).empty());
  }

  void aColumnThatNamesEachItemIsItsTitle() {
    const ImportFixture fixture;
    // Names of items; a comment that changes; a shelf that many share; the person's name.
    std::string text = "userId,movieId,called,comment,shelf,person name\n";
    for (int row = 0; row < 90; ++row)
      text += fmt::format("{},{},The Film {},so it {} goes,Shelf {},Ann {}\n", 1 + row % 9,
                          900 + 7 * (row % 30), row % 30, row, row % 3, row % 9);
    fixture.write("ratings.csv", text);
    const auto proposals = propose(specOf(fixture));
    QCOMPARE(proposals.size(), std::size_t{2});
    for (std::size_t i = 0; i < 2; ++i) {
      QVERIFY(proposals[i].isOfRows);
      QCOMPARE(proposals[i].catalogue.path, std::string("ratings.csv"));
      QCOMPARE(proposals[i].catalogue.of, std::string(i == 0 ? "item" : "user"));
      QCOMPARE(proposals[i].catalogue.title,
               std::optional<std::string>(i == 0 ? "called" : "person name"));
    }
    // Files beside the data tell more, and come first; ids that have titles get no others.
    fixture.write("movies.csv", movies());
    QCOMPARE(propose(specOf(fixture))[0].catalogue.path, std::string("movies.csv"));
    experiment::Dataset named = specOf(fixture);
    named.catalogues = {proposals[0].catalogue, proposals[1].catalogue};
    QVERIFY(checkSideFiles(named, makeGenerator).empty());
    named.catalogues[0] = {.of = "item", .path = "movies.csv", .id = "movieId", .title = "title"};
    QVERIFY(propose(named).empty());
  }

  void filesThatTellNothingOfTheIdsAreNotProposed() {
    const ImportFixture fixture;
    fixture.write("ratings.csv", ratings());
    // Ids several times; ids alone; other ids; no table.
    fixture.write("tags.csv", "movieId,tag\n900,a\n900,b\n907,a\n907,c\n");
    fixture.write("links.csv", "movieId,imdb\n900,1\n907,2\n914,3\n");
    // A row of each user, as of a test split; a row of each item.
    fixture.write("test.csv", "userId,movieId,rating\n1,900,3\n2,907,3\n3,914,4\n4,921,3\n");
    fixture.write("latest.csv", "movieId,userId,rating\n900,1,3\n907,2,3\n914,3,4\n921,3,3\n");
    fixture.write("others.csv", "movieId,title\n1,One\n2,Two\n");
    fixture.write("notes.txt", "remember the milk\n");
    fixture.write("empty.csv", "");
    fixture.write("broken.parquet", "PAR1 nothing");
    const auto proposals = propose(specOf(fixture));
    QVERIFY2(proposals.empty(), proposals.empty() ? "" : proposals[0].catalogue.path.c_str());
  }

  void theNameOfAFileTellsWhoseIdsItHas() {
    const ImportFixture fixture;
    std::string data = "who,what,stars\n", people = "id,name,town\n";
    for (int row = 0; row < 60; ++row)
      data += std::to_string(1 + row % 9) + ',' + std::to_string(1 + row % 20) + ",3\n";
    for (int id = 1; id <= 9; ++id)
      people += std::to_string(id) + ",Person " + std::to_string(id) + ",Here\n";
    fixture.write("ratings.csv", data);
    fixture.write("users.csv", people);
    const auto proposals = propose(specOf(fixture, "who", "what"));
    QCOMPARE(proposals.size(), std::size_t{1});
    QCOMPARE(proposals[0].catalogue.of, std::string("user"));
    QCOMPARE(proposals[0].catalogue.title, std::optional<std::string>("name"));
  }

  void textsThatAreIdsOfTheDataNeedNoName() {
    const ImportFixture fixture;
    std::string data = "who,what\n", table = "k,words,shelf\n";
    for (int row = 0; row < 60; ++row)
      data += std::to_string(row % 9) + ",B" + std::to_string(row % 20) + '\n';
    for (int id = 0; id < 20; ++id)
      table += "B" + std::to_string(id) + ",The " + std::to_string(id) + " Seas," +
               std::to_string(id % 3) + '\n';
    fixture.write("ratings.csv", data);
    fixture.write("stock.tsv", table);
    const auto proposals = propose(specOf(fixture, "who", "what"));
    QCOMPARE(proposals.size(), std::size_t{1});
    QCOMPARE(proposals[0].catalogue.id, std::optional<std::string>("k"));
    QCOMPARE(proposals[0].catalogue.title, std::optional<std::string>("words"));
  }

  void aChosenFileIsTakenAsItIsAndItsProblemsStandAtItsPointers() {
    const ImportFixture fixture;
    fixture.write("ratings.csv", ratings());
    fixture.write("films.csv", "number,called\n1,One\n2,Two\n");
    experiment::Dataset spec = specOf(fixture);
    const auto preview = previewSource(spec, 200, {}, makeGenerator);
    QVERIFY_OK(preview);
    const auto proposal = proposeCatalogue(spec, *preview, fixture.source() / "films.csv", {});
    QVERIFY_OK(proposal);
    QVERIFY(!proposal->catalogue.id.has_value());
    spec.catalogues = {proposal->catalogue};
    spec.catalogues.push_back({.of = "item", .path = "gone.csv"});
    spec.catalogues.push_back({.of = "item", .path = "films.csv", .id = "number", .title = "name"});
    spec.vectors.push_back({.name = "a", .of = "item", .path = "gone.npy", .id = "id"});
    spec.vectors.push_back({.name = "b", .of = "item", .path = "films.csv", .id = "id"});
    const auto errors = checkSideFiles(spec, makeGenerator);
    QStringList pointers;
    for (const Error& error : errors) pointers << QString::fromStdString(error.pointer);
    QCOMPARE(pointers, (QStringList{"/dataset/catalogues/0/id", "/dataset/catalogues/1/path",
                                    "/dataset/catalogues/2/title", "/dataset/vectors/0/path",
                                    "/dataset/vectors/1/id"}));
    QVERIFY(!proposeCatalogue(spec, *preview, fixture.source() / "gone.csv", {}).ok());
  }

  void vectorsAreOfTheIdsThatTheirFileNames() {
    const ImportFixture fixture;
    fixture.write("ratings.csv", ratings());
    fixture.write("audio v2.csv", "movie_id,vector\n900,1 2\n");
    experiment::Dataset spec = specOf(fixture);
    const auto vectors = proposeVectors(spec, fixture.source() / "audio v2.csv");
    QVERIFY_OK(vectors);
    QCOMPARE(vectors->name, std::string("audio-v2"));
    QCOMPARE(vectors->path, std::string("audio v2.csv"));
    QCOMPARE(vectors->of, std::string("item"));
    QCOMPARE(vectors->id, std::string("movie_id"));
    spec.vectors = {*vectors};
    QCOMPARE(proposeVectors(spec, fixture.source() / "audio v2.csv")->name,
             std::string("audio-v2-2"));
  }
};

QTEST_GUILESS_MAIN(ProposeCataloguesTest)
#include "propose_catalogues_test.moc"
