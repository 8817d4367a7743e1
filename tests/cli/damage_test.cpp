// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QtTest>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

/// What the terminal says when files of the workspace are damaged: never a signal, never an answer
/// from something else without a word.
class DamageTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    cli_ = std::make_unique<Cli>();
    const CliResult trained = ask({"train", "sample", "--epochs", "2", "--threads", "1", "--set",
                                   "/training/checkpoints/every=1"});
    QVERIFY2(trained.code == 0, trained.err.constData());
    run_ = QString::fromStdString(trained.json()["run_id"].get<std::string>());
    steps_ = trained.json()["steps"].get<int>();
  }

  void everyAnswerCarriesStepAndWarnings() {
    flipBit(QString("checkpoints/%1/ckpt-%2/tensors.safetensors").arg(run_).arg(steps_), 3000);
    const QList<QStringList> questions{
        {"evaluate", "latest"},
        {"recommend", "latest", "--user", "1"},
        {"export", "latest", "--what", "tables", "--format", "npy", "--out", cli_->folder("out")},
        {"compare", "latest", "latest"}};
    for (const QStringList& question : questions) {
      const CliResult result = ask(question);
      QVERIFY2(result.code == 0, result.err.constData());
      const json answer = result.json();
      const json step = answer["step"].is_array() ? answer["step"][0] : answer["step"];
      QCOMPARE(step.get<int>(), steps_ / 2);
      QVERIFY2(!answer["warnings"].empty(), result.out.constData());
      QVERIFY2(answer["warnings"][0].get<std::string>().find("is not used") != std::string::npos,
               result.out.constData());
      QVERIFY2(result.err.contains("is not used"), result.err.constData());
      const CliResult text = cli_->run(question);
      QVERIFY2(text.out.contains(QString("step %1").arg(steps_ / 2).toUtf8()) ||
                   text.out.contains(QString("steps %1").arg(steps_ / 2).toUtf8()),
               text.out.constData());
    }
    const CliResult lines = ask({"recommend", "latest", "--stdin"}, "1\n");
    QCOMPARE(lines.json()["step"].get<int>(), steps_ / 2);
    QCOMPARE(lines.json()["warnings"].size(), std::size_t{1});
  }

  void aDamagedDataSetGivesNoAnswer() {
    const QString dataset =
        QDir(cli_->workspace() + "/datasets").entryList(QDir::Dirs | QDir::NoDotAndDotDot)[0];
    // The highest bit of an id leads far outside every table.
    flipBit("datasets/" + dataset + "/item.i32", 403);
    const CliResult recommended = ask({"recommend", "latest", "--user", "1"});
    const CliResult evaluated = ask({"evaluate", "latest"});
    for (const CliResult& result : {recommended, evaluated}) {
      QCOMPARE(result.code, 1);
      const json error = result.json()["error"];
      QCOMPARE(error["code"].get<std::string>(), std::string("data"));
      QVERIFY(error["path"].get<std::string>().ends_with("item.i32"));
      QVERIFY2(error["message"].get<std::string>().find("imported anew") != std::string::npos,
               result.out.constData());
    }
    const CliResult trained = cli_->run({"train", "sample", "--epochs", "1", "--threads", "1"});
    QCOMPARE(trained.code, 0);
    QVERIFY2(trained.err.contains("was damaged; it is imported anew"), trained.err.constData());
    QCOMPARE(ask({"evaluate", run_}).code, 0);
  }

 private:
  [[nodiscard]] CliResult ask(const QStringList& arguments, const QByteArray& input = {}) const {
    return cli_->ask(arguments, input);
  }
  // Inverts one bit of a file of the workspace.
  void flipBit(const QString& name, qint64 byte) const {
    QFile file(cli_->workspace() + "/" + name);
    QVERIFY2(file.open(QIODevice::ReadWrite), qPrintable(file.fileName()));
    QVERIFY(file.seek(byte));
    char found = 0;
    QVERIFY(file.getChar(&found));
    QVERIFY(file.seek(byte));
    QVERIFY(file.putChar(static_cast<char>(found ^ 4)));
  }

  std::unique_ptr<Cli> cli_;
  QString run_;
  int steps_ = 0;
};

QTEST_GUILESS_MAIN(DamageTest)
#include "damage_test.moc"
