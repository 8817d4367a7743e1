// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>

#include "engine/base/random.h"
#include "engine/selftest/layer_reference.h"
#include "engine/workspace/masked_model.h"

using namespace parapet;
using workspace::attentionProbabilities;

class AttentionProbabilitiesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Two positions, two heads of width 1: q, k of head 0 are (1, 2) and (3, 0), of head 1 (0, 0).
  void followsTheDefinition() {
    const std::vector<float> qkv{1, 0, 3, 0, 9, 9, 2, 0, 0, 0, 9, 9};
    const auto first = attentionProbabilities(qkv, 2, {.heads = 2}, 0);
    const double sum = std::exp(3.0) + 1.0;
    QVERIFY(std::abs(first[0] - std::exp(3.0) / sum) < 1e-15);
    QVERIFY(std::abs(first[1] - 1.0 / sum) < 1e-15);
    QVERIFY(std::abs(first[2] - std::exp(6.0) / (std::exp(6.0) + 1.0)) < 1e-15);
    QCOMPARE(attentionProbabilities(qkv, 2, {.heads = 2}, 1), (std::vector{0.5, 0.5, 0.5, 0.5}));
    const auto causal = attentionProbabilities(qkv, 2, {.heads = 2, .causal = true}, 0);
    QCOMPARE(causal[0], 1.0);
    QCOMPARE(causal[1], 0.0);
    QCOMPARE(causal[2], first[2]);
  }

  /// Σ_j p[i, j]·v[j] is what the op is held against.
  void weighsTheValuesAsTheOpDoes_data() {
    QTest::addColumn<bool>("causal");
    QTest::newRow("all") << false;
    QTest::newRow("causal") << true;
  }
  void weighsTheValuesAsTheOpDoes() {
    QFETCH(bool, causal);
    constexpr std::int64_t kPositions = 7, kHeads = 3, kWidth = 5;
    const Random random(1, RandomPurpose::kSampling);
    std::vector<float> qkv(kPositions * 3 * kHeads * kWidth);
    for (std::size_t i = 0; i < qkv.size(); ++i) qkv[i] = 4.0f * random.uniform(i) - 2.0f;
    const std::vector<double> exact(qkv.begin(), qkv.end());
    const std::vector<std::int32_t> offsets{0, kPositions};
    const auto reference = selftest::reference::attention(
        {.offsets = offsets, .heads = kHeads, .width = kWidth, .causal = causal}, exact);
    for (std::int64_t head = 0; head < kHeads; ++head) {
      const auto p = attentionProbabilities(qkv, kPositions, {kHeads, causal}, head);
      for (std::int64_t i = 0; i < kPositions; ++i)
        for (std::int64_t d = 0; d < kWidth; ++d) {
          double out = 0.0;
          for (std::int64_t j = 0; j < kPositions; ++j)
            out += p[static_cast<std::size_t>(i * kPositions + j)] *
                   exact[static_cast<std::size_t>(((j * 3 + 2) * kHeads + head) * kWidth + d)];
          const auto at = static_cast<std::size_t>((i * kHeads + head) * kWidth + d);
          QVERIFY(std::abs(out - reference.out.value[at]) < 1e-12);
        }
    }
  }

  void refusesWhatDoesNotFit() {
    const std::vector<float> qkv(12, 0.0f);
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, attentionProbabilities(qkv, 2, {.heads = 2}, 2));
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, attentionProbabilities(qkv, 2, {.heads = 2}, -1));
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, attentionProbabilities(qkv, 5, {.heads = 2}, 0));
  }
};

QTEST_APPLESS_MAIN(AttentionProbabilitiesTest)
#include "attention_probabilities_test.moc"
