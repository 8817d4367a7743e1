// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/experiment_editor.h"

#include <QFloat16>
#include <QSignalSpy>
#include <QTest>

#include "ui/models/document_edits.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

nlohmann::json sample() {
  nlohmann::json document = *experiment::parseJson(experiment::findRecipe("sample")->text);
  document["training"]["epochs"] = 20;
  document["tables"][0]["embedding_dim"] = document["tables"][1]["embedding_dim"] = 16;
  return document;
}

}  // namespace

class ExperimentEditorTest : public QObject {
  Q_OBJECT

  ExperimentEditor editor_;

 private slots:
  void init() { editor_.load(sample(), "sample"); }

  void fillsInEveryDefault() {
    QVERIFY(editor_.runnable());
    QCOMPARE(editor_.value("/dataset/max_rejected_share"), Document(0.01));
    QCOMPARE(editor_.document(), experiment::toJson(editor_.experiment()));
    QVERIFY(!editor_.modified());
    QCOMPARE(editor_.origin(), QString("sample"));
  }

  void setsAndTakesBackAValue() {
    const Document before = editor_.document();
    QSignalSpy changes(&editor_, &ExperimentEditor::documentChanged);
    editor_.setValue("/training/epochs", 3, "Change epochs");
    QCOMPARE(editor_.experiment().training.epochs, 3);
    QVERIFY(editor_.modified());
    editor_.undoStack().undo();
    QCOMPARE(editor_.document(), before);
    QVERIFY(!editor_.modified());
    editor_.undoStack().redo();
    QCOMPARE(editor_.experiment().training.epochs, 3);
    QCOMPARE(changes.count(), 3);
  }

  void aPublishedCurveLeavesWithTheChangeThatMakesItAnothers() {
    nlohmann::json recipe =
        *experiment::parseJson(experiment::findRecipe("movielens-retrieval")->text);
    editor_.load(recipe, "movielens-retrieval");
    QSignalSpy left(&editor_, &ExperimentEditor::publishedRunLeft);
    editor_.setValue("/optimizer/learning_rate", 0.1, "Change the rate");
    editor_.setValue("/dataset/path", "/data/ml-100k", "Choose the data");
    QVERIFY(left.isEmpty());
    const Document before = editor_.document();
    editor_.setValue("/loss/kind", "in_batch_softmax", "Change the loss");
    QVERIFY(editor_.value("/reference/curve").is_null());
    QCOMPARE(left.size(), 1);
    QCOMPARE(left[0][0].toString(), QString("keras-data-parallel-retrieval"));
    QCOMPARE(left[0][1].toString(), QString("the loss"));
    editor_.undoStack().undo();
    QCOMPARE(editor_.document(), before);
    editor_.undoStack().redo();
    QVERIFY(editor_.value("/reference/curve").is_null());
    // Named on purpose, it stays.
    editor_.setValue("/reference/curve", "keras-data-parallel-retrieval", "Keep it");
    editor_.setValue("/loss/temperature", 0.5, "Change the loss");
    QVERIFY(!editor_.value("/reference/curve").is_null());
  }

  void ignoresChangesThatChangeNothing() {
    editor_.setValue("/training/epochs", 20, "Change epochs");
    editor_.setText(editor_.text() + "\n\n");
    QCOMPARE(editor_.undoStack().count(), 0);
  }

  void insertsAndRemovesElements() {
    const Document before = editor_.document();
    editor_.insertElement("/tables", 1, {{"name", "extra"}, {"vocabulary", "item"}}, "Add");
    QCOMPARE(editor_.experiment().tables.size(), std::size_t{3});
    QCOMPARE(editor_.value("/tables/1/embedding_dim"), Document(32));
    editor_.removeElement("/tables", 1, "Remove");
    QCOMPARE(editor_.document(), before);
    editor_.undoStack().undo();
    QCOMPARE(editor_.experiment().tables[1].name, std::string("extra"));
    editor_.undoStack().undo();
    QCOMPARE(editor_.document(), before);
  }

  void mergesChangesOfOnePlaceWithinASecond() {
    editor_.setValue("/training/epochs", 2, "Change epochs");
    editor_.setValue("/training/epochs", 25, "Change epochs");
    QCOMPARE(editor_.undoStack().count(), 1);
    editor_.setValue("/training/seed", 1, "Change seed");
    QCOMPARE(editor_.undoStack().count(), 2);
    editor_.undoStack().undo();
    editor_.undoStack().undo();
    QCOMPARE(editor_.experiment().training.epochs, 20);
  }

  void dropsAMergedStepThatLeadsBack() {
    editor_.setValue("/training/epochs", 2, "Change epochs");
    editor_.setValue("/training/epochs", 20, "Change epochs");
    QCOMPARE(editor_.undoStack().count(), 0);
    QVERIFY(!editor_.modified());
  }

  void keepsTextThatIsNoJsonAsADraft() {
    const Document before = editor_.document();
    editor_.setText("{\n \"name\": \"x\",\n oops }");
    QVERIFY(editor_.draftError());
    QCOMPARE(editor_.draftError()->line.value_or(0), 3);
    QVERIFY(!editor_.runnable());
    QVERIFY(editor_.modified());
    QVERIFY(editor_.text().contains("oops"));
    QCOMPARE(editor_.document(), before);
    QCOMPARE(editor_.undoStack().count(), 0);
  }

