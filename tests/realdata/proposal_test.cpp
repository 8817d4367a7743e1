// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <QtGlobal>
#include <fstream>
#include <sstream>

#include "engine/workspace/proposal.h"
#include "tests/train/small_training.h"

using namespace parapet;

namespace {

double metric(const std::vector<experiment::Metric>& metrics, const std::string& key) {
  const auto found = std::ranges::find(metrics, key, &experiment::Metric::first);
  return found == metrics.end() ? -1.0 : found->second;
}

}  // namespace

// MovieLens-100K without its ratings: who watched what when, in a file that nobody has described.
class ProposalDataTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatIsProposedBeatsTheBaselines() {
    const QString data = qEnvironmentVariable("PARAPET_DATA_DIR");
    if (data.isEmpty()) QSKIP("PARAPET_DATA_DIR is not set");
    const QTemporaryDir folder;
    const std::string rows = folder.filePath("watched.csv").toStdString();
    std::ifstream ratings((data + "/ml-100k/u.data").toStdString());
    std::ofstream events(rows);
    events << "user_id,item_id,timestamp\n";
    std::string user, item, rating, time;
    while (ratings >> user >> item >> rating >> time)
      events << user << ',' << item << ',' << time << '\n';
    events.close();

    auto proposal = workspace::proposeExperiment(rows, {});
    QVERIFY2(proposal.ok(), proposal ? "" : proposal.error().text().c_str());
    experiment::Experiment& document = proposal->experiment;
    QVERIFY(document.dataset.split.kind == experiment::SplitKind::kLeaveLast);
    // Enough to tell: the whole of it is in docs/fidelity.md.
    document.training.epochs = 8;
    const testing::SmallTraining training;
    testing::EventList told;
    const auto outcome = training.train(document, "proposal", told);
    QCOMPARE(outcome.result.state, experiment::RunState::kFinished);
    double popular = -1.0, knn = -1.0, best = 0.0;
    const auto look = [&](const experiment::Baselines& baselines) {
      for (const auto& [name, metrics] : baselines) {
        if (name == "most_popular") popular = metric(metrics, "val_recall@20");
        if (name == "item_knn") knn = metric(metrics, "val_recall@20");
      }
    };
    for (const auto& begun : told.all<experiment::RunStarted>()) look(begun.baselines);
    for (const auto& later : told.all<experiment::BaselinesMeasured>()) look(later.baselines);
    for (const auto& epoch : told.all<experiment::EpochEnded>())
      best = std::max(best, metric(epoch.summary.metrics, "val_recall@20"));
    qInfo("recall@20 on the validation rows %.4f; most popular %.4f, item-kNN %.4f", best, popular,
          knn);
    QVERIFY(popular > 0.05);
    QVERIFY(best > popular);
    QVERIFY(best > knn);
  }
};

QTEST_GUILESS_MAIN(ProposalDataTest)
#include "proposal_test.moc"
