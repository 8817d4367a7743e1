// SPDX-License-Identifier: Apache-2.0
// Data without anything to learn: users draw their items evenly. Whatever ranks them finds held-out
// items as often as chance does, unless something of the ruler (an order of rows, a tie, a choice of
// candidates, a baseline) knows what is held out. Chance is the mean over queries of
// k / candidates × the share of the held-out items that are candidates.
#include <fmt/format.h>

#include <QtTest>
#include <cmath>
#include <functional>
#include <set>

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/data/split/fit_vocabularies.h"
#include "engine/data/split/split.h"
#include "engine/retrieval/candidates.h"
#include "engine/retrieval/catalogue_ranking.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::retrieval;

namespace {

constexpr int kUsers = 150, kItems = 400, kItemsOfUser = 8, kSeeds = 10;
constexpr std::int64_t kTop = 10;
constexpr std::int64_t kDim = 4;
const std::string kKey = "recall@10";

std::string drawnRows(std::uint64_t seed) {
  std::string text = "user_id,item_id\n";
  for (int user = 1; user <= kUsers; ++user) {
    const Random random(seed, RandomPurpose::kSampling, static_cast<std::uint64_t>(user));
    std::set<std::uint64_t> items;
    for (std::uint64_t draw = 0; items.size() < kItemsOfUser; ++draw)
      items.insert(1 + random.below(draw, kItems));
    for (const std::uint64_t item : items) text += fmt::format("{},{}\n", user, item);
  }
  return text;
}

/// Half of the rows of noise are held out; the model knows items of `minCount` training rows.
struct Noise {
  std::shared_ptr<const data::Dataset> dataset;
  data::Split split;
  std::unique_ptr<Interactions> interactions;

  Noise(experiment::VocabularyKind kind, std::uint64_t seed, std::int64_t minCount = 1) {
    const data::ImportFixture fixture;
    fixture.write("noise.csv", drawnRows(seed));
    auto spec = fixture.spec(experiment::VocabularySize::Kind::kAuto);
    spec.source = experiment::SourceKind::kCsv;
    spec.path = (fixture.source() / "noise.csv").string();
    spec.label = {};
    spec.label.column.reset();
    spec.columns.resize(2);
    spec.columns[0] = {.name = "user", .role = experiment::ColumnRole::kUser, .from = "user_id"};
    spec.columns[1] = {.name = "item", .role = experiment::ColumnRole::kItem, .from = "item_id"};
    spec.vocabularies[1].kind = kind;
    if (kind == experiment::VocabularyKind::kHash)
      spec.vocabularies[1].size = {experiment::VocabularySize::Kind::kFixed, 60};
    auto report = fixture.import(spec);
    if (!report) throw InternalError(report.error().text());
    dataset = report->dataset;
    experiment::Split half;
    half.train = {0.5, true};
    half.validation = {0.5, true};
    half.test = {0.0, true};
    split = data::makeSplit(data::EventColumns(*dataset), {.split = half, .seed = seed}).value();
    spec.vocabularies[1].minCount = minCount;
    dataset = data::fitVocabularies(dataset, spec, split).value();
    interactions = std::make_unique<Interactions>(*dataset, "user", "item", split);
  }
};

double valueOf(const std::vector<experiment::Metric>& metrics) {
  const auto found = std::ranges::find(metrics, kKey, &experiment::Metric::first);
  return found == metrics.end() ? std::nan("") : found->second;
}

/// Deviation of the metric of a ranker from chance, in standard errors of one seed, by seed.
struct Deviations {
  double sum = 0.0, variance = 0.0;
  int above = 0, below = 0;

  void add(double found, double chance, double standardError) {
    sum += found - chance;
    variance += standardError * standardError;
    above += found > chance;
    below += found < chance;
  }
};

}  // namespace

class NoiseTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nothingIsBetterThanChance_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("direct") << static_cast<int>(experiment::VocabularyKind::kDirect);
    QTest::newRow("compressed") << static_cast<int>(experiment::VocabularyKind::kCompressed);
    QTest::newRow("hash") << static_cast<int>(experiment::VocabularyKind::kHash);
  }
  void nothingIsBetterThanChance() {
    QFETCH(int, kind);
    std::map<std::string, Deviations> found;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const Noise noise(static_cast<experiment::VocabularyKind>(kind), seed);
      const CatalogueRanking ranking(
          *noise.dataset, "user", *noise.interactions, experiment::SplitPart::kValidation,
          noise.split.validation,
          {.k = {kTop}, .seen = SeenItems::kExcludeTrain, .cold = ColdItems::kLeftOut});
      Workers workers(1);
      const auto users = static_cast<std::size_t>(noise.interactions->users());
      const std::size_t vectors = noise.interactions->index().layout().size();
      const auto measured = [&](std::uint64_t of, float spread) {
        const Random random(of, RandomPurpose::kSampling);
        std::vector<float> queries(users * kDim, 1.0f), items(vectors * kDim, 0.5f);
        for (std::size_t i = 0; i < items.size(); ++i) items[i] += spread * random.uniform(i);
        return ranking.measure(queries, items, kDim, workers);
      };
      const auto equal = measured(seed, 0.0f);
      const double standardError = equal.standardErrors.front().second;
      const auto baselines = ranking.baselines(FitLimits{}, &workers);
      double chance = 0.0;
      for (const auto& [name, metrics] : baselines)
        if (name == "random") chance = valueOf(metrics);
      QVERIFY(chance > 0.0 && chance < 0.05);
      found["equal scores"].add(valueOf(equal.metrics), chance, standardError);
      found["random vectors"].add(valueOf(measured(seed, 1.0f).metrics), chance, standardError);
      for (const auto& [name, metrics] : baselines)
        if (name != "random") found[name].add(valueOf(metrics), chance, standardError);
    }
    QCOMPARE(found.size(), std::size_t{5});
    for (const auto& [name, of] : found) {
      const std::string told =
          fmt::format("{}: {:+.5f} on average, standard error {:.5f}, {} of {} above", name,
                      of.sum / kSeeds, std::sqrt(of.variance) / kSeeds, of.above, kSeeds);
      QVERIFY2(std::abs(of.sum) <= 4.0 * std::sqrt(of.variance), told.c_str());
      QVERIFY2(of.above > 0 && of.below > 0, told.c_str());
    }
  }

  // Candidates that only held-out rows have would be listed by a model that has never seen them.
  void heldOutItemsWithoutATrainingRowAreMissed() {
    const Noise noise(experiment::VocabularyKind::kCompressed, 3);
    const auto rows = noise.interactions->popularity();
    const auto mask = candidateMask(*noise.interactions, ColdItems::kLeftOut);
    std::int64_t cold = 0;
    for (std::size_t item = 1; item < mask.size(); ++item) {
      QCOMPARE(mask[item] != 0, rows[item] > 0);
      cold += rows[item] == 0;
    }
    QVERIFY(cold > 0);
    QCOMPARE(coldItemCount(*noise.interactions), cold);
    const CatalogueRanking ranking(*noise.dataset, "user", *noise.interactions,
                                   experiment::SplitPart::kValidation, noise.split.validation,
                                   {.k = {kTop}, .cold = ColdItems::kLeftOut});
    QCOMPARE(ranking.limits().size(), std::size_t{1});
    QVERIFY(QString::fromStdString(ranking.limits()[0]).contains("no training row has them"));
  }

  void heldOutItemsOutOfVocabularyAreToldFromColdOnes() {
    const Noise noise(experiment::VocabularyKind::kCompressed, 3, 3);
    const auto rows = noise.interactions->popularity();
    std::int64_t wanted = 0, cold = 0, unknown = 0;
    for (std::int32_t user = 1; user < noise.interactions->users(); ++user)
      for (const std::int32_t item :
           noise.interactions->items(experiment::SplitPart::kValidation, user)) {
        const std::int64_t trained = rows[static_cast<std::size_t>(item)];
        ++wanted;
        cold += trained == 0;
        unknown += trained > 0 && trained < 3;
      }
    const CatalogueRanking ranking(*noise.dataset, "user", *noise.interactions,
                                   experiment::SplitPart::kValidation, noise.split.validation,
                                   {.k = {kTop}, .cold = ColdItems::kLeftOut});
    const auto counted = [&](std::int64_t items) {
      return QString::fromStdString(
          fmt::format("({} of {})", formatCount(items), formatCount(wanted)));
    };
    const auto limits = ranking.limits();
    QCOMPARE(limits.size(), std::size_t{2});
    const QString ofCold = QString::fromStdString(limits[0]);
    const QString ofUnknown = QString::fromStdString(limits[1]);
    QVERIFY2(ofCold.contains("no training row") && ofCold.contains(counted(cold)),
             qPrintable(ofCold));
    QVERIFY2(ofUnknown.contains("min_count") && ofUnknown.contains(counted(unknown)),
             qPrintable(ofUnknown));
  }

  void tiesAreCountedWhereTheyDecide() {
    const Noise noise(experiment::VocabularyKind::kCompressed, 4);
    const CatalogueRanking ranking(*noise.dataset, "user", *noise.interactions,
                                   experiment::SplitPart::kValidation, noise.split.validation,
                                   {.k = {1, kTop}, .seen = SeenItems::kKeep});
    Workers workers(1);
    const auto users = static_cast<std::size_t>(noise.interactions->users());
    std::vector<float> queries(users, 1.0f), items(noise.interactions->index().layout().size());
    const auto tiesOf = [&] { return ranking.measure(queries, items, 1, workers); };
    const auto equal = tiesOf();
    QCOMPARE(equal.tiedLists, (std::vector<std::int64_t>{equal.queries, equal.queries}));
    QVERIFY(QString::fromStdString(ranking.tied(equal).at(0)).contains("100 %"));
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<float>(i / 2);
    const auto pairs = tiesOf();  // every other item has the score of the one before
    QVERIFY(pairs.tiedLists[0] == 0 || pairs.tiedLists[0] == pairs.queries);
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<float>(i);
    QVERIFY(ranking.tied(tiesOf()).empty());
  }
};

QTEST_GUILESS_MAIN(NoiseTest)
#include "noise_test.moc"
