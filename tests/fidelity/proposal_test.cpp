// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "engine/workspace/generate.h"
#include "engine/workspace/proposal.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;

/// The proposal for users with hardly any rows.
class SparseProposalTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // On test rows, untouched but for the number of epochs: the best one comes early.
  void beatsBaselinesWhereUsersHaveFewRows();

 private:
  testing::TemporaryWorkspace place_;
};

namespace {

double recallOf(const std::vector<experiment::Metric>& metrics) {
  for (const auto& [name, value] : metrics)
    if (name == "recall@20") return value;
  throw InternalError("no recall@20");
}

}  // namespace

void SparseProposalTest::beatsBaselinesWhereUsersHaveFewRows() {
  const std::string rows = place_.folder.filePath("events.csv").toStdString();
  const experiment::Generator settings{.kind = experiment::GeneratorKind::kEvents,
                                       .users = 4000,
                                       .items = 3000,
                                       .events = 40'000,
                                       .seed = 11};
  const auto written = workspace::generate(settings, {rows, workspace::GeneratedFormat::kCsv}, {});
  QVERIFY2(written.ok(), written ? "" : written.error().text().c_str());
  auto proposal = workspace::proposeExperiment(rows, {});
  QVERIFY2(proposal.ok(), proposal ? "" : proposal.error().text().c_str());
  proposal->experiment.training.epochs = 4;
  const workspace::RunOutcome run = place_.train(proposal->experiment);
  QVERIFY2(run.state == experiment::RunState::kFinished,
           run.error ? run.error->text().c_str() : "");
  workspace::EvaluateOptions options;
  options.part = experiment::SplitPart::kTest;
  options.checkpoint.which = workspace::WhichCheckpoint::kBest;
  const auto found = place_->evaluate(run.runId, options, {});
  QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
  const double model = recallOf(found->metrics);
  int beaten = 0;
  for (const auto& [name, metrics] : found->baselines) {
    if (name != "most_popular" && name != "item_knn" && name != "ease") continue;
    qInfo("recall@20 %.4f; %s %.4f", model, name.c_str(), recallOf(metrics));
    QVERIFY2(model > recallOf(metrics), name.c_str());
    ++beaten;
  }
  QCOMPARE(beaten, 3);
}

QTEST_GUILESS_MAIN(SparseProposalTest)
#include "proposal_test.moc"
