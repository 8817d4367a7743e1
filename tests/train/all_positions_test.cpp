// SPDX-License-Identifier: Apache-2.0
// Training of the next item at every position: one encoding of a user's rows serves all of them.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/train/batch_inspector.h"
#include "tests/train/small_training.h"

using namespace parapet;
using experiment::Experiment;
using experiment::LayerKind;
using Items = std::vector<std::int32_t>;

namespace {

Experiment positionsDocument(std::int64_t length, double rate = 0.0) {
  Experiment document = testing::ratingsDocument();
  document.features[0] = {.name = "history", .column = "item", .table = "item"};
  document.features[0].history = experiment::History{.length = length};
  document.features[0].sequence = true;
  document.tables.erase(document.tables.begin());
  document.loss.kind = experiment::LossKind::kSampledSoftmax;
  document.loss.logQ = experiment::LogQ::kOff;
  document.loss.extraNegatives = {.count = 9};
  document.dataset.batch.size = 7;
  document.training.objective = experiment::Objective::kAllPositions;
  document.model.query = {{.kind = LayerKind::kPosition},
                          {.kind = LayerKind::kTransformerBlock,
                           .units = 8,
                           .activation = experiment::Activation::kGelu,
                           .rate = rate,
                           .epsilon = 1e-6,
                           .causal = true},
                          {.kind = LayerKind::kPool, .by = experiment::PoolKind::kLast}};
  return document;
}

/// Negatives of the batch, of other users alone.
void meetBatch(Experiment& document) {
  document.loss = {.kind = experiment::LossKind::kInBatchSoftmax,
                   .logQ = experiment::LogQ::kCorrected,
                   .extraNegatives = {{.count = 9}}};
}

using Weights = std::vector<std::vector<float>>;

double largestDifference(const Weights& a, const Weights& b) {
  double largest = 0.0;
  for (std::size_t p = 0; p < a.size(); ++p)
    for (std::size_t i = 0; i < a[p].size(); ++i)
      largest = std::max(largest, static_cast<double>(std::abs(a[p][i] - b[p][i])));
  return largest;
}

}  // namespace

class AllPositionsTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;

  [[nodiscard]] std::unique_ptr<train::Session> session(const Experiment& document) const {
    auto made = training_.session(document);
    made->useHistory(testing::SmallTraining::split(document, *made).train);
    return made;
  }
  /// Weights after `steps` steps of the first epoch, or all of it.
  [[nodiscard]] Weights trained(const Experiment& document, std::int64_t steps = 1 << 20) const {
    const auto made = session(document);
    const auto loader =
        made->loader(testing::SmallTraining::split(document, *made), experiment::SplitPart::kTrain);
    loader->begin(1);
    for (std::int64_t step = 1; step <= steps; ++step) {
      const data::Batch* batch = loader->next();
      if (!batch) break;
      if (const Status done = made->train(*batch, step, loader->peek()); !done)
        throw InternalError(done.error().message);
    }
    return testing::weightsOf(*made);
  }

 private Q_SLOTS:
  // A position has read the last training rows before the row that it predicts.
  void everyRowIsPredictedOnceFromWhatWasBeforeIt_data() {
    QTest::addColumn<int>("length");
    QTest::addColumn<int>("stride");
    QTest::addColumn<bool>("all");
    QTest::addRow("whole") << 64 << 64 << false;
    QTest::addRow("windows") << 6 << 6 << false;
    QTest::addRow("overlapping windows") << 6 << 2 << false;
    QTest::addRow("one row a window") << 5 << 1 << false;
    // Held-out rows are in no sequence of training, whatever histories read elsewhere.
    QTest::addRow("histories of all rows") << 6 << 6 << true;
  }
  void everyRowIsPredictedOnceFromWhatWasBeforeIt() {
    QFETCH(int, length);
    QFETCH(int, stride);
    QFETCH(bool, all);
    Experiment document = positionsDocument(length);
    if (all) document.features[0].history->rows = experiment::HistoryRows::kAll;
    document.training.stride = stride;
    const auto made = session(document);
    const data::Dataset& dataset = made->dataset();
    const data::Split split = testing::SmallTraining::split(document, *made);
    const auto users = dataset.ids("user"), items = dataset.ids("item");
    const auto times = dataset.times();
    const auto at = [](std::int64_t row) { return static_cast<std::size_t>(row); };
    const auto before = [&](std::int64_t row) {
      std::vector<std::pair<std::int64_t, std::int64_t>> rows;
      split.train.forEach([&](std::int64_t other) {
        if (users[at(other)] == users[at(row)] && times[at(other)] < times[at(row)])
          rows.emplace_back(times[at(other)], other);
      });
      std::ranges::sort(rows);
      Items found;
      for (const auto& [time, other] : rows) found.push_back(items[at(other)]);
      return found;
    };
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int64_t>> rowsOf;
    std::int64_t expected = 0;
    split.train.forEach([&](std::int64_t row) {
      rowsOf[{users[at(row)], items[at(row)]}].push_back(row);
      expected += !before(row).empty();
    });
    const auto loader = made->loader(split, experiment::SplitPart::kTrain, {"user"});
    QCOMPARE(loader->rows(), expected);
    loader->begin(1);
    std::int64_t predicted = 0, lists = 0;
    while (const data::Batch* batch = loader->next()) {
      QCOMPARE(static_cast<std::int64_t>(batch->positions.size()), batch->rows);
      const data::FeatureIds& history = batch->features[0];
      QVERIFY(batch->lists.size() <= 8);
      for (std::size_t list = 0; list + 1 < batch->lists.size(); ++list, ++lists) {
        const auto first = at(batch->lists[list]), end = at(batch->lists[list + 1]);
        QVERIFY(end - first <= at(stride));
        const auto begin = history.offsets[first], last = history.offsets[first + 1];
        QVERIFY(last - begin <= length);
        QCOMPARE(history.offsets[end], last);
        for (std::size_t row = first; row < end; ++row, ++predicted) {
          const Items read(history.ids.begin() + begin,
                           history.ids.begin() + last - batch->positions[row]);
          QVERIFY(!read.empty());
          auto& rows = rowsOf.at({batch->features[2].ids[row], batch->features[1].ids[row]});
          const auto found = std::ranges::find_if(rows, [&](std::int64_t candidate) {
            const Items whole = before(candidate);
            return whole.size() >= read.size() &&
                   std::equal(read.rbegin(), read.rend(), whole.rbegin()) &&
                   (read.size() == whole.size() || read.size() + at(stride) > at(length));
          });
          QVERIFY(found != rows.end());
          rows.erase(found);
        }
      }
    }
    QCOMPARE(predicted, expected);
    QVERIFY(lists >= expected / stride);
  }

  // Sums over the same examples: those of each row by itself, and those of shared sequences.
  void gradientsAreThoseOfEachRow() {
    Experiment shared = positionsDocument(64);
    shared.loss.reduction = experiment::Reduction::kSum;
    shared.optimizer = {.kind = experiment::OptimizerKind::kSgd, .learningRate = 0.01};
    shared.dataset.batch.size = 64;
    Experiment each = shared;
    each.training.objective = experiment::Objective::kEachRow;
    each.dataset.batch.size = 700;
    const Weights one = trained(each), all = trained(shared), none = trained(shared, 0);
    QVERIFY(largestDifference(all, none) > 1e-2);
    QVERIFY2(largestDifference(one, all) < 2e-5,
             qPrintable(QString::number(largestDifference(one, all))));
  }

  void devicesAgree_data() {
    QTest::addColumn<QString>("devices");
    QTest::addColumn<bool>("separate");
    QTest::addColumn<bool>("inBatch");
    for (const char* devices : {"cpu*2", "cpu*3", "cpu*8"})
      for (const bool separate : {false, true})
        for (const bool inBatch : {false, true})
          QTest::addRow("%s%s%s", devices, separate ? ", separate" : "",
                        inBatch ? ", negatives of the batch" : "")
              << devices << separate << inBatch;
  }
  void devicesAgree() {
    QFETCH(QString, devices);
    QFETCH(bool, separate);
    QFETCH(bool, inBatch);
    Experiment one = positionsDocument(6, 0.2);
    if (inBatch) meetBatch(one);
    one.training.stride = 4;
    Experiment several = one;
    several.mesh.devices = {devices.toStdString()};
    if (separate) several.mesh.spaces = experiment::MemorySpaces::kSeparate;
    const double difference = largestDifference(trained(one), trained(several));
    QVERIFY2(difference < 1e-4, qPrintable(QString::number(difference)));
  }

  // The first loss of equal scores is known: the softmax over the candidates of other users whose
  // item is another one, by the shares of the items.
  void negativesAreThePositionsOfOtherUsers() {
    Experiment document = positionsDocument(6);
    meetBatch(document);
    document.loss.logQ = experiment::LogQ::kStandard;
    document.loss.extraNegatives.reset();
    document.training.stride = 3;
    document.dataset.batch.size = 20;
    const auto made = session(document);
    const data::Split split = testing::SmallTraining::split(document, *made);
    const auto loader = made->loader(split, experiment::SplitPart::kTrain, {"user"});
    std::map<std::int32_t, double> rowsOf;
    loader->begin(1);
    while (const data::Batch* batch = loader->next())
      for (const std::int32_t item : batch->features[1].ids) ++rowsOf[item];
    const auto rows = static_cast<double>(loader->rows());
    loader->begin(1);
    const data::Batch* batch = loader->next();
    const auto items = batch->features[1].ids, users = batch->features[2].ids;
    double expected = 0.0;
    bool hasWindowsOfOneUser = false;
    for (std::size_t b = 0; b < items.size(); ++b) {
      double powers = rows / rowsOf[items[b]];
      for (std::size_t j = 0; j < items.size(); ++j)
        if (users[j] != users[b] && items[j] != items[b]) powers += rows / rowsOf[items[j]];
      expected += std::log(powers * rowsOf[items[b]] / rows);
    }
    for (std::size_t list = 0; list + 2 < batch->lists.size(); ++list)
      for (std::size_t other = list + 1; other + 1 < batch->lists.size(); ++other)
        hasWindowsOfOneUser |= users[static_cast<std::size_t>(batch->lists[list])] ==
                               users[static_cast<std::size_t>(batch->lists[other])];
    QVERIFY(hasWindowsOfOneUser);
    const auto done = made->train(*batch, 1);
    QVERIFY(done.ok());
    const double found = made->losses().front().negatives.equalScores;
    QVERIFY2(std::abs(found - expected) < 1e-4 * expected,
             qPrintable(QString("%1, expected %2").arg(found).arg(expected)));
  }

  void resumesToTheSameBits() {
    Experiment document = positionsDocument(6, 0.1);
    testing::EventList events;
    const auto whole = training_.train(document, "whole", events);
    QVERIFY(whole.result.steps > 13);
    const auto part = training_.train(document, "part", events, 13);
    const auto checkpoint = checkpoint::open(part.result.checkpoint);
    QVERIFY(checkpoint.ok());
    const auto rest = training_.train(document, "part", events, 0, *checkpoint);
    for (std::size_t p = 0; p < whole.session->parameters().size(); ++p)
      QVERIFY(std::ranges::equal(whole.session->parameters()[p].whole().weight.host(),
                                 rest.session->parameters()[p].whole().weight.host()));
  }

  // Public files of sequences have a user and an item a line, in order and without times.
  void aFileOfSequencesIsSplitByItsLines() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("sequences.txt").toStdString();
    const std::map<std::string, std::vector<std::string>> sequences{
        {"7", {"31", "5", "12", "44"}},
        {"2", {"9", "31", "5"}},
        {"5", {"12", "9", "44", "5", "31"}}};
    std::string lines;
    for (const auto& [user, items] : sequences)
      for (const std::string& item : items) lines += user + " " + item + "\n";
    QVERIFY(writeFileAtomically(path, lines).ok());
    Experiment document = positionsDocument(6);
    experiment::Dataset& from = document.dataset;
    from.source = experiment::SourceKind::kCsv;
    from.path = path;
    from.generator.reset();
    from.format = {.delimiter = " ", .header = false, .names = {"user", "item"}};
    from.columns = {{.name = "user", .role = experiment::ColumnRole::kUser},
                    {.name = "item", .role = experiment::ColumnRole::kItem}};
    from.label = {};
    from.label.column.reset();
    for (experiment::Vocabulary& vocabulary : from.vocabularies) {
      vocabulary.kind = experiment::VocabularyKind::kCompressed;
      vocabulary.size = {};
    }
    from.split.kind = experiment::SplitKind::kLeaveLast;
    from.split.validation = from.split.test = {1.0, false};
    from.split.order = document.features[0].history->order = experiment::EventOrder::kData;
    const auto made = session(document);
    const data::Dataset& dataset = made->dataset();
    const data::Split split = testing::SmallTraining::split(document, *made);
    const auto rawId = [&](const char* column, std::int32_t row) {
      return std::string(dataset.vocabularyOf(column).rawId(row));
    };
    for (const auto& [part, fromEnd] :
         {std::pair{&split.test, 1}, std::pair{&split.validation, 2}}) {
      QCOMPARE(part->size(), std::int64_t{3});
      part->forEach([&](std::int64_t row) {
        const auto& items =
            sequences.at(rawId("user", dataset.ids("user")[static_cast<std::size_t>(row)]));
        QCOMPARE(rawId("item", dataset.ids("item")[static_cast<std::size_t>(row)]),
                 *(items.end() - fromEnd));
      });
    }
    const auto loader = made->loader(split, experiment::SplitPart::kTrain, {"user"});
    loader->begin(1);
    const data::Batch* batch = loader->next();
    QCOMPARE(batch->rows, std::int64_t{3});  // one of user 7 and two of user 5
    for (std::size_t list = 0; list + 1 < batch->lists.size(); ++list) {
      const auto first = static_cast<std::size_t>(batch->lists[list]);
      const auto& items = sequences.at(rawId("user", batch->features[2].ids[first]));
      QCOMPARE(rawId("item", batch->features[1].ids[first]), items[1]);
      QCOMPARE(
          rawId(
              "item",
              batch->features[0].ids[static_cast<std::size_t>(batch->features[0].offsets[first])]),
          items[0]);
    }
  }

  // Batches that contradict themselves are refused before anything is computed.
  void refusesPositionsOutsideOfTheirSequence() {
    const Experiment document = positionsDocument(6);
    const auto made = session(document);
    const auto loader =
        made->loader(testing::SmallTraining::split(document, *made), experiment::SplitPart::kTrain);
    loader->begin(1);
    data::Batch batch = *loader->next();
    const Items positions(batch.positions.begin(), batch.positions.end());
    Items wrong = positions;
    wrong.back() = 6;
    batch.positions = wrong;
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, (void)made->train(batch, 1));
    batch.positions = std::span(positions).first(positions.size() - 1);
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, (void)made->train(batch, 1));
    batch.positions = {};
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, (void)made->train(batch, 1));
  }

  // Whoever looks into a batch sees what each of its rows is predicted from.
  void aReportShowsWhatEachRowReads() {
    const Experiment document = positionsDocument(6);
    const auto made = session(document);
    const auto loader =
        made->loader(testing::SmallTraining::split(document, *made), experiment::SplitPart::kTrain);
    loader->begin(1);
    const data::Batch& batch = *loader->next();
    train::BatchInspector inspector(*made, document);
    QVERIFY(inspector.look(batch, 1).ok());
    QVERIFY(made->train(batch, 1).ok());
    const auto report = inspector.report(batch, 1, 1);
    QVERIFY(report.contents.size() > 2);
    for (std::size_t row = 0; row < report.contents.size(); ++row) {
      const auto items = splitFields(report.contents[row][0], ',');
      const auto read = static_cast<std::int64_t>(items.size()) + batch.positions[row];
      const auto list = std::ranges::upper_bound(batch.lists, static_cast<std::int32_t>(row)) - 1;
      const auto first = static_cast<std::size_t>(*list);
      QCOMPARE(read, std::int64_t{batch.features[0].offsets[first + 1] -
                                  batch.features[0].offsets[first]});
    }
  }

  // The plan has memory for the positions of the sequences, not for a sequence of every row.
  void buffersGrowWithPositions() {
    Experiment shared = positionsDocument(32);
    shared.dataset.batch.size = 8;
    Experiment each = shared;
    each.training.objective = experiment::Objective::kEachRow;
    each.dataset.batch.size = 8 * 32;
    const auto bytesOf = [&](const Experiment& document) {
      return training_.session(document)->resolved().plan.devices[0].bufferBytes;
    };
    const auto one = bytesOf(shared), many = bytesOf(each);
    QVERIFY2(one * 5 < many, qPrintable(QString("%1 and %2").arg(one).arg(many)));
  }
};

QTEST_GUILESS_MAIN(AllPositionsTest)
#include "all_positions_test.moc"
