// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/baseline_lists.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <map>

#include "engine/data/dataset/event_columns.h"
#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/split/split.h"
#include "engine/retrieval/candidates.h"
#include "engine/retrieval/catalogue_ranking.h"

using namespace parapet;
using namespace parapet::retrieval;
using experiment::SplitPart;

namespace {

using Matrix = std::vector<std::vector<double>>;

/// Gauss and Jordan, with pivots on the diagonal: of positive definite matrices.
Matrix inverseOf(Matrix a) {
  const std::size_t n = a.size();
  Matrix inverse(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) inverse[i][i] = 1.0;
  for (std::size_t pivot = 0; pivot < n; ++pivot) {
    const double by = a[pivot][pivot];
    for (std::size_t j = 0; j < n; ++j) {
      a[pivot][j] /= by;
      inverse[pivot][j] /= by;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = a[i][pivot];
      if (i == pivot || factor == 0.0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        a[i][j] -= factor * a[pivot][j];
        inverse[i][j] -= factor * inverse[pivot][j];
      }
    }
  }
  return inverse;
}

}  // namespace

/// Each baseline against the plainest way to compute it.
class BaselineListsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::shared_ptr<const data::Dataset> dataset_;
  data::Split split_;
  std::unique_ptr<Interactions> interactions_;
  std::vector<std::uint8_t> eligible_;
  Matrix x_;  ///< [users, items]: 1 if a training row pairs them

  /// The items that are no one's but listed by these scores, best first.
  void compare(const BaselineLists& lists, const std::vector<double>& scores, std::int32_t user,
               std::int64_t row = -1) const {
    const auto excluded = interactions_->items(SplitPart::kTrain, user);
    const auto list = lists.list(user, row, 10, excluded);
    QCOMPARE(list.size(), std::size_t{10});
    for (std::size_t at = 0; at < list.size(); ++at) {
      const double score = scores[static_cast<std::size_t>(list[at].item)];
      QVERIFY(!std::ranges::binary_search(excluded, list[at].item));
      std::int64_t better = 0;
      for (std::size_t item = 1; item < scores.size(); ++item)
        if (eligible_[item] &&
            !std::ranges::binary_search(excluded, static_cast<std::int32_t>(item)))
          better += scores[item] > score + 1e-5;
      QVERIFY2(better <= static_cast<std::int64_t>(at), "a better item comes later");
    }
  }
  /// Rows of a user by (time, row), of training alone.
  [[nodiscard]] std::vector<std::int64_t> trainingRowsOf(std::int32_t user) const {
    std::vector<std::int64_t> rows;
    for (std::int64_t row = 0; row < dataset_->rows(); ++row)
      if (dataset_->ids("user")[static_cast<std::size_t>(row)] == user &&
          interactions_->partOf(row) == SplitPart::kTrain)
        rows.push_back(row);
    std::ranges::stable_sort(rows, {}, [this](std::int64_t row) { return timeOf(row); });
    return rows;
  }
  [[nodiscard]] std::int64_t timeOf(std::int64_t row) const {
    return data::EventColumns(*dataset_).tickOf(row);
  }
  [[nodiscard]] CatalogueRanking rankingOf(RankingProtocol protocol) const {
    return {*dataset_,          "user", *interactions_, SplitPart::kValidation, split_.validation,
            std::move(protocol)};
  }

 private Q_SLOTS:
  void initTestCase() {
    experiment::Dataset spec;
    spec.source = experiment::SourceKind::kGenerated;
    spec.generator.emplace();
    spec.generator->kind = experiment::GeneratorKind::kEvents;
    spec.generator->users = 25;
    spec.generator->items = 80;
    spec.generator->events = 700;
    spec.label.column.reset();
    using experiment::ColumnRole;
    spec.columns = {{"user", ColumnRole::kUser, "uid"},
                    {"item", ColumnRole::kItem, "item_id"},
                    {"is_organic", ColumnRole::kContext},
                    {"timestamp", ColumnRole::kTime}};
    spec.vocabularies.resize(3);
    for (std::size_t i = 0; i < 3; ++i) {
      spec.vocabularies[i].name = spec.columns[i].name;
      spec.vocabularies[i].kind = experiment::VocabularyKind::kCompressed;
    }
    auto report = data::importDataset(spec, folder_.path().toStdString(), {}, data::makeGenerator);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    dataset_ = report->dataset;
    split_ = data::makeSplit(data::EventColumns(*dataset_), {.seed = 3}).value();
    interactions_ = std::make_unique<Interactions>(*dataset_, "user", "item", split_);
    eligible_ = candidateMask(*interactions_, ColdItems::kCandidates);
    x_.assign(static_cast<std::size_t>(interactions_->users()),
              std::vector<double>(eligible_.size()));
    for (std::int32_t user = 1; user < interactions_->users(); ++user)
      for (const std::int32_t item : interactions_->items(SplitPart::kTrain, user))
        x_[static_cast<std::size_t>(user)][static_cast<std::size_t>(item)] = 1.0;
  }

  void easeIsItsClosedFormByEitherGramMatrix_data() {
    QTest::addColumn<double>("lambda");
    for (const double lambda : {1.0, 20.0, 500.0}) QTest::addRow("lambda %g", lambda) << lambda;
  }
  void easeIsItsClosedFormByEitherGramMatrix() {
    QFETCH(double, lambda);
    const std::size_t n = eligible_.size();
    Matrix gram(n, std::vector<double>(n));
    for (const auto& row : x_)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) gram[i][j] += row[i] * row[j];
    for (std::size_t i = 0; i < n; ++i) gram[i][i] += lambda;
    const Matrix p = inverseOf(gram);
    QVERIFY(interactions_->users() < static_cast<std::int32_t>(n));
    QCOMPARE(easeSide(*interactions_), std::int64_t{25});
    for (const EaseGram side : {EaseGram::kItems, EaseGram::kUsers, EaseGram::kSmaller}) {
      const auto lists = ease(*interactions_, eligible_, lambda, nullptr, {}, side);
      for (std::int32_t user = 1; user < interactions_->users(); ++user) {
        const auto list = lists->list(user, -1, static_cast<std::int64_t>(n), {});
        QVERIFY(list.size() > 70);
        for (const Scored& item : list) {
          const auto j = static_cast<std::size_t>(item.item);
          double score = 0.0;
          for (std::size_t i = 0; i < n; ++i)
            if (i != j) score -= x_[static_cast<std::size_t>(user)][i] * p[i][j] / p[j][j];
          QVERIFY2(std::abs(static_cast<double>(item.score) - score) < 1e-4,
                   qPrintable(QString("%1, not %2").arg(double(item.score)).arg(score)));
        }
      }
    }
  }

  /// The rows of R̃ within the span of V: of full rank all of them, of a smaller one as much of their
  /// squares as the largest eigenvalues of R̃·R̃ᵀ.
  void theFilterKeepsTheLargestSingularValues() {
    const std::size_t n = eligible_.size(), users = x_.size();
    std::vector<double> ofUser(users), ofItem(n);
    for (std::size_t u = 1; u < users; ++u)
      for (std::size_t i = 1; i < n; ++i) {
        ofUser[u] += x_[u][i];
        ofItem[i] += x_[u][i];
      }
    Matrix gram(users, std::vector<double>(users));
    for (std::size_t u = 1; u < users; ++u)
      for (std::size_t v = 1; v < users; ++v)
        for (std::size_t i = 1; i < n; ++i)
          if (x_[u][i] * x_[v][i] > 0.0)
            gram[u][v] += 1.0 / ofItem[i] / std::sqrt(ofUser[u] * ofUser[v]);
    // The largest eigenvalues, one after the other.
    constexpr std::int64_t kRank = 3;
    double largest = 0.0;
    for (std::int64_t rank = 0; rank < kRank; ++rank) {
      std::vector<double> vector(users, 1.0);
      double value = 0.0;
      for (int pass = 0; pass < 5000; ++pass) {
        std::vector<double> next(users);
        for (std::size_t u = 0; u < users; ++u)
          for (std::size_t v = 0; v < users; ++v) next[u] += gram[u][v] * vector[v];
        value = 0.0;
        for (const double each : next) value += each * each;
        value = std::sqrt(value);
        for (std::size_t u = 0; u < users; ++u)
          vector[u] = next[u] / value + (pass == 0 ? 1e-3 * static_cast<double>(u) : 0.0);
      }
      largest += value;
      for (std::size_t u = 0; u < users; ++u)
        for (std::size_t v = 0; v < users; ++v) gram[u][v] -= value * vector[u] * vector[v];
    }
    const auto all = svdFilter(*interactions_, eligible_, 1000);
    const auto few = svdFilter(*interactions_, eligible_, kRank);
    double kept = 0.0;
    for (std::int32_t user = 1; user < interactions_->users(); ++user) {
      const auto u = static_cast<std::size_t>(user);
      for (const Scored& item : all->list(user, -1, 100, {}))
        QVERIFY(std::abs(static_cast<double>(item.score) -
                         x_[u][static_cast<std::size_t>(item.item)]) < 1e-3);
      for (const Scored& item : few->list(user, -1, 100, {})) {
        const double score = static_cast<double>(item.score),
                     rows = ofItem[static_cast<std::size_t>(item.item)];
        if (rows > 0.0) kept += score * score / rows / ofUser[u];
      }
    }
    QVERIFY2(std::abs(kept - largest) < 1e-3,
             qPrintable(QString("%1, not %2").arg(kept).arg(largest)));
  }

  /// Nothing follows from a single item, and nothing is known of a user without rows.
  void oneItemPredictsNothing() {
    data::Split split;
    split.train = data::RowSet(std::vector<std::int64_t>{0});
    const Interactions one(*dataset_, "user", "item", split);
    const auto eligible = candidateMask(one, ColdItems::kCandidates);
    const std::int32_t user = dataset_->ids("user")[0], other = user == 1 ? 2 : 1;
    QCOMPARE(easeSide(one), std::int64_t{1});
    std::vector<std::unique_ptr<BaselineLists>> all;
    for (const EaseGram side : {EaseGram::kItems, EaseGram::kUsers})
      all.push_back(ease(one, eligible, 100.0, nullptr, {}, side));
    all.push_back(itemKnn(one, eligible));
    for (const auto& lists : all)
      for (const std::int32_t asked : {user, other, 0})
        for (const Scored& item : lists->list(asked, -1, 100, {}))
          QVERIFY(std::abs(item.score) < 1e-6f);
    // A user without rows has the most popular items.
    for (const auto& lists : {ownItems(*dataset_, one, eligible),
                              markovChain(*dataset_, experiment::EventOrder::kTime, one, eligible)})
      for (const std::int32_t asked : {other, 0})
        QCOMPARE(lists->list(asked, -1, 5, {}).front().item, one.item(0));
  }

  void aCancelledFitHasNoLists() {
    std::stop_source stopped;
    stopped.request_stop();
    const WorkContext context{{}, stopped.get_token()};
    for (const EaseGram side : {EaseGram::kItems, EaseGram::kUsers})
      QVERIFY(!ease(*interactions_, eligible_, 20.0, nullptr, context, side));
    QVERIFY(!itemKnn(*interactions_, eligible_, {}, nullptr, context));
    QVERIFY(!svdFilter(*interactions_, eligible_, 8, nullptr, context));
    QVERIFY_THROWS_EXCEPTION(data::PassStopped,
                             (void)ownItems(*dataset_, *interactions_, eligible_, context));
    QVERIFY_THROWS_EXCEPTION(data::PassStopped,
                             (void)markovChain(*dataset_, experiment::EventOrder::kTime,
                                               *interactions_, eligible_, context));
  }

  void ownItemsAreByCountThenByTheLastRow() {
    const auto lists = ownItems(*dataset_, *interactions_, eligible_);
    QVERIFY(!lists->readsRow());
    const auto popular = mostPopular(interactions_->popularity(), eligible_)->list(0, -1, 100, {});
    std::int64_t repeated = 0, tied = 0;
    for (std::int32_t user = 1; user < interactions_->users(); ++user) {
      std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>> own;  // rows, index of the last
      std::int64_t at = 0;
      for (const std::int64_t row : trainingRowsOf(user)) {
        auto& of = own[interactions_->item(row)];
        ++of.first;
        of.second = at++;
      }
      std::vector<std::int32_t> expected;
      for (const auto& [item, of] : own) expected.push_back(item);
      std::ranges::sort(expected, std::greater{}, [&](std::int32_t item) { return own[item]; });
      const auto list = lists->list(user, -1, 40, {});
      QCOMPARE(list.size(), std::size_t{40});
      for (std::size_t i = 0; i < expected.size(); ++i) {
        QCOMPARE(list[i].item, expected[i]);
        QCOMPARE(static_cast<std::int64_t>(list[i].score), own[expected[i]].first);
        repeated += own[expected[i]].first > 1;
        tied += i > 0 && own[expected[i]].first == own[expected[i - 1]].first;
      }
      // The others by popularity, without a score.
      std::size_t next = expected.size();
      for (const Scored& item : popular)
        if (next < list.size() && !own.contains(item.item)) {
          QCOMPARE(list[next].item, item.item);
          QCOMPARE(list[next++].score, 0.0f);
        }
      const std::vector<std::int32_t> excluded{list[0].item};
      QCOMPARE(lists->list(user, -1, 1, excluded).front().item, list[1].item);
    }
    QVERIFY(repeated > 0 && tied > 0);
  }

  void aMarkovChainCountsWhatFollowsTheLastItem() {
    const auto time = experiment::EventOrder::kTime;
    const auto lists = markovChain(*dataset_, time, *interactions_, eligible_);
    QVERIFY(lists->readsRow());
    const auto users = dataset_->ids("user");
    // The last training row of a user before a row; −1: none.
    const auto before = [&](std::int64_t row) {
      std::int64_t last = -1;
      for (const std::int64_t each : trainingRowsOf(users[static_cast<std::size_t>(row)]))
        if (timeOf(each) < timeOf(row)) last = each;
      return last;
    };
    std::map<std::int32_t, std::map<std::int32_t, std::int64_t>> follows;
    for (std::int64_t row = 0; row < dataset_->rows(); ++row)
      if (interactions_->partOf(row) == SplitPart::kTrain)
        if (const std::int64_t last = before(row); last >= 0)
          ++follows[interactions_->item(last)][interactions_->item(row)];
    const auto counts = interactions_->popularity();
    const auto compareTo = [&](const std::vector<Scored>& list, std::int64_t last) {
      auto after =
          last < 0 ? std::map<std::int32_t, std::int64_t>{} : follows[interactions_->item(last)];
      std::vector<std::int32_t> expected;
      for (std::size_t item = 1; item < eligible_.size(); ++item)
        if (eligible_[item]) expected.push_back(static_cast<std::int32_t>(item));
      std::ranges::stable_sort(expected, std::greater{}, [&](std::int32_t item) {
        return std::pair(after[item], counts[static_cast<std::size_t>(item)]);
      });
      QCOMPARE(list.size(), std::size_t{30});
      for (std::size_t i = 0; i < list.size(); ++i) QCOMPARE(list[i].item, expected[i]);
    };
    int heldOut = 0, first = 0;
    for (std::int64_t row = 0; row < dataset_->rows(); ++row) {
      if (interactions_->partOf(row) == SplitPart::kTrain) continue;
      ++heldOut;
      first += before(row) < 0;
      compareTo(lists->list(users[static_cast<std::size_t>(row)], row, 30, {}), before(row));
    }
    QVERIFY(heldOut > 100 && first > 0);
    for (std::int32_t user = 1; user < interactions_->users(); ++user)
      compareTo(lists->list(user, -1, 30, {}), trainingRowsOf(user).back());
    compareTo(lists->list(0, -1, 30, {}), -1);
  }

  void rankingsHaveThemWhereTheyApply() {
    const auto namesOf = [&](RankingProtocol protocol) {
      QStringList names;
      for (const auto& baseline : rankingOf(std::move(protocol)).fitted({}, nullptr))
        names << QString::fromStdString(baseline.first);
      return names;
    };
    using experiment::EventOrder;
    QCOMPARE(namesOf({.k = {10}, .order = EventOrder::kTime}),
             (QStringList{"own_items", "markov", "item_knn", "ease"}));
    // No order, and nothing of one's own can be found.
    const QStringList others{"item_knn", "ease"};
    QCOMPARE(namesOf({.k = {10}, .seen = SeenItems::kExcludeTrain}), others);
    QCOMPARE(namesOf({.k = {10}, .seenPairs = experiment::SeenPairs::kDrop}), others);
    // With all pairs once.
    data::Split once = split_;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> rows;
    split_.train.forEach([&](std::int64_t row) {
      rows[{dataset_->ids("user")[static_cast<std::size_t>(row)], interactions_->item(row)}] = row;
    });
    std::vector<std::int64_t> kept;
    for (const auto& [pair, row] : rows) kept.push_back(row);
    QVERIFY(std::ssize(kept) < split_.train.size());
    once.train = data::RowSet(std::move(kept));
    const Interactions pairs(*dataset_, "user", "item", once);
    const CatalogueRanking of(*dataset_, "user", pairs, SplitPart::kValidation, once.validation,
                              {.k = {10}});
    for (const auto& baseline : of.fitted({}, nullptr)) QVERIFY(baseline.first != "own_items");
  }

  /// The list of a query is that of its row.
  void aMarkovChainIsMeasuredRowByRow() {
    const auto time = experiment::EventOrder::kTime;
    const auto lists = markovChain(*dataset_, time, *interactions_, eligible_);
    double hits = 0.0, rows = 0.0;
    split_.validation.forEach([&](std::int64_t row) {
      const auto user = dataset_->ids("user")[static_cast<std::size_t>(row)];
      for (const Scored& item : lists->list(user, row, 10, {}))
        hits += item.item == interactions_->item(row) ? 1.0 : 0.0;
      rows += 1.0;
    });
    const auto found = rankingOf({.k = {10},
                                  .unit = experiment::EvaluationUnit::kExample,
                                  .metrics = {experiment::RankingMetric::kRecall},
                                  .order = time})
                           .fitted({}, nullptr);
    for (const auto& [name, metrics] : found)
      if (name == "markov") QCOMPARE(metrics.front().second, hits / rows);
    QVERIFY(hits > 0.0);
  }

  void itemKnnIsTheCosineOfItems() {
    const ItemKnnOptions options{.neighbours = 1000, .shrinkage = 5.0};
    const auto lists = itemKnn(*interactions_, eligible_, options);
    const std::size_t n = eligible_.size();
    std::vector<double> users(n);
    Matrix common(n, std::vector<double>(n));
    for (const auto& row : x_)
      for (std::size_t i = 0; i < n; ++i) {
        users[i] += row[i];
        for (std::size_t j = 0; j < n; ++j) common[i][j] += row[i] * row[j];
      }
    for (std::int32_t user = 1; user < interactions_->users(); ++user) {
      std::vector<double> scores(n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          if (i != j && x_[static_cast<std::size_t>(user)][i] > 0.0)
            scores[j] += common[i][j] / (std::sqrt(users[i] * users[j]) + options.shrinkage);
      compare(*lists, scores, user);
    }
  }

  void popularityInAContextCountsItsRows() {
    const auto lists = mostPopularInContext(*dataset_, {"is_organic"}, *interactions_, eligible_);
    QVERIFY(lists->readsRow());
    const auto contexts = dataset_->ids("is_organic");
    std::map<std::int32_t, std::vector<double>> counts;
    for (std::int64_t row = 0; row < dataset_->rows(); ++row) {
      auto& of = counts[contexts[static_cast<std::size_t>(row)]];
      of.resize(eligible_.size());
      if (interactions_->partOf(row) == SplitPart::kTrain)
        of[static_cast<std::size_t>(interactions_->item(row))] += 1.0;
    }
    QCOMPARE(counts.size(), std::size_t{2});
    for (std::int64_t row = 0; row < 50; ++row)
      compare(*lists, counts[contexts[static_cast<std::size_t>(row)]],
              dataset_->ids("user")[static_cast<std::size_t>(row)], row);
  }

  void mostPopularHasTheMostRows() {
    const auto counts = interactions_->popularity();
    const auto lists = mostPopular(counts, eligible_);
    QVERIFY(!lists->readsRow());
    compare(*lists, {counts.begin(), counts.end()}, 3);
  }
};

QTEST_GUILESS_MAIN(BaselineListsTest)
#include "baseline_lists_test.moc"
