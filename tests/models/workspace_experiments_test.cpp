// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/workspace_experiments.h"

#include <unistd.h>

#include <QAbstractItemModelTester>
#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "engine/experiment/experiment.h"
#include "ui/models/document_source.h"
#include "ui/models/experiments_model.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

constexpr int kLongMs = 20'000;

SourcedDocument sample() {
  return documentOfRecipe(QStringLiteral("sample"), {}).value();
}

/// A window's share of a workspace, without the window.
struct Program {
  explicit Program(const QString& folder, const QString& settings = {})
      : workspace(workspace::Workspace::open((folder + "/workspace").toStdString(),
                                             [](const std::string&) {})
                      .value()),
        experiments(*workspace, editor,
                    (settings.isEmpty() ? folder + "/autosave" : settings).toStdString()) {}

  void load() {
    const SourcedDocument source = sample();
    editor.load(source.document, source.origin);
  }
  void setEpochs(int epochs) { editor.setValue("/training/epochs", epochs, "Change epochs"); }
  int storedEpochs(const QString& name) {
    const auto found = workspace->store().experiments().find(name.toStdString());
    return found ? nlohmann::json::parse(found->document)["training"]["epochs"].get<int>() : -1;
  }
  std::vector<std::string> names() {
    std::vector<std::string> found;
    const auto records = workspace->store().experiments().list();
    for (const auto& record : records.value()) found.push_back(record.name);
    std::ranges::sort(found);
    return found;
  }

  std::unique_ptr<workspace::Workspace> workspace;
  ExperimentEditor editor;
  WorkspaceExperiments experiments;
};

}  // namespace

class WorkspaceExperimentsTest : public QObject {
  Q_OBJECT

  std::unique_ptr<QTemporaryDir> folder_;
  QString path() const { return folder_->path(); }

 private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void everyDocumentThatIsLoadedBecomesAnExperiment() {
    Program program(path());
    QVERIFY(!program.experiments.begin({}));
    program.load();
    QCOMPARE(program.editor.experimentName(), QString("sample-1"));
    QCOMPARE(program.editor.experiment().name, std::string("sample-1"));
    QVERIFY(!program.editor.modified());
    program.load();
    QCOMPARE(program.editor.experimentName(), QString("sample-2"));
    QCOMPARE(program.names(), (std::vector<std::string>{"sample-1", "sample-2"}));
  }

  void anEditIsStoredByItself() {
    Program program(path());
    program.experiments.begin({});
    program.load();
    program.setEpochs(7);
    QTRY_COMPARE_WITH_TIMEOUT(program.storedEpochs("sample-1"), 7, kLongMs);
    program.editor.undoStack().undo();
    QTRY_VERIFY_WITH_TIMEOUT(program.storedEpochs("sample-1") != 7, kLongMs);
  }

  void nothingReplacesAnEditedExperiment() {
    Program program(path());
    program.experiments.begin({});
    program.load();
    program.setEpochs(7);
    // At once, before the edit was stored by itself.
    program.load();
    QCOMPARE(program.storedEpochs("sample-1"), 7);
    program.setEpochs(8);
    const auto first = program.workspace->store().experiments().find("sample-1");
    program.experiments.open(QString::fromStdString(first->id));
    QCOMPARE(program.storedEpochs("sample-2"), 8);
    QCOMPARE(program.editor.experiment().training.epochs, 7);
    QCOMPARE(program.editor.undoStack().count(), 0);
  }

  void comesBackAfterARestartAndIsNotReplacedThen() {
    QString id;
    {
      Program program(path());
      program.experiments.begin({});
      program.load();
      program.setEpochs(7);
      program.load();
      id = program.experiments.currentId();
      program.setEpochs(9);
    }
    {
      Program again(path());
      QVERIFY(again.experiments.begin(id));
      QCOMPARE(again.editor.experimentName(), QString("sample-2"));
      QCOMPARE(again.editor.experiment().training.epochs, 9);
      QVERIFY(!again.editor.modified());
      again.load();
    }
    Program last(path());
    QCOMPARE(last.storedEpochs("sample-1"), 7);
    QCOMPARE(last.storedEpochs("sample-2"), 9);
    QVERIFY(last.experiments.begin("no such id"));
    QCOMPARE(last.editor.experimentName(), QString("sample-3"));
  }