  void recoversFromADraft() {
    const QString good = editor_.text();
    editor_.setText("{");
    QSignalSpy findings(&editor_, &ExperimentEditor::findingsChanged);
    editor_.setText(good);
    QVERIFY(!editor_.draftError() && editor_.runnable() && !editor_.modified());
    QCOMPARE(findings.count(), 1);
  }

  void typedTextIsOneStep() {
    QString text = editor_.text();
    editor_.setText(text.replace("\"epochs\": 20", "\"epochs\": 7"));
    QCOMPARE(editor_.experiment().training.epochs, 7);
    QCOMPARE(editor_.undoStack().count(), 1);
    editor_.undoStack().undo();
    QCOMPARE(editor_.experiment().training.epochs, 20);
  }

  void keepsWrongValuesAndUnknownKeys() {
    editor_.setValue("/tables/0/embedding_dim", 0, "Change dim");
    QCOMPARE(editor_.value("/tables/0/embedding_dim"), Document(0));
    QVERIFY(!editor_.runnable());
    nlohmann::json document = sample();
    document["traning"] = 5;
    editor_.load(document, "x");
    QCOMPARE(editor_.value("/traning"), Document(5));
    QCOMPARE(editor_.findingsAt("/traning").problems.size(), std::size_t{1});
  }

  void findsWhatLiesBelowAPlace() {
    editor_.setValue("/tables/1/embedding_dim", 0, "Change dim");
    QCOMPARE(editor_.findingsAt("/tables/1/embedding_dim").problems.size(), std::size_t{1});
    QCOMPARE(editor_.findingsAt("/tables/1").problems.size(), std::size_t{1});
    QCOMPARE(editor_.findingsAt("/tables/0").problems.size(), std::size_t{0});
    QCOMPARE(editor_.findingsAt("/tables/10").problems.size(), std::size_t{0});
    QCOMPARE(editor_.findingsAt("").problems.size(), editor_.findings().problems.size());
  }

  void addsPreflightAndForgetsItWithTheDocument() {
    experiment::Findings findings;
    findings.problems.push_back({"/dataset/batch/size", "too large", "less"});
    editor_.setPreflightFindings(findings);
    editor_.setPreflightFindings(findings);
    QCOMPARE(editor_.findings().problems.size(), std::size_t{1});
    QVERIFY(!editor_.runnable());
    editor_.setValue("/training/epochs", 5, "Change epochs");
    QVERIFY(editor_.runnable());
  }

  void changesOfKindBringTheirOwnDefaults() {
    editor_.setValue("/optimizer/epsilon", 1e-5, "Change epsilon");
    editor_.setValue("/optimizer/kind", "adam", "Change kind");
    QVERIFY(editor_.runnable());
    QVERIFY(editor_.value("/optimizer/initial_accumulator").is_null());
    QCOMPARE(editor_.value("/optimizer/beta1"), Document(0.9));
    QCOMPARE(editor_.value("/optimizer/epsilon"), Document(1e-5));
    editor_.setValue("/dataset/source", "movielens", "Change source");
    QVERIFY(editor_.runnable());
    QVERIFY(editor_.value("/dataset/generator").is_null());
    QCOMPARE(editor_.experiment().dataset.vocabularies.size(), std::size_t{2});
  }

  void optionalPartsCanBeAddedAndTakenAway() {
    editor_.setValue("/training/early_stopping", nlohmann::json::object(), "Stop early");
    QCOMPARE(editor_.value("/training/early_stopping/patience"), Document(5));
    editor_.setValue("/training/early_stopping", nullptr, "Do not stop early");
    QVERIFY(!editor_.experiment().training.earlyStopping);
  }

  void loadingForgetsTheHistory() {
    editor_.setValue("/training/epochs", 5, "Change epochs");
    editor_.setText("{");
    editor_.load(sample(), "run 12");
    QCOMPARE(editor_.undoStack().count(), 0);
    QVERIFY(!editor_.modified() && editor_.runnable());
    QCOMPARE(editor_.origin(), QString("run 12"));
  }

  void refusesPointersThatAreNone() {
    QVERIFY_EXCEPTION_THROWN(editor_.setValue("tables", 1, "x"), InvalidArgument);
  }

  void survivesDocumentsOfAnyShape() {
    for (const char* text :
         {"null", "[]", "3", "{}", R"({"tables": {}})", R"({"tables": [1, null]})",
          R"({"dataset": [], "optimizer": {"kind": 7}})"}) {
      editor_.setText(text);
      QVERIFY2(!editor_.runnable(), text);
      editor_.setValue("/tables/0/name", "x", "Change name");
      editor_.insertElement("/features", 9, 1, "Add");
      editor_.removeElement("/features", 4, "Remove");
    }
  }
};

QTEST_GUILESS_MAIN(ExperimentEditorTest)
#include "experiment_editor_test.moc"
