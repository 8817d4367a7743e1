// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/vocabulary_builder.h"

#include <QTest>
#include <algorithm>

#include "engine/base/hash.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using experiment::VocabularyKind;
using SizeKind = experiment::VocabularySize::Kind;
using Rows = std::vector<std::int32_t>;

namespace {

PlannedVocabulary planned(VocabularyKind kind, std::optional<std::int64_t> size = std::nullopt) {
  PlannedVocabulary plan;
  plan.spec.name = "item";
  plan.spec.kind = kind;
  if (size) plan.spec.size = {SizeKind::kFixed, *size};
  plan.pointer = "/dataset/vocabularies/0";
  return plan;
}

/// Distinct ids in the order in which they are given, each as often as it occurs.
IdTable tableOf(const std::vector<std::int64_t>& ids) {
  IdTable table(ValueType::kInteger, "item");
  std::vector<std::int32_t> indices;
  if (!table.add(ids, {}, indices).ok()) qFatal("the ids were refused");
  return table;
}

}  // namespace

class VocabularyBuilderTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void directRowsAreIds() {
    const auto built =
        buildVocabulary(planned(VocabularyKind::kDirect), tableOf({5, 2, 5, 3}), 0, nullptr);
    QVERIFY_OK(built);
    QCOMPARE(built->rowOf, (Rows{5, 2, 3}));
    QCOMPARE(built->writer.size(), std::int64_t{6});
    QCOMPARE(built->unusedRows, std::int64_t{2});  // 1 and 4
    QCOMPARE(built->oovIds, std::int64_t{0});
  }

  // By descending count; ties by id, not by where they were first.
  void compressedRowsGoByCount() {
    const auto built = buildVocabulary(planned(VocabularyKind::kCompressed),
                                       tableOf({9, 4, 7, 7, 4, 30}), 0, nullptr);
    QVERIFY_OK(built);
    QCOMPARE(built->rowOf, (Rows{3, 1, 2, 4}));  // of 9, 4, 7, 30
    QCOMPARE(built->writer.size(), std::int64_t{5});
  }

  void hashedIdsShareRows() {
    const auto built = buildVocabulary(planned(VocabularyKind::kHash, 4),
                                       tableOf({1, 2, 3, 4, 5, 6, 7, 8}), 0, nullptr);
    QVERIFY_OK(built);
    QCOMPARE(built->writer.size(), std::int64_t{4});
    for (std::size_t id = 1; id <= 8; ++id)
      QCOMPARE(built->rowOf[id - 1], static_cast<std::int32_t>(1 + hash64(std::to_string(id)) % 3));
  }

  void idsSoSparseThatTheTableWouldBeEmptyAreRefused() {
    const auto built =
        buildVocabulary(planned(VocabularyKind::kDirect), tableOf({1, 2'000'000'000}), 0, nullptr);
    QVERIFY(!built.ok());
    QCOMPARE(built.error().code, ErrorCode::kData);
  }
};

QTEST_APPLESS_MAIN(VocabularyBuilderTest)
#include "vocabulary_builder_test.moc"
