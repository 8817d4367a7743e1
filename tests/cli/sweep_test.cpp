// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>
#include <QtTest>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

/// Many runs of one document, forks, and what is stored of them.
class SweepCommandTest : public QObject {
  Q_OBJECT

  Cli cli_;
  json sweep_;
  QString run_;

 private Q_SLOTS:
  void initTestCase() {
    const CliResult result = cli_.ask({"sweep", "sample", "--epochs", "2", "--grid",
                                       "/optimizer/learning_rate=0.05,0.3", "--seeds", "2"});
    QVERIFY2(result.code == 0, result.err.constData());
    sweep_ = result.json();
    QVERIFY(sweep_.is_object());
    run_ = QString::fromStdString(sweep_["runs"][0]["run_id"].get<std::string>());
  }

  void answersAsTheContractSays() {
    QCOMPARE(sweep_["runs"].size(), std::size_t{4});
    for (const json& run : sweep_["runs"]) {
      for (const char* key : {"run_id", "settings", "state", "metrics"}) QVERIFY(run.contains(key));
      QCOMPARE(run["state"].get<std::string>(), std::string("Finished"));
      QVERIFY(run["metrics"]["val_loss"].is_number());
    }
    QCOMPARE(sweep_["summary"].size(), std::size_t{2});
    for (const json& row : sweep_["summary"]) {
      QVERIFY(row["settings"]["/optimizer/learning_rate"].is_number());
      QCOMPARE(row["metric"]["n"].get<int>(), 2);
      QVERIFY(row["metric"]["mean"].is_number() && row["metric"]["sd"].is_number());
    }
  }

  void runsAreListedByGroup() {
    const QString group = QString::fromStdString(sweep_["group"].get<std::string>());
    const json runs = cli_.ask({"runs", "--group", group}).json();
    QCOMPARE(runs.size(), std::size_t{4});
    for (const json& run : runs) {
      QCOMPARE(run["group"], sweep_["group"]);
      QVERIFY(run["sweep"].contains("/optimizer/learning_rate"));
      QVERIFY(run["seed"].get<int>() == 42 || run["seed"].get<int>() == 43);
    }
    QCOMPARE(cli_.ask({"runs", "--group", "nothing"}).code, 3);
  }

