// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/run_differences.h"

#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "tests/workspace/sample_runs.h"

using namespace parapet;

class RunDifferencesTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::unique_ptr<store::RunStore> store_;

  void add(const std::string& name, const nlohmann::json& document) {
    store::RunRecord run;
    run.id = store::RunStore::newRunId();
    run.name = name;
    run.experimentJson = document.dump();
    QVERIFY(store_->createRun(run).ok());
  }
  std::vector<std::string> texts(std::size_t most = 3) {
    const auto runs = store_->runs();
    const auto differences = workspace::runDifferences(*store_, *runs);
    std::vector<std::string> found;
    for (const auto& settings : *differences)
      found.push_back(workspace::differenceText(settings, most));
    std::ranges::reverse(found);  // in the order they were added
    return found;
  }

 private Q_SLOTS:
  void init() {
    store_ = store::RunStore::open(
                 (folder_.path() + "/" + QTest::currentTestFunction()).toStdString(), {})
                 .value();
  }
  void cleanup() { store_.reset(); }

  void namesWhatRunsOfOneNameDoNotShare() {
    add("a", {{"name", "a"}, {"optimizer", {{"learning_rate", 0.1}}}, {"seed", 1}});
    add("a", {{"name", "a"}, {"optimizer", {{"learning_rate", 0.2}}}, {"seed", 1}});
    add("b", {{"name", "b"}, {"optimizer", {{"learning_rate", 0.3}}}, {"seed", 2}});
    QCOMPARE(texts(), (std::vector<std::string>{"learning rate 0.1", "learning rate 0.2", ""}));
  }

  void namesTheDataFirstAndByItsLastPart() {
    add("a", {{"batch", 10}, {"dataset", {{"path", "/data/ml-100k/"}}}});
    add("a", {{"batch", 20}, {"dataset", {{"path", "/data/ml-1m"}}}});
    QCOMPARE(texts(),
             (std::vector<std::string>{"data ml-100k · batch 10", "data ml-1m · batch 20"}));
  }

  void namesMissingSettingsAndElementsOfLists() {
    add("a", {{"layers", {{{"units", 8}}}}});
    add("a", {{"layers", nlohmann::json::array({8})}, {"weight", "w"}});
    QCOMPARE(texts(), (std::vector<std::string>{"layers/0 – · weight – · units 8",
                                                "layers/0 8 · weight w · units –"}));
  }

  void namesTheMostTellingFirstInWords() {
    const auto document = [](const char* loss, double rate, int seed) {
      return nlohmann::json{{"checkpoints", {{"keep_best", seed}}},
                            {"loss", {{"kind", loss}}},
                            {"optimizer", {{"learning_rate", rate}}},
                            {"training", {{"seed", seed}}}};
    };
    add("a", document("mse", 0.1, 1));
    add("a", document("in_batch_softmax", 0.01, 2));
    QCOMPARE(texts(4), (std::vector<std::string>{
                           "mse · learning rate 0.1 · seed 1 · keep best 1",
                           "in-batch softmax · learning rate 0.01 · seed 2 · keep best 2"}));
  }

  void namesTheGroupOfAKeyThatATellingSettingHasToo() {
    const auto document = [](int seed) {
      return nlohmann::json{
          {"dataset", {{"generator", {{"seed", seed}}}, {"split", {{"seed", seed}}}}},
          {"tables", {{{"embedding_dim", seed}}, {{"embedding_dim", seed}}}},
          {"training", {{"seed", seed}}}};
    };
    add("a", document(7));
    add("a", document(8));
    QCOMPARE(texts(5).back(), std::string("dim 8 · seed 8 · generator seed 8 · split seed 8 · "
                                          "tables/1 embedding dim 8"));
  }

  void countsWhatDoesNotFit() {
    add("a", {{"p", 1}, {"q", 1}, {"r", 1}});
    add("a", {{"p", 2}, {"q", 2}, {"r", 2}});
    QCOMPARE(texts(2).front(), std::string("p 1 · q 1 · and 1 more"));
  }

  void saysNothingOfRunsOfOneDocument() {
    add("a", {{"name", "a"}, {"p", 1}});
    add("a", {{"name", "a"}, {"p", 1}});
    QCOMPARE(texts(), (std::vector<std::string>{"", ""}));
  }

  void readsTheDocumentsOfTheFirstRunsAlone() {
    for (int i = 0; i < int{workspace::kMaxComparedRuns} + 5; ++i) add("a", {{"p", i}});
    const auto differences = workspace::runDifferences(*store_, *store_->runs());
    QCOMPARE(differences->size(), workspace::kMaxComparedRuns + 5);
    QVERIFY(!differences->at(workspace::kMaxComparedRuns - 1).empty());
    QVERIFY(differences->at(workspace::kMaxComparedRuns).empty());
  }

  void describesAnExperiment() {
    store::RunRecord run;
    workspace::describeRun(testing::smallSample(), run);
    QCOMPARE(run.data, std::string("generated movies"));
    QCOMPARE(run.model, std::string("retrieval"));
    QCOMPARE(run.loss, std::string("in_batch_softmax"));
    run.data = "/data/ml-100k/";
    QCOMPARE(workspace::dataNameOf(run), std::string("ml-100k"));
    run.loss = "in_batch_softmax";
    QCOMPARE(workspace::modelNameOf(run), std::string("retrieval / in-batch softmax"));
    run.loss.clear();
    QCOMPARE(workspace::modelNameOf(run), std::string("retrieval"));
  }
};

QTEST_GUILESS_MAIN(RunDifferencesTest)
#include "run_differences_test.moc"
