// SPDX-License-Identifier: Apache-2.0
// Programs may rely on the keys in the answers of --json and on the types of their values, which
// json_shapes.json keeps; PARAPET_UPDATE_JSON_SHAPES=1 writes it anew.
#include <QDir>
#include <QFile>
#include <QtTest>
#include <algorithm>
#include <map>
#include <set>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

namespace {

/// Types by path: "epochs[].val_loss" → {"number", "null"}.
using Shape = std::map<std::string, std::set<std::string>>;

std::string typeOf(const json& value) {
  return value.is_number_integer() ? "integer" : value.is_number() ? "number" : value.type_name();
}

/// Documents and schemas are a contract of their own, docs/keys.md; of them the first keys count.
bool isDocument(const std::string& path) {
  return path == "document" || path.ends_with(".document") || path.ends_with("[].patch[].value");
}

void addShape(const json& value, const std::string& path, int depth, Shape& shape) {
  shape[path].insert(typeOf(value));
  if (depth == 0 || isDocument(path)) return;
  if (value.is_array())
    for (const json& element : value) addShape(element, path + "[]", depth, shape);
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    // Pointers into a document are data.
    const std::string name = key.starts_with('/') ? "*" : key;
    addShape(member, path.empty() ? name : path + "." + name, depth - 1, shape);
  }
}

std::string listed(const std::set<std::string>& types) {
  std::string text;
  for (const std::string& type : types) text += (text.empty() ? "" : "|") + type;
  return text;
}

bool isSubset(std::set<std::string> part, std::set<std::string> whole) {
  part.erase("null");
  // A measured number may be a whole one.
  if (whole.contains("number")) whole.insert("integer");
  return whole == std::set<std::string>{"null"} || std::ranges::includes(whole, part);
}

/// Whether a shape says nothing of a path: what lies in an empty array or in a null is not known.
bool isOpen(const Shape& shape, std::string path) {
  while (!path.empty()) {
    const std::size_t dot = path.rfind('.');
    const bool isElement = path.ends_with("[]");
    path.resize(isElement ? path.size() - 2 : dot == std::string::npos ? 0 : dot);
    if (const auto above = shape.find(path); above != shape.end())
      return !above->second.contains("object");
  }
  return false;
}

/// How an answer differs from what is kept: keys that are gone and types that have changed break
/// programs, keys that are new want to be kept as well.
QStringList differences(const Shape& kept, const Shape& now) {
  QStringList found;
  for (const auto& [path, types] : kept) {
    const QString name = QString::fromStdString(path.empty() ? "the answer" : path);
    const auto at = now.find(path);
    if (at == now.end()) {
      if (!isOpen(now, path)) found << name + " is gone";
    } else if (!isSubset(at->second, types) ||
               (at->second.contains("null") && !types.contains("null"))) {
      found << QString("%1 was %2 and is %3 now")
                   .arg(name, QString::fromStdString(listed(types)),
                        QString::fromStdString(listed(at->second)));
    }
  }
  for (const auto& [path, types] : now)
    if (!kept.contains(path) && !isOpen(kept, path))
      found << QString("%1 is new: PARAPET_UPDATE_JSON_SHAPES=1 keeps it")
                   .arg(QString::fromStdString(path));
  return found;
}

Shape shapeFrom(const json& stored) {
  Shape shape;
  for (const auto& [path, types] : stored.items())
    for (const QString& type : QString::fromStdString(types.get<std::string>()).split('|'))
      shape[path].insert(type.toStdString());
  return shape;
}

QByteArray ratings() {
  QByteArray rows = "user,item,rating,time\n";
  for (int row = 0; row < 600; ++row)
    rows += QByteArray::number(1 + row % 20) + ',' + QByteArray::number(1 + row * 7 % 30) + ',' +
            QByteArray::number(1 + row % 5) + ',' + QByteArray::number(1000 + row) + '\n';
  return rows;
}

QByteArray prose() {
  const QByteArrayList words{"the",   "fox",  "jumps", "over", "lazy", "dogs", "and",
                             "trees", "cats", "run",   "fast", "when", "it",   "rains"};
  QByteArray lines;
  for (int line = 0; line < 60; ++line) {
    for (int word = 0; word < 8; ++word) lines += words[(line * 5 + word * 3) % words.size()] + ' ';
    lines += ".\n";
  }
  return lines;
}

}  // namespace

