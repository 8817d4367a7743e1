// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/baseline_lists.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <map>

#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/split/split.h"
#include "engine/retrieval/candidates.h"

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
                    {"is_organic", ColumnRole::kContext}};
    spec.vocabularies.resize(3);
    for (std::size_t i = 0; i < 3; ++i) {
      spec.vocabularies[i].name = spec.columns[i].name;
      spec.vocabularies[i].kind = experiment::VocabularyKind::kCompressed;
    }
    auto report = data::importDataset(spec, folder_.path().toStdString(), {}, data::makeGenerator);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    dataset_ = report->dataset;
    const data::Split split = data::makeSplit(data::EventColumns(*dataset_), {.seed = 3}).value();
    interactions_ = std::make_unique<Interactions>(*dataset_, "user", "item", split);
    eligible_ = candidateMask(*interactions_, ColdItems::kCandidates);
    x_.assign(static_cast<std::size_t>(interactions_->users()),
              std::vector<double>(eligible_.size()));
    for (std::int32_t user = 1; user < interactions_->users(); ++user)
      for (const std::int32_t item : interactions_->items(SplitPart::kTrain, user))
        x_[static_cast<std::size_t>(user)][static_cast<std::size_t>(item)] = 1.0;
  }

  void easeIsItsClosedForm() {
    constexpr double kLambda = 20.0;
    const std::size_t n = eligible_.size();
    Matrix gram(n, std::vector<double>(n));
    for (const auto& row : x_)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) gram[i][j] += row[i] * row[j];
    for (std::size_t i = 0; i < n; ++i) gram[i][i] += kLambda;
    const Matrix p = inverseOf(gram);
    const auto lists = ease(*interactions_, eligible_, kLambda);
    for (std::int32_t user = 1; user < interactions_->users(); ++user) {
      std::vector<double> scores(n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          if (i != j) scores[j] -= x_[static_cast<std::size_t>(user)][i] * p[i][j] / p[j][j];
      compare(*lists, scores, user);
      for (const Scored& item : lists->list(user, -1, 5, {}))
        QVERIFY(std::abs(static_cast<double>(item.score) -
                         scores[static_cast<std::size_t>(item.item)]) < 1e-4);
    }
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
