// SPDX-License-Identifier: Apache-2.0
#include "engine/base/random.h"

#include <QtTest>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

using namespace parapet;

namespace {

constexpr auto kPurpose = RandomPurpose::kSampling;
constexpr std::uint64_t kDraws = 200000;

// Inverse of an odd number modulo 2^64 by Newton's iteration; each round doubles the right bits.
std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t x = odd;
  for (int round = 0; round < 6; ++round) x *= 2 - odd * x;
  return x;
}

std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

std::uint64_t unmix(std::uint64_t x) {
  x ^= (x >> 31) ^ (x >> 62);
  x *= inverse(0x94D049BB133111EBull);
  x ^= (x >> 27) ^ (x >> 54);
  x *= inverse(0xBF58476D1CE4E5B9ull);
  x ^= (x >> 30) ^ (x >> 60);
  return x - 0x9E3779B97F4A7C15ull;
}

// The published vectors name the Philox key; a Random derives it from seed and purpose by
// mix(seed ^ mix(purpose)), which can be turned around.
std::uint64_t seedForKey(std::uint64_t key) {
  return unmix(key) ^ mix(static_cast<std::uint64_t>(kPurpose));
}

struct Moments {
  double mean = 0, variance = 0, largest = 0;
};

template <class Draw>
Moments moments(Draw draw) {
  double sum = 0, squares = 0, largest = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double x = draw(i);
    sum += x;
    squares += x * x;
    largest = std::max(largest, std::abs(x));
  }
  const double mean = sum / kDraws;
  return {mean, squares / kDraws - mean * mean, largest};
}

}  // namespace

class RandomTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void matchesThePublishedPhiloxVectors_data() {
    using Words = QVector<quint32>;
    QTest::addColumn<quint64>("index");
    QTest::addColumn<quint64>("stream");
    QTest::addColumn<quint64>("key");
    QTest::addColumn<Words>("expected");
    // kat_vectors of Random123, philox4x32 10; words are little end first.
    QTest::newRow("zeros") << quint64{0} << quint64{0} << quint64{0}
                           << Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    QTest::newRow("ones") << ~quint64{0} << ~quint64{0} << ~quint64{0}
                          << Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
    QTest::newRow("digits of pi") << quint64{0x85a308d3243f6a88} << quint64{0x0370734413198a2e}
                                  << quint64{0x299f31d0a4093822}
                                  << Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  }
  void matchesThePublishedPhiloxVectors() {
    QFETCH(quint64, index);
    QFETCH(quint64, stream);
    QFETCH(quint64, key);
    QFETCH(QVector<quint32>, expected);
    const auto words = Random(seedForKey(key), kPurpose, stream).words(index);
    QCOMPARE(QVector<quint32>(words.begin(), words.end()), expected);
  }

  void numbersDoNotDependOnTheOrderOfDrawing() {
    const Random random(42, kPurpose, 3);
    const auto later = random.words(1000);
    (void)random.words(1);
    QCOMPARE(random.words(1000), later);
    QCOMPARE(Random(42, kPurpose, 3).words(1000), later);
  }

  void seedPurposeStreamAndIndexAllMatter() {
    const std::set<std::uint64_t> drawn{Random(1, RandomPurpose::kSplit, 0).bits64(0),
                                        Random(2, RandomPurpose::kSplit, 0).bits64(0),
                                        Random(1, RandomPurpose::kShuffle, 0).bits64(0),
                                        Random(1, RandomPurpose::kSplit, 1).bits64(0),
                                        Random(1, RandomPurpose::kSplit, 0).bits64(1)};
    QCOMPARE(drawn.size(), std::size_t{5});
  }

  void uniformHasTheMomentsOfTheUnitInterval() {
    const Random random(7, kPurpose);
    const Moments found = moments([&](std::uint64_t i) {
      const double x = random.uniform(i);
      return x >= 0.0 && x < 1.0 ? x : 1e9;
    });
    // Five standard errors of 200,000 draws.
    QVERIFY(std::abs(found.mean - 0.5) < 5 * std::sqrt(1.0 / 12 / kDraws));
    QVERIFY(std::abs(found.variance - 1.0 / 12) < 5 * std::sqrt(1.0 / 180 / kDraws));
    QVERIFY(found.largest < 1.0);
  }

  void normalHasMeanZeroAndVarianceOne() {
    const Random random(7, kPurpose);
    const Moments found = moments([&](std::uint64_t i) { return random.normal(i); });
    QVERIFY(std::abs(found.mean) < 5 * std::sqrt(1.0 / kDraws));
    QVERIFY(std::abs(found.variance - 1.0) < 5 * std::sqrt(2.0 / kDraws));
    QVERIFY(found.largest > 3.5);  // P(none of 200,000 beyond 3.5 sigma) is below 1e-40
  }

  void truncatedNormalStaysInsideTwoSigma() {
    const Random random(7, kPurpose);
    const Moments found =
        moments([&](std::uint64_t i) { return random.normal(i, NormalTails::kTruncated); });
    QVERIFY(found.largest <= 2.0);
    QVERIFY(std::abs(found.mean) < 5 * std::sqrt(0.774 / kDraws));
    // 1 - 4 phi(2) / (Phi(2) - Phi(-2)) = 0.77374
    QVERIFY(std::abs(found.variance - 0.77374) < 0.01);
  }

  void belowFillsItsRangeEvenly() {
    const Random random(11, kPurpose);
    constexpr std::uint64_t kBound = 7;
    std::array<double, kBound> counts{};
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const std::uint64_t value = random.below(i, kBound);
      QVERIFY(value < kBound);
      ++counts[value];
    }
    const double expected = static_cast<double>(kDraws) / kBound;
    double chiSquare = 0;
    for (const double count : counts)
      chiSquare += (count - expected) * (count - expected) / expected;
    QVERIFY(chiSquare < 35.0);  // 6 degrees of freedom: exceeded with probability 4e-6
  }

  void belowOneIsZero() { QCOMPARE(Random(1, kPurpose).below(5, 1), std::uint64_t{0}); }

  void shuffleIsAPermutation() {
    std::vector<std::int64_t> values(1000);
    std::iota(values.begin(), values.end(), 0);
    const std::vector<std::int64_t> sorted = values;
    shuffle(values, Random(3, RandomPurpose::kShuffle));
    QVERIFY(values != sorted);
    std::sort(values.begin(), values.end());
    QCOMPARE(values, sorted);
  }

  void shuffleRepeatsForTheSameKeyOnly() {
    const auto shuffled = [](std::uint64_t seed, std::uint64_t epoch) {
      std::vector<std::int64_t> values(100);
      std::iota(values.begin(), values.end(), 0);
      shuffle(values, Random(seed, RandomPurpose::kShuffle, epoch));
      return values;
    };
    QCOMPARE(shuffled(3, 0), shuffled(3, 0));
    QVERIFY(shuffled(3, 0) != shuffled(3, 1));
    QVERIFY(shuffled(3, 0) != shuffled(4, 0));
  }

  void shuffleReachesEveryOrderEquallyOften() {
    std::array<double, 6> counts{};
    constexpr int kShuffles = 30000;
    for (int seed = 0; seed < kShuffles; ++seed) {
      std::array<std::int64_t, 3> values{0, 1, 2};
      shuffle(values, Random(static_cast<std::uint64_t>(seed), RandomPurpose::kShuffle));
      ++counts[static_cast<std::size_t>(values[0] * 2 + (values[1] > values[2] ? 1 : 0))];
    }
    for (const double count : counts) QVERIFY(std::abs(count - kShuffles / 6.0) < 400);
  }

  void shuffleOfNothingIsNothing() {
    shuffle({}, Random(1, RandomPurpose::kShuffle));
    std::array<std::int64_t, 1> one{9};
    shuffle(one, Random(1, RandomPurpose::kShuffle));
    QCOMPARE(one[0], std::int64_t{9});
  }
};

QTEST_GUILESS_MAIN(RandomTest)
#include "random_test.moc"
