// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/id_merger.h"

#include <QtTest>
#include <map>

#include "engine/base/random.h"

using namespace parapet;
using mesh::IdMerger;

namespace {

std::vector<std::int32_t> uniqueIndices(IdMerger& merger, const std::vector<std::int32_t>& ids) {
  std::vector<std::int32_t> out;
  for (const std::int32_t id : ids) out.push_back(merger.uniqueIndexOf(id));
  return out;
}

std::vector<std::int32_t> distinct(const IdMerger& merger) {
  return {merger.ids().begin(), merger.ids().end()};
}

}  // namespace

class IdMergerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void numbersIdsInTheOrderOfFirstAppearance_data() {
    QTest::addColumn<qint64>("tableRows");
    QTest::newRow("a table with no more rows than slots") << qint64{8};
    QTest::newRow("a larger one") << qint64{1} * 1000000;
  }
  void numbersIdsInTheOrderOfFirstAppearance() {
    QFETCH(qint64, tableRows);
    IdMerger merger(tensor::hostDevice(), 4);
    merger.begin(tableRows);
    QCOMPARE(uniqueIndices(merger, {7, 3, 7, 0, 3, 1}),
             (std::vector<std::int32_t>{0, 1, 0, 2, 1, 3}));
    QCOMPARE(distinct(merger), (std::vector<std::int32_t>{7, 3, 0, 1}));
  }

  void forgetsTheListBefore() {
    IdMerger merger(tensor::hostDevice(), 3);
    merger.begin(1000);
    (void)uniqueIndices(merger, {900, 901, 902});
    merger.begin(6);
    QVERIFY(merger.ids().empty());
    QCOMPARE(uniqueIndices(merger, {5, 2, 5}), (std::vector<std::int32_t>{0, 1, 0}));
    merger.begin(1000);
    QCOMPARE(uniqueIndices(merger, {902}), (std::vector<std::int32_t>{0}));
  }

  // As many distinct ids as it was made for, many of which begin their search at the same slot.
  void holdsAFullListOfScatteredIds() {
    constexpr std::int64_t kIds = 1000, kRows = 1 << 30;
    const Random random(1, RandomPurpose::kInitializer, 0);
    IdMerger merger(tensor::hostDevice(), kIds);
    for (std::uint64_t list = 0; list < 3; ++list) {
      merger.begin(kRows);
      std::map<std::int32_t, std::int32_t> expected;
      for (std::int64_t i = 0; i < 2 * kIds; ++i) {
        const auto draw = random.bits64(list * 1000 + static_cast<std::uint64_t>(i % kIds));
        const auto id = static_cast<std::int32_t>(draw % static_cast<std::uint64_t>(kRows));
        const auto next = static_cast<std::int32_t>(expected.size());
        const std::int32_t index = expected.try_emplace(id, next).first->second;
        QCOMPARE(merger.uniqueIndexOf(id), index);
      }
      QCOMPARE(merger.ids().size(), expected.size());
    }
  }
};

QTEST_GUILESS_MAIN(IdMergerTest)
#include "id_merger_test.moc"
