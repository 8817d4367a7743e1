// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text/masking.h"

#include <QtTest>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "tests/base/counted_memory.h"
#include "tests/data/text/small_pieces.h"

using namespace parapet;
using namespace parapet::data;
using experiment::Masking;
using experiment::MaskingMethod;

namespace {

using Ids = std::vector<std::int32_t>;
using Selection = SequenceMasker::Selection;

const MaskingPieces kPieces{.size = 1000, .special = {0, 1, 2, 3, 4}};

// [CLS] 10 11 … [SEP]
Ids sequence(int pieces) {
  Ids ids{2};
  for (int i = 0; i < pieces; ++i) ids.push_back(10 + i % 900);
  ids.push_back(3);
  return ids;
}

std::vector<Selection> selected(const Masking& masking, const Ids& ids, std::int64_t epoch = 1,
                                std::int64_t example = 0, std::uint64_t seed = 42) {
  SequenceMasker masker(masking, kPieces, seed, std::ssize(ids));
  const auto found = masker.select(ids, epoch, example);
  return {found.begin(), found.end()};
}

bool same(const std::vector<Selection>& a, const std::vector<Selection>& b) {
  return std::ranges::equal(a, b, [](const Selection& x, const Selection& y) {
    return x.position == y.position && x.label == y.label && x.replacement == y.replacement;
  });
}

// Whether a count of draws lies within five standard deviations of its mean.
bool isLikely(double count, double draws, double probability) {
  return std::abs(count - draws * probability) <
         5.0 * std::sqrt(draws * probability * (1.0 - probability));
}

struct Ragged {
  Ids ids;
  std::vector<std::int32_t> offsets{0};

  void add(const Ids& sequence) {
    ids.insert(ids.end(), sequence.begin(), sequence.end());
    offsets.push_back(static_cast<std::int32_t>(ids.size()));
  }
  [[nodiscard]] FeatureIds feature() const { return {.ids = ids, .offsets = offsets}; }
};

}  // namespace

class MaskingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sharesAreThoseOfTheDocument() {
    const Masking masking{.maxSelections = 1000};
    const Ids ids = sequence(200);
    double selections = 0, masks = 0, kept = 0, others = 0;
    constexpr int kExamples = 2000;
    SequenceMasker masker(masking, kPieces, 7, std::ssize(ids));
    for (int example = 0; example < kExamples; ++example)
      for (const Selection& each : masker.select(ids, 1, example)) {
        ++selections;
        masks += each.replacement == kPieces.id(SpecialPiece::kMask);
        kept += each.replacement == each.label;
        others += each.replacement != each.label && each.replacement != 4;
      }
    QVERIFY(isLikely(selections, 200.0 * kExamples, .15));
    // One random piece in a thousand is the mask, another the label.
    QVERIFY(isLikely(masks, selections, .8 + .1 / 1000));
    QVERIFY(isLikely(kept, selections, .1 + .1 / 1000));
    QVERIFY(isLikely(others, selections, .1 * 998 / 1000));
  }

  void randomPiecesAreUniform() {
    const Masking masking{.rate = .9, .maxSelections = 1000, .mask = 0, .random = 1};
    const Ids ids = sequence(500);
    SequenceMasker masker(masking, kPieces, 7, std::ssize(ids));
    std::vector<double> counts(10);
    double draws = 0;
    for (int example = 0; example < 400; ++example)
      for (const Selection& each : masker.select(ids, 1, example)) {
        QVERIFY(each.replacement >= 0 && each.replacement < 1000);
        ++counts[static_cast<std::size_t>(each.replacement / 100)];
        ++draws;
      }
    for (const double count : counts) QVERIFY(isLikely(count, draws, .1));
  }

  void everyPositionIsAsLikely() {
    const Masking masking{.maxSelections = 3};
    const Ids ids = sequence(50);
    std::vector<double> counts(ids.size());
    SequenceMasker masker(masking, kPieces, 3, std::ssize(ids));
    double selections = 0;
    for (int example = 0; example < 20'000; ++example)
      for (const Selection& each : masker.select(ids, 1, example)) {
        ++counts[static_cast<std::size_t>(each.position)];
        ++selections;
      }
    QCOMPARE(counts.front(), 0.0);
    QCOMPARE(counts.back(), 0.0);
    for (std::size_t position = 1; position + 1 < counts.size(); ++position)
      QVERIFY(isLikely(counts[position], selections, 1.0 / 50));
  }

  void exactSelectsTheRoundedShare_data() {
    QTest::addColumn<int>("pieces");
    QTest::addColumn<int>("expected");
    for (const auto& [pieces, expected] :
         {std::pair{0, 0}, {1, 1}, {3, 1}, {10, 2}, {13, 2}, {17, 3}, {100, 15}, {1000, 20}})
      QTest::addRow("%d", pieces) << pieces << expected;
  }
  void exactSelectsTheRoundedShare() {
    QFETCH(int, pieces);
    QFETCH(int, expected);
    const Masking masking{.method = MaskingMethod::kExact};
    for (int example = 0; example < 20; ++example)
      QCOMPARE(std::ssize(selected(masking, sequence(pieces), 1, example)),
               static_cast<std::ptrdiff_t>(expected));
  }

  void selectsNoMoreThanTheMaximum() {
    const Masking masking{.rate = .5, .maxSelections = 7};
    for (int example = 0; example < 50; ++example) {
      const auto found = selected(masking, sequence(200), 1, example);
      QCOMPARE(found.size(), std::size_t{7});
      QVERIFY(std::ranges::is_sorted(found, std::less<>(), &Selection::position));
    }
  }

  void specialPiecesAreNeverSelected() {
    const Masking masking{.rate = .99, .maxSelections = 100};
    QVERIFY(selected(masking, {2, 3}).empty());
    QVERIFY(selected(masking, {}).empty());
    QVERIFY(selected(masking, {0, 1, 2, 3, 4, 1, 0}).empty());
    const auto found = selected(masking, {2, 1, 500, 4, 3, 0, 0});
    QVERIFY(found.size() <= 1);
    for (const Selection& each : found) QCOMPARE(each.label, 500);
  }

  void drawsAreAFunctionOfTheirKeyAlone() {
    const Ids ids = sequence(100);
    const auto first = selected({}, ids, 3, 17);
    QVERIFY(same(selected({}, ids, 3, 17), first));
    QVERIFY(!same(selected({}, ids, 4, 17), first));
    QVERIFY(!same(selected({}, ids, 3, 18), first));
    QVERIFY(!same(selected({}, ids, 3, 17, 43), first));
    QVERIFY(!same(selected({}, ids, SequenceMasker::kHeldOutEpoch, 17), first));
    // Draws for other lines do not matter.
    SequenceMasker masker({}, kPieces, 42, 200);
    (void)masker.select(sequence(150), 9, 2);
    const auto later = masker.select(ids, 3, 17);
    QVERIFY(same({later.begin(), later.end()}, first));
  }

  void positionsOfALongSequenceDoNotReachTheNextExample() {
    const Masking masking{.rate = .5, .maxSelections = SequenceMasker::kMaxPositions};
    const Ids ids = sequence(static_cast<int>(SequenceMasker::kMaxPositions) - 2);
    QVERIFY(!same(selected(masking, ids, 1, 0), selected(masking, ids, 1, 1)));
    QVERIFY_EXCEPTION_THROWN((void)selected(masking, sequence(1 << 16)), InvalidArgument);
  }

  void batchesHoldWhatSequencesSelect() {
    Ragged batch;
    for (const int pieces : {30, 0, 7, 120}) batch.add(sequence(pieces));
    BatchMasker masker({}, kPieces, 42, {.examples = 8, .positions = 400, .length = 128});
    const MaskedBatch& masked = masker.mask(batch.feature(), 2, 40);
    QCOMPARE(masked.ids.size(), batch.ids.size());
    QCOMPARE(masked.offsets.size(), std::size_t{5});
    Ids expected = batch.ids;
    std::size_t at = 0;
    for (std::size_t example = 0; example < 4; ++example) {
      const std::int32_t first = batch.offsets[example];
      const Ids own(batch.ids.begin() + first, batch.ids.begin() + batch.offsets[example + 1]);
      QCOMPARE(static_cast<std::size_t>(masked.offsets[example]), at);
      for (const Selection& each : selected({}, own, 2, 40 + static_cast<std::int64_t>(example))) {
        QCOMPARE(masked.positions[at], first + each.position);
        QCOMPARE(masked.labels[at], each.label);
        QCOMPARE(masked.weights[at], 1.0f);
        expected[static_cast<std::size_t>(first + each.position)] = each.replacement;
        ++at;
      }
    }
    QCOMPARE(masked.positions.size(), at);
    QCOMPARE(Ids(masked.ids.begin(), masked.ids.end()), expected);
  }

  // A mesh cuts a batch between examples.
  void slicesOfABatchAreMaskedAlike() {
    Ragged whole, second;
    for (const int pieces : {30, 25, 40}) whole.add(sequence(pieces));
    for (const int pieces : {25, 40}) second.add(sequence(pieces));
    const BatchMasker::Capacity capacity{.examples = 3, .positions = 200, .length = 64};
    BatchMasker one({}, kPieces, 1, capacity), other({}, kPieces, 1, capacity);
    const MaskedBatch& all = one.mask(whole.feature(), 1, 100);
    const MaskedBatch& part = other.mask(second.feature(), 1, 101);
    QVERIFY(std::ranges::equal(all.ids.last(part.ids.size()), part.ids));
    QVERIFY(std::ranges::equal(all.labels.last(part.labels.size()), part.labels));
  }

  void aFullBatchAllocatesNothing() {
    Ragged batch;
    for (int example = 0; example < 32; ++example) batch.add(sequence(126));
    BatchMasker masker({}, kPieces, 5, {.examples = 32, .positions = 32 * 128, .length = 128});
    (void)masker.mask(batch.feature(), 1, 0);
    const std::int64_t before = sample::allocations();
    for (int step = 1; step < 20; ++step) (void)masker.mask(batch.feature(), 1, 32 * step);
    QCOMPARE(sample::allocations(), before);
  }

  void refusesABatchOverTheCapacity() {
    Ragged batch;
    batch.add(sequence(30));
    BatchMasker small({}, kPieces, 5, {.examples = 1, .positions = 31, .length = 128});
    QVERIFY_EXCEPTION_THROWN((void)small.mask(batch.feature(), 1, 0), InvalidArgument);
    BatchMasker none({}, kPieces, 5, {.examples = 0, .positions = 100, .length = 128});
    QVERIFY_EXCEPTION_THROWN((void)none.mask(batch.feature(), 1, 0), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN((void)none.mask({.ids = batch.ids}, 1, 0), InvalidArgument);
  }
};

QTEST_APPLESS_MAIN(MaskingTest)
#include "masking_test.moc"
