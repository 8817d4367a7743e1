// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/predict.h"

#include <QFile>
#include <QtTest>
#include <bit>
#include <cmath>

#include "tests/workspace/sample_runs.h"

using namespace parapet;

/// Scores of the rows of a file.
class PredictTest : public QObject {
  Q_OBJECT

  testing::TemporaryWorkspace place_;
  std::string run_;

  std::filesystem::path write(const char* name, const QByteArray& content) {
    const QString path = place_.folder.filePath(name);
    QFile file(path);
    if (!file.open(QFile::WriteOnly) || file.write(content) != content.size()) return {};
    return path.toStdString();
  }
  Result<workspace::RowScores> predict(const char* name, const QByteArray& content) {
    return place_->predict(run_, {.input = write(name, content)}, {});
  }
  /// Rows that are scored one by one have the bits that they have in a file of all of them.
  void aloneAsInAFile(const std::string& run, const QByteArrayList& lines) {
    const auto all =
        place_->predict(run, {.input = write("all.jsonl", lines.join('\n') + '\n')}, {});
    QVERIFY2(all.ok(), all ? "" : all.error().text().c_str());
    QCOMPARE(all->scores.size(), static_cast<std::size_t>(lines.size()));
    auto predictor = place_->rowPredictor(run, {}, {});
    QVERIFY2(predictor.ok(), predictor ? "" : predictor.error().text().c_str());
    for (qsizetype i = 0; i < lines.size(); ++i) {
      const auto one = (*predictor)->score(lines[i].toStdString());
      QVERIFY2(one.ok(), one ? "" : one.error().text().c_str());
      QCOMPARE(std::bit_cast<std::uint32_t>(one->scores[0].score),
               std::bit_cast<std::uint32_t>(all->scores[static_cast<std::size_t>(i)].score));
    }
  }

 private Q_SLOTS:
  void initTestCase() {
    const workspace::RunOutcome outcome = place_.train(testing::smallSample());
    QCOMPARE(outcome.state, experiment::RunState::kFinished);
    run_ = outcome.runId;
  }

  void aRetrievalModelScoresPairsAsItsListsDo() {
    const auto asked = place_->recommender(run_, {});
    QVERIFY(asked.ok());
    const std::vector<retrieval::Query> query{retrieval::Query("7")};
    const auto lists = (*asked)->recommend(query, 10, retrieval::SeenItems::kKeep);
    QVERIFY(lists.ok());
    QByteArray rows("item,user\n");
    for (const auto& item : (*lists)[0].items) rows += QByteArray::fromStdString(item.id) + ",7\n";
    const auto scores = predict("pairs.csv", rows);
    QVERIFY2(scores.ok(), scores ? "" : scores.error().text().c_str());
    QCOMPARE(scores->scores.size(), std::size_t{10});
    for (std::size_t i = 0; i < 10; ++i) {
      QCOMPARE(scores->scores[i].row, static_cast<std::int64_t>(i));
      const float expected = (*lists)[0].items[i].score;
      QVERIFY(std::abs(scores->scores[i].score - expected) <= 1e-5f * std::abs(expected));
    }
    QVERIFY(scores->unknown.empty());
  }

  // More rows than a batch has, and a last batch that is short.
  void rowsOfSeveralBatchesKeepTheirOrder() {
    QByteArray rows("user,item\n");
    for (int row = 0; row < 130; ++row)
      rows += QByteArray::number(1 + row % 60) + "," + QByteArray::number(1 + row % 40) + "\n";
    const auto all = predict("many.csv", rows);
    const auto one = predict("one.csv", "user,item\n5,5\n");
    QVERIFY(all.ok() && one.ok());
    QCOMPARE(all->scores.size(), std::size_t{130});
    QCOMPARE(all->scores[124].score, all->scores[4].score);  // 124 = 4 modulo 60 and 40
    QCOMPARE(all->scores[4].score, one->scores[0].score);
  }

  void unknownIdsAreReadAsSuchAndTold() {
    const auto scores = predict("unknown.csv", "user,item\n7,1\n9999,1\n-3,1\n9999,77777\n");
    QVERIFY2(scores.ok(), scores ? "" : scores.error().text().c_str());
    QCOMPARE(scores->scores.size(), std::size_t{4});
    QCOMPARE(scores->scores[1].score, scores->scores[2].score);
    QCOMPARE(scores->unknown.size(), std::size_t{2});
    QCOMPARE(scores->unknown[0].column, std::string("user"));
    QCOMPARE(scores->unknown[0].ids, std::int64_t{3});
    QCOMPARE(scores->unknown[0].example, std::string("9999"));
    QCOMPARE(scores->unknown[1].ids, std::int64_t{1});
  }

