// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/text_format.h"

#include <QTest>

#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;

namespace {

constexpr const char* kPath = "rows.csv";

Result<TextTable> find(std::string_view text,
                       const std::optional<experiment::TextFormat>& format = std::nullopt) {
  return findTextFormat(text, format, kPath);
}

std::vector<std::string> namesOf(const TextTable& table) {
  std::vector<std::string> names;
  for (const SourceColumn& column : table.columns) names.push_back(column.name);
  return names;
}

}  // namespace

class TextFormatTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theDelimiterCutsLinesIntoAsManyCells_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("delimiter");
    QTest::newRow("comma") << "user,item\n1,2\n3,4\n"
                           << ",";
    QTest::newRow("tab") << "1\t2\t3\n4\t5\t6\n"
                         << "\t";
    QTest::newRow("semicolon") << "a;b\n1,5;2\n2,5;3\n"
                               << ";";
    QTest::newRow("bar") << "1|x, y|3\n2|z|4\n"
                         << "|";
    QTest::newRow("two colons") << "1::2::3\n4::5::6\n"
                                << "::";
    QTest::newRow("a comma in a quoted title") << "1,\"a,b\",2\n2,c,3\n"
                                               << ",";
    QTest::newRow("said in a line of its own") << "sep=;\na,1;b,2\nc,3;d,4\n"
                                               << ";";
    QTest::newRow("a quote is none") << "sep=\"\na,1\nb,2\nc,3\n"
                                     << ",";
    QTest::newRow("a space between ids") << "1 7\n2 9\n12 3\n"
                                         << " ";
    QTest::newRow("runs of spaces") << "1   7    2.5\n20  19  10\n  3 8 4\n"
                                    << " ";
    QTest::newRow("spaces below names") << "user item\n1 7\n2 9\n"
                                        << " ";
    QTest::newRow("columns of fixed width") << "name      age  city\nann       31   Rome\n"
                                               "\"de Boer\" 8    Oslo\nbob       4    Bern\n"
                                            << " ";
    QTest::newRow("sentences") << "I have  2 dogs\nThey  are 3\nand  4 more here\n"
                               << ",";
    QTest::newRow("words with spaces") << "The Matrix\nBlade Runner\n"
                                       << ",";
    QTest::newRow("more cells") << "1 a,b|2|3|4\n1 c,d|5|6|7\n"
                                << "|";
  }
  void theDelimiterCutsLinesIntoAsManyCells() {
    QFETCH(QString, text);
    QFETCH(QString, delimiter);
    const auto table = find(text.toStdString());
    QVERIFY_OK(table);
    QCOMPARE(QString::fromStdString(table->cells.delimiter), delimiter);
  }

  void aFirstLineIsAHeader_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("headerLines");
    QTest::newRow("names over numbers") << "a,b\n1,2\n" << 1;
    QTest::newRow("known names over text") << "user_id,title\nann,x\n" << 1;
    QTest::newRow("text over text") << "ann,x\nbob,y\n" << 0;
    QTest::newRow("words over two codes") << "article,group\nA-100,sea\nA-103,king\n" << 1;
    QTest::newRow("codes beside words") << "A-100,sea\nA-103,king\nA-106,road\n" << 0;
    QTest::newRow("codes and words") << "ann,sea\nA-103,king\nbob,road\n" << 0;
    QTest::newRow("a number among names") << "user,5\nann,4\n" << 0;
    QTest::newRow("an empty name") << "user,\nann,4\n" << 1;
    QTest::newRow("an empty cell in every line") << "ann,\nbob,\n" << 0;
    QTest::newRow("an empty name over numbers") << ",user\n0,7\n1,9\n" << 1;
    QTest::newRow("the names come again") << "user_id,title\nann,x\nuser_id,title\nbob,y\n" << 1;
    QTest::newRow("a line that says the delimiter") << "sep=,\nuser,item\n1,2\n" << 2;
    QTest::newRow("blank lines before") << "\n\nuser,item\n1,2\n" << 3;
    QTest::newRow("a name that is a word of its ids") << "item,who\nitem-a,ann\n" << 1;
    QTest::newRow("ids with a word of names") << "item-b1,ann\nitem-a0,bob\n" << 0;
    QTest::newRow("a person called David") << "David,x\nbob,y\n" << 0;
    QTest::newRow("an id in camel case") << "readerId,x\nbob,y\n" << 1;
    QString codes;
    for (int i = 0; i < 20; ++i) codes += QString("u%1,i%2\n").arg(i % 7).arg(i % 5);
    QTest::newRow("words over codes") << "who,what\n" + codes << 1;
    QTest::newRow("codes alone") << codes << 0;
    QTest::newRow("a word over mixed cells") << "who,what\n" + codes + "ann,x\n" << 0;
  }
  void aFirstLineIsAHeader() {
    QFETCH(QString, text);
    QFETCH(int, headerLines);
    const auto table = find(text.toStdString());
    QVERIFY_OK(table);
    QCOMPARE(table->headerLines, std::int64_t{headerLines});
    // Without names the columns have numbers, and that is said.
    QCOMPARE(table->warnings.empty(), headerLines > 0);
    if (headerLines == 0) QCOMPARE(namesOf(*table), (std::vector<std::string>{"1", "2"}));
    QCOMPARE(table->header.empty(), headerLines == 0);
  }

  void typesAreThoseOfAllCells() {
    const auto table = find(
        "id,price,zip,hash,mixed,empty\n"
        "1,2.5,00123,99999999999999999999,1,\n"
        "-2,,04567,88888888888888888888,x,\n");
    QVERIFY_OK(table);
    std::vector<ValueType> types;
    for (const SourceColumn& column : table->columns) types.push_back(column.type);
    QCOMPARE(types,
             (std::vector<ValueType>{ValueType::kInteger, ValueType::kNumber, ValueType::kText,
                                     ValueType::kText, ValueType::kText, ValueType::kText}));
    QCOMPARE(table->hasNumbers, (std::vector<bool>{true, true, true, true, true, false}));
  }

  void wholeNumbersWithAPointAreIntegers() {
    const auto table = find("id,stars,truth,mixed\n1.0,4.0,true,true\n2.0,3.5,No,tea\n,,,\n");
    QVERIFY_OK(table);
    std::vector<ValueType> types;
    for (const SourceColumn& column : table->columns) types.push_back(column.type);
    QCOMPARE(types, (std::vector<ValueType>{ValueType::kInteger, ValueType::kNumber,
                                            ValueType::kText, ValueType::kText}));
    QCOMPARE(table->hasNumbers, (std::vector<bool>{true, true, true, true}));
  }

  void aCommaBehindTheNamesIsNoColumn() {
    const auto table = find("user,item,\n1,2\n3,4\n");
    QVERIFY_OK(table);
    QCOMPARE(namesOf(*table), (std::vector<std::string>{"user", "item"}));
  }

  void columnsOfOneNameAreToldApart() {
    const auto table = find("user,item,item,item_3\n1,2,3,4\n");
    QVERIFY_OK(table);
    QCOMPARE(namesOf(*table), (std::vector<std::string>{"user", "item", "item_3", "item_3_4"}));
    QCOMPARE(table->warnings.size(), std::size_t{2});
  }

  void whatIsDeclaredIsNotGuessed() {
    experiment::TextFormat format;
    format.delimiter = ";";
    format.header = false;
    format.names = {"who", "what"};
    const auto table = find("user;item\n1;2\n", format);
    QVERIFY_OK(table);
    QCOMPARE(table->headerLines, std::int64_t{0});
    QCOMPARE(namesOf(*table), format.names);
    QVERIFY(table->warnings.empty());
  }

  void whatDoesNotFitIsRefusedAtItsSetting_data() {
    QTest::addColumn<QString>("member");
    QTest::newRow("names") << "names";
    QTest::newRow("delimiter") << "delimiter";
    QTest::newRow("quote") << "quote";
  }
  void whatDoesNotFitIsRefusedAtItsSetting() {
    QFETCH(QString, member);
    experiment::TextFormat format;
    if (member == "names") format.names = {"only one"};
    if (member == "delimiter") format.delimiter = "\n";
    if (member == "quote") format.quote = "''";
    const auto table = find("1,2\n3,4\n", format);
    QVERIFY(!table.ok());
    QCOMPARE(table.error().code, ErrorCode::kInvalidDocument);
    QCOMPARE(table.error().pointer, "/dataset/format/" + member.toStdString());
  }

  void aDelimiterThatHoldsTheQuoteIsRefused() {
    experiment::TextFormat format;
    format.delimiter = "\"|";
    QCOMPARE(find("1,2\n", format).error().pointer, std::string("/dataset/format/delimiter"));
    format.quote.reset();
    QVERIFY_OK(find("1\"|2\n", format));
  }

  void aFileWithoutLinesIsAnErrorOfTheData() {
    for (const char* text : {"", "\n\n", "\r\n"}) {
      const auto table = find(text);
      QVERIFY(!table.ok());
      QCOMPARE(table.error().code, ErrorCode::kData);
      QVERIFY(table.error().message.find(kPath) != std::string::npos);
    }
  }
};

QTEST_APPLESS_MAIN(TextFormatTest)
#include "text_format_test.moc"
