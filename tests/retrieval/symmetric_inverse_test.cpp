// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/symmetric_inverse.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/random.h"
#include "engine/base/result.h"

using namespace parapet;
using retrieval::invertSymmetric;

class SymmetricInverseTest : public QObject {
  Q_OBJECT

  /// XᵀX + λI of n columns with some ones, as of items; the upper triangle is not to be read.
  static std::vector<float> gram(std::int64_t n) {
    const Random random(7, RandomPurpose::kSampling);
    std::vector<float> matrix(static_cast<std::size_t>(n * n));
    std::uint64_t draw = 0;
    for (int user = 0; user < 400; ++user) {
      std::vector<std::int64_t> items;
      for (int i = 0; i < 20; ++i)
        items.push_back(
            static_cast<std::int64_t>(random.below(draw++, static_cast<std::uint64_t>(n))));
      std::ranges::sort(items);
      items.erase(std::ranges::unique(items).begin(), items.end());
      for (const std::int64_t i : items)
        for (const std::int64_t j : items)
          if (j <= i) matrix[static_cast<std::size_t>(i * n + j)] += 1.0f;
    }
    for (std::int64_t i = 0; i < n; ++i) matrix[static_cast<std::size_t>(i * (n + 1))] += 20.0f;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = i + 1; j < n; ++j) matrix[static_cast<std::size_t>(i * n + j)] = NAN;
    return matrix;
  }
  /// Gauss and Jordan in double precision.
  static std::vector<double> naiveInverse(const std::vector<float>& lower, std::size_t n) {
    std::vector<double> a(n * n), inverse(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        a[i * n + j] = a[j * n + i] = static_cast<double>(lower[i * n + j]);
    for (std::size_t i = 0; i < n; ++i) inverse[i * (n + 1)] = 1.0;
    for (std::size_t k = 0; k < n; ++k) {
      const double pivot = a[k * (n + 1)];
      for (std::size_t j = 0; j < n; ++j) a[k * n + j] /= pivot, inverse[k * n + j] /= pivot;
      for (std::size_t i = 0; i < n; ++i) {
        const double factor = a[i * n + k];
        if (i == k || factor == 0.0) continue;
        for (std::size_t j = 0; j < n; ++j) {
          a[i * n + j] -= factor * a[k * n + j];
          inverse[i * n + j] -= factor * inverse[k * n + j];
        }
      }
    }
    return inverse;
  }

 private Q_SLOTS:
  void isTheInverse_data() {
    QTest::addColumn<int>("n");
    // Fewer, as many and more rows than a sweep and than a product has; a last sweep of one column.
    for (const int n : {1, 2, 100, 256, 257, 600}) QTest::addRow("%d", n) << n;
  }
  void isTheInverse() {
    QFETCH(int, n);
    std::vector<float> matrix = gram(n);
    const std::vector<double> expected = naiveInverse(matrix, static_cast<std::size_t>(n));
    QVERIFY(invertSymmetric(matrix, n, nullptr));
    double largest = 0.0, difference = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      difference = std::max(difference, std::abs(static_cast<double>(matrix[i]) - expected[i]));
    }
    QVERIFY2(difference < 1e-5 * largest, qPrintable(QString::number(difference / largest)));
  }

  void workersChangeNoBit() {
    std::vector<float> alone = gram(1100), together = alone;
    QVERIFY(invertSymmetric(alone, 1100, nullptr));
    Workers workers(3);
    QVERIFY(invertSymmetric(together, 1100, &workers));
    QVERIFY(alone == together);
  }

  void canBeCancelledBetweenSweeps() {
    std::vector<float> matrix = gram(600);
    std::stop_source source;
    std::vector<std::int64_t> reports;
    const WorkContext context{[&](std::string_view, std::int64_t done, std::int64_t total) {
                                QCOMPARE(total, 600);
                                reports.push_back(done);
                                if (done == 256) source.request_stop();
                              },
                              source.get_token()};
    QVERIFY(!invertSymmetric(matrix, 600, nullptr, context));
    QCOMPARE(reports, (std::vector<std::int64_t>{0, 256}));
  }

  void refusesWhatIsNotPositiveDefiniteOrNotSquare() {
    std::vector<float> matrix{1.0f, 0.0f, 2.0f, 1.0f};
    QVERIFY_EXCEPTION_THROWN((void)invertSymmetric(matrix, 2, nullptr), InternalError);
    QVERIFY_EXCEPTION_THROWN((void)invertSymmetric(matrix, 3, nullptr), InvalidArgument);
  }
};

QTEST_APPLESS_MAIN(SymmetricInverseTest)
#include "symmetric_inverse_test.moc"
