// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "engine/base/record/parse_json.h"

using namespace parapet;
using namespace parapet::record;

class ParseJsonTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsValues() {
    const auto json = parseJson(R"({"a": [1, -2, 2.5, "x", null, true, {}], "b": {"c": []}})");
    QVERIFY(json.ok());
    QCOMPARE(*json, nlohmann::json::parse(R"({"a":[1,-2,2.5,"x",null,true,{}],"b":{"c":[]}})"));
  }

  void namesLineAndColumn_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("line");
    QTest::addColumn<QByteArray>("part");
    QTest::newRow("missing comma")
        << QByteArray("{\"a\": 1\n \"b\": 2}") << 2 << QByteArray("column");
    QTest::newRow("empty") << QByteArray("") << 1 << QByteArray("line 1, column 1");
    QTest::newRow("cut off") << QByteArray("{\"a\":\n[1,\n") << 3 << QByteArray("unexpected end");
    QTest::newRow("duplicate") << QByteArray("{\"a\": 1,\n\n  \"a\": 2}") << 3
                               << QByteArray("line 3, column 5: the key \"a\" appears twice");
    QTest::newRow("NaN") << QByteArray("{\"a\": NaN}") << 1 << QByteArray("column 7");
    QTest::newRow("Infinity") << QByteArray("[-Infinity]") << 1 << QByteArray("line 1");
    QTest::newRow("1e999") << QByteArray("[\n1e999]") << 2 << QByteArray("1e999");
    QTest::newRow("invalid UTF-8") << QByteArray("[\"\xff\"]") << 1 << QByteArray("line 1");
    QTest::newRow("trailing text") << QByteArray("{} x") << 1 << QByteArray("line 1, column 4");
    QTest::newRow("NUL after the value")
        << QByteArray("{}\n\0", 4) << 2 << QByteArray("line 2, column 1: a NUL byte");
    QTest::newRow("NUL in a text") << QByteArray("[\"a\0\"]", 6) << 1 << QByteArray("column 4");
    QTest::newRow("very deep") << QByteArray(100000, '[') << 1
                               << QByteArray("nested deeper than 64");
  }
  void namesLineAndColumn() {
    QFETCH(QByteArray, text);
    QFETCH(int, line);
    QFETCH(QByteArray, part);
    const auto json = parseJson(text.toStdString(), "run.json");
    QVERIFY(!json.ok());
    QCOMPARE(json.error().code, ErrorCode::kInvalidDocument);
    QCOMPARE(json.error().path, std::string("run.json"));
    QCOMPARE(json.error().line.value_or(-1), std::int64_t{line});
    QVERIFY2(json.error().message.find(part.toStdString()) != std::string::npos,
             json.error().message.c_str());
  }

  void acceptsSameKeyInDifferentObjects() {
    QVERIFY(parseJson(R"([{"a": 1}, {"a": {"a": 2}}])").ok());
  }
};

QTEST_GUILESS_MAIN(ParseJsonTest)
#include "parse_json_test.moc"
