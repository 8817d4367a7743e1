// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/import.h"

#include <QTest>
#include <stop_token>

#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using experiment::VocabularyKind;
using SizeKind = experiment::VocabularySize::Kind;

namespace {

constexpr const char* kFourRatings = "3\t2\t5\t100\n1\t4\t1\t200\n3\t4\t3\t300\n1\t2\t2\t400\n";

template <class T>
std::vector<T> values(std::span<const T> span) {
  return {span.begin(), span.end()};
}

const VocabularyReport& vocabularyOf(const ImportReport& report, const std::string& name) {
  for (const auto& vocabulary : report.vocabularies)
    if (vocabulary.name == name) return vocabulary;
  throw InternalError("no vocabulary " + name);
}

}  // namespace

class ImportTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsRatingsWithDirectIds() {
    const ImportFixture fixture;
    fixture.write("u.data", kFourRatings);
    const auto report = fixture.import(fixture.spec());
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    const Dataset& dataset = *report->dataset;
    QCOMPARE(report->rows, std::int64_t{4});
    QCOMPARE(values(dataset.ids("user")), (std::vector<std::int32_t>{3, 1, 3, 1}));
    QCOMPARE(values(dataset.ids("item")), (std::vector<std::int32_t>{2, 4, 4, 2}));
    QCOMPARE(values(dataset.labels()), (std::vector<float>{1.0f, 0.0f, 0.5f, 0.25f}));
    QCOMPARE(values(dataset.times()), (std::vector<std::int64_t>{100, 200, 300, 400}));
    QVERIFY(dataset.weights().empty());
    QCOMPARE(dataset.rawLabel(0.25f), 2.0);
    QCOMPARE(dataset.vocabulary("user").size(), std::int64_t{4});
    QVERIFY(!dataset.vocabulary("user").isCandidate(2));
    QCOMPARE(vocabularyOf(*report, "user").unusedRows, std::int64_t{1});
    QCOMPARE(dataset.folder().filename().string(), dataset.hash());
    QVERIFY(dataset.verify().ok());
    QVERIFY_EXCEPTION_THROWN(static_cast<void>(dataset.ids("genre")), InvalidArgument);
  }

  void catalogueGivesSizeTitlesAndCandidates() {
    const ImportFixture fixture;
    fixture.write("u.data", kFourRatings);
    fixture.write("u.user", "1|24|M|technician|85711\n3|53|F|other|94043\n");
    fixture.write("u.item",
                  "1|Mis\xE9rables (1995)|01-Jan-1995||x|0|0|0|1|0|1|0|0|0|0|0|0|0|0|0|0|0|0|0\n"
                  "2|B|||x|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0\r\n\r\n"
                  "3|C|||x|1|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0\n"
                  "4|D|||x|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|1\n");
    const auto report = fixture.import(fixture.spec(SizeKind::kCataloguePlusOne));
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    const Vocabulary& items = report->dataset->vocabulary("item");
    QCOMPARE(items.size(), std::int64_t{5});
    QCOMPARE(items.title(1), std::string_view("Misérables (1995)"));
    QCOMPARE(items.attribute(0, 1), std::string_view("Animation|Comedy"));
    QCOMPARE(items.attribute(1, 1), std::string_view("01-Jan-1995"));
    QVERIFY(items.isCandidate(3));  // never rated, but in the catalogue
    QCOMPARE(items.count(3), std::int64_t{0});
    QCOMPARE(vocabularyOf(*report, "item").unusedRows, std::int64_t{2});
    const Vocabulary& users = report->dataset->vocabulary("user");
    QCOMPARE(users.attribute(2, 3), std::string_view("other"));
    QCOMPARE(report->quarantined, std::int64_t{0});
  }

  void genreFileNamesTheFlags() {
    const ImportFixture fixture;
    fixture.write("u.data", "1\t1\t3\t0\n");
    fixture.write("u.genre", "Calm|0\nLoud|1\n\n");
    fixture.write("u.item", "1|A||||0|1\n");
    const auto report = fixture.import(fixture.spec(SizeKind::kCataloguePlusOne));
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    QCOMPARE(report->dataset->vocabulary("item").attribute(0, 1), std::string_view("Loud"));
  }

  // Counts: user 7 three times, 5 and 9 twice, 8 once.
  void compressesByFrequencyWithTiesById() {
    const ImportFixture fixture;
    fixture.write(
        "u.data",
        "9\t1\t3\t0\n7\t1\t3\t0\n5\t1\t3\t0\n7\t2\t3\t0\n8\t1\t3\t0\n9\t2\t3\t0\n5\t2\t3\t0\n"
        "7\t3\t3\t0\n");
    auto spec = fixture.spec();
    spec.vocabularies[0].kind = VocabularyKind::kCompressed;
    spec.vocabularies[0].size = {};
    auto report = fixture.import(spec);
    QVERIFY(report.ok());
    QCOMPARE(values(report->dataset->ids("user")),
             (std::vector<std::int32_t>{3, 1, 2, 1, 4, 3, 2, 1}));
    QCOMPARE(report->dataset->vocabulary("user").rawId(1), std::string_view("7"));
    QCOMPARE(vocabularyOf(*report, "user").oovShare, 0.0);

    // The training rows of a split tell which ids are rare: an import keeps all of them, and is the
    // same for all such settings.
    const std::string hash = report->dataset->hash();
    spec.vocabularies[0].minCount = 2;
    report = fixture.import(spec);
    QCOMPARE(report->dataset->hash(), hash);
    QCOMPARE(vocabularyOf(*report, "user").size, std::int64_t{5});
    const auto fitted = fittedToAllRows(report, spec);
    QVERIFY_OK(fitted);
    const Vocabulary& users = (*fitted)->vocabulary("user");
    QCOMPARE(users.size(), std::int64_t{4});
    QVERIFY(users.row("8") == 0 && users.entry("8").value() >= users.size());
    const auto rows = values((*fitted)->ids("user"));
    QCOMPARE(std::ranges::count(rows, 0), std::ptrdiff_t{1});
    QCOMPARE(rows[4], 0);
    QCOMPARE(rows[1], 1);  // the most frequent, "7"

    spec.vocabularies[0].size = {SizeKind::kFixed, 2};
    report = fixture.import(spec);
    QCOMPARE(report->dataset->hash(), hash);
    const auto one = fittedToAllRows(report, spec);
    QCOMPARE(values((*one)->ids("user")), (std::vector<std::int32_t>{0, 1, 0, 1, 0, 0, 0, 1}));
    QCOMPARE((*one)->vocabulary("user").count(0), std::int64_t{5});
  }

  // Held-out rows have no part in which ids a model knows.
  void trainingRowsTellWhichIdsAreRare() {
    const ImportFixture fixture;
    fixture.write("u.data",
                  "1\t5\t3\t0\n2\t5\t3\t0\n3\t6\t3\t0\n1\t6\t3\t0\n2\t7\t3\t0\n3\t7\t3\t0\n"
                  "1\t7\t3\t0\n");
    auto spec = fixture.spec();
    spec.vocabularies[1].kind = VocabularyKind::kCompressed;
    spec.vocabularies[1].size = {};
    spec.vocabularies[1].minCount = 2;
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    Split split;
    split.train = RowSet({0, 1, 2, 4});  // 5 twice, 6 and 7 once each
    split.validation = RowSet({3, 5, 6});
    const auto fitted = fitVocabularies(report->dataset, spec, split);
    QVERIFY_OK(fitted);
    const Dataset& dataset = **fitted;
    QCOMPARE(values(dataset.ids("item")), (std::vector<std::int32_t>{1, 1, 0, 0, 0, 0, 0}));
    QCOMPARE(dataset.vocabulary("item").size(), std::int64_t{2});
    // The item of a row stays known: lists are of items, and miss these.
    const ItemIndex& items = dataset.itemIndex("item");
    QCOMPARE(items.size(), 4);
    const auto entries = dataset.entries("item");
    QCOMPARE(items.id(items.ofEntry(entries[3])), std::string_view("6"));
    QCOMPARE(items.id(items.ofEntry(entries[6])), std::string_view("7"));
    QVERIFY(!items.hasRow(*items.find("7")) && items.hasRow(*items.find("5")));
    QVERIFY(dataset.rowsKey() != report->dataset->rowsKey());
    QCOMPARE(dataset.hash(), report->dataset->hash());
  }

  void acceptsCrlfMarkBlankLinesAndMissingLastNewline() {
    const ImportFixture fixture;
    fixture.write("u.data",
                  "\xEF\xBB\xBF"
                  "1\t1\t3\t5\r\n\r\n  \n2\t1\t4\t6");
    const auto report = fixture.import(fixture.spec());
    QVERIFY(report.ok());
    QCOMPARE(report->rows, std::int64_t{2});
    QCOMPARE(report->quarantined, std::int64_t{0});
    QCOMPARE(report->warnings.size(), std::size_t{1});
    QVERIFY(report->warnings[0].find("byte-order mark") != std::string::npos);
  }

  void countsRepeatedPairs() {
    const ImportFixture fixture;
    fixture.write("u.data", "1\t2\t3\t0\n2\t1\t3\t0\n1\t2\t4\t1\n1\t2\t5\t2\n");
    const auto report = fixture.import(fixture.spec());
    QCOMPARE(report->rows, std::int64_t{4});
    QCOMPARE(report->warnings.size(), std::size_t{1});
    QVERIFY(report->warnings[0].starts_with("2 rows repeat"));
  }

  void ratingsCanBeWeightsAndUnscaled() {
    const ImportFixture fixture;
    fixture.write("u.data", kFourRatings);
    auto spec = fixture.spec();
    spec.weight = "rating";
    spec.label.scale.reset();
    const auto report = fixture.import(spec);
    QCOMPARE(values(report->dataset->weights()), (std::vector<float>{5, 1, 3, 2}));
    QCOMPARE(values(report->dataset->labels()), (std::vector<float>{5, 1, 3, 2}));
    QCOMPARE(report->dataset->rawLabel(3.0f), 3.0);
  }

  void reusesTheSameImport() {
    const ImportFixture fixture;
    fixture.write("u.data", std::string(kFourRatings) + "x\n");
    auto spec = fixture.spec();
    spec.maxRejectedShare = 0.5;
    const auto first = fixture.import(spec);
    const auto second = fixture.import(spec);
    QVERIFY(first.ok() && second.ok());
    QVERIFY(!first->reused && second->reused);
    QCOMPARE(second->dataset->hash(), first->dataset->hash());
    QCOMPARE(second->rows, first->rows);
    QCOMPARE(second->quarantined, std::int64_t{1});
    QCOMPARE(second->rejectedLines.size(), std::size_t{1});
    QCOMPARE(second->rejectedLines[0].reason, first->rejectedLines[0].reason);
    QCOMPARE(second->rejectedLines[0].path, (fixture.source() / "u.data").string());
    QCOMPARE(second->vocabularies.size(), std::size_t{2});
    QCOMPARE(fixture.leftBehind(), 1);

    spec.maxRejectedShare = 0.1;  // the same data set, but less patience
    QVERIFY(!fixture.import(spec));
  }

  void otherBytesOrSettingsAreAnotherDataset() {
    const ImportFixture fixture;
    fixture.write("u.data", kFourRatings);
    auto spec = fixture.spec();
    const std::string first = fixture.import(spec)->dataset->hash();
    spec.batch.size = 7;  // shapes no column
    QCOMPARE(fixture.import(spec)->dataset->hash(), first);
    spec.label.scale = {0.0, 5.0};
    const std::string second = fixture.import(spec)->dataset->hash();
    QVERIFY(second != first);
    fixture.write("u.data", "1\t1\t3\t0\n");
    QVERIFY(fixture.import(spec)->dataset->hash() != second);
  }

  void replacesADamagedImport() {
    const ImportFixture fixture;
    fixture.write("u.data", kFourRatings);
    const std::filesystem::path folder = fixture.import(fixture.spec())->dataset->folder();
    std::filesystem::resize_file(folder / "user.i32", 8);
    const auto again = fixture.import(fixture.spec());
    QVERIFY(again.ok());
    QVERIFY(!again->reused);
    QVERIFY(again->dataset->verify().ok());
  }

  void reportsProgress() {
    const ImportFixture fixture;
    fixture.write("u.data", kFourRatings);
    std::int64_t last = 0, total = 0;
    WorkContext context;
    context.progress = [&](std::string_view stage, std::int64_t done, std::int64_t all) {
      if (stage == "reading") last = done, total = all;
    };
    QVERIFY(fixture.import(fixture.spec(), context).ok());
    QCOMPARE(last, std::int64_t(std::string_view(kFourRatings).size()));
    QCOMPARE(total, last);
  }
};

QTEST_GUILESS_MAIN(ImportTest)
#include "import_test.moc"
