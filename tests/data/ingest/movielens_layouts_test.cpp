// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>

#include "engine/data/ingest/import/detect_source.h"
#include "engine/data/ingest/sources/catalogue_table.h"
#include "tests/data/ingest/source_rows.h"
#include "tests/data/ingest/zip_fixture.h"

using namespace parapet;
using namespace parapet::data;

namespace {

namespace fs = std::filesystem;
using Rows = std::vector<std::string>;

const std::string kNoGenre = "|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0";

// Two users, their movies and ratings in every layout.
std::vector<ZipMember> filesOf(const std::string& layout) {
  if (layout == "100K")
    return {{"u.data", "1\t2\t3\t881250949\n2\t1\t4.5\t881250950\n"},
            {"u.item", "1|Caf\xE9 (1995)|01-Jan-1995||http|0" + kNoGenre +
                           "\n2|Heat, The (1996)|||http|1" + kNoGenre + "\n"},
            {"u.user", "1|24|M|technician|85711\n2|53|F|other|94043\n"},
            {"README", "text"}};
  if (layout == "1M")
    return {{"ratings.dat", "1::2::3::881250949\n2::1::4.5::881250950\n"},
            {"movies.dat", "1::Caf\xE9 (1995)::Drama\n2::Heat, The (1996)::unknown\n"},
            {"users.dat", "1::M::24::17::85711\n2::F::53::0::94043\n"}};
  return {{"ratings.csv",
           "userId,movieId,rating,timestamp\r\n1,2,3.0,881250949\r\n"
           "2,1,4.5,881250950\r\n"},
          {"movies.csv",
           "movieId,title,genres\n1,Caf\xC3\xA9 (1995),(no genres listed)\n"
           "2,\"Heat, The (1996)\",unknown\n"},
          {"tags.csv", "userId,movieId,tag,timestamp\n1,2,\"a, tag\",1\n"},
          {"links.csv", "movieId,imdbId,tmdbId\n1,1,\n"}};
}

}  // namespace

class MovielensLayoutsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsEveryLayoutAsFolderAndArchive_data() {
    QTest::addColumn<QByteArray>("layout");
    QTest::addColumn<QByteArray>("packing");
    for (const char* layout : {"100K", "1M", "csv"})
      for (const char* packing : {"folder", "archive", "archive without a folder"})
        QTest::addRow("%s %s", layout, packing) << QByteArray(layout) << QByteArray(packing);
  }
  void readsEveryLayoutAsFolderAndArchive() {
    QFETCH(QByteArray, layout);
    QFETCH(QByteArray, packing);
    write(filesOf(layout.toStdString()), packing);
    const auto source = open();
    QVERIFY2(source.ok(), source ? "" : source.error().text().c_str());
    QVERIFY((*source)->readCatalogues(CatalogueExtent::kAll, {}).ok());
    const auto rows = readAll(**source);
    QVERIFY2(rows.ok(), rows ? "" : rows.error().text().c_str());
    QCOMPARE(rows->rows, (Rows{"1 2 3 881250949", "2 1 4.5 881250950"}));
    QCOMPARE(rows->lines[0], std::int64_t{layout == "csv" ? 2 : 1});
    QVERIFY(rows->rejected.empty());

    const CatalogueTable* items = (*source)->catalogue("item");
    QVERIFY(items != nullptr);
    QCOMPARE(items->size(), std::int64_t{2});
    const std::int32_t cafe = items->find(std::int64_t{1}), heat = items->find(std::int64_t{2});
    QCOMPARE(items->id(cafe), std::string("1"));
    QCOMPARE(items->title(cafe), std::string_view("Caf\xC3\xA9 (1995)"));
    QCOMPARE(items->title(heat), std::string_view("Heat, The (1996)"));
    QCOMPARE(items->attributeNames()[0], std::string("genres"));
    QCOMPARE(items->attributes(heat)[0], std::string("unknown"));
    if (layout == "csv") QCOMPARE(items->attributes(cafe)[0], std::string());
    if (layout == "100K") QCOMPARE(items->attributes(cafe)[1], std::string("01-Jan-1995"));

    const CatalogueTable* users = (*source)->catalogue("user");
    QCOMPARE(users == nullptr, layout == "csv");
    if (!users) return;
    QCOMPARE(users->attributeNames(), (Rows{"age", "gender", "occupation", "zip"}));
    const std::int32_t first = users->find(std::int64_t{1}), second = users->find(std::int64_t{2});
    QCOMPARE(users->attributes(first)[0], std::string("24"));
    QCOMPARE(users->attributes(first)[1], std::string("M"));
    QVERIFY(users->attributes(first)[2].starts_with("technician"));
    QCOMPARE(users->attributes(second)[2], std::string("other"));
    QVERIFY(users->info(0).file.ends_with(layout == "1M" ? "users.dat" : "u.user"));
  }

  void ratingsKeepTheirReasons_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("reason");
    const auto add = [](const char* line, const char* reason) {
      QTest::newRow(line) << QByteArray(line) << QByteArray(reason);
    };
    add("abc::1::3::0", "user id \"abc\"; a whole number from 0 to 2^63 − 1 is accepted");
    add("1::::3::0", "item id \"\"");
    add("1::1::good::0", "rating \"good\"; a number is accepted");
    add("1::1::3::noon", "time \"noon\"; whole seconds since 1970 are accepted");
    add("1::1::3", "3 columns; 4 separated by :: are accepted (user, item, rating, time)");
    add("1:::1::3::0", "item id \":1\"");
    add("1::1::3::0::9", "5 columns");
  }
  void ratingsKeepTheirReasons() {
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, reason);
    write({{"ratings.dat",
            "1::1::3::0\n" + line.toStdString() + "\n2::1::4::0\n3::1::4::978300760\n"}},
          "folder");
    const auto source = open().value();
    const auto rows = readAll(*source).value();
    QCOMPARE(rows.rows, (Rows{"1 1 3 0", "2 1 4 0", "3 1 4 978300760"}));
    QCOMPARE(rows.rejected.size(), std::size_t{1});
    QCOMPARE(rows.rejected[0].line, std::int64_t{2});
    QVERIFY2(rows.rejected[0].reason.find(reason.toStdString()) != std::string::npos,
             rows.rejected[0].reason.c_str());
  }

  void rejectedLinesOfCataloguesAreKeptInOrder() {
    auto files = filesOf("1M");
    files[1].second += "2::Twice::Drama\nx::No number::Drama\n3::Short\n4::Last::Drama\n";
    files[2].second += "3::F::1::21::0\n";
    write(files, "archive");
    const auto source = open().value();
    QVERIFY(source->readCatalogues(CatalogueExtent::kAll, {}).ok());
    QCOMPARE(source->catalogue("item")->size(), std::int64_t{3});
    const auto quarantines = source->quarantines();
    QCOMPARE(quarantines.size(), std::size_t{2});
    QCOMPARE(quarantines[0]->fileName(), std::string("ml/movies.dat"));
    QCOMPARE(quarantines[0]->good(), std::int64_t{3});
    std::string reasons;
    for (const auto& line : quarantines[0]->lines())
      reasons += std::to_string(line.number) + " " + line.reason + "\n";
    QCOMPARE(reasons,
             std::string("3 id 2 occurs a second time; the first line counts\n"
                         "4 id \"x\"; a whole number from 1 is accepted\n"
                         "5 2 columns; 3 separated by :: are accepted (id, title, genres)\n"));
    QCOMPARE(quarantines[1]->lines()[0].reason,
             std::string("occupation \"21\"; 0 to 20 is accepted"));
  }

  void saysWhatIsNoMovielensDataSet() {
    write({{"readme.txt", "text"}}, "archive");
    QVERIFY(open().error().message.find("has no u.data, ratings.dat or ratings.csv") !=
            std::string::npos);
    write({{"ratings.csv", "user;movie;stars\n1;2;3\n"}}, "folder");
    const auto other = open();
    QVERIFY(!other);
    QVERIFY2(other.error().message.find("\"userId,movieId,rating,timestamp\" is expected") !=
                 std::string::npos,
             other.error().message.c_str());
    QVERIFY(other.error().line == 1);
    write({{"u.data", ""}}, "archive");
    QVERIFY(open().error().message.find("u.data is empty") != std::string::npos);
  }

  // A truncated archive is told when it is opened, a damaged member when it is read to its end.
  void aDamagedArchiveIsADataError() {
    std::string ratings;
    for (int i = 0; i < 5000; ++i) ratings += std::to_string(i * 37 % 997) + "::7::3::1\n";
    write({{"ratings.dat", ratings}}, "archive");
    const std::string whole = readBytes(path());
    writeBytes(path(), whole.substr(0, whole.size() - 30));
    QVERIFY(open().error().code == ErrorCode::kData);
    std::string damaged = whole;
    damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 0x55);
    writeBytes(path(), damaged);
    const auto source = open();
    QVERIFY(source.ok() || source.error().code == ErrorCode::kData);
    if (!source) return;
    const auto rows = readAll(**source);
    QVERIFY(!rows);
    QVERIFY(rows.error().code == ErrorCode::kData);
    QVERIFY2(rows.error().message.find("ratings.dat\" is damaged") != std::string::npos,
             rows.error().message.c_str());
  }

  void aByteOrderMarkMakesACatalogueUtf8() {
    auto files = filesOf("100K");
    files[0].second.insert(0, "\xEF\xBB\xBF");
    files[1].second.insert(0, "\xEF\xBB\xBF");
    write(files, "folder");
    const auto source = open().value();
    QVERIFY(source->readCatalogues(CatalogueExtent::kAll, {}).ok());
    QCOMPARE(source->catalogue("item")->size(), std::int64_t{1});
    QCOMPARE(source->warnings().size(), std::size_t{2});
    QCOMPARE(readAll(*source)->rows.size(), std::size_t{2});
  }

  void rowsAreThoseOfTheMoviesWhereTheirFileIs() {
    using Kind = experiment::VocabularySize::Kind;
    write(filesOf("100K"), "folder");
    QVERIFY(detectSource(path()).value().vocabularies[1].size.kind == Kind::kCataloguePlusOne);
    fs::remove(path() / "u.item");
    QVERIFY(detectSource(path()).value().vocabularies[1].size.kind == Kind::kMaxPlusOne);
  }

 private:
  [[nodiscard]] fs::path path() const { return fs::path(folder_.path().toStdString()) / "ml"; }
  [[nodiscard]] Result<std::unique_ptr<Source>> open() const {
    experiment::Dataset spec;
    spec.path = path().string();
    return openSource(spec, nullptr);
  }
  static Result<SourceRows> readAll(Source& source) {
    std::vector<ColumnRequest> requests;
    for (const char* name : {"user", "item", "rating", "time"})
      requests.push_back({name, {}, "", ""});
    PARAPET_TRY(source.select(requests));
    return readRows(source);
  }
  void write(std::vector<ZipMember> files, const QByteArray& packing) const {
    fs::remove_all(path());
    if (packing == "folder") {
      fs::create_directory(path());
      for (const auto& [name, content] : files) writeBytes(path() / name, content);
      return;
    }
    if (packing == "archive")
      for (auto& [name, content] : files) name.insert(0, "ml/");
    writeZip(path(), files);
  }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(MovielensLayoutsTest)
#include "movielens_layouts_test.moc"
