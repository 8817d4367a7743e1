// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/sweep_space.h"

#include <QtTest>
#include <cmath>
#include <set>

#include "engine/experiment/experiment.h"
#include "engine/experiment/layout.h"
#include "engine/experiment/other_kind.h"
#include "tests/experiment/sample_document.h"

using namespace parapet;
using namespace parapet::experiment;
using nlohmann::json;

/// Points of a sweep, and sweeps that are refused before any point is trained.
class SweepSpaceTest : public QObject {
  Q_OBJECT

  const json document_ = experiment::test::recipeJson("sample");

  [[nodiscard]] Result<std::vector<SweepPoint>> pointsOf(
      const std::vector<std::string>& lists, const std::vector<std::string>& ranges = {},
      std::int64_t draws = 0, std::int64_t seeds = 1) const {
    SweepSpace space{{}, {}, draws, seeds};
    for (const std::string& text : lists) {
      PARAPET_ASSIGN(auto list, parseSweepList(text));
      space.lists.push_back(std::move(list));
    }
    for (const std::string& text : ranges) {
      PARAPET_ASSIGN(auto range, parseSweepRange(text));
      space.ranges.push_back(std::move(range));
    }
    return sweepPoints(document_, space);
  }

 private Q_SLOTS:
  void aGridHasEveryCombinationAndSeed() {
    const auto points =
        pointsOf({"/optimizer/learning_rate=0.1,0.2", "/training/epochs=1,2,3"}, {}, 0, 2);
    QVERIFY2(points.ok(), points ? "" : points.error().text().c_str());
    QCOMPARE(points->size(), std::size_t{12});
    std::set<std::string> documents;
    const std::uint64_t seed = parse(document_).experiment.training.seed;
    for (std::size_t i = 0; i < points->size(); ++i) {
      QCOMPARE((*points)[i].setting, i / 2);
      QCOMPARE((*points)[i].seed, seed + i % 2);
      documents.insert((*points)[i].document.dump());
    }
    QCOMPARE(documents.size(), std::size_t{12});
    const Experiment last = parse(points->back().document).experiment;
    QCOMPARE(last.optimizer.learningRate, 0.2);
    QCOMPARE(last.training.epochs, std::int64_t{3});
    QCOMPARE(last.training.seed, seed + 1);
  }

  void severalPointersTakeOneValue() {
    const auto points = pointsOf({"/tables/0/embedding_dim+/tables/1/embedding_dim=8,24"});
    QVERIFY2(points.ok(), points ? "" : points.error().text().c_str());
    QCOMPARE(points->size(), std::size_t{2});
    const Experiment wide = parse((*points)[1].document).experiment;
    QCOMPARE(wide.tables[0].embeddingDim, std::int64_t{24});
    QCOMPARE(wide.tables[1].embeddingDim, std::int64_t{24});
  }

