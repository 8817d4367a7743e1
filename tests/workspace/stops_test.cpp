// SPDX-License-Identifier: Apache-2.0
// Long work looks for a stop once in every unit of it. Each look comes with a report of progress,
// so the reports of a stage are counted: as many as there are units, and at most one after a stop.
#include <QtTest>
#include <functional>
#include <future>
#include <map>

#include "engine/data/dataset/checked_file.h"
#include "engine/data/dataset/parquet/parquet_plugin.h"
#include "engine/data/ingest/sources/text_input.h"
#include "engine/retrieval/top_k.h"
#include "engine/workspace/health.h"
#include "engine/workspace/predict.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
namespace fs = std::filesystem;

namespace {

/// Counts the reports by stage, and asks to stop in one of them.
struct CountedWork {
  std::map<std::string, std::int64_t, std::less<>> reports{};
  std::string stopStage{};
  std::int64_t stopAt = 0;  ///< 0: never
  std::int64_t afterStop = 0;
  std::stop_source stop{};

  WorkContext context() {
    return {.progress =
                [this](std::string_view stage, std::int64_t, std::int64_t) {
                  if (stop.stop_requested()) ++afterStop;
                  const std::int64_t count = ++reports[std::string(stage)];
                  if (stage == stopStage && count == stopAt) stop.request_stop();
                },
            .stop = stop.get_token()};
  }
};

constexpr std::int64_t kUsers = 9'000, kItems = 600;

experiment::Experiment sampleOfManyUsers() {
  experiment::Experiment experiment = testing::smallSample();
  experiment.dataset.generator =
      experiment::Generator{.users = kUsers, .items = kItems, .events = 30'000, .seed = 7};
  experiment.dataset.batch.size = 2'000;
  experiment.training.epochs = 1;
  return experiment;
}

std::int64_t roundedUp(std::int64_t units, std::int64_t of) {
  return (units + of - 1) / of;
}

}  // namespace

class StopsTest : public QObject {
  Q_OBJECT

  testing::TemporaryWorkspace place_;
  const QTemporaryDir files_;
  std::string run_;
  fs::path pairs_;
  std::int64_t pairCount_ = 0;

  [[nodiscard]] fs::path at(const char* name) const {
    return fs::path(files_.filePath(name).toStdString());
  }

  /// Trains until the context is cancelled. A run that was stopped has a checkpoint, but for one that
  /// was stopped before its first step.
  Status train(const WorkContext& context) {
    std::promise<void> heard;  // nothing is reported before a stop is heard
    workspace::RunOptions options{.threads = 1};
    options.progress = [&context, hearing = heard.get_future().share()](
                           std::string_view stage, std::int64_t done, std::int64_t total) {
      hearing.wait();
      context.report(stage, done, total);
    };
    auto run = place_->start(sampleOfManyUsers(), std::move(options));
    if (!run) return run.error();
    const std::stop_callback stopping(context.stop, [&run] { (*run)->stop(); });
    heard.set_value();
    const workspace::RunOutcome outcome = (*run)->wait();
    if (outcome.state == experiment::RunState::kFinished) return {};
    if (outcome.state == experiment::RunState::kStopped &&
        outcome.checkpoint.empty() == (outcome.steps == 0))
      return Error{ErrorCode::kCancelled, "the run was stopped"};
    return Error{ErrorCode::kInternal, std::string(experiment::runStateName(outcome.state))};
  }

  [[nodiscard]] experiment::Experiment documentOfPairs() const {
    nlohmann::json document(experiment::toJson(testing::smallSample()));
    document["dataset"] = {
        {"source", "csv"},
        {"path", pairs_.string()},
        {"label", {{"column", nullptr}}},
        {"columns", {{{"name", "user"}, {"role", "user"}}, {{"name", "item"}, {"role", "item"}}}},
        {"vocabularies",
         {{{"name", "user"}, {"kind", "compressed"}}, {{"name", "item"}, {"kind", "compressed"}}}},
        {"batch", {{"size", 50}}}};
    return experiment::parse(document).experiment;
  }

  /// Carries out one of the commands.
  Status carryOut(const QString& what, const WorkContext& context) {
    const auto statusOf = [](const auto& result) {
      return result ? Status{} : Status{result.error()};
    };
    if (what == "predict") return statusOf(place_->predict(run_, {.input = pairs_}, context));
    if (what == "evaluate") return statusOf(place_->evaluate(run_, {}, context));
    if (what == "recommender") return statusOf(place_->recommender(run_, {}, nullptr, context));
    if (what == "compare") return statusOf(place_->compare({run_, run_}, {}, context));
    if (what == "verify") return statusOf(place_->verify(sampleOfManyUsers(), {}, context));
    if (what == "checkpoints") return statusOf(place_->verifyCheckpoints(run_, context));
    if (what == "import") {
      fs::remove_all(at("datasets of pairs"));
      auto workspace = workspace::Workspace::open(at("datasets of pairs"), [](const auto&) {});
      if (!workspace) return workspace.error();
      return statusOf((*workspace)->importData(documentOfPairs(), context));
    }
    if (what == "validate") return statusOf(place_->findImported(documentOfPairs(), context));
    if (what == "train") return train(context);
    if (what == "doctor") {
      for (const workspace::HealthCheck& check : workspace::checkHealth(
               place_->folder(), {.depth = workspace::HealthOptions::Depth::kDeep}, context))
        if (check.message == "the check was cancelled")
          return Error{ErrorCode::kCancelled, check.message};
      return {};
    }
    workspace::ExportOptions options;
    options.out = at("out.csv");
    options.what = what == "vectors"  ? workspace::ExportWhat::kVectors
                   : what == "curves" ? workspace::ExportWhat::kCurves
                                      : workspace::ExportWhat::kRecommendations;
    options.format = what == "parquet" ? "parquet" : "csv";
    if (what == "vectors") options.out = at("vectors");
    return statusOf(place_->exportRun(run_, options, context));
  }