  void textThatIsNoJsonComesBackToo() {
    {
      Program program(path());
      program.experiments.begin({});
      program.load();
      program.editor.setText("{ \"parapet\": 1, ");
    }
    Program again(path());
    QVERIFY(again.experiments.begin({}));
    QCOMPARE(again.editor.text(), QString("{ \"parapet\": 1, "));
    QVERIFY(!again.editor.runnable());
  }

  void whatAnEarlierVersionLeftBecomesAnExperiment() {
    QVERIFY(QDir().mkpath(path() + "/autosave"));
    QFile out(path() + "/autosave/experiment.json");
    QVERIFY(out.open(QIODevice::WriteOnly));
    nlohmann::json document = sample().document;
    document["name"] = "My clicks";
    document["training"]["epochs"] = 13;
    document["evaluation"]["relevant_from"] = 3;  // a key of that time
    document["evaluation"].erase("relevance_threshold");
    out.write(QByteArray::fromStdString(nlohmann::json{
        {"version", 1}, {"document", document}, {"origin", "sample"}, {"draft", "{ oops"}}
                                            .dump()));
    out.close();
    Program program(path());
    QVERIFY(program.experiments.begin({}));
    QCOMPARE(program.editor.experimentName(), QString("My-clicks"));
    QCOMPARE(program.editor.text(), QString("{ oops"));
    QCOMPARE(program.storedEpochs("My-clicks"), 13);
    QCOMPARE(program.workspace->store().experiments().find("My-clicks")->draft,
             std::string("{ oops"));
    QVERIFY(!out.exists());
  }

  void theSecondOfTwoProgramsIsToldAndKeepsItsEdit() {
    Program one(path()), two(path(), path() + "/other");
    one.experiments.begin({});
    one.load();
    QVERIFY(two.experiments.begin({}));
    QSignalSpy told(&two.experiments, &WorkspaceExperiments::told);
    one.setEpochs(7);
    QVERIFY(one.experiments.saveNow());
    two.setEpochs(8);
    QVERIFY(two.experiments.saveNow());
    QCOMPARE(told.size(), 1);
    QVERIFY(told.front().front().toString().contains("sample-2"));
    QCOMPARE(two.editor.experimentName(), QString("sample-2"));
    QCOMPARE(one.storedEpochs("sample-1"), 7);
    QCOMPARE(one.storedEpochs("sample-2"), 8);
    two.setEpochs(9);
    QVERIFY(two.experiments.saveNow());
    QCOMPARE(told.size(), 1);
    QCOMPARE(one.storedEpochs("sample-2"), 9);
  }

  void aProgramThatEditsNothingFollowsTheOther() {
    Program one(path()), two(path(), path() + "/other");
    one.experiments.begin({});
    one.load();
    QVERIFY(two.experiments.begin({}));
    QSignalSpy told(&two.experiments, &WorkspaceExperiments::told);
    one.setEpochs(7);
    QVERIFY(one.experiments.saveNow());
    two.experiments.poll();
    QTRY_COMPARE_WITH_TIMEOUT(two.editor.experiment().training.epochs, 7, kLongMs);
    QCOMPARE(told.size(), 1);
    QCOMPARE(two.editor.undoStack().count(), 1);
    // Undo is an edit of this program, of the newest revision.
    two.editor.undoStack().undo();
    QVERIFY(two.experiments.saveNow());
    QCOMPARE(two.editor.experimentName(), QString("sample-1"));
    QVERIFY(one.storedEpochs("sample-1") != 7);
  }

  void openingChangesNothing() {
    Program one(path()), two(path(), path() + "/other");
    one.experiments.begin({});
    one.load();
    QVERIFY(two.experiments.begin({}));
    two.editor.setPreflightFindings({{{"/tables", "too large", ""}}, {}});
    QVERIFY(two.experiments.saveNow());
    QCOMPARE(one.workspace->store().experiments().find("sample-1")->revision, 1);
  }

