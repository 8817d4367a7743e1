// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/initializers.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <vector>

using namespace parapet;
using experiment::Initializer;
using experiment::InitializerKind;
using experiment::VarianceDistribution;
using experiment::VarianceMode;

namespace {

constexpr std::int64_t kRows = 400, kCols = 100;
constexpr double kCount = kRows * kCols;

std::vector<float> weights(const Initializer& spec, std::uint64_t seed = 42,
                           const std::string& name = "tables/user", std::int64_t rows = kRows,
                           std::int64_t cols = kCols) {
  std::vector<float> weight(static_cast<std::size_t>(rows * cols), 7.0f);
  nn::initialize(spec, seed, name, rows, cols, weight);
  return weight;
}

struct Moments {
  double mean = 0.0, deviation = 0.0, smallest = 0.0, largest = 0.0;
};

Moments momentsOf(const std::vector<float>& weight) {
  Moments moments;
  for (const float w : weight) moments.mean += static_cast<double>(w) / kCount;
  for (const float w : weight) {
    const double apart = static_cast<double>(w) - moments.mean;
    moments.deviation += apart * apart / kCount;
  }
  moments.deviation = std::sqrt(moments.deviation);
  const auto [low, high] = std::ranges::minmax(weight);
  moments.smallest = static_cast<double>(low);
  moments.largest = static_cast<double>(high);
  return moments;
}

// Six standard errors: a right generator misses one in a billion times, and this one is fixed.
void verifyMoments(const Moments& found, double mean, double deviation) {
  QVERIFY(std::abs(found.mean - mean) < 6.0 * deviation / std::sqrt(kCount));
  QVERIFY(std::abs(found.deviation / deviation - 1.0) < 6.0 / std::sqrt(kCount));
}

}  // namespace

class InitializersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void uniformFillsItsInterval() {
    Initializer spec;
    spec.min = -0.2;
    spec.max = 0.6;
    const Moments found = momentsOf(weights(spec));
    verifyMoments(found, 0.2, 0.8 / std::sqrt(12.0));
    QVERIFY(found.smallest >= -0.2000001 && found.smallest < -0.199);
    QVERIFY(found.largest < 0.6 && found.largest > 0.599);
  }

  void defaultIsThatOfKerasEmbeddings() {
    const Moments found = momentsOf(weights(Initializer{}));
    verifyMoments(found, 0.0, 0.1 / std::sqrt(12.0));
    QVERIFY(found.smallest >= -0.0500001 && found.largest < 0.05);
  }

  void normalHasItsMoments() {
    Initializer spec{.kind = InitializerKind::kNormal};
    spec.mean = 1.5;
    spec.stddev = 0.25;
    const Moments found = momentsOf(weights(spec));
    verifyMoments(found, 1.5, 0.25);
    QVERIFY(found.largest > 1.5 + 3.0 * 0.25);
  }

  void truncatedNormalEndsAtTwoDeviations() {
    Initializer spec{.kind = InitializerKind::kTruncatedNormal};
    spec.mean = -1.0;
    spec.stddev = 0.5;
    const Moments found = momentsOf(weights(spec));
    verifyMoments(found, -1.0, 0.5 * 0.87962566103423978);
    QVERIFY(found.smallest >= -2.0000001 && found.smallest < -1.98);
    QVERIFY(found.largest <= 1e-7 && found.largest > -0.02);
  }

  void varianceScalingMeetsItsClosedForm_data() {
    QTest::addColumn<int>("mode");
    QTest::addColumn<int>("distribution");
    for (const auto mode : {VarianceMode::kFanIn, VarianceMode::kFanOut, VarianceMode::kFanAverage})
      for (const auto distribution : {VarianceDistribution::kUniform, VarianceDistribution::kNormal,
                                      VarianceDistribution::kTruncatedNormal})
        QTest::addRow("mode %d, distribution %d", static_cast<int>(mode),
                      static_cast<int>(distribution))
            << static_cast<int>(mode) << static_cast<int>(distribution);
  }
  void varianceScalingMeetsItsClosedForm() {
    QFETCH(int, mode);
    QFETCH(int, distribution);
    Initializer spec{.kind = InitializerKind::kVarianceScaling};
    spec.scale = 2.0;
    spec.mode = static_cast<VarianceMode>(mode);
    spec.distribution = static_cast<VarianceDistribution>(distribution);
    const double fans[] = {kRows, kCols, (kRows + kCols) / 2.0};
    const double deviation = std::sqrt(2.0 / fans[mode]);
    const Moments found = momentsOf(weights(spec));
    verifyMoments(found, 0.0, deviation);
    if (spec.distribution == VarianceDistribution::kUniform)
      QVERIFY(found.largest <= std::sqrt(3.0) * deviation * 1.000001);
    if (spec.distribution == VarianceDistribution::kTruncatedNormal)
      QVERIFY(found.largest <= 2.0 * deviation / 0.87962566103423978 * 1.000001);
  }

  void glorotUniformMeetsItsLimit() {
    const double limit = std::sqrt(6.0 / (kRows + kCols));
    const Moments found = momentsOf(weights({.kind = InitializerKind::kGlorotUniform}));
    verifyMoments(found, 0.0, limit / std::sqrt(3.0));
    QVERIFY(-found.smallest <= limit * 1.000001 && found.largest <= limit);
    QVERIFY(found.largest > 0.999 * limit);
  }

  void constantIsItsValue() {
    Initializer spec{.kind = InitializerKind::kConstant};
    spec.value = 0.1;
    QCOMPARE(weights(spec), std::vector<float>(kRows * kCols, 0.1f));
  }

  void weightsAreAFunctionOfSeedAndName() {
    for (const auto kind :
         {InitializerKind::kUniform, InitializerKind::kNormal, InitializerKind::kTruncatedNormal,
          InitializerKind::kVarianceScaling, InitializerKind::kGlorotUniform}) {
      const Initializer spec{.kind = kind};
      const auto first = weights(spec);
      QCOMPARE(weights(spec), first);
      QVERIFY(weights(spec, 43) != first);
      QVERIFY(weights(spec, 42, "tables/item") != first);
    }
  }

  // So a vocabulary that grows at its end keeps the vectors of the rows it had.
  void aLongerTableBeginsWithTheShorter() {
    const auto shorter = weights(Initializer{}),
               longer = weights(Initializer{}, 42, "tables/user", 500);
    QVERIFY(std::equal(shorter.begin(), shorter.end(), longer.begin()));
  }
};

QTEST_GUILESS_MAIN(InitializersTest)
#include "initializers_test.moc"
