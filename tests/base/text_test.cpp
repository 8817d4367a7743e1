// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.h"

#include <QtTest>
#include <clocale>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace parapet;

namespace {

void row(const char* name, std::string bytes, bool valid) {
  QTest::newRow(name) << std::move(bytes) << valid;
}

}  // namespace

class TextTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void splitKeepsEmptyFields() {
    using Fields = std::vector<std::string_view>;
    QCOMPARE(splitFields("a|b||", '|'), (Fields{"a", "b", "", ""}));
    QCOMPARE(splitFields("", '|'), (Fields{""}));
    QCOMPARE(splitFields("|", '|'), (Fields{"", ""}));
  }

  void trimTakesWhiteSpaceFromBothEnds() {
    QCOMPARE(trim(" \t a b\r\n"), std::string_view("a b"));
    QCOMPARE(trim(" \n"), std::string_view());
    QCOMPARE(trim(""), std::string_view());
  }

  void parsesWholeIntegersOnly() {
    QCOMPARE(parseInt("-9223372036854775808").value_or(0),
             std::numeric_limits<std::int64_t>::min());
    QCOMPARE(parseInt("007").value_or(0), std::int64_t{7});
    for (const char* refused : {"", "-", "+1", " 1", "1 ", "1.0", "0x1", "9223372036854775808"})
      QVERIFY2(!parseInt(refused), refused);
    QVERIFY(!parseInt(std::string_view("1\0", 2)));
  }

  void parsesWholeDecimalsOnly() {
    QCOMPARE(parseDouble("-1.5e-3").value_or(0), -0.0015);
    QCOMPARE(parseDouble("1").value_or(0), 1.0);
    QVERIFY(std::isnan(parseDouble("nan").value_or(0)));
    for (const char* refused : {"", ".", "1,5", "+1", " 1", "1.5x", "1e400", "0x10"})
      QVERIFY2(!parseDouble(refused), refused);
  }

  void numbersIgnoreTheLocale() {
    // Where the machine lacks the locale, setlocale changes nothing and the case still holds.
    std::setlocale(LC_ALL, "de_DE.UTF-8");
    const auto parsed = parseDouble("2.5");
    const std::string bytes = formatBytes(1536);
    std::setlocale(LC_ALL, "C");
    QCOMPARE(parsed.value_or(0), 2.5);
    QCOMPARE(bytes, std::string("1.50 KiB"));
  }

  void recognisesUtf8_data() {
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<bool>("valid");
    row("empty", "", true);
    row("ascii with NUL", std::string("a\0b", 3), true);
    row("first two-byte", "\xC2\x80", true);
    row("last two-byte", "\xDF\xBF", true);
    row("first three-byte", "\xE0\xA0\x80", true);
    row("before the surrogates", "\xED\x9F\xBF", true);
    row("after the surrogates", "\xEE\x80\x80", true);
    row("last three-byte", "\xEF\xBF\xBF", true);
    row("first four-byte", "\xF0\x90\x80\x80", true);
    row("U+10FFFF", "\xF4\x8F\xBF\xBF", true);
    row("lone continuation", "\x80", false);
    row("overlong slash, two bytes", "\xC0\xAF", false);
    row("overlong U+007F", "\xC1\xBF", false);
    row("overlong, three bytes", "\xE0\x9F\xBF", false);
    row("overlong, four bytes", "\xF0\x8F\xBF\xBF", false);
    row("first surrogate", "\xED\xA0\x80", false);
    row("last surrogate", "\xED\xBF\xBF", false);
    row("U+110000", "\xF4\x90\x80\x80", false);
    row("lead F5", "\xF5\x80\x80\x80", false);
    row("lead FF", "\xFF", false);
    row("cut after one of two", "a\xC3", false);
    row("cut after two of three", "\xE2\x82", false);
    row("cut after three of four", "\xF0\x9F\x98", false);
    row("third byte no continuation", "\xE2\x82\x41", false);
    row("Latin-1 word", "caf\xE9", false);
  }
  void recognisesUtf8() {
    QFETCH(std::string, bytes);
    QFETCH(bool, valid);
    QCOMPARE(isValidUtf8(bytes), valid);
  }

  void everyLatin1ByteBecomesItsCodePoint() {
    for (int byte = 0; byte < 256; ++byte) {
      const std::string utf8 = latin1ToUtf8(std::string(1, static_cast<char>(byte)));
      QVERIFY(isValidUtf8(utf8));
      QCOMPARE(QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())),
               QString(QChar(byte)));
    }
  }

  void printableShowsWhatCannotBeSeen() {
    QCOMPARE(printable(std::string("a\tb\n\0\xE9", 6)), std::string("a\\tb\\x0a\\x00\\xe9"));
    QCOMPARE(printable("é"), std::string("é"));
    QCOMPARE(printable("abcdef", 3), std::string("abc…"));
    QCOMPARE(printable("abc", 3), std::string("abc"));
  }

  void aTerminalSeesControlsAndObeysNone_data() {
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<std::string>("shown");
    const auto shows = [](const char* name, std::string bytes, std::string shown) {
      QTest::newRow(name) << std::move(bytes) << std::move(shown);
    };
    shows("clears the screen", "a\x1b[2Jb", "a\\x1b[2Jb");
    shows("sets the window's title", "\x1b]0;x\x07", "\\x1b]0;x\\x07");
    shows("C1 as UTF-8",
          "\xC2\x9B"
          "2J",
          "\\u009b2J");
    shows("C1 as a byte",
          "\x9B"
          "2J",
          "\\x9b2J");
    shows("DEL, NUL and carriage return", std::string("\x7F\0\r", 3), "\\x7f\\x00\\x0d");
    shows("right-to-left override", "a\xE2\x80\xAEgnp.exe", "a\\u202egnp.exe");
    shows("isolate", "\xE2\x81\xA6x\xE2\x81\xA9", "\\u2066x\\u2069");
    shows("Arabic letter mark", "\xD8\x9C", "\\u061c");
    shows("line separator", "\xE2\x80\xA8", "\\u2028");
    shows("no UTF-8", "caf\xE9 \xED\xA0\x80", "caf\\xe9 \\xed\\xa0\\x80");
    shows("cut off", "\xF0\x9F\x98", "\\xf0\\x9f\\x98");
    shows("other scripts and joined emoji", "é שלום 日本 👩\u200d🚀", "é שלום 日本 👩\u200d🚀");
    shows("already escaped", "\\x1b", "\\x1b");
  }
  void aTerminalSeesControlsAndObeysNone() {
    QFETCH(std::string, bytes);
    QFETCH(std::string, shown);
    QCOMPARE(terminalText(bytes, LineEnds::kEscape), shown);
    QCOMPARE(terminalText(bytes, LineEnds::kKeep), shown);
    QVERIFY(isValidUtf8(shown));
    QCOMPARE(printable(bytes), shown);
  }

  void lineEndsStayInAnswersAndNotInCells() {
    QCOMPARE(terminalText("a\tb\n", LineEnds::kKeep), std::string("a\tb\n"));
    QCOMPARE(terminalText("a\tb\n", LineEnds::kEscape), std::string("a\\tb\\x0a"));
  }

  void neverLeavesAControlInAnyBytes() {
    // Every pair of bytes, so that every lead byte meets every continuation.
    for (int first = 0; first < 256; ++first)
      for (int second = 0; second < 256; ++second) {
        const std::string bytes{static_cast<char>(first), static_cast<char>(second)};
        const std::string shown = terminalText(bytes, LineEnds::kEscape);
        QVERIFY(isValidUtf8(shown));
        for (const QChar c : QString::fromStdString(shown))
          QVERIFY(c.category() != QChar::Other_Control);
      }
  }

  void suggestsTheNearestTypoOnly() {
    const std::vector<std::string> known{"embedding_dim", "initializer", "optimizer", "placement"};
    QCOMPARE(nearest("embeding_dim", known).value_or(""), std::string("embedding_dim"));
    QCOMPARE(nearest("optimiser", known).value_or(""), std::string("optimizer"));
    QVERIFY(!nearest("colour", known));
    QVERIFY(!nearest("", known));
    QVERIFY(!nearest("x", {}));
  }

  void aWordWithNothingInCommonIsNoTypo() {
    const std::vector<std::string> known{"ab"};
    QVERIFY(!nearest("xy", known));
    QVERIFY2(!nearest("lr", std::vector<std::string>{"id", "k", "name"}),
             "two letters are no typo");
    QVERIFY(!nearest("foo", std::vector<std::string>{"for a", "k", "fob b"}));
  }

  void exchangedNeighboursAreOneMistake() {
    const std::vector<std::string> known{"csv", "train", "tables"};
    QCOMPARE(nearest("cvs", known).value_or(""), std::string("csv"));
    QCOMPARE(nearest("trian", known).value_or(""), std::string("train"));
  }

  void didYouMeanIsEmptyWithoutACandidate() {
    const std::vector<std::string> known{"adagrad", "adam", "sgd"};
    QCOMPARE(didYouMean("adagrd", known), std::string(" (did you mean \"adagrad\"?)"));
    QCOMPARE(didYouMean("completely-else", known), std::string());
  }

  void joins() {
    QCOMPARE(join(std::vector<std::string>{"a", "b", "c"}), std::string("a, b, c"));
    QCOMPARE(join(std::vector<std::string>{}), std::string());
  }

  void formatsBytes() {
    QCOMPARE(formatBytes(0), std::string("0 B"));
    QCOMPARE(formatBytes(1023), std::string("1023 B"));
    QCOMPARE(formatBytes(1024), std::string("1.00 KiB"));
    QCOMPARE(formatBytes(std::uint64_t{3} << 29), std::string("1.50 GiB"));
    QCOMPARE(formatBytes(std::numeric_limits<std::uint64_t>::max()), std::string("16.00 EiB"));
  }

  void formatsDurations() {
    QCOMPARE(formatDuration(0.84), std::string("0.8 s"));
    QCOMPARE(formatDuration(9.96), std::string("10 s"));
    QCOMPARE(formatDuration(59.6), std::string("1 min 00 s"));
    QCOMPARE(formatDuration(200), std::string("3 min 20 s"));
    QCOMPARE(formatDuration(3599.6), std::string("1 h 00 min"));
    QCOMPARE(formatDuration(7500), std::string("2 h 05 min"));
    QCOMPARE(formatDuration(std::numeric_limits<double>::infinity()), std::string("unknown"));
  }

  void formatsValuesOfAnySize() {
    QCOMPARE(formatValue(0.5, 4), std::string("0.5000"));
    QCOMPARE(formatValue(-123456789.0, 2), std::string("-123456789.00"));
    QCOMPARE(formatValue(1e60, 4), std::string("1.0000e+60"));
    QCOMPARE(formatValue(-2.5e9, 6), std::string("-2.500000e+09"));
    QCOMPARE(formatValue(std::numeric_limits<double>::quiet_NaN(), 4), std::string("nan"));
  }

  void formatsCounts() {
    QCOMPARE(formatCount(0), std::string("0"));
    QCOMPARE(formatCount(999), std::string("999"));
    QCOMPARE(formatCount(1000), std::string("1,000"));
    QCOMPARE(formatCount(-123456), std::string("-123,456"));
    QCOMPARE(formatCount(1234567), std::string("1,234,567"));
  }
};

QTEST_GUILESS_MAIN(TextTest)
#include "text_test.moc"
