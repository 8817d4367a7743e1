// SPDX-License-Identifier: Apache-2.0
// Batches of sequences: rows of a user in order, cut into windows that share a history.
#include <QTest>
#include <string>
#include <vector>

#include "engine/data/dataset/batches.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using experiment::BatchOrder;
using experiment::EventOrder;

namespace {

/// A list: the items that are read, those that are predicted, and how far back each of these looks.
struct Sequence {
  std::vector<std::int32_t> read, predicted, back;
  bool operator==(const Sequence&) const = default;
};

}  // namespace

class WindowsTest : public QObject {
  Q_OBJECT

  ImportFixture fixture_;
  std::shared_ptr<const Dataset> dataset_;

  [[nodiscard]] BatchLoader::Options options(std::int64_t length, std::int64_t stride,
                                             EventOrder order) const {
    BatchLoader::Options options{.batchRows = 2, .order = BatchOrder::kNone};
    options.windows = experiment::SequenceWindows{length, stride, order};
    options.histories["read"] = {
        std::make_shared<const UserHistory>(EventColumns(*dataset_), std::nullopt, order),
        {.length = length},
        true};
    return options;
  }
  [[nodiscard]] std::vector<Sequence> sequences(const BatchLoader::Options& options,
                                                const RowSet& rows) const {
    BatchLoader loader(dataset_, rows, {"read", "item"}, options);
    std::vector<Sequence> found;
    std::int64_t predicted = 0;
    loader.begin(1);
    while (const Batch* batch = loader.next()) {
      const FeatureIds& read = batch->features[0];
      predicted += batch->rows;
      for (std::size_t list = 0; list + 1 < batch->lists.size(); ++list) {
        const auto first = static_cast<std::size_t>(batch->lists[list]),
                   end = static_cast<std::size_t>(batch->lists[list + 1]);
        const auto items = batch->features[1].ids.subspan(first, end - first);
        const auto back = batch->positions.subspan(first, end - first);
        found.push_back(
            {{read.ids.begin() + read.offsets[first], read.ids.begin() + read.offsets[first + 1]},
             {items.begin(), items.end()},
             {back.begin(), back.end()}});
        // The items of a list belong to its first row.
        for (std::size_t row = first + 1; row < end; ++row)
          if (read.offsets[row + 1] != read.offsets[row])
            throw InternalError("a later row has a history");
      }
    }
    if (predicted != loader.rows()) throw InternalError("the loader has other rows than it says");
    return found;
  }

 private Q_SLOTS:
  // User 1 has rows of the same time, user 2 nothing before its row, user 3 nothing before either.
  void initTestCase() {
    std::string text;
    const auto add = [&](int user, int item, int time) {
      text += std::to_string(user) + "\t" + std::to_string(item) + "\t3\t" + std::to_string(time) +
              "\n";
    };
    for (const auto& [item, time] : {std::pair{1, 0}, {2, 10}, {3, 10}, {4, 20}})
      add(1, item, time);
    add(2, 9, 15);
    for (const auto& [item, time] : {std::pair{5, 30}, {6, 30}, {7, 30}, {8, 40}})
      add(1, item, time);
    add(3, 10, 7);
    add(3, 11, 7);
    fixture_.write("u.data", text);
    dataset_ = fixture_.import(fixture_.spec())->dataset;
  }

  void rowsOfOneTimeHaveTheSameBeforeThem() {
    const std::vector<Sequence> expected{{{1, 2, 3}, {2, 3, 4}, {2, 2, 0}},
                                         {{2, 3, 4}, {5, 6, 7}, {0, 0, 0}},
                                         {{5, 6, 7}, {8}, {0}}};
    QVERIFY(sequences(options(3, 3, EventOrder::kTime), RowSet::all(11)) == expected);
  }

  void aStrideGivesEveryRowMoreOfWhatWasBefore() {
    const std::vector<Sequence> expected{{{1}, {2}, {0}}, {{1, 2, 3, 4}, {3, 4, 5}, {3, 1, 0}}};
    auto all = sequences(options(7, 3, EventOrder::kTime), RowSet::all(11));
    QCOMPARE(all.size(), std::size_t{3});
    QVERIFY(std::vector(all.begin(), all.begin() + 2) == expected);
    QVERIFY((all[2] == Sequence{{1, 2, 3, 4, 5, 6, 7}, {6, 7, 8}, {3, 3, 0}}));
  }

  void byTheOrderOfTheDataNoRowsTie() {
    const auto all = sequences(options(8, 8, EventOrder::kData), RowSet::all(11));
    const std::vector<Sequence> expected{
        {{1, 2, 3, 4, 5, 6, 7}, {2, 3, 4, 5, 6, 7, 8}, {6, 5, 4, 3, 2, 1, 0}}, {{10}, {11}, {0}}};
    QVERIFY(all == expected);
  }

  // Rows that are not of the set are predicted by none; what histories count is theirs to say.
  void onlyRowsOfTheSetArePredicted() {
    const auto all =
        sequences(options(8, 8, EventOrder::kTime), RowSet(std::vector<std::int64_t>{0, 3, 8}));
    QCOMPARE(all.size(), std::size_t{1});
    QCOMPARE(all[0].predicted, (std::vector<std::int32_t>{4, 8}));
    QCOMPARE(all[0].back, (std::vector<std::int32_t>{4, 0}));
  }

  void batchesCountSequences() {
    BatchLoader::Options wanted = options(3, 1, EventOrder::kTime);
    wanted.order = BatchOrder::kEpoch;
    BatchLoader loader(dataset_, RowSet::all(11), {"read", "item"}, wanted);
    QCOMPARE(loader.rows(), std::int64_t{7});
    QCOMPARE(loader.batchesPerEpoch(), std::int64_t{4});
    wanted.dropRemainder = true;
    QCOMPARE(BatchLoader(dataset_, RowSet::all(11), {"read", "item"}, wanted).batchesPerEpoch(),
             std::int64_t{3});
    wanted.batchRows = 8;
    QVERIFY_THROWS_EXCEPTION(InvalidArgument,
                             BatchLoader(dataset_, RowSet::all(11), {"read", "item"}, wanted));
  }

  void refusesWhatCannotBeTogether() {
    const auto refused = [&](auto change) {
      BatchLoader::Options wanted = options(3, 3, EventOrder::kTime);
      change(wanted);
      QVERIFY_THROWS_EXCEPTION(InvalidArgument,
                               BatchLoader(dataset_, RowSet::all(11), {"read", "item"}, wanted));
    };
    refused([](BatchLoader::Options& of) { of.groupSize = 2; });
    refused([](BatchLoader::Options& of) { of.rowRange = RowRange{0, 5}; });
    refused([](BatchLoader::Options& of) { of.windows->stride = 0; });
  }
};

QTEST_GUILESS_MAIN(WindowsTest)
#include "windows_test.moc"