class JsonShapesTest : public QObject {
  Q_OBJECT

  const Cli cli_;
  json kept_, now_ = json::object();
  std::set<QString> asked_;
  bool updates_ = qEnvironmentVariableIsSet("PARAPET_UPDATE_JSON_SHAPES");

  /// Asks, and compares the shape of the answer with the one that is kept under `name`.
  json ask(const char* name, const QStringList& arguments, int code = 0,
           const QByteArray& input = {}) {
    if (!arguments.isEmpty()) asked_.insert(arguments.front());
    const CliResult result = cli_.ask(arguments, input);
    const json answer = result.json();
    if (result.code != code || answer.is_discarded()) {
      QTest::qFail(qPrintable(QString("%1: exit code %2 and %3\n%4")
                                  .arg(name)
                                  .arg(result.code)
                                  .arg(QString::fromUtf8(result.out.left(200)),
                                       QString::fromUtf8(result.err))),
                   __FILE__, __LINE__);
      return json::object();
    }
    constexpr int kDeep = 99;
    static const QStringList kDocuments{"recipe", "schema", "init", "document"};
    const bool isDocument = std::ranges::any_of(
        kDocuments, [&](const QString& word) { return arguments.mid(0, 2).contains(word); });
    Shape shape;
    addShape(answer, "", isDocument && code == 0 ? 1 : kDeep, shape);
    json& stored = now_[name] = json::object();
    for (const auto& [path, types] : shape) stored[path] = listed(types);
    if (!updates_) {
      const QStringList found = kept_.contains(name)
                                    ? differences(shapeFrom(kept_[name]), shape)
                                    : QStringList{"is new: PARAPET_UPDATE_JSON_SHAPES=1 keeps it"};
      if (!found.isEmpty())
        QTest::qFail(qPrintable(QString("%1: %2").arg(name, found.join("; "))), __FILE__, __LINE__);
    }
    return answer;
  }
  static QString text(const json& answer, const char* key) {
    return QString::fromStdString(answer.value(key, std::string()));
  }

 private Q_SLOTS:
  void initTestCase() {
    QFile file(PARAPET_JSON_SHAPES);
    if (file.open(QFile::ReadOnly)) kept_ = json::parse(file.readAll().toStdString());
    QVERIFY(updates_ || kept_.is_object());
    cli_.write("ratings.csv", ratings());
    cli_.write("pairs.csv", "user,item\n1,2\n3,4\n");
    cli_.write("broken.json", R"({"parapet": 1, "name": "broken", "tabels": []})");
    QVERIFY(QDir().mkpath(cli_.folder("lines")));
    cli_.write("lines/train.txt", prose());
  }

  void theComparisonSeesWhatBreaksPrograms() {
    const auto of = [](const char* text) {
      Shape shape;
      addShape(json::parse(text), "", 9, shape);
      return shape;
    };
    const Shape kept = of(R"({"a": 1, "b": null, "c": 0.5, "d": [{"e": "x"}], "f": []})");
    QCOMPARE(differences(kept, kept), QStringList());
    // A measured number may be a whole one, and a list may be empty.
    QCOMPARE(differences(kept, of(R"({"a": 1, "b": {"x": 1}, "c": 2, "d": [], "f": ["x"]})")),
             QStringList());
    QCOMPARE(differences(kept, of(R"({"a": "1", "b": null, "c": null, "d": [{}], "f": []})")),
             QStringList({"a was integer and is string now", "c was number and is null now",
                          "d[].e is gone"}));
    QCOMPARE(differences(kept, of(R"({"a": 1, "b": null, "d": [{"e": "x", "g": 1}], "f": []})")),
             QStringList({"c is gone", "d[].g is new: PARAPET_UPDATE_JSON_SHAPES=1 keeps it"}));
  }

