// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "engine/workspace/proposal.h"
#include "ui/models/app_settings.h"
#include "ui/models/document_names.h"
#include "ui/models/document_source.h"
#include "ui/models/log_model.h"
#include "ui/models/palette_model.h"
#include "ui/models/recipe_summary.h"

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

  void documentsComeFromRecipesAndFiles() {
    const QTemporaryDir folder;
    QCOMPARE(documentOf("sample", {})->document["name"].get<std::string>(), std::string("sample"));
    QCOMPARE(documentOf("samplee", {}).error().code, ErrorCode::kNotFound);
    QCOMPARE(documentOf("/no/such/file.json", {}).error().code, ErrorCode::kNotFound);
    QFile other(folder.filePath("other.json"));
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write("[1, 2]");
    other.close();
    QCOMPARE(documentOfFile(other.fileName()).error().code, ErrorCode::kInvalidDocument);
  }

  /// Four recipes that once took MovieLens for their data.
  void recipesTakeTheirOwnData_data() {
    QTest::addColumn<QString>("recipe");
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("needs");
    QTest::addColumn<bool>("hasDownload");
    const QByteArray prose("The quick fox jumps over the dog .\nThe lazy dog sleeps again .\n");
    QTest::newRow("frappe")
        << "frappe-context"
        << "frappe.csv"
        << QByteArray(
               "user\titem\tcnt\tdaytime\tweekday\tisweekend\thomework\tcost\t"
               "weather\tcountry\tcity\n"
               "1\t2\t1\tmorning\tsunday\tweekend\thome\tfree\tsunny\tSpain\t0\n")
        << "user, item, daytime and 6 more" << false;
    QTest::newRow("bert") << "bert-tiny-mlm"
                          << "train.txt" << prose << "Needs texts" << true;
    QTest::newRow("bert as published") << "bert-tiny-mlm-as-published"
                                       << "train.txt" << prose << "Needs texts" << true;
    QTest::newRow("yambda") << "yambda-context-as-published"
                            << "" << QByteArray() << "Parquet file with the columns uid" << true;
  }
  void recipesTakeTheirOwnData() {
    QFETCH(QString, recipe);
    QFETCH(QString, file);
    QFETCH(QByteArray, content);
    QFETCH(QString, needs);
    QFETCH(bool, hasDownload);
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkpath("ml-100k"));
    QFile ratings(folder.filePath("ml-100k/u.data"));
    QVERIFY(ratings.open(QIODevice::WriteOnly));
    ratings.write("1\t2\t3\t4\n");
    ratings.flush();
    // A folder is what its contents are, whatever it is called.
    QVERIFY(!recipesFor(folder.filePath("ml-100k")).contains("movielens-listwise"));
    for (int row = 1; row < 100'000; ++row)
      ratings.write(QByteArray::number(row % 943 + 1) + '\t' + QByteArray::number(row % 1682 + 1) +
                    "\t3\t4\n");
    ratings.close();
    const QStringList ofMovieLens = recipesFor(folder.filePath("ml-100k"));
    QVERIFY(ofMovieLens.contains("movielens-listwise"));
    QVERIFY(!ofMovieLens.contains(recipe));
    const auto refused = documentOfRecipe(recipe, folder.filePath("ml-100k"));
    QVERIFY(!refused);
    QCOMPARE(refused.error().pointer, std::string("/dataset/path"));
    const auto summaries = recipeSummaries();
    const auto found = std::ranges::find(summaries, recipe, &RecipeSummary::name);
    QVERIFY2(found->needs.contains(needs), qPrintable(found->needs));
    QVERIFY(!found->needs.contains("MovieLens"));
    QCOMPARE(!found->download.isEmpty(), hasDownload);
    QCOMPARE(found->model.startsWith("Masked language model"), recipe.startsWith("bert"));
    if (file.isEmpty()) return;
    QFile own(folder.filePath(file));
    QVERIFY(own.open(QIODevice::WriteOnly));
    own.write(content);
    own.close();
    const QStringList ofOwn = recipesFor(own.fileName());
    QVERIFY2(ofOwn.contains(recipe), qPrintable(ofOwn.join(' ')));
    QVERIFY(!ofOwn.contains("movielens-listwise"));
    QVERIFY(documentOfRecipe(recipe, own.fileName()).ok());
  }

  void namesOfDataAreKnownAsProposed() {
    QCOMPARE(workspace::nameOfData("/a/My ratings.2024.csv"), std::string("My-ratings"));
    QVERIFY(isProposedName("ml-100k", "sample", "/data/ml-100k"));
    QVERIFY(isProposedName("clicks-2", "", "/data/clicks.csv"));
    QVERIFY(isProposedName("clicks", "clicks.csv", ""));
    QVERIFY(isProposedName("sample-12", "sample", ""));
    QVERIFY(!isProposedName("sample-12", "dlrm", ""));
    QVERIFY(!isProposedName("mine", "sample", "/data/clicks.csv"));
    QVERIFY(!isProposedName("clicks-old", "sample", "/data/clicks.csv"));
    QVERIFY(!isProposedName("clicks", "/home/me/clicks.json", ""));
  }
};

QTEST_MAIN(WindowModelsTest)  // actions need an application with a screen
#include "window_models_test.moc"
