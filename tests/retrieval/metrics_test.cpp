// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/metrics.h"

#include <QtTest>
#include <cmath>
#include <map>

#include "engine/base/random.h"
#include "engine/base/result.h"

using namespace parapet;
using retrieval::RankingMetrics;
using retrieval::Scored;

namespace {

using Rows = std::vector<std::int32_t>;

/// A list of the rows, best first.
std::vector<Scored> listOf(const Rows& rows) {
  std::vector<Scored> list;
  float score = 100.0f;
  for (const std::int32_t row : rows) list.push_back({row, score -= 1.0f});
  return list;
}

std::map<std::string, double> valuesOf(const RankingMetrics& metrics) {
  const auto values = metrics.values("");
  return {values.begin(), values.end()};
}

double log2Of(int rank) {
  return std::log2(static_cast<double>(rank) + 1.0);
}

}  // namespace

class RankingMetricsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Relevant rows 3 and 7 on ranks 2 and 5 of the list.
  void twoHitsOfThree() {
    RankingMetrics metrics({1, 2, 5});
    metrics.add(listOf({1, 3, 2, 4, 7}), Rows{3, 7, 9});
    const auto values = valuesOf(metrics);
    QCOMPARE(metrics.queries(), std::int64_t{1});
    QCOMPARE(values.at("recall@1"), 0.0);
    QCOMPARE(values.at("ndcg@1"), 0.0);
    QCOMPARE(values.at("hit@1"), 0.0);
    QCOMPARE(values.at("recall@2"), 1.0 / 3.0);
    QCOMPARE(values.at("ndcg@2"), (1.0 / log2Of(2)) / (1.0 / log2Of(1) + 1.0 / log2Of(2)));
    QCOMPARE(values.at("hit@2"), 1.0);
    QCOMPARE(values.at("recall@5"), 2.0 / 3.0);
    QCOMPARE(values.at("ndcg@5"), (1.0 / log2Of(2) + 1.0 / log2Of(5)) /
                                      (1.0 / log2Of(1) + 1.0 / log2Of(2) + 1.0 / log2Of(3)));
    QCOMPARE(values.at("mrr"), 0.5);
  }

  /// All that can be found are found where relevant rows are more than places; and the gain of the order
  /// found over itself is 1.
  void aBenchmarkHasItsOwnDefinitions() {
    using experiment::EvaluationProtocol;
    const auto all = experiment::Evaluation{}.metrics;
    const std::vector<Scored> list = listOf({1, 3, 2, 4, 7});
    const auto under = [&](std::optional<EvaluationProtocol> benchmark) {
      RankingMetrics metrics({2, 5}, all, benchmark);
      metrics.add(list, Rows{3, 7, 9});
      return valuesOf(metrics);
    };
    const auto plain = under(std::nullopt), yambda = under(EvaluationProtocol::kYambda),
               compat = under(EvaluationProtocol::kYambdaCompat);
    QCOMPARE(plain.at("recall@2"), 1.0 / 3.0);
    QCOMPARE(yambda.at("recall@2"), 1.0 / 2.0);
    QCOMPARE(yambda.at("recall@5"), 2.0 / 3.0);
    QCOMPARE(compat.at("recall@2"), yambda.at("recall@2"));
    for (const char* key : {"ndcg@2", "ndcg@5"}) {
      QCOMPARE(yambda.at(key), plain.at(key));
      QVERIFY(yambda.at(key) < 1.0);
      QCOMPARE(compat.at(key), 1.0);
    }
    RankingMetrics first({2}, all, EvaluationProtocol::kYambda), other({2}, all);
    QVERIFY_EXCEPTION_THROWN(first.merge(other), InvalidArgument);
  }

  void aPerfectListScoresOne() {
    RankingMetrics metrics({1, 3, 10});
    metrics.add(listOf({5, 2, 8, 1, 9}), Rows{2, 5, 8});
    const auto values = valuesOf(metrics);
    QCOMPARE(values.at("recall@1"), 1.0 / 3.0);
    for (const char* key : {"ndcg@1", "ndcg@3", "ndcg@10", "recall@3", "recall@10", "hit@1", "mrr"})
      QCOMPARE(values.at(key), 1.0);
  }

  void aHitBehindTheLastCutDoesNotCount() {
    RankingMetrics metrics({2});
    metrics.add(listOf({1, 2, 3}), Rows{3});
    for (const auto& [key, value] : metrics.values("")) QCOMPARE(value, 0.0);
  }

  void aShortListIsAllThereIs() {
    RankingMetrics metrics({10});
    metrics.add(listOf({4}), Rows{4, 6});
    const auto values = valuesOf(metrics);
    QCOMPARE(values.at("recall@10"), 0.5);
    QCOMPARE(values.at("ndcg@10"), 1.0 / (1.0 + 1.0 / log2Of(2)));
    metrics.add({}, Rows{1});
    QCOMPARE(metrics.queries(), std::int64_t{2});
    QCOMPARE(valuesOf(metrics).at("recall@10"), 0.25);
  }

  void usersWithoutRelevantItemsDoNotCount() {
    RankingMetrics metrics({3});
    metrics.add(listOf({1, 2, 3}), Rows{});
    QCOMPARE(metrics.queries(), std::int64_t{0});
    QVERIFY(metrics.values("val_").empty());
    metrics.add(listOf({1, 2, 3}), Rows{1});
    QCOMPARE(valuesOf(metrics).at("mrr"), 1.0);
  }

  void keysComeInOrderBehindThePrefix() {
    RankingMetrics metrics({1, 10});
    metrics.add(listOf({1}), Rows{1});
    std::vector<std::string> keys;
    for (const auto& [key, value] : metrics.values("val_")) keys.push_back(key);
    QCOMPARE(keys,
             (std::vector<std::string>{"val_recall@1", "val_ndcg@1", "val_hit@1", "val_recall@10",
                                       "val_ndcg@10", "val_hit@10", "val_mrr"}));
  }

  void mergedPartsEqualAllAtOnce() {
    const std::vector<std::int64_t> ks{1, 5, 20};
    const Random random(1, RandomPurpose::kSampling);
    RankingMetrics all(ks);
    std::vector<RankingMetrics> parts(3, RankingMetrics(ks));
    for (std::uint64_t user = 0; user < 100; ++user) {
      Rows rows, relevant;
      for (std::int32_t row = 0; row < 30; ++row) {
        rows.push_back(row);
        if (random.below(user * 64 + static_cast<std::uint64_t>(row), 5) == 0)
          relevant.push_back(row);
      }
      std::vector<Scored> list = listOf(rows);
      std::rotate(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(user % 30), list.end());
      all.add(list, relevant);
      parts[user % 3].add(list, relevant);
    }
    RankingMetrics merged(ks);
    for (const RankingMetrics& part : parts) merged.merge(part);
    QCOMPARE(merged.queries(), all.queries());
    const auto expected = valuesOf(all);
    for (const auto& [key, value] : merged.values(""))
      QVERIFY2(std::abs(value - expected.at(key)) <= 1e-14, key.c_str());
  }

  void refusesCutsThatDoNotAscend() {
    using Cuts = std::vector<std::int64_t>;
    QVERIFY_EXCEPTION_THROWN(RankingMetrics(Cuts{0, 1}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(RankingMetrics(Cuts{5, 5}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(RankingMetrics(Cuts{10, 5}), InvalidArgument);
  }

  void refusesToMergeOtherCuts() {
    RankingMetrics metrics({1, 2});
    QVERIFY_EXCEPTION_THROWN(metrics.merge(RankingMetrics({1, 3})), InvalidArgument);
  }
};

QTEST_GUILESS_MAIN(RankingMetricsTest)
#include "metrics_test.moc"