 private Q_SLOTS:
  void initTestCase() {
    const workspace::RunOutcome outcome = place_.train(sampleOfManyUsers());
    QCOMPARE(outcome.state, experiment::RunState::kFinished);
    run_ = outcome.runId;
    pairs_ = at("pairs.csv");
    QFile file(QString::fromStdString(pairs_.string()));
    QVERIFY(file.open(QFile::WriteOnly));
    file.write("user,item\n");
    for (; file.pos() < qint64(3 * data::TextInput::kPieceBytes); ++pairCount_)
      file.write(QByteArray::number(qint64(1 + pairCount_ % kUsers)) + "," +
                 QByteArray::number(qint64(1 + pairCount_ % kItems)) + "\n");
  }

  void everyUnitOfWorkLooksForAStop_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("stage");
    QTest::addColumn<qint64>("units");  // 0: those of this test, which are known later
    const qint64 pieces = 3, blocks = roundedUp(kUsers, retrieval::kQueriesOfTopK);
    QTest::newRow("import: pieces of the file") << "import"
                                                << "reading" << pieces;
    QTest::newRow("predict: batches") << "predict"
                                      << "reading" << qint64(roundedUp(pairCount_, 2'000));
    QTest::newRow("validate: blocks of the file") << "validate"
                                                  << "checking the source" << pieces;
    // The validation part is a tenth of 30,000 rows.
    const qint64 batches = roundedUp(3'000, 2'000), lists = 1;
    QTest::newRow("train: batches of the baselines") << "train"
                                                     << "measuring baselines" << batches;
    QTest::newRow("train: batches of a validation and of the test")
        << "train"
        << "measuring losses" << 2 * batches;
    QTest::newRow("train: lists of a validation and of the test") << "train"
                                                                  << "measuring lists" << 2 * lists;
    QTest::newRow("evaluate: batches of the baselines") << "evaluate"
                                                        << "measuring baselines" << batches;
    // Fits, and the lists of each, are one stage.
    QTest::newRow("evaluate: fits and lists of item-kNN") << "evaluate"
                                                          << "fitting item-kNN" << 2 * lists;
    QTest::newRow("evaluate: batches") << "evaluate"
                                       << "measuring losses" << batches;
    QTest::newRow("evaluate: lists") << "evaluate"
                                     << "measuring lists" << lists;
    QTest::newRow("evaluate: columns of EASE") << "evaluate"
                                               << "fitting EASE" << qint64(2);
    QTest::newRow("export: users listed") << "recommendations"
                                          << "listing" << blocks;
    if (data::requireParquet())
      QTest::newRow("export: users listed as Parquet") << "parquet"
                                                       << "listing" << blocks;
    // Epochs twice, for their keys come first, and steps: each ends with a look that finds no more.
    QTest::newRow("export: lines of curves") << "curves"
                                             << "writing curves" << qint64(6);
    QTest::newRow("doctor: files") << "doctor"
                                   << "checking files" << qint64(0);
    QTest::newRow("doctor: checkpoints") << "checkpoints"
                                         << "checking checkpoints" << qint64(1);
  }
  void everyUnitOfWorkLooksForAStop() {
    QFETCH(QString, what);
    QFETCH(QString, stage);
    QFETCH(qint64, units);
    if (units == 0) {
      for (const auto& folder : fs::directory_iterator(place_->folder() / "datasets"))
        units += std::ssize(data::examineDataset(folder.path()).files) - 1;  // not the manifest
    }
    CountedWork whole;
    const Status done = carryOut(what, whole.context());
    QVERIFY2(done.ok(), done.ok() ? "" : done.error().text().c_str());
    const std::int64_t looks = whole.reports[stage.toStdString()];
    QVERIFY2(looks >= units, qPrintable(QString("%1 of %2").arg(looks).arg(units)));
    for (const std::int64_t stopAt : {std::int64_t{1}, (looks + 1) / 2, looks}) {
      CountedWork stopped{.stopStage = stage.toStdString(), .stopAt = stopAt};
      const Status status = carryOut(what, stopped.context());
      // The last unit of all may be the end of the work.
      if (stopAt == looks && status.ok()) continue;
      QVERIFY2(!status.ok() && status.error().code == ErrorCode::kCancelled,
               status.ok() ? "it went on" : status.error().text().c_str());
      // Several threads read what is imported, each a piece.
      if (what != "import") QVERIFY(stopped.afterStop <= 1);
    }
  }

  void aStopBeforeItBeginsLeavesNothingToDo_data() {
    QTest::addColumn<QString>("what");
    for (const char* what :
         {"import", "predict", "evaluate", "recommendations", "vectors", "curves", "doctor",
          "checkpoints", "train", "recommender", "compare", "verify"})
      QTest::newRow(what) << what;
  }
  void aStopBeforeItBeginsLeavesNothingToDo() {
    QFETCH(QString, what);
    CountedWork stopped;
    stopped.stop.request_stop();
    const Status status = carryOut(what, stopped.context());
    QVERIFY2(!status.ok() && status.error().code == ErrorCode::kCancelled,
             status.ok() ? "it went on" : status.error().text().c_str());
    for (const char* stage :
         {"reading", "fitting EASE", "listing", "checking files", "vectors of users",
          "checking checkpoints", "writing curves", "measuring baselines", "measuring losses"})
      QCOMPARE(stopped.reports[stage], std::int64_t{0});
  }
};

QTEST_GUILESS_MAIN(StopsTest)
#include "stops_test.moc"
