// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <QtGlobal>

#include "tests/train/small_training.h"

using namespace parapet;

namespace {

experiment::Experiment historyDocument(const QString& data) {
  QFile file(QStringLiteral(PARAPET_HISTORY_DOCUMENT));
  if (!file.open(QFile::ReadOnly)) throw InternalError("no document");
  nlohmann::json document = nlohmann::json::parse(file.readAll().toStdString());
  document["dataset"]["path"] = (data + "/ml-100k").toStdString();
  const experiment::Parsed parsed = experiment::parse(document);
  if (!parsed.findings.problems.empty())
    throw InternalError(parsed.findings.problems.front().message);
  return parsed.experiment;
}

}  // namespace

// MovieLens-100K, the last rating of every user held out: a model that knows of a user nothing but
// the 20 films before.
class HistoryDataTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aModelOfHistoriesAloneBeatsMostPopular() {
    const QString data = qEnvironmentVariable("PARAPET_DATA_DIR");
    if (data.isEmpty()) QSKIP("PARAPET_DATA_DIR is not set");
    const testing::SmallTraining training;
    testing::EventList events;
    const auto outcome = training.train(historyDocument(data), "history", events);
    QCOMPARE(outcome.result.state, experiment::RunState::kFinished);
    const auto metric = [](const std::vector<experiment::Metric>& metrics, const char* key) {
      const auto found = std::ranges::find(metrics, std::string(key), &experiment::Metric::first);
      return found == metrics.end() ? -1.0 : found->second;
    };
    double popular = -1.0;
    for (const auto& begun : events.all<experiment::RunStarted>())
      for (const auto& [name, metrics] : begun.baselines)
        if (name == "most_popular") popular = metric(metrics, "val_hit@10");
    const double hit = metric(outcome.result.testMetrics, "test_hit@10");
    qInfo("hit@10 on the test rows %.4f; most popular on the validation rows %.4f", hit, popular);
    QVERIFY(popular > 0.05);
    QVERIFY(hit > 0.13);
  }
};

QTEST_GUILESS_MAIN(HistoryDataTest)
#include "history_test.moc"
