// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/data/ingest/import/detect_source.h"
#include "engine/data/ingest/sources/source_kinds.h"
#include "tests/data/ingest/import_fixture.h"
#include "tests/data/ingest/packed_bytes.h"
#include "tests/data/ingest/source_rows.h"
#include "tests/data/ingest/zip_fixture.h"

using namespace parapet;
using namespace parapet::data;

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

/// "user:i title:t tags:[t]"
QByteArray jsonColumns(const Source& source) {
  std::string found;
  for (const SourceColumn& column : source.columns()) {
    const std::string type = column.type == ValueType::kInteger  ? "i"
                             : column.type == ValueType::kNumber ? "n"
                                                                 : "t";
    found +=
        (found.empty() ? "" : " ") + column.name + ":" + (column.isList ? "[" + type + "]" : type);
  }
  return QByteArray::fromStdString(found);
}

QByteArray joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return QByteArray::fromStdString(text);
}

}  // namespace

class JsonSourceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void findsColumnsAndTypes_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("columns");
    const auto add = [](const char* name, const char* text, const char* columns) {
      QTest::newRow(name) << QByteArray(text) << QByteArray(columns);
    };
    add("values", "{\"u\":1,\"r\":2.5,\"t\":\"x\",\"b\":true}", "u:i r:n t:t b:i");
    add("in the order of first sight", "{\"b\":1}\n{\"a\":1,\"b\":2}\n", "b:i a:i");
    add("texts that are numbers", "{\"a\":\"12\",\"b\":\"3.5\",\"c\":\"007\"}", "a:i b:n c:t");
    add("whole fractions", "{\"a\":1.0}\n{\"a\":2.0}", "a:i");
    add("numbers among texts", "{\"a\":1}\n{\"a\":\"x\"}", "a:t");
    add("beyond int64", "{\"a\":18446744073709551615,\"b\":123456789012345678901234}", "a:t b:t");
    add("objects inside", "{\"a\":{\"b\":1,\"c\":{\"d\":\"x\"}},\"e\":2}", "a.b:i a.c.d:t e:i");
    add("null, or an object", "{\"a\":null,\"b\":1}\n{\"a\":{\"c\":1},\"b\":1}", "b:i a.c:i");
    add("nulls alone", "{\"a\":null,\"b\":1}", "a:t b:i");
    add("null first", "{\"a\":null}\n{\"a\":1}", "a:i");
    add("lists", "{\"a\":[1,2],\"b\":[\"x\"],\"c\":[],\"d\":[1,2.5]}", "a:[i] b:[t] c:[t] d:[n]");
    add("a value where others are lists", "{\"a\":[\"x\",\"y\"]}\n{\"a\":\"z\"}", "a:[t]");
    add("lists of objects", "{\"a\":[{\"b\":1}],\"c\":[[1]],\"d\":1}", "d:i");
    add("blank lines and spaces", "\n  \n { \"a\" : 1 } \r\n\t\n", "a:i");
    add("a list of objects", "[{\"a\":1,\"b\":\"],[\"},{\"a\":2,\"b\":\"\\\"}\"}]", "a:i b:t");
    add("a list over several lines", "[\n  {\n    \"a\": 1\n  },\n  {\n    \"a\": 2\n  }\n]\n",
        "a:i");
    add("a byte-order mark", "\xEF\xBB\xBF{\"a\":1}", "a:i");
    add("names with a point", "{\"a.b\":1}\n{\"a\":{\"b\":2}}", "a.b:i");
  }
  void findsColumnsAndTypes() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, columns);
    const auto source = open(text.toStdString());
    QVERIFY_OK(source);
    QCOMPARE(jsonColumns(**source), columns);
  }

  void readsValues_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("rows");
    const auto add = [](const char* name, const char* text, const Lines& rows) {
      QTest::newRow(name) << QByteArray(text) << joined(rows);
    };
    add("values", "{\"u\":-1,\"r\":2.5,\"t\":\"x\"}\n{\"t\":\"y\",\"r\":3,\"u\":7}",
        {"-1 2.5 x", "7 3 y"});
    add("what is missing", "{\"u\":1,\"t\":\"x\"}\n{\"u\":null}\n{\"t\":\"\",\"u\":2}\n{}",
        {"1 x", "null null", "2 null", "null null"});
    add("escapes", "{\"t\":\"a\\\"b\\\\\\n\\u00e9\\ud83d\\ude00/\"}", {"a\"b\\\né😀/"});
    add("bools", "{\"a\":true,\"b\":[true,false]}\n{\"a\":false,\"b\":[]}", {"1 [1 0]", "0 []"});
    add("lists", "{\"a\":[1,null,3]}\n{\"a\":[]}\n{}\n{\"a\":7}", {"[1 3]", "[]", "null", "[7]"});
    add("objects inside", "{\"a\":{\"b\":1},\"c\":2}\n{\"c\":3,\"a\":{\"x\":{}}}",
        {"1 2", "null 3"});
    add("NaN as Python writes it", "{\"a\":1.5}\n{\"a\":NaN}\n{\"a\":2.5}", {"1.5", "null", "2.5"});
    add("numbers as they are written", "{\"a\":\"x\"}\n{\"a\":1.50}\n{\"a\":3}",
        {"x", "1.50", "3"});
    add("a list of objects", "[{\"a\":1},\n{\"a\":2}]", {"1", "2"});
    add("no end of the last line", "{\"a\":1}\n{\"a\":2}", {"1", "2"});
  }
  void readsValues() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, rows);
    const auto found = read(text.toStdString());
    QCOMPARE(joined(found.rows), rows);
    QVERIFY(found.rejected.empty());
  }

  void rejectsLinesWithTheirReason_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("reason");
    const auto add = [](const char* name, const QByteArray& line, const char* reason) {
      QTest::newRow(name) << line << QByteArray(reason);
    };
    add("cut", "{\"id\":1,\"n\":2", "at byte 14: ");
    add("text", "id,n", "at byte 1: ");
    add("behind the object", "{\"id\":1} x", "at byte 10: ");
    add("one quote", "{'id':1}", "at byte 2: ");
    add("a list", "[1,2]", "a list; a JSON object is accepted");
    add("a number", "17", "a value by itself");
    add("twice", "{\"id\":1,\"id\":2}", "column \"id\" has a value twice");
    add("a text for a number", "{\"id\":\"x1\"}",
        "column \"id\" has \"x1\"; a whole number is accepted");
    add("a fraction", "{\"id\":1.5}", "column \"id\" has \"1.5\"");
    add("beyond int64", "{\"id\":9223372036854775808}", "\"9223372036854775808\"; a whole number");
    add("beyond double", "{\"n\":1e999}", "at byte ");
    add("infinite", "{\"n\":-Infinity}", "at byte ");
    add("NaN and cut", "{\"n\":NaN,", "at byte ");
    add("a list for a value", "{\"id\":[1]}", "column \"id\" has a list; one value is accepted");
    add("an object in a list", "{\"tags\":[\"a\",{\"b\":1}]}",
        "column \"tags\" has a list of objects or of lists");
    add("UTF-8", "{\"t\":\"\xC3(\"}", "ill-formed UTF-8");
    add("half a pair", "{\"t\":\"\\ud83d\"}", "surrogate");
    add("NUL", QByteArray("{\"t\":\"a\0b\"}", 11), "NUL byte");
    add("an escaped NUL", "{\"t\":\"a\\u0000b\"}", "column \"t\" has a NUL character");
    add("NUL behind it", QByteArray("{\"id\":1}\0", 9), "NUL byte");
    add("deep", "{\"x\":" + QByteArray(100'000, '[') + QByteArray(100'000, ']') + "}",
        "more than 64 deep");
    add("too long", "{\"t\":\"" + QByteArray(1 << 20, 'x') + "\"}", "at most 1048576 are accepted");
  }
  void rejectsLinesWithTheirReason() {
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, reason);
    std::string text;
    for (int i = 0; i < 1200; ++i)  // types are those of the first 1,000 lines

      text +=
          "{\"id\":1,\"n\":0.5,\"t\":\"x\",\"tags\":[\"a\"]}"
          "\n";
    text += line.toStdString() + "\n" + "{\"id\":2,\"n\":1.5,\"t\":\"y\",\"tags\":[]}";
    const auto found = read(text);
    QCOMPARE(found.rows.size(), std::size_t{1201});
    QCOMPARE(found.rows.back(), std::string("2 1.5 y []"));
    QCOMPARE(found.rejected.size(), std::size_t{1});
    QCOMPARE(found.rejected[0].line, std::int64_t{1201});
    QVERIFY2(found.rejected[0].reason.find(reason.toStdString()) != std::string::npos,
             found.rejected[0].reason.c_str());
  }

  void whatIsNoLinesOfObjectsIsRefusedByName_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("message");
    QTest::newRow("empty") << QByteArray(" \n") << QByteArray("is empty");
    QTest::newRow("over several lines")
        << QByteArray("{\n \"a\": 1,\n \"b\": 2\n}\n") << QByteArray("`jq -c`");
    QTest::newRow("a list of numbers") << QByteArray("[1,2,3]") << QByteArray("no JSON object");
    QTest::newRow("a table") << QByteArray("a,b\n1,2\n") << QByteArray("no JSON object");
    QTest::newRow("objects in a list of the object")
        << QByteArray("{\"data\":[{\"a\":1},{\"a\":2}]}") << QByteArray("jq -c '.data[]'");
    QTest::newRow("no values") << QByteArray("{}\n{}\n") << QByteArray("have no values");
    QByteArray many = "{";
    for (int key = 0; key < 20'000; ++key)
      many += (key ? "," : "") + QByteArray("\"k") + QByteArray::number(key) + "\":1";
    QTest::newRow("ids as keys") << many + "}" << QByteArray("are they ids?");
    QTest::newRow("old Macs") << QByteArray("{\"a\":1}\r{\"a\":2}\r") << QByteArray("old Macs");
  }
  void whatIsNoLinesOfObjectsIsRefusedByName() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, message);
    const auto source = open(text.toStdString());
    QVERIFY(!source);
    QCOMPARE(source.error().code, ErrorCode::kData);
    QVERIFY2(source.error().message.find(message.toStdString()) != std::string::npos,
             source.error().message.c_str());
  }

  void aListThatEndsEarlyIsADataError() {
    const auto source = open("[{\"a\":1},{\"a\":2},");
    QVERIFY(!source);
    QCOMPARE(source.error().code, ErrorCode::kData);
    QVERIFY(source.error().message.find("is it truncated?") != std::string::npos);
  }

  void keysThatComeLateAreColumns() {
    std::string text;
    for (int line = 0; line < 60'000; ++line)
      text += "{\"id\":" + std::to_string(line) + (line < 50'000 ? "" : ",\"late\":2.5") + "}\n";
    const auto source = open(text);
    QVERIFY_OK(source);
    QCOMPARE(jsonColumns(**source), QByteArray("id:i late:n"));
    QVERIFY_OK((*source)->select(everything(**source)));
    const auto rows = readRows(**source);
    QVERIFY_OK(rows);
    QCOMPARE(rows->rows.front(), std::string("0 null"));
    QCOMPARE(rows->rows.back(), std::string("59999 2.5"));
  }

  void typesThatChangeLateAreFoundAsThoseOfText() {
    std::string text;
    for (int line = 0; line < 60'000; ++line)
      text += line < 50'000 ? "{\"id\":" + std::to_string(line) + "}\n"
                            : "{\"id\":\"B" + std::to_string(line) + "\"}\n";
    const auto source = open(text);
    QVERIFY_OK(source);
    QCOMPARE(jsonColumns(**source), QByteArray("id:t"));
  }

  void aColumnIsReadAsItIsAskedFor() {
    const std::string text =
        "{\"id\":1,\"price\":\"2.5\",\"tags\":\"a|b\",\"w\":\"7:0.5|8:1\"}\n"
        "{\"id\":2,\"price\":3,\"tags\":\"\",\"w\":null}\n";
    const auto source = open(text);
    QVERIFY_OK(source);
    const std::vector<ColumnRequest> requests{{"id", ValueType::kText, "", ""},
                                              {"id", ValueType::kNumber, "", ""},
                                              {"price", ValueType::kNumber, "", ""},
                                              {"tags", ValueType::kText, "|", ""},
                                              {"w", ValueType::kInteger, "|", ":"}};
    QVERIFY_OK((*source)->select(requests));
    const auto rows = readRows(**source);
    QVERIFY_OK(rows);
    QCOMPARE(joined(rows->rows), joined({"1 1 2.5 [a b] [7 8] [0.5 1]", "2 2 3 null null []"}));
  }

  void requestsThatCannotBeServedAreRefused() {
    const std::string text = "{\"id\":1,\"name\":\"x\",\"tags\":[\"a\"],\"events\":[{\"a\":1}]}";
    const auto refused = [&](const ColumnRequest& request) {
      const auto source = open(text);
      const auto status = (*source)->select(std::span(&request, 1));
      return status ? std::string() : status.error().message;
    };
    QVERIFY(refused({"idd", {}, "", ""}).find("accepted: id, name, tags") != std::string::npos);
    QVERIFY(refused({"name", ValueType::kNumber, "", ""}).find("is text") != std::string::npos);
    QVERIFY(refused({"tags", {}, "|", ""}).find("has lists") != std::string::npos);
    const auto source = open(text);
    QVERIFY(!(*source)->absenceOf("events").empty());
    QCOMPARE((*source)->warnings().size(), std::size_t{1});
  }

  void packedFilesFoldersAndArchivesAreRead() {
    const ImportFixture fixture;
    const std::string first = "{\"id\":1,\"t\":\"x\"}\n", second = "{\"id\":2,\"n\":1.5}\n";
    const auto rowsOf = [&](const fs::path& path) {
      experiment::Dataset spec;
      spec.path = path.string();
      auto source = openJsonSource(spec);
      if (!source) return QByteArray::fromStdString(source.error().text());
      if (const auto status = (*source)->select(everything(**source)); !status)
        return QByteArray::fromStdString(status.error().text());
      const auto rows = readRows(**source);
      return rows ? joined(rows->rows) : QByteArray::fromStdString(rows.error().text());
    };
    fixture.write("a.jsonl", first);
    fixture.write("b.ndjson.gz", gzip(second));
    fixture.write("c.json.zst", zstd("[" + second + "]"));
    fixture.write("notes.md", "# text");
    QCOMPARE(rowsOf(fixture.source()), joined({"1 x null", "2 null 1.5", "2 null 1.5"}));
    QCOMPARE(rowsOf(fixture.source() / "b.ndjson.gz"), joined({"2 1.5"}));
    for (const char* name : {"a.jsonl", "b.ndjson.gz", "c.json.zst"}) {
      const auto found = detectSource(fixture.source() / name);
      QVERIFY_OK(found);
      QCOMPARE(found->source, experiment::SourceKind::kJson);
    }
    const auto folder = detectSource(fixture.source());
    QVERIFY_OK(folder);
    QCOMPARE(folder->source, experiment::SourceKind::kJson);
    const fs::path archive = fixture.root() / "data.zip";
    writeZip(archive, {{"rows/a.jsonl", first}, {"rows/readme.txt", "text"}});
    QCOMPARE(rowsOf(archive), joined({"1 x"}));
    QCOMPARE(rowsOf(archive / "rows/a.jsonl"), joined({"1 x"}));
    // A member is proposed for as a file of its own, whatever it is.
    QCOMPARE(detectSource(archive / "rows/a.jsonl")->source, experiment::SourceKind::kJson);
    QVERIFY(!detectSource(archive / "rows/none.jsonl"));
    const fs::path tables = fixture.root() / "tables.zip";
    writeZip(tables, {{"a.csv", "id,t\n1,x\n"}, {"b.csv", "id,t\n2,y\n"}});
    QCOMPARE(detectSource(tables / "b.csv")->source, experiment::SourceKind::kCsv);
    QVERIFY(detectSource(tables / "c.csv").error().message.find("b.csv") != std::string::npos);
    QCOMPARE(detectSource(archive)->source, experiment::SourceKind::kJson);
  }

  void anExperimentIsNoData() {
    const ImportFixture fixture;
    fixture.write("mine.json", "{\n  \"parapet\": 2,\n  \"dataset\": {}\n}\n");
    QVERIFY(!detectSource(fixture.source() / "mine.json"));
    fixture.write("books.json", "{\"title\":\"parapet\",\"id\":1}\n");
    QCOMPARE(detectSource(fixture.source() / "books.json")->source, experiment::SourceKind::kJson);
  }

  // The columns of an import are those of the same rows as text, bit for bit.
  void anImportIsThatOfTheSameText() {
    std::string csv = "user,item,stars,time\n", json;
    for (int row = 0; row < 500; ++row) {
      const std::string user = "u" + std::to_string(row * 7 % 40), item = std::to_string(row % 90);
      const std::string stars = row % 3 == 0 ? "" : std::to_string(row % 5) + ".5";
      const std::string time = std::to_string(1'700'000'000 + row);
      csv += user + "," + item + "," + stars + "," + time + "\n";
      json += "{\"user\":\"" + user + "\",\"item\":" + item +
              (stars.empty() ? "" : ",\"stars\":" + stars) + ",\"time\":" + time + "}\n";
    }
    const auto imported = [&](experiment::SourceKind kind, const std::string& text) {
      const ImportFixture fixture;
      fixture.write("rows", text);
      experiment::Dataset spec;
      spec.source = kind;
      spec.path = (fixture.source() / "rows").string();
      spec.label = {.column = std::nullopt, .scale = std::nullopt};
      using experiment::ColumnRole;
      spec.columns = {{.name = "user", .role = ColumnRole::kUser},
                      {.name = "item", .role = ColumnRole::kItem},
                      {.name = "stars", .role = ColumnRole::kNumeric},
                      {.name = "time", .role = ColumnRole::kTime}};
      spec.columns[2].missing = experiment::MissingNumbers::kMean;
      for (const char* name : {"user", "item"}) {
        spec.vocabularies.emplace_back().name = name;
        spec.vocabularies.back().kind = experiment::VocabularyKind::kCompressed;
      }
      const auto report = fixture.import(spec);
      std::map<std::string, std::string> files;
      if (!report) return files;
      for (const auto& entry : fs::recursive_directory_iterator(fixture.datasets()))
        if (entry.is_regular_file() && entry.path().extension() != ".json")
          files.emplace(entry.path().filename().string(), readBytes(entry.path()));
      return files;
    };
    const auto ofText = imported(experiment::SourceKind::kCsv, csv);
    const auto ofJson = imported(experiment::SourceKind::kJson, json);
    QVERIFY(ofText.size() >= 4);
    QVERIFY(ofJson == ofText);
  }

 private:
  static std::vector<ColumnRequest> everything(const Source& source) {
    std::vector<ColumnRequest> requests;
    for (const SourceColumn& column : source.columns())
      requests.push_back({column.name, {}, "", ""});
    return requests;
  }
  Result<std::unique_ptr<Source>> open(const std::string& text) {
    fixture_.write("rows.jsonl", text);
    experiment::Dataset spec;
    spec.path = (fixture_.source() / "rows.jsonl").string();
    return openJsonSource(spec);
  }
  SourceRows read(const std::string& text) {
    const auto source = open(text);
    if (!source || !(*source)->select(everything(**source))) return {};
    const auto rows = readRows(**source);
    return rows ? *rows : SourceRows();
  }

  ImportFixture fixture_;
};

QTEST_GUILESS_MAIN(JsonSourceTest)
#include "json_source_test.moc"
