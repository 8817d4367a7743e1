// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QtTest>
#include <filesystem>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

namespace {

/// Clears the screen, sets the window's title, C1 as UTF-8 and an override; what a terminal must
/// never be sent, though it is UTF-8 that a file may have.
const QByteArray kHostileUtf8 =
    "x\x1b[2J\x1b]0;owned\x07\xC2\x9B"
    "31m\xE2\x80\xAEy";
/// And a byte that is no UTF-8.
const QByteArray kHostile = kHostileUtf8 + "\xE9z";
/// How a terminal is shown both.
const QByteArray kShown = "x\\x1b[2J\\x1b]0;owned\\x07\\u009b31m\\u202ey";

/// Whether a terminal would only show these bytes.
bool isHarmless(const QByteArray& bytes) {
  if (!QString::fromUtf8(bytes).toUtf8().startsWith(bytes)) return false;  // not UTF-8
  for (const QChar c : QString::fromUtf8(bytes)) {
    if (c == '\n' || c == '\t') continue;
    const bool isBidi =
        (c >= QChar(0x202A) && c <= QChar(0x202E)) || (c >= QChar(0x2066) && c <= QChar(0x2069));
    if (c.category() == QChar::Other_Control || isBidi) return false;
  }
  return true;
}

}  // namespace

// Hostile bytes arrive by every way there is. Arguments are given as bytes by a shell.
class HostileTextTest : public QObject {
  Q_OBJECT

  Cli cli_;

  /// Calls the program; $HOSTILE and $UTF8 in its arguments are the bytes.
  [[nodiscard]] CliResult run(const QString& arguments) const {
    QProcess shell;
    shell.start("/bin/sh", {"-c",
                            "HOSTILE=\"$(cat \"$1/hostile\")\"; UTF8=\"$(cat \"$1/utf8\")\"; "
                            "CLI=$0; WORK=$1; exec \"$CLI\" --workspace "
                            "\"$WORK/workspace\" " +
                                arguments,
                            PARAPET_CLI, cli_.folder("")});
    return Cli::finish(shell);
  }

 private Q_SLOTS:
  void initTestCase() {
    cli_.write("hostile", kHostile);
    cli_.write("utf8", kHostileUtf8);
    QByteArray rows = "user,item,title,click\n";
    for (int row = 0; row < 200; ++row)
      rows += QByteArray::number(row % 5) + kHostileUtf8 + "," + QByteArray::number(row % 4) +
              kHostileUtf8 + "," + kHostileUtf8 + "," + QByteArray::number(row % 3 == 0) + "\n";
    rows += "1" + kHostile + ",1,1,1\n";  // rejected
    cli_.write("rows.csv", rows);
    cli_.write("broken.csv", "user,item,click\n1,2,1\n1," + kHostile + "\n");
  }

  void neverReachesTheTerminal_data() {
    QTest::addColumn<QString>("arguments");
    const auto row = [](const char* name, const char* arguments) {
      QTest::newRow(name) << QString(arguments);
    };
    row("unknown command", "\"$HOSTILE\"");
    row("unknown option", "runs \"--$HOSTILE\"");
    row("unexpected argument", "runs \"$HOSTILE\"");
    row("unknown recipe", "train \"$HOSTILE\"");
    row("missing file", "validate \"./$HOSTILE.json\"");
    row("value of an option", "train sample --epochs \"$HOSTILE\"");
    row("setting", "train sample --set \"/name/$HOSTILE=1\"");
    row("value of a setting", "train sample --set \"/optimizer/kind=$HOSTILE\"");
    row("device", "train sample --devices \"$HOSTILE\"");
    row("unknown run", "show \"$HOSTILE\"");
    row("unknown user", "recommend latest --user \"$HOSTILE\"");
    row("columns and values of a file", "preview \"$WORK/rows.csv\"");
    row("rejected lines", "preview \"$WORK/broken.csv\"");
    row("data that is not there", "train movielens-retrieval --data \"$WORK/$HOSTILE\"");
    row("workspace below a file", "runs --workspace \"$WORK/rows.csv/$HOSTILE\"");
    row("help", "--workspace \"$HOSTILE\" --help");
    row("path of an export", "export latest --what curves --format csv --out \"$WORK/$HOSTILE\"");
    row("path that is written", "generate events --events 100 --out \"$WORK/$HOSTILE.csv\"");
  }
  void neverReachesTheTerminal() {
    QFETCH(QString, arguments);
    const CliResult text = run(arguments);
    QVERIFY2(text.code >= 0, "no signal");
    QVERIFY2(isHarmless(text.out), text.out.toPercentEncoding().constData());
    QVERIFY2(isHarmless(text.err), text.err.toPercentEncoding().constData());
    QVERIFY2(!(text.out + text.err).isEmpty(), "something is said");
    const CliResult answer = run(arguments + " --json --quiet");
    QVERIFY2(isHarmless(answer.err), answer.err.toPercentEncoding().constData());
    if (!arguments.contains("--help"))
      QVERIFY2(!answer.json().is_discarded(), answer.out.constData());
  }

