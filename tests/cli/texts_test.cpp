// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QtTest>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

namespace {

QByteArray prose(int lines) {
  QByteArray text;
  for (int line = 0; line < lines; ++line)
    text += "the fox jumps over " + QByteArray::number(line % 9) + " lazy dogs .\n";
  return text;
}

QByteArray read(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

/// Data sets of texts: a vocabulary is trained, lines are looked at and imported.
class TextsTest : public QObject {
  Q_OBJECT

  Cli cli_;

  // A folder with a validation file of so many lines, a vocabulary, and a document.
  QString documentOf(int lines, const QByteArray& more = {}) {
    QDir().mkpath(cli_.folder("corpus"));
    cli_.write("corpus/valid.txt", prose(lines) + more);
    const CliResult trained = cli_.ask({"vocabulary", cli_.folder("corpus"), "--size", "60",
                                        "--out", cli_.folder("pieces.txt"), "--force"});
    if (trained.code != 0) return {};
    const json document{
        {"parapet", 1},
        {"name", "texts"},
        {"tables", json::array()},
        {"features", json::array()},
        {"dataset",
         {{"source", "text"},
          {"path", cli_.folder("corpus").toStdString()},
          {"text", {{"vocabulary", cli_.folder("pieces.txt").toStdString()}, {"max_length", 32}}},
          {"batch", {{"size", 4}}}}}};
    return cli_.write("texts.json", QByteArray::fromStdString(document.dump()));
  }

  // A small masked language model of two files of texts.
  QString pairDocument() {
    QDir().mkpath(cli_.folder("pair"));
    cli_.write("pair/train.txt", prose(60));
    cli_.write("pair/valid.txt", prose(12));
    const QString pieces = cli_.folder("pair-pieces.txt");
    if (cli_.ask({"vocabulary", cli_.folder("pair"), "--size", "60", "--out", pieces, "--force"})
            .code != 0)
      return {};
    json document = json::parse(R"({"parapet": 1, "name": "pair",
      "dataset": {"source": "text", "text": {"max_length": 16}, "batch": {"size": 12}},
      "tables": [{"name": "tokens", "vocabulary": "tokens", "embedding_dim": 8}],
      "features": [{"name": "tokens", "column": "tokens", "table": "tokens", "sequence": true,
                    "max_length": 16}],
      "model": {"kind": "masked_lm",
        "layers": [{"kind": "position"},
                   {"kind": "transformer_block", "heads": 2, "units": 16}],
        "masked_layers": [{"kind": "dense", "units": 8, "activation": "gelu"}],
        "masking": {"rate": 0.2, "max_selections": 3}},
      "loss": {"kind": "vocabulary_softmax", "reduction": "weighted_mean"},
      "optimizer": {"kind": "adam", "learning_rate": 0.01},
      "training": {"epochs": 1, "checkpoints": {"best": null}}})");
    document["dataset"]["path"] = cli_.folder("pair").toStdString();
    document["dataset"]["text"]["vocabulary"] = pieces.toStdString();
    return cli_.write("pair.json", QByteArray::fromStdString(document.dump()));
  }

 private Q_SLOTS:
  void aCorpusIsProposedAndItsVocabularyAskedFor() {
    QVERIFY(QDir().mkpath(cli_.folder("lines")));
    cli_.write("lines/train.txt", prose(60));
    const QString corpus = cli_.folder("lines"), pieces = cli_.folder("lines/vocab.txt");
    const CliResult blind = cli_.run({"preview", corpus});
    QCOMPARE(blind.code, 0);
    QVERIFY2(blind.err.contains("parapet-cli vocabulary"), blind.err.constData());
    QVERIFY2(blind.out.contains("the fox jumps over 3 lazy dogs ."), blind.out.constData());
    QVERIFY2(blind.out.contains("60 of 60 rows pass"), blind.out.constData());
    QCOMPARE(cli_.run({"preview", corpus, "--masks", "2"}).code, 1);
    const CliResult proposed = cli_.ask({"init", corpus, "--out", cli_.folder("lines.json")});
    QVERIFY2(proposed.code == 0, proposed.err.constData());
    QCOMPARE(proposed.json()["model"]["kind"].get<std::string>(), std::string("masked_lm"));
    const CliResult told =
        cli_.run({"init", corpus, "--out", cli_.folder("lines.json"), "--force"});
    const auto vocabulary = told.out.lastIndexOf("parapet-cli vocabulary " + corpus.toUtf8());
    const auto train = told.out.indexOf("parapet-cli train ");
    QVERIFY2(vocabulary > told.out.indexOf("Written to") && vocabulary < train,
             told.out.constData());
    // The document says which file is missing before a run, and runs once the file is there.
    QCOMPARE(cli_.run({"validate", cli_.folder("lines.json")}).code, 2);
    QCOMPARE(cli_.ask({"vocabulary", corpus, "--size", "60", "--out", pieces}).code, 0);
    const CliResult valid = cli_.run({"validate", cli_.folder("lines.json")});
    QVERIFY2(valid.code == 0, valid.err.constData());
    QCOMPARE(cli_.run({"preview", corpus}).code, 0);
    const CliResult trained = cli_.ask({"train", cli_.folder("lines.json"), "--epochs", "1"});
    QVERIFY2(trained.code == 0, trained.err.constData());
  }

  void textsAndRowsAreNotTakenForEachOther() {
    QVERIFY(QDir().mkpath(cli_.folder("prose")));
    cli_.write("prose/train.txt", prose(20));
    QVERIFY(QDir().mkpath(cli_.folder("ml-100k")));
    cli_.write("ml-100k/u.data", "1\t2\t3\t4\n");
    const CliResult texts = cli_.run({"train", "sasrec", "--data", cli_.folder("prose")});
    QCOMPARE(texts.code, 2);
    QVERIFY2(texts.err.contains("is a corpus of texts"), texts.err.constData());
    for (const char* path : {"ml-100k", "ml-100k/u.data"}) {
      const CliResult rows = cli_.run({"train", "bert-tiny-mlm", "--data", cli_.folder(path)});
      QCOMPARE(rows.code, 2);
      QVERIFY2(rows.err.contains("rows of users and items"), rows.err.constData());
    }
  }

  void sasrecReadsMovieLens() {
    QVERIFY(QDir().mkpath(cli_.folder("ml-100k")));
    QByteArray ratings;
    for (int row = 0; row < 600; ++row)
      ratings += QByteArray::number(1 + row % 20) + "\t" + QByteArray::number(1 + row * 7 % 30) +
                 "\t4\t" + QByteArray::number(1000 + row) + "\n";
    cli_.write("ml-100k/u.data", ratings);
    QByteArray films;
    for (int film = 1; film <= 30; ++film)
      films += QByteArray::number(film) + "|Film " + QByteArray::number(film) +
               " (1995)|01-Jan-1995||" + QByteArray("|0").repeated(19) + "\n";
    cli_.write("ml-100k/u.item", films);
    const CliResult trained =
        cli_.ask({"train", "sasrec", "--data", cli_.folder("ml-100k"), "--epochs", "1"});
    QVERIFY2(trained.code == 0, trained.err.constData());
  }

  void trainsAVocabulary() {
    const QString corpus = cli_.write("prose.txt", prose(40) + "F\xFFx\n");
    const QString out = cli_.folder("trained.txt");
    const CliResult result = cli_.ask({"vocabulary", corpus, "--size", "64", "--out", out});
    QVERIFY2(result.code == 0, result.err.constData());
    const json answer = result.json();
    const QByteArray written = read(out);
    QCOMPARE(answer["size"].get<qsizetype>(), written.count('\n'));
    QCOMPARE(answer["bytes"].get<qsizetype>(), written.size());
    QCOMPARE(answer["lines"].get<int>(), 41);
    QCOMPARE(answer["rejected"].get<int>(), 1);
    QVERIFY(written.startsWith("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"));
    QVERIFY(written.contains("\nfox\n"));
    const CliResult again = cli_.ask({"vocabulary", corpus, "--size", "64", "--out", out});
    QCOMPARE(again.code, 1);
    QVERIFY(again.err.contains("--force"));
    QCOMPARE(cli_.ask({"vocabulary", corpus, "--size", "64", "--out", out, "--force"}).code, 0);
    QCOMPARE(read(out), written);
  }

  void refusesAVocabularyThatCannotBe() {
    const QString corpus = cli_.write("prose.txt", prose(5));
    const QString out = cli_.folder("none.txt");
    QCOMPARE(cli_.ask({"vocabulary", corpus, "--size", "8", "--out", out}).code, 2);
    QCOMPARE(cli_.ask({"vocabulary", corpus, "--size", "3", "--out", out}).code, 2);
    QCOMPARE(cli_.ask({"vocabulary", cli_.folder("gone"), "--out", out}).code, 3);
    QCOMPARE(cli_.ask({"vocabulary", cli_.write("empty.txt", " \n"), "--out", out}).code, 1);
    QCOMPARE(cli_.ask({"vocabulary", corpus, "--out", cli_.folder("")}).code, 2);
    QCOMPARE(
        cli_.ask({"vocabulary", corpus, "--size", "60", "--out", cli_.folder("gone/pieces")}).code,
        1);
    QVERIFY(QDir().mkpath(cli_.folder("nothing")));
    const CliResult nothing = cli_.ask({"vocabulary", cli_.folder("nothing"), "--out", out});
    QCOMPARE(nothing.code, 1);
    QVERIFY(nothing.json()["error"]["pointer"].is_null());
    QVERIFY(!QFile::exists(out));
  }

  void importsTheLinesOfADocument() {
    const QString document = documentOf(50, "\xFF\n");
    const CliResult refused =
        cli_.ask({"import", document, "--set", "/dataset/max_rejected_share=0"});
    QCOMPARE(refused.code, 1);
    QVERIFY(refused.err.contains("valid.txt"));
    const CliResult result =
        cli_.ask({"import", document, "--set", "/dataset/max_rejected_share=0.1"});
    QVERIFY2(result.code == 0, result.err.constData());
    const json answer = result.json();
    QCOMPARE(answer["rows"].get<int>(), 50);
    QCOMPARE(answer["quarantined"].get<int>(), 1);
    QCOMPARE(answer["vocabularies"][0]["name"].get<std::string>(), std::string("tokens"));
    QVERIFY(answer["warnings"][0].get<std::string>().find("no file of training lines") !=
            std::string::npos);
    const CliResult doctor = cli_.ask({"doctor", "--deep"});
    QCOMPARE(doctor.code, 0);
  }

  void previewShowsPieces() {
    const CliResult result = cli_.ask({"preview", documentOf(12), "--rows", "2"});
    QVERIFY2(result.code == 0, result.err.constData());
    const json answer = result.json();
    QCOMPARE(answer["rows"].size(), std::size_t{2});
    QCOMPARE(answer["columns"][0]["name"].get<std::string>(), std::string("text"));
    QVERIFY(answer["rows"][0][1].get<std::string>().starts_with("[CLS], the, "));
    QCOMPARE(answer["rows_read"].get<int>(), 12);
    QCOMPARE(cli_.run({"preview", documentOf(12)}).code, 0);
  }

  void previewShowsMasks() {
    const QStringList asked{"preview", documentOf(12), "--masks", "3"};
    const CliResult result = cli_.ask(asked);
    QVERIFY2(result.code == 0, result.err.constData());
    const json masks = result.json()["masks"];
    QCOMPARE(masks.size(), std::size_t{3});
    QCOMPARE(masks[0]["pieces"][0]["shown"].get<std::string>(), std::string("[CLS]"));
    QCOMPARE(masks[0]["pieces"][0]["fate"].get<std::string>(), std::string("seen"));
    QVERIFY(cli_.ask(asked + QStringList{"--epoch", "2"}).json()["masks"] != masks);
    QVERIFY(cli_.ask({"preview", documentOf(12)}).json()["masks"].is_null());
    QCOMPARE(cli_.ask({"preview", "sample", "--masks", "3"}).code, 2);
    const CliResult words = cli_.run(asked);
    QVERIFY2(words.out.contains("Texts as the model reads them"), words.out.constData());
  }

  void otherDataKeepTheSettings() {
    const QString document = documentOf(12);
    const QString other = cli_.write("other.txt", prose(30));
    const CliResult result = cli_.ask({"import", document, "--data", other});
    QVERIFY2(result.code == 0, result.err.constData());
    QCOMPARE(result.json()["rows"].get<int>(), 30);
  }

  void modelsOfRowsRefuseTexts() {
    const QString document = documentOf(12);
    const CliResult result = cli_.ask({"validate", document});
    QCOMPARE(result.code, 2);
    const json problems = result.json()["problems"];
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0]["pointer"].get<std::string>(), std::string("/model/kind"));
    QCOMPARE(cli_.ask({"train", document}).code, 2);
    QCOMPARE(cli_.ask({"plan", document}).code, 2);
  }

  void rowsRefuseMasks() {
    const CliResult result =
        cli_.ask({"validate", "sample", "--set", R"(/model/masking={"rate": 0.2})"});
    QCOMPARE(result.code, 2);
    QCOMPARE(result.json()["problems"][0]["pointer"].get<std::string>(),
             std::string("/model/masking"));
  }

  void linesOfAFileAreFilled() {
    const CliResult trained = cli_.run({"train", pairDocument()});
    QVERIFY2(trained.code == 0, trained.err.constData());
    QVERIFY2(trained.out.contains("--what model --format safetensors"), trained.out.constData());
    const QString lines = cli_.write("lines.txt", "the [MASK] jumps\r\n \t\n\n[MASK] lazy\n\n");
    const CliResult filled = cli_.ask({"predict", "latest", "--input", lines, "-k", "2"});
    QVERIFY2(filled.code == 0, filled.err.constData());
    const json answer = filled.json();
    QCOMPARE(answer.size(), std::size_t{2});
    QCOMPARE(answer[0]["line"].get<int>(), 1);
    QCOMPARE(answer[1]["line"].get<int>(), 4);
    QCOMPARE(answer[1]["pieces"].size(), std::size_t{2});
    for (const auto& [asked, says] : {std::pair{"0,1", "layer 0"},
                                      {"1,3", "accepted: 1 to 2"},
                                      {"abc", "LAYER,HEAD"},
                                      {"1", "counted from 1"},
                                      {"1,1,1", "LAYER,HEAD"}}) {
      const CliResult refused =
          cli_.ask({"predict", "latest", "--text", "the fox", "--attention", asked});
      QVERIFY2(refused.code == 2 && refused.err.contains(says), refused.err.constData());
    }
    QCOMPARE(cli_.ask({"predict", "latest", "--text", "the fox", "--attention", "1,2"}).code, 0);
  }

  void oneIsNoPlural() {
    QVERIFY2(cli_.ask({"train", pairDocument()}).code == 0, "train");
    const CliResult shown = cli_.run({"show", "latest"});
    QVERIFY2(shown.out.contains(", 1 of 1 epoch, "), shown.out.constData());
    const QString rows = cli_.write("one.csv", "user,item\n1,2\n1\n");
    const CliResult preview = cli_.run({"preview", rows});
    QVERIFY2(preview.out.contains("1 of 1 row pass (100.0 %), 1 rejected line."),
             preview.out.constData());
    const CliResult imported =
        cli_.run({"import", documentOf(2), "--set", "/dataset/split={\"kind\": \"random\"}",
                  "--set", "/dataset/slice=[:1]"});
    QVERIFY2(imported.out.startsWith("1 row imported"), imported.out + imported.err);
  }

  void linesThatCannotBeFilledAreNamed_data() {
    QTest::addColumn<QByteArray>("lines");
    QTest::addColumn<int>("line");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("no mask") << QByteArray("a [MASK]\n\nthe fox\n") << 3 << QByteArray("[MASK]");
    QTest::newRow("bytes") << QByteArray("a [MASK] \xFF\n") << 1 << QByteArray("UTF-8");
    QTest::newRow("too long") << "[MASK]\n" + QByteArray("fox ").repeated(20) + "[MASK]\n"
                              << 2 << QByteArray("the model reads 16");
    QTest::newRow("blank") << QByteArray("\n \n") << 0 << QByteArray("no line of text");
  }
  void linesThatCannotBeFilledAreNamed() {
    QFETCH(QByteArray, lines);
    QFETCH(int, line);
    QFETCH(QByteArray, says);
    QCOMPARE(cli_.ask({"train", pairDocument()}).code, 0);
    const QString file = cli_.write("lines.txt", lines);
    const CliResult refused = cli_.ask({"predict", "latest", "--input", file});
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains(says), refused.err.constData());
    const json error = refused.json()["error"];
    QCOMPARE(error["path"].get<std::string>(), file.toStdString());
    if (line > 0)
      QCOMPARE(error["line"].get<int>(), line);
    else
      QVERIFY(error["line"].is_null());
  }

  void whatCannotBeAskedIsTheArgumentsFault() {
    QCOMPARE(cli_.ask({"train", pairDocument()}).code, 0);
    const QString lines = cli_.write("lines.txt", "[MASK]\n");
    QCOMPARE(cli_.ask({"predict", "latest", "--input", lines, "-k", "100000"}).code, 2);
    QCOMPARE(cli_.ask({"predict", "latest", "--text", "fox"}).code, 2);
    QCOMPARE(cli_.ask({"predict", "latest", "--input", cli_.folder("gone.txt")}).code, 3);
  }

  // Models of texts list no items, and nothing is missing.
  void comparingModelsOfTextsWarnsOfNoLists() {
    const QString file = pairDocument();
    QStringList compare{"compare"};
    for (const char* seed : {"1", "2"}) {
      const CliResult trained = cli_.ask({"train", file, "--seed", seed});
      QVERIFY2(trained.code == 0, trained.err.constData());
      compare << QString::fromStdString(trained.json()["run_id"].get<std::string>());
    }
    const CliResult compared = cli_.ask(compare);
    QVERIFY2(compared.code == 0, compared.err.constData());
    QVERIFY2(!compared.err.contains("lists"), compared.err.constData());
    QCOMPARE(compared.json()["warnings"], json::array());
  }

  void aVocabularyWithoutMasksIsRefused() {
    const QString document = documentOf(12);
    cli_.write("pieces.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nfox\n");
    const CliResult result = cli_.ask({"import", document});
    const json error = result.json()["error"];
    QCOMPARE(error["pointer"].get<std::string>(), std::string("/dataset/text/vocabulary"));
    // The document is wrong, whoever reads it.
    for (const char* command : {"import", "preview", "validate", "train"}) {
      const CliResult each = cli_.ask({command, document});
      QVERIFY2(each.code == 2, command);
    }
    QVERIFY(error["path"].get<std::string>().ends_with("pieces.txt"));
    QCOMPARE(error["line"].get<int>(), 5);
  }
};

QTEST_GUILESS_MAIN(TextsTest)
#include "texts_test.moc"
