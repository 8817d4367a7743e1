// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/list_comparison.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/random.h"
#include "engine/base/result.h"

using namespace parapet;
using namespace parapet::retrieval;

namespace {

using Rows = std::vector<std::int32_t>;

std::set<std::int32_t> firstOf(const Rows& rows, std::size_t depth) {
  return {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(depth, rows.size()))};
}

double sharedAt(const Rows& a, const Rows& b, std::size_t depth) {
  const auto left = firstOf(a, depth), right = firstOf(b, depth);
  return static_cast<double>(
      std::ranges::count_if(left, [&](std::int32_t row) { return right.contains(row); }));
}

/// The definition that the extrapolation stands for: both lists go on for ever, the shorter one's
/// unseen items agree as those seen did, and beyond the longer one the agreement stays.
double rboByDefinition(const Rows& a, const Rows& b, double p) {
  const std::size_t s = std::min(a.size(), b.size()), l = std::max(a.size(), b.size());
  const double atS = sharedAt(a, b, s) / static_cast<double>(s);
  double agreement = 0.0, sum = 0.0;
  for (std::size_t d = 1; d <= 4000; ++d) {
    const auto depth = static_cast<double>(d);
    if (d <= l)
      agreement = (sharedAt(a, b, d) + (d > s ? atS * static_cast<double>(d - s) : 0.0)) / depth;
    sum += (1.0 - p) * std::pow(p, depth - 1.0) * agreement;
  }
  return sum;
}

Rows drawn(std::uint64_t seed, std::size_t length) {
  const Random random(seed, RandomPurpose::kSampling);
  Rows rows;
  for (std::uint64_t draw = 0; rows.size() < length; ++draw)
    if (const auto row = static_cast<std::int32_t>(random.below(draw, 25));
        std::ranges::find(rows, row) == rows.end())
      rows.push_back(row);
  return rows;
}

}  // namespace

class ListComparisonTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tellsHowItemsMoved() {
    const auto moves = movesSince(Rows{1, 2, 3, 4}, Rows{3, 2, 1, 9});
    QCOMPARE(moves.size(), std::size_t{4});
    QVERIFY((moves[0] == Move{MoveKind::kUp, 2}));
    QVERIFY((moves[1] == Move{MoveKind::kSame, 0}));
    QVERIFY((moves[2] == Move{MoveKind::kDown, 2}));
    QVERIFY((moves[3] == Move{MoveKind::kIn, 0}));
  }

  void tellsWhatLeaves() {
    const auto moves = leavingFor(Rows{1, 2, 3, 4}, Rows{3, 2, 1, 9});
    QVERIFY((moves[2] == Move{MoveKind::kSame, 0}));
    QVERIFY((moves[3] == Move{MoveKind::kOut, 0}));
  }

  void overlapIsTheSharedPartOfTheLongerList() {
    const Overlap found = overlap(Rows{1, 2, 3, 4}, Rows{4, 5, 6});
    QCOMPARE(found.shared, std::int64_t{1});
    QCOMPARE(found.length, std::int64_t{4});
    QCOMPARE(found.share, 0.25);
    QCOMPARE(overlap({}, {}).share, 1.0);
  }

  void rankBiasedOverlapByHand() {
    // X = 0, 2: (1 − ½)/½ · ½²·2/2 + ½²·2/2.
    QCOMPARE(rankBiasedOverlap(Rows{1, 2}, Rows{2, 1}, 0.5), 0.5);
    // X = 1, 1: the agreement is 1 at depth 1 and ½ from there on: ½ + ½·½.
    QCOMPARE(rankBiasedOverlap(Rows{1, 2}, Rows{1, 3}, 0.5), 0.75);
    // X = 1, 1, 2 and s = 1: every item of the longer list counts as shared in the share of the
    // shorter one, so depth 2 has (1 + 1)/2, and so on.
    QCOMPARE(rankBiasedOverlap(Rows{1}, Rows{1, 2, 3}, 0.5), 1.0);
    QCOMPARE(rankBiasedOverlap(Rows{1, 2, 3}, Rows{4, 5, 6}), 0.0);
    QCOMPARE(rankBiasedOverlap(Rows{}, Rows{}), 1.0);
    QCOMPARE(rankBiasedOverlap(Rows{1}, Rows{}), 0.0);
    QVERIFY(std::abs(rankBiasedOverlap(Rows{7, 8, 9}, Rows{7, 8, 9}) - 1.0) < 1e-12);
  }

  void rankBiasedOverlapIsItsDefinition() {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const Rows a = drawn(2 * seed, 10), b = drawn(2 * seed + 1, seed % 2 == 0 ? 10 : 6);
      for (const double p : {0.5, 0.9, 0.98}) {
        const double found = rankBiasedOverlap(a, b, p);
        QVERIFY2(std::abs(found - rboByDefinition(a, b, p)) < 1e-10,
                 qPrintable(QString::number(found, 'g', 12)));
        QCOMPARE(found, rankBiasedOverlap(b, a, p));
      }
    }
  }

  void theTopCountsMost() {
    const Rows list{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    Rows top = list, bottom = list;
    top[0] = 99;
    bottom[9] = 99;
    QCOMPARE(overlap(list, top).share, overlap(list, bottom).share);
    QVERIFY(rankBiasedOverlap(list, top) < rankBiasedOverlap(list, bottom) - 0.05);
  }

  void refusesAPersistenceOutsideTheRange() {
    for (const double p : {0.0, 1.0, -0.5, std::nan("")})
      QVERIFY_EXCEPTION_THROWN((void)rankBiasedOverlap(Rows{1}, Rows{1}, p), InvalidArgument);
  }
};

QTEST_GUILESS_MAIN(ListComparisonTest)
#include "list_comparison_test.moc"