  void documentsAndData() {
    ask("recipes", {"recipes"});
    ask("recipe", {"recipe", "sample"});
    ask("schema", {"schema"});
    ask("validate", {"validate", "sample"});
    ask("validate, with problems", {"validate", cli_.folder("broken.json")}, 2);
    ask("download", {"download"});
    ask("preview, of data",
        {"preview", cli_.folder("ratings.csv"), "--filter", "rating >= 3", "--rows", "2"});
    ask("preview, of a document", {"preview", "sample"});
    ask("init",
        {"init", cli_.folder("ratings.csv"), "--out", cli_.folder("mine.json"), "--no-race"});
    ask("generate movies", {"generate", "movies", "--out", cli_.folder("movies"), "--users", "50",
                            "--items", "40", "--events", "900"});
    ask("generate clicks",
        {"generate", "clicks", "--out", cli_.folder("clicks.csv"), "--events", "900"});
    ask("vocabulary", {"vocabulary", cli_.folder("lines"), "--size", "60", "--out",
                       cli_.folder("lines/vocab.txt")});
    ask("init, of texts", {"init", cli_.folder("lines"), "--out", cli_.folder("lines.json")});
    ask("preview, of masks", {"preview", cli_.folder("lines.json"), "--masks", "2"});
    ask("import", {"import", "sample"});
    ask("plan", {"plan", "sample"});
    ask("plan, with the program", {"plan", "sample", "--devices", "cpu*2", "--program"});
  }

  void experiments() {
    ask("experiments new", {"experiments", "new", "sample", "--name", "first"});
    ask("experiments", {"experiments"});
    ask("experiments show", {"experiments", "show", "first"});
    ask("experiments document", {"experiments", "document", "first"});
    ask("experiments duplicate", {"experiments", "duplicate", "first"});
    ask("experiments rename", {"experiments", "rename", "first", "second"});
    ask("experiments delete", {"experiments", "delete", "second"});
    ask("experiments --trash", {"experiments", "--trash"});
    ask("experiments restore", {"experiments", "restore", "second"});
    QCOMPARE(cli_.ask({"experiments", "delete", "second"}).code, 0);
    ask("experiments erase", {"experiments", "erase", "second"});
  }

  void runs() {
    const QString run = text(ask("train", {"train", "sample", "--epochs", "2"}), "run_id");
    ask("train --resume", {"train", "--resume", run});
    ask("train --fork", {"train", "--fork", run, "--epochs", "3"});
    ask("sweep", {"sweep", "sample", "--epochs", "1", "--seeds", "2", "--grid",
                  "/optimizer/learning_rate=0.05,0.1"});
    ask("runs", {"runs"});
    ask("show", {"show", run});
    ask("compare", {"compare", run, "latest"});
    ask("evaluate", {"evaluate", run});
    ask("verify-checkpoint", {"verify-checkpoint", run});
    ask("verify", {"verify", "sample", "--steps", "3"});
    ask("recommend, a user", {"recommend", run, "--user", "1"});
    ask("recommend, users", {"recommend", run, "--random", "2"});
    ask("recommend --stdin", {"recommend", run, "--stdin"}, 0, "{\"user\": \"12\", \"k\": 2}\n");
    ask("recommend --stdin, error", {"recommend", run, "--stdin"}, 0, "{\"user\": 12, \"k\": 0}\n");
    ask("predict --input", {"predict", run, "--input", cli_.folder("pairs.csv")});
    ask("predict --stdin", {"predict", run, "--stdin"}, 0, "{\"user\": \"12\", \"item\": \"3\"}\n");
    ask("predict --stdin, error", {"predict", run, "--stdin"}, 0, "{\"user\": \"12\"}\n");
    ask("export", {"export", run, "--what", "curves", "--out", cli_.folder("curves.json")});
    ask("export, a model", {"export", run, "--what", "model", "--out", cli_.folder("model")});
    ask("show --model", {"show", "--model", cli_.folder("model")});
    ask("runs export", {"runs", "export", run, "--out", cli_.folder("run.zip")});
    ask("runs import",
        {"runs", "import", cli_.folder("run.zip"), "--workspace", cli_.folder("other")});
  }

