// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "tests/experiment/sample_document.h"

using namespace parapet;
using namespace parapet::experiment;

class DifferencesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void findsNothingBetweenEqualDocuments() {
    const Experiment sample = parse(test::recipeJson("sample")).experiment;
    QVERIFY(differences(sample, sample).empty());
  }

  void namesLeaves() {
    const Experiment left = parse(test::recipeJson("sample")).experiment;
    Experiment right = left;
    right.optimizer.learningRate = 0.25;
    right.tables[1].embeddingDim = 8;
    const auto found = differences(left, right);
    QCOMPARE(found.size(), std::size_t{2});
    QCOMPARE(found[0].pointer, std::string("/tables/1/embedding_dim"));
    QCOMPARE(found[0].left, nlohmann::json(16));
    QCOMPARE(found[0].right, nlohmann::json(8));
    QCOMPARE(found[1].pointer, std::string("/optimizer/learning_rate"));
  }

  void givesNullForWhatOneSideLacks() {
    const Experiment left = parse(test::recipeJson("sample")).experiment;
    Experiment right = left;
    right.training.earlyStopping = EarlyStopping{};
    right.tables.pop_back();
    bool patience = false;
    bool tableName = false;
    for (const Difference& difference : differences(left, right)) {
      patience |= difference.pointer == "/training/early_stopping/patience" &&
                  difference.left.is_null() && difference.right == 5;
      tableName |= difference.pointer == "/tables/1/name" && difference.left == "item" &&
                   difference.right.is_null();
      QVERIFY2(!difference.left.is_object() && !difference.right.is_object(),
               difference.pointer.c_str());
    }
    QVERIFY(patience && tableName);
  }

  void namesKeysOfBothKinds() {
    Experiment left = parse(test::recipeJson("sample")).experiment;
    Experiment right = left;
    left.optimizer.kind = OptimizerKind::kAdagrad;
    right.optimizer.kind = OptimizerKind::kAdam;
    std::vector<std::string> pointers;
    for (const Difference& difference : differences(left, right))
      pointers.push_back(difference.pointer);
    QVERIFY(std::ranges::find(pointers, "/optimizer/beta1") != pointers.end());
    QVERIFY(std::ranges::find(pointers, "/optimizer/initial_accumulator") != pointers.end());
  }
};

QTEST_GUILESS_MAIN(DifferencesTest)
#include "differences_test.moc"