  void alternativesSetSeveralThingsAtOnce() {
    SweepSpace space{{parseSweepList("/training/epochs=1,2").value()}, {}, 0, 2};
    space.alternatives = parseAlternatives(R"([{"name": "as it is", "set": {}},
                              {"name": "cosine", "set": {"/model/score": "cosine", "/model/query":
                                [{"units": 8}], "/model/candidate": [{"units": 8}]}}])")
                             .value();
    const auto points = sweepPoints(document_, space);
    QVERIFY2(points.ok(), points ? "" : points.error().text().c_str());
    QCOMPARE(points->size(), std::size_t{8});
    QCOMPARE(points->front().values.front(),
             (std::pair<std::string, json>(kAlternative, "as it is")));
    const SweepPoint& last = points->back();
    QCOMPARE(last.setting, std::size_t{3});
    QCOMPARE(last.values, (std::vector<std::pair<std::string, json>>{
                              {std::string(kAlternative), "cosine"}, {"/training/epochs", 2}}));
    const Experiment read = parse(last.document).experiment;
    QVERIFY(read.model.score == Score::kCosine);
    QCOMPARE(read.model.query.size(), std::size_t{1});
    QCOMPARE(read.training.epochs, std::int64_t{2});
    QVERIFY(parse(points->front().document).experiment.model.query.empty());
  }

  void refusesAlternatives_data() {
    for (const char* column : {"text", "list", "message"}) QTest::addColumn<QString>(column);
    const auto row = [](const char* name, const char* text, const char* message,
                        const char* list = "/training/epochs=1,2") {
      QTest::addRow("%s", name) << text << list << message;
    };
    row("no list", R"({"name": "a", "set": {}})", "a list of alternatives");
    row("none", "[]", "an empty list");
    row("no name", R"([{"set": {}}])", "a name and a set");
    row("an empty name", R"([{"name": " ", "set": {}}])", "a name and a set");
    row("no set", R"([{"name": "a"}])", "a name and a set");
    row("another key", R"([{"name": "a", "set": {}, "sets": 1}])", "a name and a set");
    row("one name twice", R"([{"name": "a", "set": {}}, {"name": "a", "set": {}}])",
        "of an earlier alternative");
    row("no JSON", "[{", "");
    row("an unknown setting", R"([{"name": "a", "set": {"/training/epoch": 2}}])",
        "alternative \"a\": no such key");
    row("a document with a problem", R"([{"name": "a", "set": {"/loss/kind": "list_mle"}}])",
        "with alternative=\"a\"");
    row("what the grid varies", R"([{"name": "a", "set": {"/training": {"epochs": 3}}}])",
        "sets /training, too");
  }
  void refusesAlternatives() {
    QFETCH(QString, text);
    QFETCH(QString, list);
    QFETCH(QString, message);
    const auto points = [&]() -> Result<std::vector<SweepPoint>> {
      SweepSpace space{{parseSweepList(list.toStdString()).value()}, {}, 0, 1};
      PARAPET_ASSIGN(space.alternatives, parseAlternatives(text.toStdString()));
      return sweepPoints(document_, space);
    }();
    QVERIFY(!points.ok());
    QVERIFY2(points.error().message.find(message.toStdString()) != std::string::npos,
             points.error().text().c_str());
  }

  void commasWithinBracketsDoNotSeparate() {
    const auto list = parseSweepList("/evaluation/k=[5,10],[20]");
    QVERIFY(list.ok());
    QCOMPARE(list->values, (std::vector<std::string>{"[5,10]", "[20]"}));
  }

  void theSameSeedDrawsTheSame() {
    const auto draw = [&](std::int64_t runs) {
      return pointsOf({}, {"/optimizer/learning_rate=0.001..1,log", "/training/epochs=2..9"}, runs)
          .value();
    };
    const auto few = draw(10), many = draw(200);
    double lowest = 1.0, highest = 0.0;
    int below = 0;
    std::set<std::int64_t> epochs;
    for (std::size_t i = 0; i < many.size(); ++i) {
      if (i < few.size()) QCOMPARE(few[i].document, many[i].document);
      const Experiment each = parse(many[i].document).experiment;
      lowest = std::min(lowest, each.optimizer.learningRate);
      highest = std::max(highest, each.optimizer.learningRate);
      below += each.optimizer.learningRate < std::sqrt(0.001) ? 1 : 0;
      epochs.insert(each.training.epochs);
    }
    QVERIFY(lowest >= 0.001 && lowest < 0.002 && highest <= 1.0 && highest > 0.5);
    // Half of the draws lie below the middle of a logarithmic range: 100 ± 4 standard deviations.
    QVERIFY2(std::abs(below - 100) < 29, QByteArray::number(below));
    QCOMPARE(epochs, (std::set<std::int64_t>{2, 3, 4, 5, 6, 7, 8, 9}));
  }

  void refuses_data() {
    QTest::addColumn<QStringList>("lists");
    QTest::addColumn<QStringList>("ranges");
    QTest::addColumn<qlonglong>("draws");
    QTest::addColumn<QString>("says");
    const QString rate("/optimizer/learning_rate=");
    QTest::newRow("10⁹ draws") << QStringList{} << QStringList{rate + "0.1..1"} << 1000000000ll
                               << "1,000,000,000 runs";
    QTest::newRow("unknown pointer") << QStringList{"/optimizer/learning_rat=1"} << QStringList{}
                                     << 0ll << "/optimizer/learning_rate";
    QTest::newRow("no number") << QStringList{} << QStringList{"/optimizer/kind=0..1"} << 3ll
                               << "no number";
    QTest::newRow("an object") << QStringList{} << QStringList{"/optimizer=0..1"} << 3ll
                               << "no number";
    QTest::newRow("empty range") << QStringList{} << QStringList{rate + "1..1"} << 3ll << "empty";
    QTest::newRow("log from 0") << QStringList{} << QStringList{rate + "0..1,log"} << 3ll
                                << "above 0";
    QTest::newRow("no draws") << QStringList{} << QStringList{rate + "0.1..1"} << 0ll
                              << "--runs: 0";
    QTest::newRow("draws of a grid")
        << QStringList{rate + "0.1"} << QStringList{} << 3ll << "there is none";
    QTest::newRow("fractions of epochs")
        << QStringList{} << QStringList{"/training/epochs=1..2.5"} << 3ll << "whole";
    QTest::newRow("no range") << QStringList{} << QStringList{rate + "0.1"} << 3ll << "no range";
    QTest::newRow("a scale") << QStringList{} << QStringList{rate + "0.1..1,exp"} << 3ll
                             << "no scale";
    QTest::newRow("an empty value")
        << QStringList{rate + "0.1,,0.2"} << QStringList{} << 0ll << "empty value";
    QTest::newRow("no setting") << QStringList{"learning_rate"} << QStringList{} << 0ll
                                << "POINTER=V";
    QTest::newRow("twice") << QStringList{rate + "0.1"} << QStringList{rate + "0.1..1"} << 3ll
                           << "varied twice";
    QTest::newRow("a value twice")
        << QStringList{rate + "0.1,0.2,1e-1"} << QStringList{} << 0ll << "1e-1 is given twice";
    QTest::newRow("nothing") << QStringList{} << QStringList{} << 0ll << "nothing is varied";
    QTest::newRow("a document with problems")
        << QStringList{"/training/epochs=1,-3"} << QStringList{} << 0ll << "/training/epochs=-3";
  }
  void refuses() {
    QFETCH(QStringList, lists);
    QFETCH(QStringList, ranges);
    QFETCH(qlonglong, draws);
    QFETCH(QString, says);
    const auto textsOf = [](const QStringList& all) {
      std::vector<std::string> texts;
      for (const QString& each : all) texts.push_back(each.toStdString());
      return texts;
    };
    const auto points = pointsOf(textsOf(lists), textsOf(ranges), draws);
    QVERIFY(!points.ok());
    QCOMPARE(points.error().code, ErrorCode::kInvalidDocument);
    QVERIFY2(QString::fromStdString(points.error().text()).contains(says),
             points.error().text().c_str());
  }

  void knowsWhatASettingHolds() {
    QCOMPARE(settingKind(document_, "/training/epochs").value(), SettingKind::kInteger);
    QCOMPARE(settingKind(document_, "/optimizer/learning_rate").value(), SettingKind::kReal);
    QCOMPARE(settingKind(document_, "/optimizer/clip_norm").value(), SettingKind::kReal);
    QCOMPARE(settingKind(document_, "/model").value(), SettingKind::kOther);
    QVERIFY(!settingKind(document_, "/nothing").ok());
  }

  void pointsAtWhatAParameterBelongsTo() {
    Experiment experiment = parse(document_).experiment;
    experiment.model.query = {Layer{.units = 8}, Layer{.units = 16}};
    QCOMPARE(parameterPointer(experiment, "tables/item"), std::string("/tables/1"));
    QCOMPARE(parameterPointer(experiment, "dense/query_1_kernel"), std::string("/model/query/1"));
    QCOMPARE(parameterPointer(experiment, "dense/loss_log_temperature"),
             std::string("/loss/temperature"));
    QCOMPARE(parameterPointer(experiment, "dense/query_10_kernel"), std::string());
    QCOMPARE(parameterPointer(experiment, "tables/nobody"), std::string());
  }
};

QTEST_GUILESS_MAIN(SweepSpaceTest)
#include "sweep_space_test.moc"
