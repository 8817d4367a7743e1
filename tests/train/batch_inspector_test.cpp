// SPDX-License-Identifier: Apache-2.0
#include "engine/train/batch_inspector.h"

#include <QtTest>
#include <cmath>
#include <map>
#include <set>

#include "tests/train/small_training.h"

using namespace parapet;
using experiment::BatchReport;
using experiment::SplitPart;

namespace {

using Row = std::vector<double>;

Row rowOf(const nn::Parameter& table, std::int64_t row) {
  std::vector<float> all(static_cast<std::size_t>(table.size()));
  nn::gatherRows(table, -1, all);
  const auto cols = static_cast<std::size_t>(table.spec.cols);
  const auto begin =
      all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * cols);
  return {begin, begin + static_cast<std::ptrdiff_t>(cols)};
}

double normOf(const Row& row) {
  double sum = 0.0;
  for (const double value : row) sum += value * value;
  return std::sqrt(sum);
}

bool close(double a, double b) {
  return std::abs(a - b) <= 1e-4 * std::max(std::abs(a), std::abs(b));
}

std::vector<std::byte> bytesOf(train::Session& session) {
  std::vector<std::byte> bytes;
  for (const checkpoint::TensorView& tensor : session.tensors())
    bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
  return bytes;
}

}  // namespace

class BatchInspectorTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;

 private Q_SLOTS:
  /// A dot product under the mean squared error: with s = q·c and B examples
  ///   d/dq = Σ 2 (s − y) c / B over the examples of the user, and the other way round.
  void gradientsAreThoseOfTheFormula() {
    experiment::Experiment document = testing::ratingsDocument();
    document.loss.kind = experiment::LossKind::kMse;
    const auto session = training_.session(document);
    const data::Split split = testing::SmallTraining::split(document, *session);
    const auto loader = session->loader(split, SplitPart::kTrain);
    loader->begin(1);
    const data::Batch* batch = loader->next();
    QVERIFY(batch);
    std::map<std::int32_t, Row> user, item;
    std::map<std::int32_t, Row> userGradient, itemGradient;
    double loss = 0.0;
    const auto examples = static_cast<double>(batch->rows);
    for (std::int64_t n = 0; n < batch->rows; ++n) {
      const auto at = static_cast<std::size_t>(n);
      const std::int32_t u = batch->features[0].ids[at], i = batch->features[1].ids[at];
      const Row& q = user.try_emplace(u, rowOf(session->parameters()[0], u)).first->second;
      const Row& c = item.try_emplace(i, rowOf(session->parameters()[1], i)).first->second;
      double score = 0.0;
      for (std::size_t d = 0; d < q.size(); ++d) score += q[d] * c[d];
      const double error = score - static_cast<double>(batch->labels[at]);
      loss += error * error / examples;
      Row& dq = userGradient.try_emplace(u, Row(q.size())).first->second;
      Row& dc = itemGradient.try_emplace(i, Row(q.size())).first->second;
      for (std::size_t d = 0; d < q.size(); ++d) {
        dq[d] += 2.0 * error * c[d] / examples;
        dc[d] += 2.0 * error * q[d] / examples;
      }
    }
    train::BatchInspector inspector(*session, document);
    QVERIFY(inspector.look(*batch, 1).ok());
    const Row before = rowOf(session->parameters()[0], user.begin()->first);
    QVERIFY(session->train(*batch, 1).ok());
    const BatchReport report = inspector.report(*batch, 1, 1);
    QCOMPARE(report.examples, batch->rows);
    QVERIFY(close(report.loss, loss));
    QCOMPARE(report.losses.size(), std::size_t{1});
    QVERIFY(close(report.losses[0].value, loss));
    const auto check = [&](const BatchReport::Parameter& told,
                           const std::map<std::int32_t, Row>& rows,
                           const std::map<std::int32_t, Row>& gradients) {
      double weight = 0.0, gradient = 0.0, most = 0.0;
      std::int64_t touched = 0;
      for (const auto& [row, values] : gradients) {
        const double norm = normOf(values);
        if (norm == 0.0) continue;
        ++touched;
        weight += normOf(rows.at(row)) * normOf(rows.at(row));
        gradient += norm * norm;
        most = std::max(most, norm);
      }
      QVERIFY(told.isTable);
      QCOMPARE(told.rows, touched);
      QVERIFY(close(told.weight, std::sqrt(weight)));
      QVERIFY(close(told.gradient, std::sqrt(gradient)));
      QVERIFY(close(told.maxRowGradient, most));
      QVERIFY(told.update > 0.0);
    };
    QCOMPARE(report.parameters[0].name, std::string("user"));
    check(report.parameters[0], user, userGradient);
    check(report.parameters[1], item, itemGradient);
    // Ids, before and after duplicates are merged.
    QCOMPARE(report.features[0].table, std::string("user"));
    QCOMPARE(report.features[0].ids, batch->rows);
    QCOMPARE(report.features[0].distinct, static_cast<std::int64_t>(user.size()));
    QCOMPARE(report.features[1].distinct, static_cast<std::int64_t>(item.size()));
    // Examples by the ids of the data.
    QCOMPARE(report.columns, (std::vector<std::string>{"user", "item", "label"}));
    QCOMPARE(static_cast<std::int64_t>(report.contents.size()), BatchReport::kShownExamples);
    QCOMPARE(report.contents[0][0],
             std::string(session->dataset().vocabularyOf("user").rawId(batch->features[0].ids[0])));
  }

  void lookingChangesNoBit() {
    experiment::Experiment document = testing::ratingsDocument();
    document.optimizer.kind = experiment::OptimizerKind::kAdam;
    const auto watched = training_.session(document), alone = training_.session(document);
    train::BatchInspector inspector(*watched, document);
    for (train::Session* session : {watched.get(), alone.get()}) {
      const data::Split split = testing::SmallTraining::split(document, *session);
      const auto loader = session->loader(split, SplitPart::kTrain);
      loader->begin(1);
      for (std::int64_t step = 1; step <= 3; ++step) {
        const data::Batch* batch = loader->next();
        if (session == watched.get()) QVERIFY(inspector.look(*batch, step).ok());
        QVERIFY(session->train(*batch, step).ok());
        if (session == watched.get()) QCOMPARE(inspector.report(*batch, step, 1).step, step);
      }
    }
    QVERIFY(bytesOf(*watched) == bytesOf(*alone));
  }

  void tellsWhatEachRankRequestsOfEachShard() {
    experiment::Experiment document = testing::ratingsDocument();
    document.mesh.devices = {"cpu*2"};
    document.mesh.spaces = experiment::MemorySpaces::kSeparate;
    for (experiment::Table& table : document.tables) table.placement = experiment::Placement::kRow;
    const auto session = training_.session(document);
    const data::Split split = testing::SmallTraining::split(document, *session);
    const auto loader = session->loader(split, SplitPart::kTrain);
    loader->begin(1);
    const data::Batch* batch = loader->next();
    train::BatchInspector inspector(*session, document);
    QVERIFY(inspector.look(*batch, 1).ok());
    QVERIFY(session->train(*batch, 1).ok());
    const BatchReport report = inspector.report(*batch, 1, 1);
    QVERIFY(!report.routes.empty());
    // Every id goes somewhere, and a row is sent once to a rank.
    std::int64_t ids = 0, rows = 0, distinct = 0;
    for (const BatchReport::Route& route : report.routes) {
      QVERIFY(route.rows <= route.ids);
      ids += route.ids;
      rows += route.rows;
    }
    QCOMPARE(ids, 2 * batch->rows);
    for (const std::size_t feature : {std::size_t{0}, std::size_t{1}})
      for (int rank = 0; rank < 2; ++rank) {
        const std::int64_t half = (batch->rows + 1) / 2;
        const auto begin = batch->features[feature].ids.begin() + rank * half;
        const auto end =
            rank == 0 ? begin + half : batch->features[feature].ids.begin() + batch->rows;
        distinct += static_cast<std::int64_t>(std::set<std::int32_t>(begin, end).size());
      }
    QCOMPARE(rows, distinct);
    QVERIFY(report.parameters[0].gradient > 0.0);
  }

  void onlySteppedBatchesAreTold() {
    const experiment::Experiment document = testing::ratingsDocument();
    const auto session = training_.session(document);
    const data::Split split = testing::SmallTraining::split(document, *session);
    train::RunControl control;
    std::vector<std::int64_t> told;
    control.watchBatches([&](const auto& report) { told.push_back(report->step); });
    QVERIFY(!control.batchReceiver());
    control.pause();
    control.step();
    QVERIFY(control.batchReceiver());
    testing::EventList events;
    events.afterStep = [&](std::int64_t step) {
      if (step == 1) control.step();
      if (step == 2) control.resume();
    };
    const train::TrainerOptions options{.runId = "stepped",
                                        .fingerprint = "f",
                                        .checkpointFolder = training_.checkpoints("stepped"),
                                        .resumeFrom = std::nullopt,
                                        .flush = [] {}};
    const train::TrainerResult result =
        train::train(*session, document, split, options, control, events);
    QCOMPARE(result.state, experiment::RunState::kFinished);
    QVERIFY(result.steps > 3);
    QCOMPARE(told, (std::vector<std::int64_t>{1, 2}));
  }
};

QTEST_GUILESS_MAIN(BatchInspectorTest)
#include "batch_inspector_test.moc"
