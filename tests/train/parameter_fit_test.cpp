// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parameter_fit.h"

#include <QtTest>

#include "engine/experiment/experiment.h"

using namespace parapet;
using train::ParameterShapes;

/// Parts of a document that do not fit weights that were found.
class ParameterFitTest : public QObject {
  Q_OBJECT

  static experiment::Experiment sample() {
    const auto recipe = experiment::findRecipe("sample").value();
    return experiment::parse(experiment::parseJson(recipe.text).value()).experiment;
  }
  const ParameterShapes whole_{{"tables/user", {401, 16}}, {"tables/item", {301, 16}}};

 private Q_SLOTS:
  void theSameShapesFit() { QVERIFY(train::unfitParameters(sample(), whole_, whole_).empty()); }
  void namesBothShapesAtThePointer() {
    ParameterShapes found = whole_;
    found["tables/item"] = {301, 32};
    const auto problems = train::unfitParameters(sample(), whole_, found);
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0].pointer, std::string("/tables/1/embedding_dim"));
    QCOMPARE(problems[0].message,
             std::string("tables/item is [301, 16] here and [301, 32] in the checkpoint"));
    QCOMPARE(problems[0].accepted, std::string("32"));
  }
  void otherRowsAreThoseOfTheVocabulary() {
    ParameterShapes found = whole_;
    found["tables/user"] = {402, 16};
    const auto problems = train::unfitParameters(sample(), whole_, found);
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0].pointer, std::string("/dataset/vocabularies/0"));
  }
  void whatIsOnOneSideAloneIsTold() {
    ParameterShapes more = whole_;
    more["dense/query_0_kernel"] = {16, 8};
    QCOMPARE(train::unfitParameters(sample(), more, whole_).size(), std::size_t{1});
    const auto problems = train::unfitParameters(sample(), whole_, more);
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0].pointer, std::string("/model"));
  }
  void aTrainedTemperatureMayBeOnOneSideAlone() {
    ParameterShapes more = whole_;
    more["dense/loss_log_temperature"] = {1, 1};
    QVERIFY(train::unfitParameters(sample(), more, whole_).empty());
    QVERIFY(train::unfitParameters(sample(), whole_, more).empty());
  }

  void aWarmStartNeedsATableAsWide() {
    experiment::Experiment into = sample(), from = sample();
    QVERIFY(!train::warmStartProblem(into, 0, from));
    into.tables[0].warmStart = experiment::WarmStart{.run = "abc"};
    QVERIFY(!train::warmStartProblem(into, 0, from));
    QCOMPARE(train::warmStartTable(into.tables[0], from)->name, std::string("user"));
    from.tables[0].embeddingDim = 8;
    QVERIFY(train::warmStartProblem(into, 0, from)->message.find("8 wide") != std::string::npos);
    into.tables[0].warmStart->table = "iten";
    const auto problem = train::warmStartProblem(into, 0, from);
    QCOMPARE(problem->pointer, std::string("/tables/0/warm_start/table"));
    QVERIFY(problem->message.find("did you mean \"item\"") != std::string::npos);
  }
  // Row 0 of a direct vocabulary is padding, or an id.
  void unknownIdsShareARowOnlyWhereBothHaveOne() {
    experiment::Experiment direct = sample(), compressed = sample();
    for (experiment::Vocabulary& vocabulary : compressed.dataset.vocabularies)
      vocabulary.kind = experiment::VocabularyKind::kCompressed;
    const auto shares = [](const experiment::Experiment& a, const experiment::Experiment& b) {
      return train::sharesUnknownRow(a, a.tables[0], b, b.tables[0]);
    };
    QVERIFY(shares(compressed, compressed));
    QVERIFY(!shares(direct, compressed));
    QVERIFY(!shares(compressed, direct));
  }
};

QTEST_GUILESS_MAIN(ParameterFitTest)
#include "parameter_fit_test.moc"
