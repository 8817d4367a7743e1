// SPDX-License-Identifier: Apache-2.0
// The reader of docs/serving.md gives the lists of the program.
#include <QFile>
#include <QProcess>
#include <QtTest>

#include "tests/cli/cli_process.h"

using parapet::test::Cli;
using parapet::test::CliResult;

namespace {

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QFile::ReadOnly) ? file.readAll() : QByteArray();
}

/// The first block of Python of a document.
QByteArray readerOf(const QByteArray& document) {
  const qsizetype begin = document.indexOf("```python\n") + 10;
  return document.mid(begin, document.indexOf("```\n", begin) - begin);
}

/// The Python of the path, else that of the system; empty if neither has numpy.
QString pythonWithNumpy() {
  for (const char* name : {"python3", "/usr/bin/python3"}) {
    QProcess python;
    python.start(name, {"-c", "import numpy"});
    if (python.waitForFinished() && python.exitCode() == 0) return name;
  }
  return {};
}

}  // namespace

class ServingTest : public QObject {
  Q_OBJECT

  const Cli cli_;

 private Q_SLOTS:
  void theReaderOfTheDocumentsAgrees_data() {
    QTest::addColumn<QStringList>("training");
    QTest::addColumn<QStringList>("context");
    QTest::newRow("two tables") << QStringList{"sample", "--epochs", "2"} << QStringList();
    QTest::newRow("context and layers") << QStringList{"yambda-context", "--epochs", "1", "--set",
                                                       "/dataset/generator/events=20000"}
                                        << QStringList{"is_organic=1", "time_of_day=2"};
  }
  void theReaderOfTheDocumentsAgrees() {
    QFETCH(QStringList, training);
    QFETCH(QStringList, context);
    const QString python = pythonWithNumpy();
    if (python.isEmpty()) QSKIP("no python3 with numpy is here");
    QVERIFY(cli_.ask(QStringList{"train"} + training).code == 0);
    const QString model = cli_.folder(QString("model-") + training[0]);
    QVERIFY(cli_.ask({"export", "latest", "--what", "model", "--out", model}).code == 0);
    const QString reader = cli_.write("serve.py", readerOf(contentOf(PARAPET_DOCS "/serving.md")));
    const auto document =
        nlohmann::json::parse(contentOf(model + "/manifest.json").toStdString())["document"];
    std::string user = "user";
    for (const auto& column : document["dataset"]["columns"])
      if (column["role"] == "user") user = column["name"];
    QStringList asked{"recommend", "--model", model, "--user", "12", "-k", "10"};
    for (const QString& value : context) asked += {"--context", value};
    const CliResult expected = cli_.ask(asked);
    QVERIFY2(expected.code == 0, expected.err.constData());
    QProcess serving;
    serving.start(python,
                  QStringList{reader, model, QString::fromStdString(user) + "=12"} + context);
    QVERIFY(serving.waitForFinished());
    const QByteArray errors = serving.readAllStandardError();
    QVERIFY2(serving.exitCode() == 0, errors.constData());
    const QList<QByteArray> lines = serving.readAllStandardOutput().trimmed().split('\n');
    const auto items = expected.json()["items"];
    QCOMPARE(std::size_t(lines.size()), items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      const QList<QByteArray> cells = lines[qsizetype(i)].split(' ');
      QCOMPARE(cells[0].toStdString(), items[i]["id"].get<std::string>());
      QVERIFY(std::abs(cells[1].toDouble() - items[i]["score"].get<double>()) < 1e-4);
    }
  }
};

QTEST_GUILESS_MAIN(ServingTest)
#include "serving_test.moc"