  void alternativesAreTrainedAndNamed() {
    const QString file = cli_.folder("alternatives.json");
    const auto write = [&](const char* text) {
      QFile out(file);
      QVERIFY(out.open(QIODevice::WriteOnly));
      out.write(text);
    };
    write(
        R"([{"name": "narrow", "set": {"/tables/0/embedding_dim": 8, "/tables/1/embedding_dim": 8}},
              {"name": "as it is", "set": {}}])");
    const CliResult result = cli_.ask({"sweep", "sample", "--epochs", "1", "--alternatives", file});
    QVERIFY2(result.code == 0, result.err.constData());
    const json answer = result.json();
    QCOMPARE(answer["runs"].size(), std::size_t{2});
    QCOMPARE(answer["runs"][0]["settings"].dump(), std::string(R"({"alternative":"narrow"})"));
    QCOMPARE(answer["summary"].size(), std::size_t{2});
    write(R"([{"name": "narrow"}])");
    const CliResult refused = cli_.ask({"sweep", "sample", "--alternatives", file});
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.contains("a name and a set of settings"), refused.err.constData());
    QCOMPARE(cli_.ask({"sweep", "sample", "--alternatives", file + ".gone"}).code, 3);
  }

  // Two batches have two scales of the loss: equal scores lose ln 50 and ln 200.
  void aListRanksWhereSettingsScaleTheLoss() {
    const CliResult result = cli_.ask(
        {"sweep", "sample", "--epochs", "1", "--grid", "/dataset/batch/size=50,200", "--stop-bad"});
    QVERIFY2(result.code == 0, result.err.constData());
    QVERIFY2(result.err.contains("runs are ranked by val_recall@10, not by a loss: "
                                 "/dataset/batch/size changes the scale of the loss"),
             result.err.constData());
    const json answer = result.json();
    QCOMPARE(answer["metric"]["name"].get<std::string>(), std::string("val_recall@10"));
    QVERIFY(answer["metric"]["reason"].get<std::string>().find("/dataset/batch/size") !=
            std::string::npos);
    for (const json& row : answer["summary"]) {
      QCOMPARE(row["metric"]["name"].get<std::string>(), std::string("val_recall@10"));
      QVERIFY(!row["metrics"].contains("val_loss"));
    }
    // The rate scales no loss.
    QVERIFY(sweep_["metric"]["reason"].is_null());
    QCOMPARE(sweep_["metric"]["name"].get<std::string>(), std::string("val_loss"));
  }

  // The metric that keeps the best checkpoint compares these runs, so nothing is said of a loss.
  void theListMetricOfTheDocumentRanks() {
    const QString file = cli_.folder("losses.json");
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(
        R"([{"name": "as it is", "set": {}}, {"name": "bpr", "set": {"/loss": {"kind": "bpr"}}}])");
    out.close();
    QStringList sweep{
        "sweep",          "sample", "--epochs", "1", "--grid", "/optimizer/learning_rate=0.1,0.2",
        "--alternatives", file};
    const CliResult byLoss = cli_.ask(sweep);
    QVERIFY2(byLoss.code == 0, byLoss.err.constData());
    QVERIFY2(byLoss.err.contains("not by a loss: the alternative changes the scale of the loss"),
             byLoss.err.constData());
    const CliResult own = cli_.ask(sweep << "--set"
                                         << "/training/checkpoints/best=\"val_ndcg@10\"");
    QVERIFY2(own.code == 0, own.err.constData());
    QVERIFY2(!own.err.contains("not by a loss"), own.err.constData());
    QCOMPARE(own.json()["metric"]["name"].get<std::string>(), std::string("val_ndcg@10"));
    QVERIFY(own.json()["metric"]["reason"].is_null());
  }

  void aLossThatDoesNotCompareIsRefused_data() {
    QTest::addColumn<QString>("grid");
    QTest::newRow("batch") << "/dataset/batch/size=50,200";
    QTest::newRow("temperature") << "/loss/temperature=0.1,1";
    QTest::newRow("correction") << "/loss/log_q=\"off\",\"standard\"";
    QTest::newRow("kind") << "/loss={\"kind\":\"bpr\"},{\"kind\":\"in_batch_softmax\"}";
    QTest::newRow("negatives") << "/loss/hard_negatives=5,10";
  }
  void aLossThatDoesNotCompareIsRefused() {
    QFETCH(QString, grid);
    const CliResult result = cli_.ask({"sweep", "sample", "--grid", grid, "--metric", "val_loss"});
    QVERIFY2(result.code == 2, result.err.constData());
    const QByteArray pointer = grid.section('=', 0, 0).toUtf8();
    QVERIFY2(result.err.contains("\"val_loss\" does not compare these runs, since " + pointer +
                                 " changes the scale of the loss; accepted: val_recall@10"),
             result.err.constData());
  }

  // Two kinds of loss measure different things; lists of the catalogue are measured by both.
  void aMetricThatAPointDoesNotMeasureRanksNothing() {
    const QString grid = R"(/loss={"kind":"mse"},{"kind":"bce"})";
    const CliResult ranked = cli_.ask({"sweep", "sample", "--epochs", "1", "--grid", grid});
    QVERIFY2(ranked.code == 0, ranked.err.constData());
    const json answer = ranked.json();
    QCOMPARE(answer["metric"]["name"].get<std::string>(), std::string("val_recall@10"));
    for (const json& row : answer["summary"]) QCOMPARE(row["metric"]["n"].get<int>(), 1);
    const CliResult named = cli_.ask({"sweep", "sample", "--grid", grid, "--metric", "test_rmse"});
    QVERIFY2(named.code == 2, named.err.constData());
    QVERIFY2(
        named.err.contains(R"("test_rmse" is not measured with /loss {"kind":"bce"}; accepted: )"
                           "val_recall@10"),
        named.err.constData());
    const CliResult kept = cli_.ask({"sweep", "sample", "--grid", "/loss/kind=mse,bce"});
    QCOMPARE(kept.code, 2);
    QVERIFY2(kept.err.contains("\"mse\" has no temperature, which ") &&
                 kept.err.contains(R"(accepted, without these: '/loss={"kind":"mse"}')"),
             kept.err.constData());
    const CliResult none = cli_.ask({"sweep", "dlrm", "--grid", "/loss/kind=mse,bce"});
    QVERIFY2(none.code == 2, none.err.constData());
    QVERIFY2(none.err.contains("no other metric is measured by all of the runs; with /loss/kind "
                               R"("bce" not val_mae, val_rmse; with /loss/kind "mse" not )"
                               "val_accuracy, "),
             none.err.constData());
  }

  void aListLongerThanTheCatalogueIsRefused() {
    const CliResult result =
        cli_.ask({"sweep", "sample", "--set", "/evaluation/k=[10,500]", "--grid",
                  "/optimizer/learning_rate=0.1,0.2", "--metric", "val_recall@500"});
    QVERIFY2(result.code == 2, result.err.constData());
    QVERIFY2(result.err.contains("\"val_recall@500\" is never measured: a list has"),
             result.err.constData());
    QVERIFY(result.json()["runs"].empty());
  }

  void refusesBeforeAnythingStarts_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    const QString rate("/optimizer/learning_rate=");
    QTest::newRow("10⁹ runs") << QStringList{"--random", rate + "0.1..1", "--runs", "1000000000"}
                              << QByteArray("1,000,000,000");
    QTest::newRow("no count") << QStringList{"--random", rate + "0.1..1"} << QByteArray("--runs");
    QTest::newRow("0 runs") << QStringList{"--random", rate + "0.1..1", "--runs", "0"}
                            << QByteArray("--runs");
    QTest::newRow("unknown") << QStringList{"--grid", "/optimizer/learning_rat=1"}
                             << QByteArray("nearest is");
    QTest::newRow("nothing") << QStringList{} << QByteArray("nothing is varied");
    QTest::newRow("rows") << QStringList{"--grid", rate + "0.1,0.2", "--grid",
                                         "/dataset/split/validation=0.1,0.05"}
                          << QByteArray("/dataset/split/validation changes what val_loss is");
    QTest::newRow("ranks") << QStringList{"--metric", "val_mrr", "--grid",
                                          "/evaluation/k=[10],[50]"}
                           << QByteArray("/evaluation/k changes what val_mrr is measured on");
    QTest::newRow("relevance") << QStringList{"--metric", "val_recall@10", "--grid",
                                              "/evaluation/relevance_threshold=3,4"}
                               << QByteArray("changes what val_recall@10 is measured on");
    QTest::newRow("metric") << QStringList{"--grid", rate + "0.1", "--metric", "val_los"}
                            << QByteArray("val_loss");
  }
  void refusesBeforeAnythingStarts() {
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, says);
    const CliResult result = cli_.ask(QStringList{"sweep", "sample"} + arguments);
    QCOMPARE(result.code, 2);
    QVERIFY2(result.err.contains(says), result.err.constData());
    QCOMPARE(result.json()["runs"].size(), std::size_t{0});
  }

  void ctrlCKeepsWhatIsDone() {
    const auto process = cli_.start({"--json", "sweep", "sample", "--epochs", "3", "--random",
                                     "/optimizer/learning_rate=0.01..0.5,log", "--runs", "500"});
    QByteArray seen;
    QVERIFY2(Cli::waitForStderr(*process, "run 1 of 500", seen), seen.constData());
    process->terminate();
    const CliResult result = Cli::finish(*process);
    QCOMPARE(result.code, 4);
    const json answer = result.json();
    QVERIFY(answer.is_object() && !answer["runs"].empty());
    QVERIFY(answer["runs"].size() < 500 && answer.contains("error"));
    QCOMPARE(answer["runs"][0]["state"].get<std::string>(), std::string("Finished"));
    for (const json& row : answer["summary"]) QVERIFY(row["metric"]["n"].get<int>() > 0);
  }

  void forksARun() {
    const CliResult result = cli_.ask(
        {"train", "--fork", run_, "--epochs", "3", "--set", "/optimizer/learning_rate=0.02"});
    QVERIFY2(result.code == 0, result.err.constData());
    const json trained = result.json();
    QCOMPARE(trained["epochs"].size(), std::size_t{1});
    QCOMPARE(trained["epochs"][0]["epoch"].get<int>(), 3);
    const QString id = QString::fromStdString(trained["run_id"].get<std::string>());
    const json shown = cli_.ask({"show", id}).json();
    QCOMPARE(QString::fromStdString(shown["forked_from"].get<std::string>()), run_);
    QVERIFY(shown["forked_step"].get<int>() > 0);
    QCOMPARE(shown["document"]["optimizer"]["learning_rate"].get<double>(), 0.02);
    QVERIFY(cli_.run({"show", id}).out.contains("Forked from the checkpoint of step"));
    // The steps that it ran, not those before it.
    const int ran = trained["steps"].get<int>() - shown["forked_step"].get<int>();
    QVERIFY(ran < trained["steps"].get<int>());
    const CliResult told = cli_.run({"train", "--fork", run_, "--epochs", "3"});
    QVERIFY2(told.out.contains("after 1 epoch, " + QByteArray::number(ran) + " step"),
             told.out.constData());
  }

  void refusesForks_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("no such step") << QStringList{"@7"} << 3 << QByteArray("there are:");
    QTest::newRow("no step") << QStringList{"@x"} << 2 << QByteArray("RUN@STEP");
    QTest::newRow("nothing left") << QStringList{""} << 2 << QByteArray("at least 3");
    QTest::newRow("a document beside it") << QStringList{"", "sample"} << 2 << QByteArray("--fork");
    QTest::newRow("resumed beside it")
        << QStringList{"", "--resume", "latest"} << 2 << QByteArray("--resume");
    QTest::newRow("a wider table") << QStringList{"",
                                                  "--epochs",
                                                  "3",
                                                  "--set",
                                                  "/tables/0/embedding_dim=32",
                                                  "--set",
                                                  "/tables/1/embedding_dim=32"}
                                   << 2 << QByteArray("16] in the checkpoint");
  }
  void refusesForks() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QByteArray, says);
    arguments.front().prepend(run_);
    const CliResult result = cli_.ask(QStringList{"train", "--fork"} + arguments);
    QVERIFY2(result.err.contains(says), result.err.constData());
    QCOMPARE(result.code, code);
  }
  void refusesAForkOfNoRun() { QCOMPARE(cli_.ask({"train", "--fork", "ffffffffffff"}).code, 3); }

  void warmStartsATable() {
    const CliResult result = cli_.run({"train", "sample", "--epochs", "1", "--set",
                                       "/tables/1/warm_start={\"run\": \"" + run_ + "\"}"});
    QVERIFY2(result.code == 0, result.err.constData());
    QVERIFY2(result.err.contains("table \"item\": 300 of 300 rows begin as in run"),
             result.err.constData());
    QVERIFY(cli_.run({"show", "latest"}).out.contains("300 of 300 rows"));
  }

  void checksCheckpoints() {
    const json whole = cli_.ask({"verify-checkpoint", run_}).json();
    QVERIFY(!whole["checkpoints"].empty());
    for (const json& check : whole["checkpoints"]) {
      QVERIFY(check["ok"].get<bool>());
      QVERIFY(check["step"].is_number() && check["message"].is_string());
    }
    const QDir folder(cli_.workspace() + "/checkpoints/" + run_);
    const QStringList steps = folder.entryList({"ckpt-*"}, QDir::Dirs);
    QVERIFY(!steps.isEmpty());
    QFile tensors(folder.filePath(steps.first() + "/tensors.safetensors"));
    QVERIFY(tensors.open(QFile::ReadWrite) && tensors.seek(tensors.size() - 5));
    QVERIFY(tensors.write("spoil") == 5);
    tensors.close();
    const CliResult damaged = cli_.ask({"verify-checkpoint", run_});
    QCOMPARE(damaged.code, 1);
    const json answer = damaged.json();
    int bad = 0;
    for (const json& check : answer["checkpoints"]) bad += check["ok"].get<bool>() ? 0 : 1;
    QCOMPARE(bad, 1);
    QCOMPARE(cli_.ask({"verify-checkpoint", "ffffffffffff"}).code, 3);
  }
};

QTEST_GUILESS_MAIN(SweepCommandTest)
#include "sweep_test.moc"
