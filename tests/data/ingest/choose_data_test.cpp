// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/choose_data.h"

#include <fmt/format.h>

#include <QTemporaryDir>
#include <QTest>

#include "engine/base/files.h"
#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/import.h"
#include "engine/experiment/experiment.h"

using namespace parapet;
using namespace parapet::data;
using experiment::VocabularyKind;

namespace {

namespace fs = std::filesystem;

experiment::Dataset recipe(std::string_view name) {
  const std::string text = experiment::findRecipe(name).value().text;
  return experiment::parse(experiment::parseJson(text).value()).experiment.dataset;
}

bool says(const ChosenData& chosen, std::string_view words) {
  return std::ranges::any_of(chosen.changes, [&](const std::string& change) {
    return change.find(words) != std::string::npos;
  });
}

}  // namespace

class ChooseDataTest : public QObject {
  Q_OBJECT

  QTemporaryDir temporary_;

  fs::path path(const std::string& name) const {
    return fs::path(temporary_.path().toStdString()) / name;
  }
  void write(const std::string& name, const std::string& text) const {
    if (!createFolders(path(name).parent_path()) || !writeFileAtomically(path(name), text))
      qFatal("the test cannot write its files");
  }
  /// Ratings in the layout of MovieLens "latest": ids of movies have gaps, ratings half stars.
  fs::path latest(int rows = 1000) const {
    std::string ratings = "userId,movieId,rating,timestamp\n", movies = "movieId,title,genres\n";
    for (int i = 0; i < rows; ++i)
      ratings += fmt::format("{},{},{},{}\n", i % 20 + 1, 1000 * (i * 7 % 30) + 1,
                             0.5 * (i % 10 + 1), 1'000'000 + i);
    for (int i = 0; i < 30; ++i)
      movies += fmt::format("{},Movie {} (1999),Drama\n", 1000 * i + 1, i);
    write("latest/ratings.csv", ratings);
    write("latest/movies.csv", movies);
    return path("latest");
  }
  /// The layout of 100K, with ids without a gap.
  fs::path dense(int rows) const {
    std::string ratings, movies;
    for (int i = 0; i < rows; ++i)
      ratings +=
          fmt::format("{}\t{}\t{}\t{}\n", i % 20 + 1, i * 7 % 30 + 1, i % 5 + 1, 1'000'000 + i);
    for (int i = 0; i < 30; ++i)
      movies += fmt::format(
          "{}|Movie {} (1999)|01-Jan-1999|||0|0|0|0|0|0|0|0|1|0|0|0|0|0|0|0|0|0|0\n", i + 1, i);
    write("dense/u.data", ratings);
    write("dense/u.item", movies);
    return path("dense");
  }
  static ChosenData choose(const experiment::Dataset& now, const fs::path& path,
                           OtherColumns other = OtherColumns::kSuggest) {
    auto chosen = chooseData(now, path, other, 50, {}, makeGenerator);
    if (!chosen) qFatal("%s", chosen.error().text().c_str());
    return std::move(chosen).value();
  }
  std::int64_t rowsImported(const experiment::Dataset& dataset) {
    const auto report = importDataset(dataset, path("datasets"), {}, makeGenerator);
    if (!report) qWarning("%s", report.error().text().c_str());
    return report ? report->rows : -1;
  }

 private Q_SLOTS:
  void idsWithGapsGetACompressedVocabulary_data() {
    QTest::addColumn<int>("other");
    QTest::newRow("window") << static_cast<int>(OtherColumns::kSuggest);
    QTest::newRow("terminal") << static_cast<int>(OtherColumns::kKeep);
  }
  void idsWithGapsGetACompressedVocabulary() {
    QFETCH(int, other);
    const ChosenData chosen =
        choose(recipe("movielens-retrieval"), latest(), static_cast<OtherColumns>(other));
    QCOMPARE(chosen.dataset.vocabularies[1].kind, VocabularyKind::kCompressed);
    QCOMPARE(chosen.dataset.vocabularies[1].size, experiment::VocabularySize{});
    QCOMPARE(chosen.dataset.vocabularies[0].kind, VocabularyKind::kDirect);
    QCOMPARE(chosen.dataset.label.scale.value()[0], 0.5);
    QVERIFY(says(chosen, "29001"));
    QVERIFY(says(chosen, "0.5 to 5"));
    QCOMPARE(rowsImported(chosen.dataset), std::int64_t{1000});
  }

