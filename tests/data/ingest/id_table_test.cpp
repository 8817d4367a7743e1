// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/id_table.h"

#include <QtTest>
#include <limits>
#include <map>
#include <random>

#include "engine/base/hash.h"

using namespace parapet;
using namespace parapet::data;

namespace {

/// The index of every id and how often each occurs, by looking at one after the other.
template <class Id>
struct NaiveTable {
  std::map<Id, std::int32_t> indices;
  std::vector<std::int64_t> counts;
  std::vector<std::int32_t> found;

  void add(const Id& id) {
    const auto [known, added] = indices.try_emplace(id, static_cast<std::int32_t>(counts.size()));
    if (added) counts.push_back(0);
    ++counts[static_cast<std::size_t>(known->second)];
    found.push_back(known->second);
  }
};

}  // namespace

class IdTableTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void indicesFollowTheFirstOccurrence() {
    IdTable table(ValueType::kInteger, "user");
    const std::vector<std::int64_t> ids{7, 3, 7, -1, 3, 7};
    std::vector<std::int32_t> indices{42};  // what is there stays
    QVERIFY(table.add(ids, {}, indices).ok());
    QCOMPARE(indices, (std::vector<std::int32_t>{42, 0, 1, 0, 2, 1, 0}));
    QCOMPARE(table.counts(), (std::vector<std::int64_t>{3, 2, 1}));
    QCOMPARE(table.integer(2), std::int64_t{-1});
    QCOMPARE(table.text(2), std::string("-1"));
    QVERIFY(table.isBefore(2, 1) && table.isBefore(1, 0) && !table.isBefore(0, 0));
  }

  void missingValuesGetNoIndex() {
    IdTable table(ValueType::kInteger, "user");
    const std::vector<std::int64_t> ids{0, 5, 0};
    const std::vector<std::uint8_t> missing{1, 0, 1};
    std::vector<std::int32_t> indices;
    QVERIFY(table.add(ids, missing, indices).ok());
    QCOMPARE(indices, (std::vector<std::int32_t>{-1, 0, -1}));
    QCOMPARE(table.size(), std::size_t{1});
  }

  void integersOfEverySizeAreToldApart() {
    constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min(),
                           kMax = std::numeric_limits<std::int64_t>::max();
    // Around the end of the array of small ids, at the ends of the type, and many between.
    std::vector<std::int64_t> ids{0, (1 << 24) - 1, 1 << 24, -1, kMin, kMax, kMax - 1, kMin + 1};
    std::mt19937_64 random(1);
    for (int i = 0; i < 20'000; ++i) {
      const auto wide = static_cast<std::int64_t>(random());
      ids.push_back(i % 2 ? wide >> (random() % 64) : std::int64_t{1} << (i % 62));
    }
    IdTable table(ValueType::kInteger, "item");
    NaiveTable<std::int64_t> naive;
    std::vector<std::int32_t> indices;
    for (int pass = 0; pass < 2; ++pass) {
      QVERIFY(table.add(ids, {}, indices).ok());
      for (const std::int64_t id : ids) naive.add(id);
    }
    QCOMPARE(indices, naive.found);
    QCOMPARE(table.counts(), naive.counts);
    for (const auto& [id, index] : naive.indices)
      QCOMPARE(table.integer(static_cast<std::size_t>(index)), id);
  }

  void textsOfEqualHashesAreToldApart_data() {
    QTest::addColumn<bool>("collide");
    QTest::newRow("their hashes") << false;
    QTest::newRow("one hash for all") << true;
  }
  void textsOfEqualHashesAreToldApart() {
    QFETCH(bool, collide);
    std::vector<std::string> texts{"", " ", "a", "ab", "b", std::string("a\0b", 3)};
    for (int i = 0; i < 3'000; ++i) texts.push_back("id-" + std::to_string(i % 2'500));
    std::vector<std::string_view> ids(texts.begin(), texts.end());
    std::vector<std::uint64_t> hashes;
    for (const std::string_view id : ids) hashes.push_back(collide ? 12345 : hash64(id));
    IdTable table(ValueType::kText, "item");
    NaiveTable<std::string> naive;
    std::vector<std::int32_t> indices;
    QVERIFY(table.add(ids, hashes, {}, indices).ok());
    for (const std::string& text : texts) naive.add(text);
    QCOMPARE(indices, naive.found);
    QCOMPARE(table.counts(), naive.counts);
    for (const auto& [text, index] : naive.indices)
      QCOMPARE(table.text(static_cast<std::size_t>(index)), text);
    const auto at = [&](const char* text) {
      return static_cast<std::size_t>(naive.indices.at(text));
    };
    QVERIFY(table.isBefore(at("a"), at("ab")) && table.isBefore(at("ab"), at("b")));
  }
};

QTEST_GUILESS_MAIN(IdTableTest)
#include "id_table_test.moc"