  void rejectedRowsCountInTheNumbersOfTheOthers() {
    QByteArray rows("user,item\n");
    for (int row = 0; row < 300; ++row) rows += row == 2 ? "7\n" : "7,1\n";
    const auto scores = predict("rejected.csv", rows);
    QVERIFY2(scores.ok(), scores ? "" : scores.error().text().c_str());
    QCOMPARE(scores->scores.size(), std::size_t{299});
    QCOMPARE(scores->scores[1].row, std::int64_t{1});
    QCOMPARE(scores->scores[2].row, std::int64_t{3});
    QCOMPARE(scores->scores.back().row, std::int64_t{299});
    QCOMPARE(scores->rejected, std::int64_t{1});
    QCOMPARE(scores->rejectedLines[0].line, std::int64_t{4});
  }

  void refuses_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("says");
    QTest::newRow("no item") << QByteArray("user,title\n7,x\n") << "item";
    QTest::newRow("no row") << QByteArray("user,item\n") << "row";
    QTest::newRow("rejected lines") << QByteArray("user,item\n7\n7,1\n") << "rejected";
  }
  void refuses() {
    QFETCH(QByteArray, content);
    QFETCH(QString, says);
    const auto scores = predict("refused.csv", content);
    QVERIFY(!scores.ok());
    QVERIFY2(QString::fromStdString(scores.error().text()).contains(says),
             scores.error().text().c_str());
  }
  void refusesAFileThatIsNotThere() {
    const auto scores = place_->predict(run_, {.input = "/nowhere.csv"}, {});
    QVERIFY(!scores.ok());
    QCOMPARE(scores.error().code, ErrorCode::kNotFound);
  }

  // A ranking model reads the contexts of the rows; a score of one is the same whatever stands beside.
  void aRankingModelReadsTheColumnsOfTheRows() {
    const auto recipe = experiment::findRecipe("dcn-v2").value();
    experiment::Experiment experiment =
        experiment::parse(experiment::parseJson(recipe.text).value()).experiment;
    experiment.dataset.generator->users = 50;
    experiment.dataset.generator->items = 40;
    experiment.dataset.generator->events = 2000;
    experiment.training.epochs = 1;
    const workspace::RunOutcome outcome = place_.train(experiment);
    QVERIFY2(outcome.state == experiment::RunState::kFinished,
             outcome.error ? outcome.error->text().c_str() : "");
    QByteArray header, row;
    for (const experiment::Column& column : experiment.dataset.columns) {
      header += (header.isEmpty() ? "" : ",") + QByteArray::fromStdString(column.originName());
      row += row.isEmpty() ? "1" : ",1";
    }
    const auto path = write("rows.csv", header + "\n" + row + "\n" + row + "\n");
    const auto scores = place_->predict(outcome.runId, {.input = path}, {});
    QVERIFY2(scores.ok(), scores ? "" : scores.error().text().c_str());
    QCOMPARE(scores->scores.size(), std::size_t{2});
    QVERIFY(std::isfinite(scores->scores[0].score));
    QCOMPARE(scores->scores[0].score, scores->scores[1].score);
    QByteArrayList lines;
    for (int line = 0; line < 45; ++line) {
      QByteArrayList cells;
      for (std::size_t c = 0; c < experiment.dataset.columns.size(); ++c)
        cells << "\"" + QByteArray::fromStdString(experiment.dataset.columns[c].originName()) +
                     "\": " + QByteArray::number(line % (7 + static_cast<int>(c)));
      lines << "{" + cells.join(", ") + "}";
    }
    aloneAsInAFile(outcome.runId, lines);
  }

  void aRowAloneHasTheBitsOfItsFile() {
    QByteArrayList lines;
    for (int line = 0; line < 100; ++line)
      lines << "{\"user\": " + QByteArray::number(1 + line % 60) +
                   (line % 3 == 0 ? ", \"item\": \"" + QByteArray::number(line % 40) + "\"}"
                                  : ", \"item\": " + QByteArray::number(line % 40) + "}");
    aloneAsInAFile(run_, lines);
  }

  void aRowThatIsNoneIsRefused_data() {
    QTest::addColumn<QByteArray>("row");
    QTest::addColumn<QString>("says");
    QTest::newRow("no item") << QByteArray("{\"user\": 7}") << "item";
    QTest::newRow("no id") << QByteArray("{\"user\": 7, \"item\": null}") << "item";
    QTest::newRow("an object") << QByteArray("{\"user\": 7, \"item\": {\"x\": 1}}") << "item";
    QTest::newRow("a list") << QByteArray("[7, 1]") << "no JSON object";
    QTest::newRow("no end") << QByteArray("{\"user\": 7") << "no JSON object";
  }
  void aRowThatIsNoneIsRefused() {
    QFETCH(QByteArray, row);
    QFETCH(QString, says);
    auto predictor = place_->rowPredictor(run_, {}, {});
    QVERIFY2(predictor.ok(), predictor ? "" : predictor.error().text().c_str());
    const auto before = (*predictor)->score("{\"user\": 7, \"item\": 1}");
    const auto refused = (*predictor)->score(row.toStdString());
    QVERIFY(!refused.ok());
    const QString text = QString::fromStdString(refused.error().text());
    QVERIFY2(text.contains(says) && !text.contains("jsonl"), qPrintable(text));
    // The rows after it are scored as before it.
    const auto after = (*predictor)->score("{\"user\": 7, \"item\": 1}");
    QVERIFY(before.ok() && after.ok());
    QCOMPARE(after->scores[0].score, before->scores[0].score);
  }

  // The rows of the run have two ids at most; what a feature uses of longer ones is its max_length.
  void bagsAreTruncatedAsInTraining_data() {
    QTest::addColumn<int>("side");
    QTest::addColumn<QByteArray>("used");
    using enum experiment::TruncationSide;
    QTest::newRow("end") << static_cast<int>(kEnd) << QByteArray("a|b|c|d");
    QTest::newRow("start") << static_cast<int>(kStart) << QByteArray("c|d|e|f");
  }
  void bagsAreTruncatedAsInTraining() {
    QFETCH(int, side);
    QFETCH(QByteArray, used);
    QByteArray rows("user,item,tags\n");
    for (int row = 0; row < 400; ++row)
      rows += "u" + QByteArray::number(row % 20) + ",i" + QByteArray::number(row * 7 % 13) + "," +
              QByteArray(1, static_cast<char>('a' + row % 6)) + "|" +
              QByteArray(1, static_cast<char>('a' + row % 5)) + "\n";
    experiment::Experiment experiment = testing::smallSample();
    experiment.dataset.source = experiment::SourceKind::kCsv;
    experiment.dataset.path = write("tagged.csv", rows).string();
    experiment.dataset.generator.reset();
    experiment.dataset.label = {std::nullopt, std::nullopt};
    experiment.dataset.columns = {
        {.name = "user", .role = experiment::ColumnRole::kUser},
        {.name = "item", .role = experiment::ColumnRole::kItem},
        {.name = "tags", .role = experiment::ColumnRole::kFeature, .separator = "|"}};
    experiment.dataset.vocabularies.emplace_back().name = "tags";
    for (experiment::Vocabulary& each : experiment.dataset.vocabularies) {
      each.kind = experiment::VocabularyKind::kCompressed;
      each.size = {};
    }
    experiment.tables[0].name = experiment.tables[0].vocabulary = "tags";
    experiment.features[0] = {.name = "tags",
                              .column = "tags",
                              .table = "tags",
                              .maxLength = 4,
                              .truncationSide = static_cast<experiment::TruncationSide>(side)};
    const workspace::RunOutcome outcome = place_.train(experiment);
    QVERIFY2(outcome.state == experiment::RunState::kFinished,
             outcome.error ? outcome.error->text().c_str() : "");
    const auto path = write("long.csv", "user,item,tags\nu1,i2,a|b|c|d|e|f\nu1,i2," + used +
                                            "\nu1,i2,a|b\nu1,i2,e|f\n");
    const auto scores = place_->predict(outcome.runId, {.input = path}, {});
    QVERIFY2(scores.ok(), scores ? "" : scores.error().text().c_str());
    QCOMPARE(scores->scores[0].score, scores->scores[1].score);
    QVERIFY(scores->scores[0].score != scores->scores[2].score);
    QVERIFY(scores->scores[0].score != scores->scores[3].score);
    QVERIFY(scores->warnings.empty());
    const auto row = [](const QByteArray& tags) {
      return "{\"user\": \"u1\", \"item\": \"i2\", \"tags\": " + tags + "}";
    };
    aloneAsInAFile(outcome.runId, {row("[\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]"),
                                   row("[\"a\"]"), row("[]"), row("[\"a\", \"z\"]")});
    auto predictor = place_->rowPredictor(outcome.runId, {}, {});
    QCOMPARE((*predictor)->score(row("[\"a\", \"b\"]").toStdString())->scores[0].score,
             scores->scores[2].score);
    QCOMPARE((*predictor)->score(row("null").toStdString())->scores[0].score,
             (*predictor)->score(row("[]").toStdString())->scores[0].score);
  }

  // An empty cell is what the import made of those of the run's data: the mean of the others, or 0.
  void emptyNumbersAreThoseOfTheImport_data() {
    QTest::addColumn<int>("policy");
    QTest::addColumn<QByteArray>("cell");
    QTest::newRow("mean") << static_cast<int>(experiment::MissingNumbers::kMean) << QByteArray("3");
    QTest::newRow("zero") << static_cast<int>(experiment::MissingNumbers::kZero) << QByteArray("0");
  }
  void emptyNumbersAreThoseOfTheImport() {
    QFETCH(int, policy);
    QFETCH(QByteArray, cell);
    QByteArray rows("user,item,price\n");
    for (int row = 0; row < 400; ++row)  // the cells that are not empty are 2, 3 and 4
      rows += "u" + QByteArray::number(row % 20) + ",i" + QByteArray::number(row * 7 % 13) + "," +
              (row % 4 == 0 ? QByteArray() : QByteArray::number(1 + row % 4)) + "\n";
    experiment::Experiment experiment = testing::smallSample();
    experiment.dataset.source = experiment::SourceKind::kCsv;
    experiment.dataset.path = write("priced.csv", rows).string();
    experiment.dataset.generator.reset();
    experiment.dataset.label = {std::nullopt, std::nullopt};
    experiment.dataset.columns = {{.name = "user", .role = experiment::ColumnRole::kUser},
                                  {.name = "item", .role = experiment::ColumnRole::kItem},
                                  {.name = "price",
                                   .role = experiment::ColumnRole::kNumeric,
                                   .missing = static_cast<experiment::MissingNumbers>(policy)}};
    for (experiment::Vocabulary& each : experiment.dataset.vocabularies) {
      each.kind = experiment::VocabularyKind::kCompressed;
      each.size = {};
    }
    experiment.features[0].name = "query/ids/user";
    experiment.features.push_back({.name = "query/numbers/price", .column = "price", .table = {}});
    using experiment::LayerKind;
    experiment.model.query = {
        {.kind = LayerKind::kDense, .name = "n", .inputs = {"query/numbers"}, .units = 16},
        {.kind = LayerKind::kAdd, .inputs = {"query/ids", "n"}}};
    const workspace::RunOutcome outcome = place_.train(experiment);
    QVERIFY2(outcome.state == experiment::RunState::kFinished,
             outcome.error ? outcome.error->text().c_str() : "");
    const auto path = write("asked.csv", "user,item,price\nu1,i2,\nu1,i2," + cell + "\nu1,i2,9\n");
    const auto scores = place_->predict(outcome.runId, {.input = path}, {});
    QVERIFY2(scores.ok(), scores ? "" : scores.error().text().c_str());
    QCOMPARE(scores->scores.size(), std::size_t{3});
    QCOMPARE(scores->scores[0].score, scores->scores[1].score);
    QVERIFY(scores->scores[0].score != scores->scores[2].score);
    QCOMPARE(scores->warnings.size(), std::size_t{1});
    QVERIFY2(scores->warnings[0].starts_with("1 of the 3 numbers of \"price\""),
             scores->warnings[0].c_str());
    aloneAsInAFile(outcome.runId, {"{\"user\": \"u1\", \"item\": \"i2\", \"price\": 2.5}",
                                   "{\"user\": \"u1\", \"item\": \"i2\", \"price\": 3}",
                                   "{\"user\": \"u1\", \"item\": \"i2\", \"price\": null}"});
    auto predictor = place_->rowPredictor(outcome.runId, {}, {});
    const auto empty = (*predictor)->score("{\"user\": \"u1\", \"item\": \"i2\", \"price\": null}");
    QVERIFY2(empty.ok(), empty ? "" : empty.error().text().c_str());
    QCOMPARE(empty->scores[0].score, scores->scores[0].score);
    QCOMPARE(empty->warnings.size(), std::size_t{1});
  }
};

QTEST_GUILESS_MAIN(PredictTest)
#include "predict_test.moc"