  void denseIdsKeepWhatThePublishedRunHad() {
    experiment::Dataset now = recipe("movielens-retrieval");
    now.split.train = {800, false};
    now.split.validation = {200, false};
    const ChosenData chosen = choose(now, dense(1000));
    QVERIFY2(chosen.changes.empty(), chosen.changes.empty() ? "" : chosen.changes[0].c_str());
    now.path = chosen.dataset.path;
    experiment::Experiment left, right;
    left.dataset = now;
    right.dataset = chosen.dataset;
    QVERIFY(experiment::differences(left, right).empty());
    QCOMPARE(rowsImported(chosen.dataset), std::int64_t{1000});
  }

  void countsOfOtherDataBecomeShares() {
    const ChosenData chosen = choose(recipe("movielens-retrieval"), dense(1000));
    QVERIFY(chosen.dataset.split.train.isRatio);
    QVERIFY(says(chosen, "100,000 rows"));
    // Settings of a document for its own data are meant.
    experiment::Dataset now = chosen.dataset;
    now.split.train = {600, false};
    now.split.validation = {100, false};
    QCOMPARE(choose(now, path("dense")).dataset.split.train, (experiment::SplitAmount{600, false}));
    now.split.train = {6000, false};
    QVERIFY(choose(now, path("dense")).dataset.split.train.isRatio);
  }

  void theSameColumnsKeepTheSettings() {
    write("one.csv", "userId,movieId,rating\n1,7,3\n2,9,4\n");
    write("two.csv", "userId,movieId,rating,genre\n1,7,3,a\n2,9,4,b\n");
    experiment::Dataset now = choose({}, path("one.csv")).dataset;
    now.filter = "rating >= 4";
    now.vocabularies[0].minCount = 3;
    const ChosenData chosen = choose(now, path("two.csv"));
    QVERIFY(chosen.changes.empty());
    QCOMPARE(chosen.dataset.filter.value(), std::string("rating >= 4"));
    QCOMPARE(chosen.dataset.vocabularies[0].minCount, std::int64_t{3});
    QCOMPARE(fs::path(*chosen.dataset.path), path("two.csv"));
  }

  void otherColumnsAreSuggestedInTheWindowAndKeptInTheTerminal() {
    write("one.csv", "userId,movieId,rating\n1,7,3\n2,9,4\n");
    write("other.csv", "visitor_id,asin,clicked\n1,7,1\n2,9,0\n");
    const experiment::Dataset now = choose({}, path("one.csv")).dataset;
    const ChosenData suggested = choose(now, path("other.csv"));
    QCOMPARE(suggested.dataset.columns[0].originName(), std::string("visitor_id"));
    QCOMPARE(suggested.dataset.label.column.value(), std::string("clicked"));
    QVERIFY(says(suggested, "other.csv suggest"));
    const ChosenData kept = choose(now, path("other.csv"), OtherColumns::kKeep);
    QCOMPARE(kept.dataset.columns[0].originName(), std::string("userId"));
  }

  void anotherSourceIsSuggestedEverywhere() {
    write("one.csv", "userId,movieId,rating\n1,7,3\n2,9,4\n");
    for (const OtherColumns other : {OtherColumns::kSuggest, OtherColumns::kKeep}) {
      const ChosenData chosen = choose(recipe("movielens-retrieval"), path("one.csv"), other);
      QCOMPARE(chosen.dataset.source, experiment::SourceKind::kCsv);
      QCOMPARE(chosen.dataset.vocabularies[1].kind, VocabularyKind::kCompressed);
      QVERIFY(chosen.dataset.split.train.isRatio);
    }
  }

  void rowsForOtherIdsNeedNoCatalogue() {
    experiment::Dataset spec = recipe("movielens-retrieval");
    spec.path = latest().string();
    QCOMPARE(unfitVocabularies(spec, makeGenerator)->size(), std::size_t{1});
    spec.vocabularies[1].oov = experiment::OovKind::kBuckets;
    QVERIFY(unfitVocabularies(spec, makeGenerator)->empty());
    spec.vocabularies[1].oov.reset();
    spec.vocabularies[1].size = {experiment::VocabularySize::Kind::kFixed, 29002};
    QVERIFY(unfitVocabularies(spec, makeGenerator)->empty());
    spec.vocabularies[1].size.fixed = 29001;
    QCOMPARE(unfitVocabularies(spec, makeGenerator)->size(), std::size_t{1});
  }
};

QTEST_APPLESS_MAIN(ChooseDataTest)
#include "choose_data_test.moc"