  void runsOfOtherModels() {
    ask("train, a ranking model",
        {"train", "dlrm", "--epochs", "1", "--set", "/dataset/generator/events=4000"});
    ask("evaluate, a ranking model", {"evaluate", "latest"});
    ask("show, a ranking model", {"show", "latest"});
    ask("train, with contexts",
        {"train", "yambda-context", "--epochs", "1", "--set", "/dataset/generator/events=8000"});
    ask("recommend, in a context",
        {"recommend", "latest", "--user", "1", "--context", "is_organic=1"});
    ask("train, of texts", {"train", cli_.folder("lines.json"), "--epochs", "1"});
    ask("predict --text", {"predict", "latest", "--text", "the fox [MASK] over"});
    ask("predict --attention",
        {"predict", "latest", "--text", "the fox [MASK] over", "--attention", "1,1"});
  }

  void theQueue() {
    const QStringList queued{"train", "sample", "--epochs", "1", "--queue"};
    const QString first = text(ask("train --queue", queued), "run_id");
    const QString second = text(cli_.ask(queued).json(), "run_id");
    ask("queue", {"queue"});
    ask("queue up", {"queue", "up", second});
    ask("queue down", {"queue", "down", second});
    ask("queue remove", {"queue", "remove", second});
    ask("stop", {"stop", first});
    QCOMPARE(cli_.ask(queued).code, 0);
    ask("queue run", {"queue", "run"});
  }

  void theMachine() {
    ask("devices", {"devices"});
    ask("selftest", {"selftest", "--quick", "--device", "cpu:0"});
    ask("doctor", {"doctor"});
    ask("doctor --deep --repair", {"doctor", "--deep", "--repair"});
  }

  void processes() {
    ask("launch", {"launch", "sample", "--epochs", "1", "--devices", "cpu*2", "--hosts",
                   cli_.write("hosts", "127.0.0.1 slots=2\n")});
    ask("error: follow without input",
        {"follow", "--rank", "1", "--of", "2", "--meet", "127.0.0.1:1"}, 2);
  }

  void failures() {
    ask("error: no command", {}, 2);
    ask("error: unknown command", {"frobnicate"}, 2);
    ask("error: unknown option", {"train", "sample", "--epoch", "1"}, 2);
    ask("error: problems of a document", {"train", cli_.folder("broken.json")}, 2);
    ask("error: no such document", {"train", "nosuch"}, 3);
    ask("error: no such run", {"show", "nosuch"}, 3);
    ask("error: no such user", {"recommend", "latest", "--user", "nosuch"}, 3);
    ask("error: data that are gone",
        {"train", "movielens-retrieval", "--set", "/dataset/path=" + cli_.folder("gone")}, 1);
    ask("error: a line of a document", {"train", cli_.write("cut.json", "{\n  \"parapet\": \n}\n")},
        2);
    ask("error: diverged",
        {"train", "sample", "--epochs", "1", "--set",
         "/optimizer={\"kind\": \"sgd\", \"learning_rate\": 1e6}", "--set", "/model/score=dot",
         "--set", "/loss={\"kind\": \"mse\"}"},
        5);
  }

  void everyCommandWasAsked() {
    const QString help = QString::fromUtf8(cli_.run({"--help"}).out);
    const QString list = help.section("Subcommands:\n", 1).section("\n\n", 0, 0);
    const QStringList lines = list.split('\n', Qt::SkipEmptyParts);
    QVERIFY(lines.size() > 20);
    QStringList missing;
    for (const QString& line : lines)
      if (!asked_.contains(line.trimmed().section(' ', 0, 0))) missing << line.trimmed();
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join('\n')));
  }

  void everyKeptAnswerWasGiven() {
    if (updates_) {
      QFile file(PARAPET_JSON_SHAPES);
      QVERIFY(file.open(QFile::WriteOnly));
      file.write(QByteArray::fromStdString(now_.dump(1)) + "\n");
      QSKIP("the shapes were written anew");
    }
    QStringList gone;
    for (const auto& [name, shape] : kept_.items())
      if (!now_.contains(name)) gone << QString::fromStdString(name);
    QVERIFY2(gone.isEmpty(), qPrintable(gone.join('\n')));
  }
};

QTEST_GUILESS_MAIN(JsonShapesTest)
#include "json_shapes_test.moc"