  void anExperimentThatIsDeletedElsewhereStaysOpen() {
    Program one(path()), two(path(), path() + "/other");
    one.experiments.begin({});
    one.load();
    QVERIFY(two.experiments.begin({}));
    QSignalSpy told(&two.experiments, &WorkspaceExperiments::told);
    one.experiments.remove(one.experiments.currentId());
    two.experiments.poll();
    QTRY_COMPARE_WITH_TIMEOUT(told.size(), 1, kLongMs);
    two.setEpochs(5);
    QVERIFY(two.experiments.saveNow());
    QCOMPARE(one.storedEpochs(two.editor.experimentName()), 5);
  }

  void renamesTheOpenOneByAnUndoStep() {
    Program program(path());
    program.experiments.begin({});
    program.load();
    const QString id = program.experiments.currentId();
    QVERIFY(program.experiments.rename(id, "clicks").ok());
    QCOMPARE(program.editor.experimentName(), QString("clicks"));
    QCOMPARE(program.names(), (std::vector<std::string>{"clicks"}));
    program.editor.undoStack().undo();
    QVERIFY(program.experiments.saveNow());
    QCOMPARE(program.names(), (std::vector<std::string>{"sample-1"}));
    program.editor.undoStack().redo();
    QVERIFY(program.experiments.saveNow());
    QCOMPARE(program.names(), (std::vector<std::string>{"clicks"}));
    QVERIFY(!program.experiments.rename(id, "no\nname").ok());
    program.load();
    QVERIFY(!program.experiments.rename(program.experiments.currentId(), "CLICKS").ok());
    QVERIFY(program.experiments.rename(id, "views").ok());
    QCOMPARE(program.editor.experimentName(), QString("sample-1"));
  }

  void aTitleIsFreeTextAndItsNameIsForCommands() {
    Program program(path());
    program.experiments.begin({});
    program.load();
    program.editor.setValue("/name", "Möbel 2026 🙂", "Change the name");
    QVERIFY(program.experiments.saveNow());
    QCOMPARE(program.editor.experimentTitle(), QString("Möbel 2026 🙂"));
    QCOMPARE(program.editor.experimentName(), QString("Moebel-2026"));
    QCOMPARE(program.editor.value("/name"), nlohmann::ordered_json("Möbel 2026 🙂"));
    QCOMPARE(program.names(), (std::vector<std::string>{"Moebel-2026"}));
    for (const QString& bad :
         {QString(), QStringLiteral("  "), QStringLiteral("a\u202Eb"), QString(121, 'x')})
      QVERIFY(!program.experiments.rename(program.experiments.currentId(), bad).ok());
    // An edit that is typed is refused as one from the list is.
    QSignalSpy told(&program.experiments, &WorkspaceExperiments::told);
    program.setEpochs(7);
    program.editor.setValue("/name", "a\tb", "Change the name");
    QVERIFY(program.experiments.saveNow());
    QCOMPARE(told.size(), 1);
    QVERIFY2(told[0][0].toString().contains("U+0009"), qPrintable(told[0][0].toString()));
    QCOMPARE(program.editor.value("/name"), nlohmann::ordered_json("Möbel 2026 🙂"));
    QCOMPARE(program.storedEpochs("Moebel-2026"), 7);
  }

  void theReasonsOfAProposalStayWithIt() {
    const std::string reasons = R"({"data":"x","reasons":[]})";
    QString id;
    {
      Program program(path());
      program.experiments.begin({});
      program.load();
      program.editor.setReasons(reasons);
      id = program.experiments.currentId();
      program.load();
      QVERIFY(program.editor.reasons().empty());
      program.experiments.open(id);
      QCOMPARE(program.editor.reasons(), reasons);
    }
    Program again(path());
    again.experiments.begin(id);
    QCOMPARE(again.editor.reasons(), reasons);
  }

