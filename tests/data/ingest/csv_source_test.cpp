// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/source_kinds.h"

#include <QTemporaryDir>
#include <QTest>
#include <charconv>

#include "tests/data/ingest/source_rows.h"
#include "tests/data/ingest/zip_fixture.h"

using namespace parapet;
using namespace parapet::data;

namespace {

namespace fs = std::filesystem;
using Rows = std::vector<std::string>;

ColumnRequest want(std::string name, std::optional<ValueType> type = {}, std::string separator = "",
                   std::string weights = "") {
  return {std::move(name), type, std::move(separator), std::move(weights)};
}

const std::vector<ColumnRequest> kTyped{want("id", ValueType::kInteger),
                                        want("price", ValueType::kNumber), want("name")};

/// "user:i title:t"
QByteArray columnsText(const Source& source) {
  std::string found;
  for (const SourceColumn& column : source.columns()) {
    const char type = column.type == ValueType::kInteger  ? 'i'
                      : column.type == ValueType::kNumber ? 'n'
                                                          : 't';
    found += (found.empty() ? "" : " ") + column.name + ":" + type;
  }
  return QByteArray::fromStdString(found);
}

}  // namespace

class CsvSourceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void findsDelimiterNamesAndTypes_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("columns");
    const auto add = [](const char* name, const char* text, const char* columns) {
      QTest::newRow(name) << QByteArray(text) << QByteArray(columns);
    };
    add("commas", "user,item,rating\n1,2,3.5\n3,4,5\n", "user:i item:i rating:n");
    add("tabs, no names", "1\t2\tx\n3\t4\ty\n", "1:i 2:i 3:t");
    add("semicolons, decimal commas", "a;b;c\n1;2;3,5\n1;2;4\n", "a:i b:i c:n");
    add("semicolons, thousands", "a;b;c\n1;2;3,500\n1;2;4,125\n", "a:i b:i c:t");
    add("semicolons, commas and points", "a;b;c\n1;2.5;3,5\n1;2.5;4,5\n", "a:i b:n c:t");
    add("words for what is missing", "a,b,c\nNULL,2.5,x\n1,nan,\\N\n2,N/A,y\n", "a:i b:n c:t");
    add("bars", "a|b\n1|2\n", "a:i b:i");
    add("two colons", "1::2::3\n4::5::6\n", "1:i 2:i 3:i");
    add("quoted delimiters", "id,title\n1,\"A, B\"\n2,\"C, D, E\"\n", "id:i title:t");
    add("names that are words", "user_id,item_id\nu1,i7\n", "user_id:t item_id:t");
    add("words without names", "anna,apple\nbert,pear\n", "1:t 2:t");
    add("zeros before", "id,zip\n1,00501\n2,10001\n", "id:i zip:t");
    add("empty cells", "a,b,c\n1,,\n,2.5,\n", "a:i b:n c:t");
    add("twice the same name", "a,a\n1,2\n", "a:i a_2:i");
    add("spaces around names", "a , b\n1,2\n", "a:i b:i");
    add("blank lines first", "\n  \na,b\n1,2\n", "a:i b:i");
  }
  void findsDelimiterNamesAndTypes() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, columns);
    const auto source = open(text.toStdString());
    QVERIFY2(source.ok(), source ? "" : source.error().text().c_str());
    QCOMPARE(columnsText(**source), columns);
  }

  // Ids were whole numbers until the shop used other ones; a damaged cell here and there is no reason.
  void typesThatChangeLateAreFound_data() {
    QTest::addColumn<int>("lines");
    QTest::addColumn<int>("from");  // the first line with another id
    QTest::addColumn<QByteArray>("columns");
    QTest::newRow("at the end") << 100'000 << 97'000 << QByteArray("id:t price:n");
    QTest::newRow("in the middle") << 100'000 << 50'000 << QByteArray("id:t price:n");
    QTest::newRow("of a short file") << 2'000 << 1'900 << QByteArray("id:t price:n");
    QTest::newRow("one cell") << 100'000 << 99'999 << QByteArray("id:i price:n");
    QTest::newRow("none") << 100'000 << 100'000 << QByteArray("id:i price:n");
  }
  void typesThatChangeLateAreFound() {
    QFETCH(int, lines);
    QFETCH(int, from);
    QFETCH(QByteArray, columns);
    std::string text = "id,price\n";
    for (int line = 0; line < lines; ++line)
      text += (line >= from ? "B0" : "") + std::to_string(line) + (line > 1500 ? ",2.5\n" : ",2\n");
    const auto source = open(text);
    QVERIFY2(source.ok(), source ? "" : source.error().text().c_str());
    QCOMPARE(columnsText(**source), columns);
  }

  void decimalCommasThatComeLateAreFound() {
    std::string text = "id;stars\n";
    for (int line = 0; line < 4'000; ++line)
      text += std::to_string(line % 9) + (line < 2'000 ? ";3\n" : ";3,5\n");
    const auto source = open(text);
    QVERIFY_OK(source);
    QCOMPARE(columnsText(**source), QByteArray("id:i stars:n"));
    const auto rows = read(text);
    QVERIFY(rows.rejected.empty());
    QCOMPARE(rows.rows.back(), std::string("3 3.5"));
  }

  // Types, encoding and delimiter are those of all files of a folder.
  void theFirstTableOfAFolderDoesNotDecideAlone() {
    fs::create_directories(root() / "unlike");
    const auto write = [&](const char* name, const std::string& line) {
      std::string text = "id,price,name\n";
      for (int row = 0; row < 20; ++row) text += std::to_string(row) + line + "\n";
      writeBytes(root() / "unlike" / name, text);
    };
    write("0.csv", ",2,x");
    write("1.csv",
          ",2.5,M\xf6"
          "bel");
    const auto rows = read(openAt("unlike"), kTyped);
    QVERIFY2(rows.rejected.empty(), rows.rejected.empty() ? "" : rows.rejected[0].reason.c_str());
    QCOMPARE(rows.rows.back(), std::string("19 2.5 Möbel"));
    std::string other = "id;price;name\n";
    for (int row = 0; row < 20; ++row) other += "1;2;x\n";
    writeBytes(root() / "unlike" / "2.csv", other);
    const auto mixed = openAt("unlike");
    QVERIFY(!mixed.ok());
    QVERIFY2(mixed.error().message.find("separated by semicolons") != std::string::npos,
             mixed.error().message.c_str());
  }

  void whatIsDeclaredWins() {
    experiment::TextFormat format;
    format.delimiter = ";";
    format.quote = std::nullopt;
    format.header = false;
    format.names = {"who", "what"};
    const auto rows = read("user;\"a\n1;b\"\n", format);
    QCOMPARE(rows.rows, (Rows{"user \"a", "1 b\""}));
    format.names = {"one"};
    const auto source = open("a;b\n", format);
    QVERIFY(!source);
    QCOMPARE(source.error().pointer, std::string("/dataset/format/names"));
    format.names = {};
    format.quote = "\"";
    for (const char* delimiter : {"abc", "", "\n", "\""}) {
      format.delimiter = delimiter;
      QCOMPARE(open("a;b\n", format).error().pointer, std::string("/dataset/format/delimiter"));
    }
    format.delimiter = ";";
    format.quote = "\r";
    QCOMPARE(open("a;b\n", format).error().pointer, std::string("/dataset/format/quote"));
  }

  void readsEveryFormOfALine_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("row");
    const auto add = [](const char* line, const char* row) {
      QTest::newRow(line) << QByteArray(line) << QByteArray(row);
    };
    add("7,2.5,text", "7 2.5 text");
    add("-7,-0.25,x", "-7 -0.25 x");
    add("007,2.,x", "7 2 x");
    add("7,.5,x", "7 0.5 x");
    add("7,1e3,x", "7 1000 x");
    add("9223372036854775807,123456789.123456789,x", "9223372036854775807 123456789.12345679 x");
    add("1234567890123456,0.1,x", "1234567890123456 0.1 x");
    add("\"7\",\"2.5\",\"text\"", "7 2.5 text");
    add("7,2.5,\"a, \"\"b\"\"\"", "7 2.5 a, \"b\"");
    add("7,2.5,\"\"\"\"", "7 2.5 \"");
    add("7,2.5,a\"b", "7 2.5 a\"b");
    add("7,2.5,x\r", "7 2.5 x");
    add(",2.5,x", "null 2.5 x");
    add("7,,x", "7 null x");
    add("7,2.5,", "7 2.5 null");
    add("7,2.5,\"\"", "7 2.5 null");
    add(" 7 ,  2.5,x y ", "7 2.5 x y");
    add("7, 2.5 , \"a, b\" ", "7 2.5 a, b");
    add("7,2.5, \"a\" b", "7 2.5 \"a\" b");
    add("7,2.5,\" a \"", "7 2.5  a ");
    add("7,2.5,  ", "7 2.5 null");
    add("7.00,true,x", "7 1 x");
    add("-7.0,No,x", "-7 0 x");
    add("7,2.5,\xC3\xA9t\xC3\xA9", "7 2.5 \xC3\xA9t\xC3\xA9");
  }
  void readsEveryFormOfALine() {
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, row);
    const std::string text = "id,price,name\n1,1.5,before\n" + line.toStdString() +
                             "\n3,2.5,after\n" + std::string(100, ' ') + "\n";
    const auto rows = read(text, {}, kTyped);
    QVERIFY2(rows.rejected.empty(), rows.rejected.empty() ? "" : rows.rejected[0].reason.c_str());
    QCOMPARE(rows.rows, (Rows{"1 1.5 before", row.toStdString(), "3 2.5 after"}));
    QCOMPARE(rows.lines, (std::vector<std::int64_t>{2, 3, 4}));
  }

  // RFC 4180: a quoted cell may have line breaks, over the borders of windows and pieces too.
  void quotedCellsMayHaveLineBreaks_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("every");  // so many rows have a cell with breaks
    QTest::addColumn<QByteArray>("end");
    QTest::addColumn<QByteArray>("quote");
    QTest::newRow("all") << 300 << 1 << QByteArray("\n") << QByteArray("\"");
    QTest::newRow("some, CR LF") << 5'000 << 50 << QByteArray("\r\n") << QByteArray("\"");
    QTest::newRow("several pieces") << 60'000 << 7 << QByteArray("\n") << QByteArray("\"");
    QTest::newRow("another quote") << 60'000 << 2 << QByteArray("\n") << QByteArray("'");
  }
  void quotedCellsMayHaveLineBreaks() {
    QFETCH(int, rows);
    QFETCH(int, every);
    QFETCH(QByteArray, end);
    QFETCH(QByteArray, quote);
    const std::string eol = end.toStdString(), mark = quote.toStdString();
    const std::string twice = mark + mark + "end" + mark + mark;
    std::string text = "id,name,price" + eol;
    Rows expected;
    std::vector<std::int64_t> lines;
    std::int64_t line = 2;
    for (int row = 0; row < rows; ++row) {
      const bool breaks = row % every == 0;
      std::string name = "film " + std::to_string(row);
      if (breaks) name += eol + std::string(row % 90, 'x') + ", part 2" + eol + "the " + twice;
      text += std::to_string(row) + (breaks ? "," + mark + name + mark + "," : "," + name + ",") +
              "2.5";
      if (row + 1 < rows) text += eol;
      if (breaks) name.replace(name.find(twice), 7, mark + "end" + mark);
      expected.push_back(std::to_string(row) + " 2.5 " + name);
      lines.push_back(line);
      line += breaks ? 3 : 1;
    }
    experiment::TextFormat format;
    format.quote = mark;
    const auto found = read(text, format, kTyped);
    QVERIFY2(found.rejected.empty(),
             found.rejected.empty() ? "" : found.rejected[0].reason.c_str());
    QCOMPARE(found.rows.size(), expected.size());
    for (std::size_t row = 0; row < expected.size(); ++row)
      QCOMPARE(found.rows[row], expected[row]);
    QCOMPARE(found.lines, lines);
  }

  // The lines of a quoted cell are looked at like all others, wherever the last of them is.
  void quotedCellsOfSeveralLinesAreText_data() {
    QTest::addColumn<int>("rowsBefore");
    QTest::newRow("at the end of the file") << 1;
    QTest::newRow("behind a window") << 2'339;
  }
  void quotedCellsOfSeveralLinesAreText() {
    QFETCH(int, rowsBefore);
    std::string text = "id,name\n";
    for (int row = 0; row < rowsBefore; ++row) text += "1,abcd\n";
    text += "2,\"y\n" + std::string(rowsBefore == 1 ? 0 : 40, '-') + "\xff\"";
    const auto rows = read(text, {}, {want("name")});
    QCOMPARE(std::ssize(rows.rows), std::ptrdiff_t{rowsBefore});
    QCOMPARE(rows.rejected.size(), std::size_t{2});
    QVERIFY2(rows.rejected[1].reason.starts_with("bytes that are not UTF-8"),
             rows.rejected[1].reason.c_str());
    experiment::Dataset spec;
    spec.source = experiment::SourceKind::kCsv;
    spec.path = (root() / "table.csv").string();
    const auto latin = read(openCsvSource(spec, TextEncoding::kWindows1252), {want("name")});
    QVERIFY(latin.rejected.empty());
    QVERIFY2(latin.rows.back().ends_with("\xc3\xbf"), latin.rows.back().c_str());
  }

  void severalSpacesAreOneDelimiter() {
    std::string text =
        "user   item  rating\n  1      2     3.5\n 10     20    4   \n"
        "\"3 4\"  30    1\n8      9\n";
    for (int line = 0; line < 30; ++line) text += line % 2 == 0 ? "5 6 7\n" : "5   6   7\n";
    const auto rows = read(text);
    QCOMPARE(rows.rows.size(), std::size_t{33});
    QCOMPARE(Rows(rows.rows.begin(), rows.rows.begin() + 5),
             (Rows{"1 2 3.5", "10 20 4", "3 4 30 1", "5 6 7", "5 6 7"}));
    QCOMPARE(rows.rejected.size(), std::size_t{1});
    QCOMPARE(rows.rejected[0].line, std::int64_t{5});
    const auto source = open("1  2\n3  4\n");
    QVERIFY_OK(source);
    QVERIFY((*source)->warnings().front().find("several spaces are read as one") !=
            std::string::npos);
  }

  void aCountryThatComesLateKeepsNamibia_data() {
    QTest::addColumn<int>("from");
    QTest::addColumn<bool>("isMissing");
    QTest::newRow("further down") << 30'000 << false;
    QTest::newRow("nowhere") << 60'000 << true;
  }
  void aCountryThatComesLateKeepsNamibia() {
    QFETCH(int, from);
    QFETCH(bool, isMissing);
    std::string text = "id,land\n";
    for (int line = 0; line < 60'000; ++line)
      text += std::to_string(line) + (line >= from && line % 3 == 0 ? ",DE\n" : ",NA\n");
    const auto rows = read(text);
    QVERIFY(rows.rejected.empty());
    QCOMPARE(rows.rows[1], std::string(isMissing ? "1 null" : "1 NA"));
  }

  void wordsForMissingValuesAreNone_data() {
    QTest::addColumn<QByteArray>("names");
    QTest::addColumn<QByteArray>("nullValues");  // of the column "name"; "": not said
    QTest::addColumn<int>("isMissing");          // 1 for each row whose name is missing
    QTest::newRow("standard") << QByteArray("x NULL \"NULL\" NA None nan Nina") << QByteArray()
                              << 0b0111010;
    QTest::newRow("Namibia") << QByteArray("DE NA FR NULL") << QByteArray() << 0b1000;
    QTest::newRow("of the column") << QByteArray("x NULL - NA") << QByteArray("-") << 0b0100;
    QTest::newRow("none") << QByteArray("x NULL NA") << QByteArray("[]") << 0;
    QTest::newRow("a number") << QByteArray("5 -1 7 -1") << QByteArray("-1") << 0b1010;
  }
  void wordsForMissingValuesAreNone() {
    QFETCH(QByteArray, names);
    QFETCH(QByteArray, nullValues);
    QFETCH(int, isMissing);
    const QList<QByteArray> each = names.split(' ');
    std::string text = "id,name\n";
    // Once for the careful reader and, in a window of plain lines, once for the quick one.
    for (int round = 0; round < 30; ++round)
      for (const QByteArray& name : each) text += "1," + name.toStdString() + "\n";
    writeBytes(root() / "table.csv", text);
    experiment::Dataset spec;
    spec.source = experiment::SourceKind::kCsv;
    spec.path = (root() / "table.csv").string();
    spec.columns = {{.name = "user", .role = experiment::ColumnRole::kUser, .from = "name"}};
    if (!nullValues.isEmpty()) spec.columns[0].nullValues.emplace();
    if (!nullValues.isEmpty() && nullValues != "[]")
      spec.columns[0].nullValues->push_back(nullValues.toStdString());
    const auto source = openCsvSource(spec);
    QVERIFY_OK(source);
    const std::vector<ColumnRequest> wanted{want("name")};
    QVERIFY_OK((*source)->select(wanted));
    Source::Piece piece;
    RowBlock block;
    QVERIFY((*source)->next(piece).value());
    QVERIFY_OK((*source)->parse(piece, block));
    QCOMPARE(block.rows, std::int64_t{30 * each.size()});
    for (std::int64_t row = 0; row < block.rows; ++row)
      QCOMPARE(block.columns[0].isMissing(std::size_t(row)),
               bool(isMissing >> (row % each.size()) & 1));
  }

  void decimalCommasAreRead() {
    std::string text = "id;price;name\n1;2,5;a\n2;-3;b\n3;1.5;c\n4;12,25;d\n";
    Rows expected{"1 2.5 a", "2 -3 b", "4 12.25 d"};
    for (int row = 5; row < 40; ++row) {
      text += std::to_string(row) + ";0,75;e\n";
      expected.push_back(std::to_string(row) + " 0.75 e");
    }
    const auto rows = read(text, {}, kTyped);
    QCOMPARE(rows.rows, expected);
    QCOMPARE(rows.rejected.size(), std::size_t{1});
    experiment::TextFormat points;
    points.decimal = ".";
    QCOMPARE(read("id;price;name\n1;2,5;a\n2;-3;b\n", points, kTyped).rejected.size(),
             std::size_t{1});
  }

  void otherEncodingsAreFoundOrSaid_data() {
    QTest::addColumn<QByteArray>("cell");
    QTest::addColumn<QByteArray>("read");  // "": rejected
    QTest::newRow("ISO-8859-1") << QByteArray(
                                       "M\xf6"
                                       "bel")
                                << QByteArray("Möbel");
    QTest::newRow("mostly not beside letters")
        << QByteArray("5 \x80 caf\xe9 d\x92or") << QByteArray();
    QTest::newRow("a quote of Windows") << QByteArray("d\x92or") << QByteArray("d’or");
    QTest::newRow("damage") << QByteArray(
                                   "12\xff\xfe"
                                   "34")
                            << QByteArray();
  }
  void otherEncodingsAreFoundOrSaid() {
    QFETCH(QByteArray, cell);
    QFETCH(QByteArray, read);
    std::string text = "id,name\n";
    for (int row = 0; row < 5; ++row) text += "1," + cell.toStdString() + "\n";
    const auto found = this->read(text, {}, {want("name")});
    QCOMPARE(found.rejected.empty(), !read.isEmpty());
    if (!read.isEmpty()) QCOMPARE(found.rows, Rows(5, read.toStdString()));
    experiment::TextFormat format;
    format.encoding = experiment::TextEncoding::kWindows1252;
    QVERIFY(this->read(text, format, {want("name")}).rejected.empty());
    format.encoding = experiment::TextEncoding::kUtf8;
    QCOMPARE(this->read(text, format, {want("name")}).rejected.size(), std::size_t{5});
  }

  void quotesInsideCellsJoinNoLines() {
    const auto rows = read("title\n3.5\" disk\nof 5\" and more\nx\n", {}, {want("title")});
    QCOMPARE(rows.rows, (Rows{"3.5\" disk", "of 5\" and more", "x"}));
    QCOMPARE(rows.lines, (std::vector<std::int64_t>{2, 3, 4}));
  }

  void aQuoteThatNeverClosesCostsItsOwnLine() {
    std::string text = "id,price,name\n1,2.5,\"open\n";
    for (int row = 2; row < 8'000; ++row) text += std::to_string(row) + ",2.5,closed\n";
    const auto rows = read(text, {}, kTyped);
    QCOMPARE(rows.rejected.size(), std::size_t{1});
    QCOMPARE(rows.rejected[0].line, std::int64_t{2});
    QCOMPARE(rows.rows.size(), std::size_t{7'998});
  }

  void aBadLineIsToldAndTheOthersAreRead_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("reason");
    const auto add = [](const char* name, QByteArray line, const char* reason) {
      QTest::newRow(name) << line << QByteArray(reason);
    };
    add("decimal comma", "7;3,5;x", "column \"price\" has \"3,5\"; a number with a decimal point");
    add("words", "seven;2.5;x", "column \"id\" has \"seven\"; a whole number is accepted");
    add("a fraction", "7.5;2.5;x", "column \"id\" has \"7.5\"");
    add("too large", "9223372036854775808;2.5;x", "\"9223372036854775808\"; a whole number");
    add("space", "7 7;2.5;x", "column \"id\" has \"7 7\"");
    add("point behind", "7.;2.5;x", "column \"id\" has \"7.\"");
    add("names again", "id;price;name", "the line of names comes again");
    add("sign alone", "-;2.5;x", "column \"id\" has \"-\"");
    add("point alone", "7;.;x", "column \"price\" has \".\"");
    add("two points", "7;1.2.3;x", "column \"price\" has \"1.2.3\"");
    add("too few", "7;2.5", "2 columns; 3 separated by semicolons are accepted (id, price, name)");
    add("too many", "7;2.5;x;y", "4 columns");
    add("open quote", "7;2.5;\"x", "cell 3 has no closing quote within 65,536 bytes");
    add("text behind a quote", "7;2.5;\"x\"y", "\"y\" after the closing quote of cell 3");
    add("NUL", QByteArray("7;2.5;a\0b", 9), "NUL byte");
    add("bad UTF-8", "7;2.5;\xFF\xFE", "not UTF-8");
    add("cut UTF-8", "7;2.5;\xC3", "not UTF-8");
    add("lone CR", "7;2.5;a\rb", "carriage return inside the line");
  }
  void aBadLineIsToldAndTheOthersAreRead() {
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, reason);
    std::string text = "id;price;name\r\n\n1;1.5;before\n" + line.toStdString() + "\n";
    Rows expected{"1 1.5 before"};
    for (int i = 0; i < 20; ++i) {
      text += std::to_string(i) + ";2.5;\xC3\xA4" + (i % 2 ? "\n" : "\r\n");
      expected.push_back(std::to_string(i) + " 2.5 \xC3\xA4");
    }
    const auto rows = read(text, {}, kTyped);
    QCOMPARE(rows.rows, expected);
    QCOMPARE(rows.rejected.size(), std::size_t{1});
    QCOMPARE(rows.rejected[0].line, std::int64_t{4});
    QVERIFY2(rows.rejected[0].reason.find(reason.toStdString()) != std::string::npos,
             rows.rejected[0].reason.c_str());
    QCOMPARE(rows.lines[0], std::int64_t{3});
    QCOMPARE(rows.lines[1], std::int64_t{5});
    QCOMPARE(rows.lines[20], std::int64_t{24});
  }

  // The quick reader and the careful one give the same bits as from_chars, over window borders too.
  void bothReadersGiveTheNearestDouble() {
    std::string plain = "id,value\n", quoted = "id,value\n";
    std::vector<double> expected;
    std::uint64_t state = 88172645463325252u;
    for (int i = 0; i < 60'000; ++i) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      const auto digits = static_cast<int>(state % 17);
      std::string number =
          std::to_string(state >> 8).substr(0, static_cast<std::size_t>(1 + digits));
      if (state % 3 != 0) number.insert(number.size() - (state >> 20) % number.size(), ".");
      if (state % 5 == 0) number.insert(0, "-");
      double value = 0.0;
      std::from_chars(number.data(), number.data() + number.size(), value);
      expected.push_back(value);
      plain += std::to_string(i) + "," + number + "\n";
      quoted += "\"" + std::to_string(i) + "\",\"" + number + "\"\n";
    }
    for (const std::string& text : {plain, quoted}) {
      const auto source = open(text).value();
      QVERIFY(source->select(std::vector{want("value", ValueType::kNumber)}).ok());
      std::vector<double> found;
      Source::Piece piece;
      RowBlock block;
      while (source->next(piece).value()) {
        QVERIFY(source->parse(piece, block).ok());
        QVERIFY2(block.rejected.empty(),
                 block.rejected.empty() ? "" : block.rejected[0].excerpt.c_str());
        const auto& numbers = block.columns[0].numbers;
        QCOMPARE(std::ssize(numbers), block.rows);
        found.insert(found.end(), numbers.begin(), numbers.end());
      }
      QVERIFY(found == expected);
    }
  }

  void selectsColumnsInTheOrderOfTheRequests() {
    const std::string text = "a,b,c\n1,2,x\n3,4,y\n";
    QCOMPARE(read(text, {}, {want("c"), want("a")}).rows, (Rows{"x 1", "y 3"}));
    QCOMPARE(read(text, {}, {want("b", ValueType::kText), want("b", ValueType::kNumber), want("b")})
                 .rows,
             (Rows{"2 2 2", "4 4 4"}));
    QCOMPARE(open(text).value()->select(std::vector{want("d")}).error().pointer,
             std::string("/dataset/columns"));
    const Status asNumber = open(text).value()->select(std::vector{want("c", ValueType::kNumber)});
    QVERIFY(!asNumber);
    QVERIFY(asNumber.error().message.find("\"c\"") != std::string::npos);
  }

  void rowsCanBeCountedWithoutAColumn() {
    const auto source = open("a,b\n1,2\n\n3,4\nbad\n5,6\n").value();
    QVERIFY(source->select({}).ok());
    Source::Piece piece;
    RowBlock block;
    QVERIFY(source->next(piece).value());
    QVERIFY(source->parse(piece, block).ok());
    QCOMPARE(block.rows, std::int64_t{3});
    QCOMPARE(block.lines, std::int64_t{6});
    QCOMPARE(source->excerpt(piece, 4), std::string("bad"));
  }

  void memoryFollowsTheRowsNotTheCells() {
    constexpr std::size_t kColumns = 5000, kRows = 20;
    std::string text, line;
    for (std::size_t c = 0; c < kColumns; ++c) {
      text += fmt::format("{}c{}", c == 0 ? "" : ",", c);
      line += fmt::format("{}{}", c == 0 ? "" : ",", c % 7);
    }
    text += '\n';
    for (std::size_t row = 0; row < kRows; ++row) text += line + "\n";
    const auto source = open(text).value();
    std::vector<ColumnRequest> all;
    for (const SourceColumn& column : source->columns()) all.push_back(want(column.name));
    const Status unknown = source->select(std::vector{want("rating")});
    QVERIFY2(!unknown.ok() && unknown.error().message.size() < 300,
             unknown.error().message.c_str());
    QVERIFY(source->select(all).ok());
    Source::Piece piece;
    RowBlock block;
    QVERIFY(source->next(piece).value());
    QVERIFY(source->parse(piece, block).ok());
    QCOMPARE(block.rows, std::int64_t{kRows});
    for (const ColumnValues& column : block.columns) {
      QCOMPARE(column.integers.size(), kRows);
      QVERIFY2(column.integers.capacity() <= 4 * kRows,
               qPrintable(QString::number(column.integers.capacity())));
    }
    QCOMPARE(block.columns[kColumns - 1].integers[kRows - 1], std::int64_t((kColumns - 1) % 7));
  }

  void aDelimiterOfTwoBytesMayFollowItsOwnFirstByte() {
    experiment::TextFormat format;
    format.delimiter = "::";
    const auto rows = read("a::b::c\n1:::2::3\n4:::5\n6::7::8\n" + std::string(50, '\n'), format,
                           {want("a", ValueType::kInteger)});
    QCOMPARE(rows.rows, (Rows{"1", "6"}));
    QCOMPARE(rows.rejected.size(), std::size_t{1});
    QCOMPARE(rows.rejected[0].line, std::int64_t{3});
  }

  void listsAreSplitWithTheirWeights() {
    const std::string text =
        "id,tags,words\n1,7:0.5|8:1|9:2,a b\n2,,\n3,7|x,a\n4,5|,\"c \"\"d\"\"\"\n5,6:w,a\n6,1,e\n"
        "7,1:2|3,e\n";
    const auto rows = read(text, {},
                           {want("id"), want("tags", ValueType::kInteger, "|", ":"),
                            want("words", ValueType::kText, " ")});
    QCOMPARE(rows.rows, (Rows{"1 [7 8 9] [0.5 1 2] [a b]", "2 null [] null", "4 [5] [1] [c \"d\"]",
                              "6 [1] [1] [e]"}));
    QCOMPARE(rows.rejected.size(), std::size_t{3});
    QVERIFY2(rows.rejected[2].reason.find("found 1 weight for 2 ids") != std::string::npos,
             rows.rejected[2].reason.c_str());
    QCOMPARE(rows.rejected[0].line, std::int64_t{4});
    QVERIFY(rows.rejected[0].reason.find("column \"tags\" has \"7|x\"") != std::string::npos);
    QCOMPARE(rows.rejected[1].line, std::int64_t{6});
  }

  void anEndlessLineIsOneBadLine() {
    const auto rows = read("a,b\n1,2\n" + std::string(3'000'000, '7') + "\n3,4\n");
    QCOMPARE(rows.rows, (Rows{"1 2", "3 4"}));
    QCOMPARE(rows.lines, (std::vector<std::int64_t>{2, 4}));
    QCOMPARE(rows.rejected.size(), std::size_t{1});
    QCOMPARE(rows.rejected[0].line, std::int64_t{3});
    QVERIFY(rows.rejected[0].reason.find("3000000 bytes") != std::string::npos);
  }

  void readsATableInAnArchive() {
    const std::string text = "a,b\n1,2\n";
    writeZip(root() / "one.zip", {{"top/", ""}, {"top/t.csv", text}, {"top/readme.txt", "hello"}});
    QCOMPARE(read(openAt("one.zip")).rows, Rows{"1 2"});
    QCOMPARE(openAt("one.zip").value()->fileName(), std::string("top/t.csv"));
    writeZip(root() / "two.zip", {{"x.csv", text}, {"y.csv", "a,b\n3,4\n"}});
    QCOMPARE(read(openAt("two.zip/y.csv")).rows, Rows{"3 4"});
    const auto ambiguous = openAt("two.zip");
    QVERIFY(!ambiguous);
    QVERIFY2(ambiguous.error().message.find("x.csv, y.csv") != std::string::npos,
             ambiguous.error().message.c_str());
    QVERIFY(openAt("two.zip/z.csv").error().message.find("z.csv") != std::string::npos);
  }

  void membersOfOneNameAreOtherData() {
    writeZip(root() / "years.zip",
             {{"20/events.csv", "a,b\n1,2\n"}, {"21/events.csv", "a,b\n3,4\n"}});
    const auto hashOf = [&](const char* path) {
      Hasher hasher;
      if (!openAt(path).value()->hashInto(hasher, {})) throw InternalError("no hash");
      return hasher.hex();
    };
    QVERIFY(hashOf("years.zip/20/events.csv") != hashOf("years.zip/21/events.csv"));
    QCOMPARE(hashOf("years.zip/20/events.csv"), hashOf("years.zip/20/events.csv"));
  }

  void readsTheTablesOfAFolderInTheOrderOfTheirNames() {
    fs::create_directory(root() / "folder");
    writeBytes(root() / "folder" / "b.csv", "a,b\n3,4\nbad\n");
    writeBytes(root() / "folder" / "a.csv", "a,b\n1,2\n");
    writeBytes(root() / "folder" / "notes.txt", "no table");
    const auto rows = read(openAt("folder"));
    QCOMPARE(rows.rows, (Rows{"1 2", "3 4"}));
    QCOMPARE(rows.rejected.size(), std::size_t{1});
    QVERIFY(rows.rejected[0].reason.find("(b.csv)") != std::string::npos);
    const auto whole = openAt("folder").value();
    QCOMPARE(whole->total(), std::int64_t{20});
    QVERIFY(whole->select({}).ok());
    QVERIFY(readRows(*whole).ok());
    QCOMPARE(whole->done(), whole->total());
    writeBytes(root() / "folder" / "c.csv", "a,c\n3,4\n");
    const auto mixed = openAt("folder");
    QVERIFY(!mixed);
    QVERIFY(mixed.error().path.ends_with("c.csv"));
    QVERIFY2(
        mixed.error().message.find("one of the files: a.csv, b.csv, c.csv") != std::string::npos,
        mixed.error().message.c_str());
  }

  // Names alone have no types, which is no fault of the column that is asked for.
  void namesWithoutARowAreNamedAsThat() {
    const std::vector<ColumnRequest> numbers{want("user", ValueType::kInteger)};
    const auto empty = open("user,item\n\n").value();
    const Status status = empty->select(numbers);
    QVERIFY(!status);
    QCOMPARE(status.error().code, ErrorCode::kData);
    QVERIFY2(status.error().message.find("table.csv has no rows") != std::string::npos,
             status.error().message.c_str());
    const auto text = open("user,item\nanna,1\n").value();
    QCOMPARE(text->select(numbers).error().code, ErrorCode::kInvalidDocument);
    fs::create_directory(root() / "parts");
    writeBytes(root() / "parts" / "a.csv", "user,item\n");
    writeBytes(root() / "parts" / "b.csv", "user,item\n7,8\n");
    QCOMPARE(read(openAt("parts"), numbers).rows, (Rows{"7"}));
  }

  void aFolderSaysWhichOfItsFilesAreRead() {
    fs::create_directory(root() / "mixed");
    writeBytes(root() / "mixed" / "a.csv", "a,b\n1,2\n");
    writeBytes(root() / "mixed" / "empty.csv", "");
    writeBytes(root() / "mixed" / ".hidden", "x");
    QVERIFY(openAt("mixed").value()->warnings().empty());
    for (int i = 1; i < 8; ++i)
      writeBytes(root() / "mixed" / (std::to_string(i) + ".dat"), "1,2\n");
    const auto warnings = openAt("mixed").value()->warnings();
    QCOMPARE(warnings.size(), std::size_t{1});
    QVERIFY2(warnings[0].ends_with("mixed, a.csv is read; left out: 1.dat, 2.dat, 3.dat, 4.dat, "
                                   "5.dat and 2 more"),
             warnings[0].c_str());
  }

  void tablesWithoutALineOfNamesMakeAFolderToo() {
    fs::create_directory(root() / "bare");
    writeBytes(root() / "bare" / "a.csv", "1,2\n");
    writeBytes(root() / "bare" / "b.csv", "3,4\n");
    QCOMPARE(read(openAt("bare")).rows, (Rows{"1 2", "3 4"}));
    writeBytes(root() / "bare" / "c.csv", "3,4,5\n");
    QVERIFY(!openAt("bare"));
  }

  void linesThatEndWithACarriageReturnAloneAreRefused() {
    const auto refused = open("a,b\r1,2\r3,4\r");
    QVERIFY(!refused);
    QVERIFY(refused.error().code == ErrorCode::kData);
    QVERIFY2(refused.error().message.find("carriage return alone") != std::string::npos,
             refused.error().message.c_str());
    std::string large = "a,b\r";
    while (large.size() < 5'000'000) large += "1,2\r";
    QVERIFY(open(large).error().message.find("carriage return alone") != std::string::npos);
    QCOMPARE(read("a,b\r\n1,2\r\n").rows, Rows{"1 2"});
  }

  void saysWhatIsNoTable() {
    QVERIFY(open("").error().message.find("is empty") != std::string::npos);
    QVERIFY(openAt("nowhere.csv").error().message.find("does not exist") != std::string::npos);
    fs::create_directory(root() / "hollow");
    QVERIFY(openAt("hollow").error().message.find("has no table") != std::string::npos);
    for (const auto& error : {open("").error(), openAt("nowhere.csv").error()}) {
      QVERIFY(error.code == ErrorCode::kData);
      QVERIFY(!error.path.empty());
    }
  }

  void theHashFollowsTheBytes() {
    const auto hashOf = [this](const std::string& text) {
      Hasher hasher;
      const Status done = open(text).value()->hashInto(hasher, {});
      return done ? hasher.hex() : done.error().text();
    };
    QCOMPARE(hashOf("a,b\n1,2\n"), hashOf("a,b\n1,2\n"));
    QVERIFY(hashOf("a,b\n1,2\n") != hashOf("a,b\n1,3\n"));
  }

 private:
  [[nodiscard]] fs::path root() const { return folder_.path().toStdString(); }
  [[nodiscard]] Result<std::unique_ptr<Source>> openAt(
      const std::string& name, std::optional<experiment::TextFormat> format = {}) const {
    experiment::Dataset spec;
    spec.source = experiment::SourceKind::kCsv;
    spec.path = (root() / name).string();
    spec.format = std::move(format);
    return openCsvSource(spec);
  }
  [[nodiscard]] Result<std::unique_ptr<Source>> open(
      const std::string& text, std::optional<experiment::TextFormat> format = {}) const {
    writeBytes(root() / "table.csv", text);
    return openAt("table.csv", std::move(format));
  }
  // The rows of the columns that are asked for; of all if none is.
  static SourceRows read(Result<std::unique_ptr<Source>> opened,
                         std::vector<ColumnRequest> requests = {}) {
    if (!opened) qFatal("%s", opened.error().text().c_str());
    Source& source = **opened;
    if (requests.empty())
      for (const SourceColumn& column : source.columns()) requests.push_back(want(column.name));
    const Status selected = source.select(requests);
    if (!selected) qFatal("%s", selected.error().text().c_str());
    return readRows(source).value();
  }
  [[nodiscard]] SourceRows read(const std::string& text,
                                std::optional<experiment::TextFormat> format = {},
                                std::vector<ColumnRequest> requests = {}) const {
    return read(open(text, std::move(format)), std::move(requests));
  }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(CsvSourceTest)
#include "csv_source_test.moc"
