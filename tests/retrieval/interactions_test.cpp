// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/interactions.h"

#include <QTemporaryDir>
#include <QTest>
#include <set>

#include "tests/retrieval/sample_ratings.h"

using namespace parapet;
using namespace parapet::retrieval;
using experiment::SplitPart;

namespace {

using Items = std::vector<std::int32_t>;

Items listOf(std::span<const std::int32_t> items) {
  return {items.begin(), items.end()};
}

}  // namespace

class InteractionsTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::shared_ptr<const data::Dataset> dataset_;

  [[nodiscard]] data::Split split(experiment::SplitKind kind) const {
    data::SplitSettings settings{.seed = 3, .batchRows = 16};
    settings.split.kind = kind;
    settings.split.train = {.5, true};
    settings.split.validation = {.2, true};
    settings.split.test = {.2, true};
    return data::makeSplit(data::EventColumns(*dataset_), settings).value();
  }

 private Q_SLOTS:
  void initTestCase() {
    auto report = testing::importRatings(folder_);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    dataset_ = report->dataset;
  }

  // A row that is in several parts is in the list of each; its part is the last.
  void listsWhatANaiveLookFinds_data() {
    QTest::addColumn<int>("kind");
    using experiment::SplitKind;
    QTest::newRow("random") << int(SplitKind::kRandom);
    QTest::newRow("leave last") << int(SplitKind::kLeaveLast);
    QTest::newRow("batches") << int(SplitKind::kBatches);
  }
  void listsWhatANaiveLookFinds() {
    QFETCH(int, kind);
    const data::Split cut = split(static_cast<experiment::SplitKind>(kind));
    const Interactions interactions(*dataset_, "user", "item", cut);
    const auto users = dataset_->ids("user");
    std::vector<std::int32_t> items;
    for (std::int64_t row = 0; row < dataset_->rows(); ++row)
      items.push_back(interactions.item(row));
    const data::RowSet parts[] = {cut.train, cut.validation, cut.test};
    std::vector<std::int64_t> popularity(std::size_t(interactions.index().size()));
    cut.train.forEach(
        [&](std::int64_t row) { ++popularity[std::size_t(items[std::size_t(row)])]; });
    QVERIFY(std::equal(popularity.begin(), popularity.end(), interactions.popularity().begin(),
                       interactions.popularity().end()));
    std::vector<SplitPart> partOf(std::size_t(dataset_->rows()), SplitPart::kUnused);
    for (const SplitPart part : {SplitPart::kTrain, SplitPart::kValidation, SplitPart::kTest})
      parts[int(part)].forEach([&](std::int64_t row) { partOf[std::size_t(row)] = part; });
    for (std::int64_t row = 0; row < dataset_->rows(); ++row)
      QVERIFY(interactions.partOf(row) == partOf[std::size_t(row)]);
    for (std::int32_t user = 0; user < interactions.users(); ++user) {
      std::set<std::int32_t> all, unused;
      std::vector<std::int64_t> rows;
      for (std::int64_t row = 0; row < dataset_->rows(); ++row) {
        if (users[std::size_t(row)] != user) continue;
        rows.push_back(row);
        all.insert(items[std::size_t(row)]);
        if (partOf[std::size_t(row)] == SplitPart::kUnused) unused.insert(items[std::size_t(row)]);
      }
      QCOMPARE(interactions.rows(user), rows);
      QCOMPARE(listOf(interactions.allItems(user)), Items(all.begin(), all.end()));
      QCOMPARE(listOf(interactions.items(SplitPart::kUnused, user)),
               Items(unused.begin(), unused.end()));
      for (const SplitPart part : {SplitPart::kTrain, SplitPart::kValidation, SplitPart::kTest}) {
        std::set<std::int32_t> wanted, relevant;
        std::int64_t count = 0;
        parts[int(part)].forEach([&](std::int64_t row) {
          if (users[std::size_t(row)] != user) return;
          ++count;
          wanted.insert(items[std::size_t(row)]);
          if (dataset_->rawLabel(dataset_->labels()[std::size_t(row)]) > 3.5)
            relevant.insert(items[std::size_t(row)]);
        });
        QCOMPARE(listOf(interactions.items(part, user)), Items(wanted.begin(), wanted.end()));
        QCOMPARE(listOf(interactions.relevant(part, user, {})),
                 Items(wanted.begin(), wanted.end()));
        QCOMPARE(listOf(interactions.relevant(part, user, 4.0)),
                 Items(relevant.begin(), relevant.end()));
        if (part == SplitPart::kTrain) QCOMPARE(interactions.activity(user), count);
      }
    }
  }
};

QTEST_GUILESS_MAIN(InteractionsTest)
#include "interactions_test.moc"