  void aNameThatIsTakenIsToldOnceAndNothingIsLost() {
    Program program(path());
    program.experiments.begin({});
    program.load();
    program.load();
    QSignalSpy told(&program.experiments, &WorkspaceExperiments::told);
    program.editor.setValue("/name", "sample-1", "Change the name");
    QVERIFY(program.experiments.saveNow());
    // The field does not keep a name that the list does not have, nor does an undo bring it back.
    QCOMPARE(program.editor.value("/name"), nlohmann::ordered_json("sample-2"));
    QVERIFY(!program.editor.undoStack().canUndo());
    program.setEpochs(6);
    QVERIFY(program.experiments.saveNow());
    QCOMPARE(told.size(), 1);
    QCOMPARE(program.editor.experimentName(), QString("sample-2"));
    QCOMPARE(program.storedEpochs("sample-2"), 6);
  }

  void deletingCanBeUndone() {
    Program program(path());
    program.experiments.begin({});
    program.load();
    program.setEpochs(7);
    const QString id = program.experiments.currentId();
    QSignalSpy removed(&program.experiments, &WorkspaceExperiments::removed);
    program.experiments.remove(id);
    QCOMPARE(removed.size(), 1);
    // Something is always open.
    QVERIFY(!program.editor.experimentName().isEmpty());
    QVERIFY(program.experiments.currentId() != id);
    program.experiments.restore(id);
    QCOMPARE(program.experiments.currentId(), id);
    QCOMPARE(program.editor.experiment().training.epochs, 7);
  }

  void duplicatesAndOpensTheCopy() {
    Program program(path());
    program.experiments.begin({});
    program.load();
    program.setEpochs(7);
    program.experiments.duplicate(program.experiments.currentId());
    QCOMPARE(program.editor.experimentName(), QString("sample-2"));
    QCOMPARE(program.editor.experiment().training.epochs, 7);
  }

  void editsOfAWorkspaceThatCanOnlyBeReadAreKept() {
    if (::geteuid() == 0) QSKIP("root may write everywhere");
    {
      Program program(path());
      program.experiments.begin({});
      program.load();
    }
    const QString locked = path() + "/workspace";
    QVERIFY(QFile::setPermissions(locked, QFile::ReadOwner | QFile::ExeOwner));
    {
      Program program(path());
      QVERIFY(program.experiments.begin({}));
      program.setEpochs(21);
    }
    QVERIFY(QFile::setPermissions(locked, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    Program again(path());
    QVERIFY(again.experiments.begin({}));
    QCOMPARE(again.editor.experiment().training.epochs, 21);
    QCOMPARE(again.editor.experimentName(), QString("sample-2"));
  }

  void theListFollows() {
    Program program(path());
    program.experiments.begin({});
    ExperimentsModel model(program.experiments, ExperimentsModel::Content::kExperimentsAndRecipes);
    QAbstractItemModelTester tester(&model);
    const int recipes = static_cast<int>(experiment::recipes().size());
    QCOMPARE(model.rowCount(), recipes);
    program.load();
    QCOMPARE(model.rowCount(), recipes + 1);
    const QModelIndex first = model.index(0, ExperimentsModel::kName);
    QCOMPARE(first.data().toString(), QString("sample-1 (open)"));
    QVERIFY(first.flags() & Qt::ItemIsEditable);
    QSignalSpy refused(&model, &ExperimentsModel::refused);
    QVERIFY(!model.setData(first, "a\tb"));
    QCOMPARE(refused.size(), 1);
    QVERIFY(model.setData(first, "clicks"));
    QCOMPARE(model.index(0, 0).data().toString(), QString("clicks (open)"));
    ExperimentsFilter filter;
    filter.setSourceModel(&model);
    filter.setText("recipe dlrm");
    QCOMPARE(filter.rowCount(), 1);
    QCOMPARE(filter.index(0, 0).data(ExperimentsModel::kIdRole).toString(), QString("dlrm"));
    filter.setText("CLI");
    QVERIFY(filter.rowCount() >= 1);
    QCOMPARE(filter.index(0, 0).data().toString(), QString("clicks (open)"));
  }
};

QTEST_GUILESS_MAIN(WorkspaceExperimentsTest)
#include "workspace_experiments_test.moc"
