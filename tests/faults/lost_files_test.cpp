// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <filesystem>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

namespace fs = std::filesystem;

/// Files that shrink under the program: an error with their name, never a signal.
class LostFilesTest : public QObject {
  Q_OBJECT

  static fs::path columnOf(const Cli& cli, const char* name) {
    for (const auto& entry : fs::directory_iterator((cli.workspace() + "/datasets").toStdString()))
      if (fs::exists(entry.path() / name)) return entry.path() / name;
    return {};
  }

 private Q_SLOTS:
  void aColumnUnderTrainIsNamed_data() {
    QTest::addColumn<QString>("cache");
    for (const char* cache : {"true", "false"}) QTest::newRow(cache) << QString(cache);
  }
  void aColumnUnderTrainIsNamed() {
    QFETCH(QString, cache);
    const Cli cli;
    const auto process = cli.start({"train", "sample", "--epochs", "100000", "--json", "--set",
                                    "/dataset/batch/cache=" + cache});
    QByteArray seen;
    QVERIFY2(Cli::waitForStderr(*process, "epoch 2/", seen), seen.constData());
    const fs::path column = columnOf(cli, "label.f32");
    QVERIFY(!column.empty());
    fs::resize_file(column, 0);
    const CliResult result = Cli::finish(*process);
    QVERIFY2(result.code == 1, result.err.constData());
    const json answer = result.json();
    QCOMPARE(answer["state"], json("Failed"));
    QCOMPARE(answer["error"]["path"], json(column.string()));
    QVERIFY2(result.err.contains("label.f32"), result.err.constData());
    const CliResult shown = cli.ask({"show", "latest"});
    QCOMPARE(shown.json()["state"], json("Failed"));
  }

  void aSourceUnderImportIsNamed() {
    const Cli cli;
    QByteArray rows = "userId,itemId,rating,timestamp\n";
    for (int row = 0; row < 2'000'000; ++row)
      rows += "u" + QByteArray::number(row % 20011) + ",i" + QByteArray::number(row % 9001) + "," +
              QByteArray::number(1 + row % 5) + "," + QByteArray::number(1'000'000'000 + row) +
              "\n";
    const QString source = cli.write("rows.csv", rows);
    const QString document = cli.write("rows.json", R"({"parapet": 1, "name": "rows",
      "dataset": {"source": "csv", "path": ")" + source.toUtf8() +
                                                        R"(",
        "columns": [{"name": "user", "role": "user", "from": "userId"},
                    {"name": "item", "role": "item", "from": "itemId"},
                    {"name": "time", "role": "time", "from": "timestamp"}],
        "label": {"column": "rating", "scale": [1, 5]},
        "vocabularies": [{"name": "user", "kind": "compressed"}, {"name": "item", "kind": "compressed"}],
        "batch": {"size": 100}},
      "tables": [{"name": "user", "vocabulary": "user", "embedding_dim": 8},
                 {"name": "item", "vocabulary": "item", "embedding_dim": 8}],
      "features": [{"name": "user", "column": "user", "table": "user", "tower": "query"},
                   {"name": "item", "column": "item", "table": "item", "tower": "candidate"}],
      "model": {"kind": "retrieval"}})");
    const auto process = cli.start({"import", document, "--json"});
    const QString datasets = cli.workspace() + "/datasets";
    while (process->state() != QProcess::NotRunning && QDir(datasets).isEmpty())
      (void)process->waitForFinished(1);
    fs::resize_file(source.toStdString(), 0);
    const CliResult result = Cli::finish(*process);
    QVERIFY2(result.code == 1, result.err.constData());
    QCOMPARE(result.json()["error"]["path"], json(source.toStdString()));
    QVERIFY2(result.err.contains("rows.csv"), result.err.constData());
  }
};

QTEST_GUILESS_MAIN(LostFilesTest)
#include "lost_files_test.moc"
