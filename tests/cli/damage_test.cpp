// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <QDir>
#include <QtTest>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

/// Answers on the terminal when files of the workspace are damaged: never a signal, never an answer
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

  void predictionsCarryStepAndWarnings() {
    flipBit(QString("checkpoints/%1/ckpt-%2/tensors.safetensors").arg(run_).arg(steps_), 3000);
    const QString rows = cli_->write("rows.csv", "user,item\n1,2\nnobody,2\n");
    const CliResult result = ask({"predict", "latest", "--input", rows});
    QVERIFY2(result.code == 0, result.err.constData());
    const json answer = result.json();
    QCOMPARE(answer.size(), std::size_t{2});
    for (const json& row : answer) {
      QCOMPARE(row["step"].get<int>(), steps_ / 2);
      QCOMPARE(row["warnings"].size(), std::size_t{2});
      QVERIFY2(row["warnings"][0].get<std::string>().find("is not used") != std::string::npos,
               result.out.constData());
      QVERIFY2(
          row["warnings"][1].get<std::string>().find("unknown to the run") != std::string::npos,
          result.out.constData());
    }
    QVERIFY2(result.err.contains("is not used"), result.err.constData());
  }

  void predictionsOfTextsCarryStepAndWarnings() {
    const int steps = trainTexts();
    flipBit(QString("checkpoints/%1/ckpt-%2/tensors.safetensors").arg(run_).arg(steps), 3000);
    const QStringList asked{"predict", run_, "--text", "the fox [MASK] ."};
    const CliResult filled = ask(asked), attention = ask(asked + QStringList{"--attention", "1,1"});
    QVERIFY2(filled.code == 0 && attention.code == 0, filled.err + attention.err);
    for (const json& answer : {filled.json().at(0), attention.json()}) {
      QCOMPARE(answer["step"].get<int>(), steps / 2);
      QCOMPARE(answer["warnings"].size(), std::size_t{1});
      QVERIFY(answer["warnings"][0].get<std::string>().find("is not used") != std::string::npos);
    }
    for (const CliResult& result : {filled, attention})
      QVERIFY2(result.err.contains("is not used"), result.err.constData());
  }

  void piecesThatASpreadsheetWouldRunAreTold() {
    trainTexts();
    const QString file = cli_->folder("pieces.csv");
    const QStringList asked{"predict", run_, "--text", "the fox [MASK] .", "-k", "11"};
    QVERIFY(!ask(asked).err.contains("a spreadsheet"));
    const CliResult written = ask(asked + QStringList{"--out", file});
    QVERIFY2(written.code == 0, written.err.constData());
    QVERIFY2(written.err.contains("a spreadsheet would take 1 cell of the CSV for a formula"),
             written.err.constData());
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

  void aChangedDocumentIsTold() {
    const json trained = ask({"show", "latest"}).json();
    const auto changeRate = [&] {
      change(
          "UPDATE documents SET experiment="
          "json_set(experiment, '$.optimizer.learning_rate', 0.0625)");
    };
    changeRate();
    const CliResult found = ask({"doctor"});
    QCOMPARE(found.code, 1);
    QVERIFY2(found.out.contains("its document"), found.out.constData());
    const CliResult evaluated = ask({"evaluate", "latest"});
    QVERIFY2(evaluated.code == 0, evaluated.err.constData());
    QVERIFY2(evaluated.err.contains("its checkpoint of step"), evaluated.err.constData());
    // A query leaves the database as it is, so that whoever comes next is warned, too.
    const CliResult again = ask({"show", "latest"});
    QVERIFY2(again.err.contains("its checkpoint of step"), again.err.constData());
    QVERIFY(again.json()["document"] == trained["document"]);
    QCOMPARE(ask({"doctor", "--repair"}).code, 0);
    const CliResult shown = ask({"show", "latest"});
    QVERIFY2(!shown.err.contains("its checkpoint of step"), shown.err.constData());
    QCOMPARE(shown.json()["events"].size(), trained["events"].size() + 1);

    changeRate();
    QVERIFY(QDir(cli_->workspace() + "/checkpoints/" + run_).removeRecursively());
    for (const QStringList& question :
         {QStringList{"evaluate", "latest"}, {"train", "--resume", "latest"}}) {
      const CliResult refused = ask(question);
      QVERIFY2(refused.code == 1, refused.out.constData());
      QVERIFY2(refused.err.contains("has changed since it was stored"), refused.err.constData());
    }
    const CliResult rest = ask({"show", "latest"});
    QCOMPARE(rest.code, 0);
    QVERIFY(rest.json()["document"].is_null());
    QVERIFY2(rest.err.contains("has changed since it was stored"), rest.err.constData());
  }

  void changedMetricsAreTold() {
    change("UPDATE epochs SET loss=0.125 WHERE epoch=2");
    const CliResult shown = ask({"show", "latest"});
    QCOMPARE(shown.code, 0);
    QVERIFY2(shown.err.contains("epoch 2 has changed since it was stored"), shown.err.constData());
    QCOMPARE(ask({"doctor", "--repair"}).code, 1);
    QCOMPARE(ask({"doctor"}).code, 1);
  }

  void anotherInstructionSetIsTold() {
    const json sessions = ask({"show", "latest"}).json()["sessions"];
    QCOMPARE(sessions.size(), std::size_t{1});
    QCOMPARE(sessions[0]["threads"], json(1));
    QCOMPARE(sessions[0]["first_step"], json(0));
    if (sessions[0]["instruction_set"] == "portable") QSKIP("there is one instruction set only");
    QVERIFY(QDir(QString("%1/checkpoints/%2/ckpt-%3").arg(cli_->workspace(), run_).arg(steps_))
                .removeRecursively());
    qputenv("PARAPET_CPU_BACKEND", "portable");
    const CliResult resumed = ask({"train", "--resume", "latest"});
    qunsetenv("PARAPET_CPU_BACKEND");
    QVERIFY2(resumed.code == 0, resumed.err.constData());
    QVERIFY2(resumed.err.contains("another build or instruction set"), resumed.err.constData());
    const json shown = ask({"show", "latest"}).json();
    QCOMPARE(shown["sessions"].size(), std::size_t{2});
    QCOMPARE(shown["sessions"][1]["instruction_set"], json("portable"));
    QCOMPARE(shown["sessions"][1]["first_step"], json(steps_ / 2));
    QVERIFY(shown["events"].dump().find("another build or instruction set") != std::string::npos);
    QCOMPARE(shown["rules"], json(2));
    // A run that goes on in its own build gives no warning.
    QVERIFY(QDir(QString("%1/checkpoints/%2/ckpt-%3").arg(cli_->workspace(), run_).arg(steps_))
                .removeRecursively());
    const CliResult again = ask({"train", "--resume", "latest"});
    QVERIFY2(!again.err.contains("instruction set"), again.err.constData());
  }

  void anEmptiedDatabaseIsNoNewWorkspace() {
    const auto empty = [&] {
      for (const char* suffix : {"-wal", "-shm"})
        QFile::remove(cli_->workspace() + "/parapet.db" + suffix);
      return QFile::resize(cli_->workspace() + "/parapet.db", 0);
    };
    QVERIFY(empty());
    const CliResult doctor = ask({"doctor"});
    QCOMPARE(doctor.code, 1);
    QVERIFY2(doctor.out.contains("Lost are its experiments"), doctor.out.constData());
    QVERIFY(empty());
    const CliResult runs = ask({"runs"});
    QCOMPARE(runs.code, 0);
    QVERIFY2(runs.err.contains("Lost are its experiments"), runs.err.constData());
    QCOMPARE(runs.json().size(), std::size_t{1});
    QVERIFY(!ask({"runs"}).err.contains("Lost"));
    const CliResult shown = cli_->run({"show", "latest"});
    QVERIFY2(shown.out.contains("No verdict: the run was adopted from a checkpoint"),
             shown.out.constData());
  }

 private:
  // Changes the row as an editor of databases does.
  void change(const char* sql) const {
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open((cli_->workspace() + "/parapet.db").toUtf8().constData(), &database),
             SQLITE_OK);
    QCOMPARE(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    QCOMPARE(sqlite3_changes(database), 1);
    sqlite3_close(database);
  }
  [[nodiscard]] CliResult ask(const QStringList& arguments, const QByteArray& input = {}) const {
    return cli_->ask(arguments, input);
  }
  // Makes `run_` a small masked language model with a checkpoint of each of two epochs; its steps.
  int trainTexts() {
    QByteArray lines;
    for (int line = 0; line < 40; ++line) lines += "the fox sees the dog .\n";
    QDir().mkpath(cli_->folder("corpus"));
    cli_->write("corpus/train.txt", lines);
    cli_->write("corpus/valid.txt", lines);
    cli_->write("corpus/vocab.txt",
                "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nfox\nsees\ndog\n.\n=\n");
    json document = json::parse(R"({"parapet": 1, "name": "texts",
      "dataset": {"source": "text", "text": {"vocabulary": "vocab.txt", "max_length": 10},
        "batch": {"size": 20}},
      "tables": [{"name": "tokens", "vocabulary": "tokens", "embedding_dim": 8}],
      "features": [{"name": "tokens", "column": "tokens", "table": "tokens", "sequence": true,
        "max_length": 10}],
      "model": {"kind": "masked_lm",
        "layers": [{"kind": "position"}, {"kind": "transformer_block", "heads": 2, "units": 8}],
        "masking": {"rate": 0.2, "max_selections": 2}},
      "loss": {"kind": "vocabulary_softmax", "reduction": "weighted_mean"},
      "training": {"epochs": 2, "checkpoints": {"every": 1}}})");
    document["dataset"]["path"] = cli_->folder("corpus").toStdString();
    const CliResult trained =
        ask({"train", cli_->write("texts.json", QByteArray::fromStdString(document.dump())),
             "--threads", "1"});
    if (trained.code != 0) qWarning("%s", trained.err.constData());
    const json answer = trained.json();
    run_ = QString::fromStdString(answer["run_id"].get<std::string>());
    return answer["steps"].get<int>();
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
