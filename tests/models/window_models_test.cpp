// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "ui/models/document_source.h"
#include "ui/models/fuzzy_match.h"
#include "ui/models/log_model.h"
#include "ui/models/palette_model.h"
#include "ui/models/settings_file.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

LogEntry entry(LogLevel level, const QString& message) {
  return {QDateTime(QDate(2026, 1, 2), QTime(3, 4, 5, 678)), level, message};
}

}  // namespace

class WindowModelsTest : public QObject {
  Q_OBJECT

 private slots:
  void fuzzyMatchWantsTheLettersInOrder() {
    QVERIFY(fuzzyScore("exp", "Export the curves"));
    QVERIFY(fuzzyScore("EC", "export curves"));
    QVERIFY(!fuzzyScore("pxe", "Export"));
    QVERIFY(!fuzzyScore("exports", "Export"));
    QCOMPARE(fuzzyScore("  ", "anything"), std::optional(0));
    QVERIFY(!fuzzyScore("a", ""));
  }

  void fuzzyMatchPrefersWordStartsAndNeighbours() {
    QVERIFY(*fuzzyScore("expc", "Export the curves…") > *fuzzyScore("expc", "Expand all topics"));
    QVERIFY(*fuzzyScore("run", "Run") > *fuzzyScore("run", "Grow until"));
  }

  void settingsComeBackWithoutTheirVersion() {
    const QTemporaryDir folder;
    const SettingsFile file((folder.path() + "/deep/settings.json").toStdString(), 1);
    QVERIFY(file.save({{"theme", "dark"}}).ok());
    SettingsFile again(file.path(), 1);
    QCOMPARE(again.load().dump(), std::string("{\"theme\":\"dark\"}"));
    QVERIFY(again.warning().empty());
  }

  void settingsThatAreNotThereAreEmpty() {
    const QTemporaryDir folder;
    SettingsFile file((folder.path() + "/none.json").toStdString(), 1);
    QVERIFY(file.load().empty());
    QVERIFY(file.warning().empty());
  }

  void logKeepsTheNewest() {
    LogModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVector<LogEntry> many;
    for (int i = 0; i < LogModel::kMaxRows; ++i)
      many.append(entry(LogLevel::kInfo, QString::number(i)));
    model.append(many);
    model.append({entry(LogLevel::kError, "last")});
    QCOMPARE(model.rowCount(), LogModel::kMaxRows);
    QCOMPARE(model.entry(0).message, QString("1"));
    QCOMPARE(model.entry(LogModel::kMaxRows - 1).message, QString("last"));
  }

  void logFiltersByLevelAndText() {
    LogModel model;
    LogFilterModel shown;
    shown.setSourceModel(&model);
    const QAbstractItemModelTester tester(&shown,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.append({entry(LogLevel::kInfo, "run started"), entry(LogLevel::kWarning, "disk is slow"),
                  entry(LogLevel::kError, "disk is full")});
    shown.setMinLevel(LogLevel::kWarning);
    QCOMPARE(shown.rowCount(), 2);
    shown.setText("FULL");
    QCOMPARE(shown.asText(), QString("03:04:05.678  error  disk is full"));
  }

  void paletteListsTheBestFirstAndWhatCannotBeDoneLast() {
    QAction run("&Run"), rename("Rename the run"), quit("&Quit");
    run.setEnabled(false);
    PaletteModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setActions({&run, &rename, &quit});
    QCOMPARE(model.rowCount(), 3);
    model.setTyped("run");
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.action(0), &rename);
    QCOMPARE(model.action(1), &run);
    QVERIFY(!model.flags(model.index(1)).testFlag(Qt::ItemIsEnabled));
  }

  void documentsComeFromRecipesFilesAndFolders() {
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkpath("ml-100k"));
    QFile(folder.filePath("ml-100k/u.data")).open(QIODevice::WriteOnly);
    const auto dropped = documentOfDrop(folder.path());
    QCOMPARE(dropped->origin, QString("movielens-retrieval-learned"));
    QCOMPARE(dropped->document["dataset"]["path"].get<std::string>(),
             folder.filePath("ml-100k").toStdString());
    QCOMPARE(documentOf("sample", {})->document["name"].get<std::string>(), std::string("sample"));
    QCOMPARE(documentOf("samplee", {}).error().code, ErrorCode::kNotFound);
    QCOMPARE(documentOf("/no/such/file.json", {}).error().code, ErrorCode::kNotFound);
    QFile other(folder.filePath("other.json"));
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write("[1, 2]");
    other.close();
    QCOMPARE(documentOfFile(other.fileName()).error().code, ErrorCode::kInvalidDocument);
  }
};

QTEST_MAIN(WindowModelsTest)  // actions need an application with a screen
#include "window_models_test.moc"