  void namesAndIdsAreShownAndNotObeyed() {
    json document = json::parse(R"({"parapet": 1, "name": "n", "dataset": {"source": "csv",
      "label": {"column": "click"}, "columns": [{"name": "user", "role": "user"},
      {"name": "item", "role": "item"}], "vocabularies": [{"name": "user", "kind": "compressed"},
      {"name": "item", "kind": "compressed"}],
      "split": {"kind": "random", "train": 0.8, "validation": 0.2}, "batch": {"size": 20}},
      "tables": [{"name": "user", "vocabulary": "user", "embedding_dim": 4},
      {"name": "item", "vocabulary": "item", "embedding_dim": 4}],
      "features": [{"name": "user", "column": "user", "table": "user", "tower": "query"},
      {"name": "item", "column": "item", "table": "item", "tower": "candidate"}],
      "model": {"kind": "retrieval"}, "loss": {"kind": "mse"}, "training": {"epochs": 1}})");
    document["dataset"]["path"] = cli_.folder("rows.csv").toStdString();
    // ASCII control characters are refused in a name; C1 and overrides are not.
    document["name"] = "name \x1b[2J";
    cli_.write("refused.json", QByteArray::fromStdString(document.dump()));
    const CliResult refused = run("train \"$WORK/refused.json\"");
    QCOMPARE(refused.code, 2);
    QVERIFY2(isHarmless(refused.err), refused.err.toPercentEncoding().constData());
    QVERIFY2(refused.err.contains("/name: ") && refused.err.contains("name \\x1b[2J"),
             refused.err.constData());
    document["name"] = "name \xC2\x9B \xE2\x80\xAE";
    cli_.write("document.json", QByteArray::fromStdString(document.dump()));
    for (const char* call : {"train \"$WORK/document.json\"", "runs", "show latest",
                             "evaluate latest", "recommend latest --user \"1$UTF8\" -k 3",
                             "compare latest latest", "validate \"$WORK/document.json\"",
                             "plan \"$WORK/document.json\"", "import \"$WORK/document.json\""}) {
      const CliResult result = run(call);
      QVERIFY2(result.code == 0, (call + result.err).constData());
      QVERIFY2(isHarmless(result.out), (call + result.out.toPercentEncoding()).constData());
      QVERIFY2(isHarmless(result.err), (call + result.err.toPercentEncoding()).constData());
    }
    const CliResult shown = run("show latest");
    QVERIFY2(shown.out.contains("name \\u009b \\u202e"), shown.out.toPercentEncoding().constData());
    QCOMPARE(run("show latest --json --quiet").json()["name"], document["name"]);
    const CliResult list = run("recommend latest --user \"1$UTF8\" -k 3");
    QVERIFY2(list.out.count(kShown) >= 4, "the user's id, and each item's");
    const json answer = run("recommend latest --user \"1$UTF8\" -k 3 --json --quiet").json();
    QCOMPARE(answer["user"], json(("1" + kHostileUtf8).toStdString()));
  }

  void titlesOfACatalogueAreShownAndNotObeyed() {
    QVERIFY(QDir().mkpath(cli_.folder("movies")));
    QByteArray movies = "movieId,title,genres\n", ratings = "userId,movieId,rating,timestamp\n";
    for (int item = 1; item <= 4; ++item) {
      movies += QByteArray::number(item) + "," + kHostileUtf8 + ",Drama\n";
      for (int user = 1; user <= 40; ++user)
        ratings += QByteArray::number(user) + "," + QByteArray::number(item) + ",4," +
                   QByteArray::number(user) + "\n";
    }
    cli_.write("movies/movies.csv", movies);
    cli_.write("movies/ratings.csv", ratings);
    const CliResult trained =
        run("train movielens-retrieval --data \"$WORK/movies\" --epochs 1 --set "
            "/dataset/split/train=0.8 --set /dataset/split/validation=0.2 --set "
            "/dataset/batch/size=20");
    QVERIFY2(trained.code == 0, trained.err.constData());
    const CliResult list = run("recommend latest --user 1 -k 3");
    QVERIFY2(isHarmless(list.out), list.out.toPercentEncoding().constData());
    QCOMPARE(list.out.count(kShown), 3);
    const json answer = run("recommend latest --user 1 -k 3 --json --quiet").json();
    QCOMPARE(answer["items"][0]["title"], json(kHostileUtf8.toStdString()));
  }

  // Qt removes no file whose name is not UTF-8.
  void cleanupTestCase() { std::filesystem::remove_all(cli_.folder("").toStdString()); }

  void anErrorsLineIsTheOnlyOneThatBeginsSo() {
    const CliResult result = run("train \"./a\nerror: forged\"");
    QVERIFY2(result.err.count("\nerror: ") == 0, result.err.constData());
    cli_.write("two\nerror: forged.json", "{");
    QProcess process;
    process.start(PARAPET_CLI, {"validate", cli_.folder("two\nerror: forged.json")});
    const CliResult forged = Cli::finish(process);
    QCOMPARE(forged.code, 2);
    QVERIFY2(forged.err.startsWith("error: ") && !forged.err.contains("\nerror: "),
             forged.err.constData());
  }
};

QTEST_GUILESS_MAIN(HostileTextTest)
#include "hostile_text_test.moc"
