// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/shape/filter.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "tests/data/ingest/naive_filter.h"

using namespace parapet;
using namespace parapet::data;
using namespace parapet::test;

namespace {

/// Ten rows: like 55, undislike –, listen 10, listen 50, listen –, – 99, dislike 100, twice.
RowBlock events() {
  RowBlock block;
  block.columns.resize(2);
  block.columns[0].type = ValueType::kText;
  block.columns[1].type = ValueType::kInteger;
  for (int twice = 0; twice < 2; ++twice) {
    const std::vector<std::string_view> types{"like",   "undislike", "listen", "listen",
                                              "listen", "",          "dislike"};
    const std::vector<std::int64_t> played{55, 0, 10, 50, 0, 99, 100};
    for (std::size_t i = 0; i < types.size(); ++i) {
      block.columns[0].texts.push_back(types[i]);
      block.columns[0].missing.push_back(i == 5);
      block.columns[1].integers.push_back(played[i]);
      block.columns[1].missing.push_back(i == 1 || i == 4);
    }
  }
  block.rows = 14;
  return block;
}
const std::vector<SourceColumn> kEventColumns{{"event_type", ValueType::kText, false},
                                              {"played_ratio_pct", ValueType::kInteger, false},
                                              {"tags", ValueType::kText, true}};

/// The rows that stay, "1010…"; the message if there is an error.
std::string selected(const std::string& expression, std::span<const SourceColumn> columns,
                     const RowBlock& block) {
  auto filter = Filter::parse(expression);
  if (!filter.ok()) return filter.error().message;
  if (const Status bound = filter->bind(columns); !bound.ok()) return bound.error().message;
  std::vector<std::uint8_t> keep;
  filter->select(block, keep);
  std::string bits;
  for (const std::uint8_t bit : keep) bits += bit == 1 ? '1' : bit == 0 ? '0' : '?';
  return bits;
}

std::string onEvents(const std::string& expression) {
  const std::string bits = selected(expression, kEventColumns, events());
  const bool repeats = bits.size() == 14 && bits.substr(7) == bits.substr(0, 7);
  return repeats ? bits.substr(0, 7) : bits;
}

std::string boundsOf(const std::string& expression) {
  const auto filter = Filter::parse(expression);
  if (!filter.ok()) return filter.error().message;
  std::string out;
  const auto end = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string("-");
  };
  for (const ColumnBound& bound : filter->bounds())
    out += fmt::format("{} {} {};", bound.column, end(bound.least), end(bound.most));
  return out;
}

}  // namespace

class FilterTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void selects_data() {
    QTest::addColumn<std::string>("expression");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* expression, const char* expected) {
      QTest::newRow(expression) << std::string(expression) << std::string(expected);
    };
    row(R"(event_type in ("like","undislike") or (event_type = "listen" and played_ratio_pct >= 50))",
        "1101000");
    row("event_type == 'listen'", "0011100");
    row("event_type != 'listen'", "1100001");  // a missing one is neither
    row("event_type <> 'listen'", "1100001");
    row("NOT event_type = 'listen'", "1100001");
    row("!event_type = 'listen' && !(played_ratio_pct > 60)", "1000000");
    row("event_type not in ('listen', 'like')", "0100001");
    row("event_type is missing", "0000010");
    row("event_type IS NOT NULL", "1111101");
    row("played_ratio_pct between 10 and 55 and event_type = 'listen'", "0011000");
    row("played_ratio_pct not between 10 and 55", "0000011");
    row("50 <= played_ratio_pct", "1001011");
    row("50.5 > played_ratio_pct", "0011000");
    row("event_type contains 'like'", "1100001");
    row("event_type not contains 'dis'", "1011100");
    row("event_type starts with 'un'", "0100000");
    row("event_type >= 'listen'", "0111100");
    row("event_type < \"like\"", "0000001");
    row("event_type between 'l' and 'lil'", "1000000");
    row("true", "1111111");
    row("not true or false", "0000000");
    // `and` binds before `or`, `not` before `and`.
    row("event_type = 'like' or event_type = 'listen' and played_ratio_pct = 50", "1001000");
    row("not event_type = 'like' and played_ratio_pct >= 50", "0001001");
    row("`event_type` = \"l\\u0069ke\" || `played_ratio_pct`=+1e1", "1010000");
    // Unknown or true is true; unknown and false is false.
    row("played_ratio_pct > 0 or event_type = 'undislike'", "1111011");
    row("not (played_ratio_pct > 0 and event_type = 'like')", "0111101");
    row("played_ratio_pct = 1e300 or played_ratio_pct < -1e300", "0000000");
    row("played_ratio_pct <= 9223372036854775808", "1011011");
  }
  void selects() {
    QFETCH(std::string, expression);
    QFETCH(std::string, expected);
    QCOMPARE(onEvents(expression), expected);
  }

  void truthsFitNumbersAndTexts() {
    RowBlock block;
    block.rows = 4;
    block.columns.resize(2);
    block.columns[0].integers = {0, 1, 2, 1};
    block.columns[1].type = ValueType::kText;
    block.columns[1].texts = {"true", "False", "TRUE", "yes"};
    const std::vector<SourceColumn> columns{{"flag", ValueType::kInteger, false},
                                            {"word", ValueType::kText, false}};
    QCOMPARE(selected("flag = true", columns, block), std::string("0101"));
    QCOMPARE(selected("flag != true", columns, block), std::string("1010"));
    QCOMPARE(selected("word = true", columns, block), std::string("1010"));
    QCOMPARE(selected("word in (false, 'yes')", columns, block), std::string("0101"));
  }

  void saysWhereItIsWrong_data() {
    QTest::addColumn<std::string>("expression");
    QTest::addColumn<std::string>("message");
    const auto row = [](const char* expression, const char* message) {
      QTest::newRow(expression) << std::string(expression) << std::string(message);
    };
    row("evnt_type = 'like'",
        "filter, character 1: found \"evnt_type\", which is no column (did you mean "
        "\"event_type\"?); accepted: event_type, played_ratio_pct, tags\n"
        "  evnt_type = 'like'\n"
        "  ^");
    row("event_type = 'héé' and lik",
        "filter, character 27: found the end; accepted: = != < <= > >=, in (…), between … and …, "
        "is missing, contains, starts with, not before these\n"
        "  event_type = 'héé' and lik\n"
        "                            ^");
    row("event_type = 'ü' andd true",
        "filter, character 18: found \"andd\"; accepted: and, or, the end\n"
        "  event_type = 'ü' andd true\n"
        "                   ^");
    row("played_ratio_pct = 'x'",
        "filter, character 20: found a text, but \"played_ratio_pct\" holds integers; accepted: a "
        "number, without quotes\n"
        "  played_ratio_pct = 'x'\n"
        "                     ^");
  }
  void saysWhereItIsWrong() {
    QFETCH(std::string, expression);
    QFETCH(std::string, message);
    QCOMPARE(onEvents(expression), message);
  }

  void refuses_data() {
    QTest::addColumn<std::string>("expression");
    QTest::addColumn<std::string>("found");
    const auto row = [](const std::string& expression, const char* found) {
      QTest::newRow(expression.substr(0, 40).c_str()) << expression << std::string(found);
    };
    row("", "character 1: found the end");
    row("  ", "character 3: found the end");
    row("event_type", "character 11: found the end");
    row("event_type = like",
        "character 14: found \"like\"; accepted: a number, a \"text\" in quotes");
    row("event_type = null", "accepted: a number, a \"text\", true, false; values that are not");
    row("event_type = 'like", "character 14: found a ' that is not closed");
    row("event_type = 'li\\ke'", "character 17: found \"\\k\"");
    row("event_type = '\\ud800'", "character 15: found \"\\u\"");
    row("event_type in ()", "character 16: found \")\"");
    row("event_type in ('a' 'b')", "character 20: found \"'b'\"; accepted: a comma, )");
    row("event_type in 'a'", "character 15: found \"'a'\"; accepted: (");
    row("played_ratio_pct = 1,5", "character 21: found \",\"; accepted: and, or, the end");
    row("played_ratio_pct = 1.2.3", "character 20: found \"1.2.3\"; accepted: a number such as");
    row("played_ratio_pct = 1e999", "character 20: found \"1e999\"");
    row("played_ratio_pct = 5x", "character 20: found \"5x\"");
    row("played_ratio_pct = -", "character 20: found \"-\"");
    row("played_ratio_pct between 1 or 2", "character 28: found \"or\"; accepted: and, and the");
    row("1 < played_ratio_pct < 5", "character 22: found \"<\"");
    row("1 = 2", "character 5: found \"2\"; accepted: a column name");
    row("(true", "character 6: found the end; accepted: and, or, )");
    row("true)", "character 5: found \")\"");
    row("is = 1", "a column that is called so is written `is`");
    row("event_type starts 'a'", "character 19: found \"'a'\"; accepted: with");
    row("event_type contains 5", "character 21: found \"5\"");
    row("played_ratio_pct contains '5'", "found a text, but \"played_ratio_pct\" holds integers");
    row("event_type = 5", "found a number, but \"event_type\" holds texts");
    row("event_type < true", "found true or false");
    row("tags = 'a'", "character 1: found \"tags\", which has several values a row");
    row("event_type # 5", "character 12: found \"#\"");
    row("event_type = '\xff'", "character 15: found bytes that are no UTF-8");
    row(std::string("true and \0", 10), "character 10: found \"\\x00\"");
    row(std::string(200, '(') + "true", "found \"(\"; accepted: at most 100 levels");
    row("not " + std::string(100000, '!') + "true", "found 100,008 bytes");
    row(std::string(60000, '!') + "true", "at most 100 levels");
  }
  void refuses() {
    QFETCH(std::string, expression);
    QFETCH(std::string, found);
    const std::string message = onEvents(expression);
    QVERIFY2(message.find(found) != std::string::npos, message.c_str());
    QVERIFY(message.size() < 1000 && isValidUtf8(message));
    const auto parsed = Filter::parse(expression);
    if (!parsed.ok()) QCOMPARE(parsed.error().pointer, std::string("/dataset/filter"));
  }

  void showsLongExpressionsAroundThePlace() {
    std::string expression = "event_type in (";
    for (int i = 0; i < 500; ++i) expression += fmt::format("'ä{}', ", i);
    const std::string message = onEvents(expression + "5 5) or true");
    const auto lines = splitFields(message, '\n');
    QCOMPARE(lines.size(), std::size_t{3});
    QVERIFY(lines[1].starts_with("  …") && lines[1].find("5 5) or true") != std::string::npos);
    // The caret stands under the second 5, in characters.
    const auto characters = [](std::string_view text) { return QString::fromUtf8(text).size(); };
    QCOMPARE(characters(lines[2]) - 1, characters(lines[1]) - int(std::size("5) or true")) + 1);
  }

  void readsEachColumnOnce() {
    const auto filter = Filter::parse("b = 1 and a < 2 or b > 3 and `c d` is missing");
    QCOMPARE(filter->columns(), (std::vector<std::string>{"b", "a", "c d"}));
  }

  void boundsAreThoseOfEveryRowThatStays_data() {
    QTest::addColumn<std::string>("expression");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* expression, const char* expected) {
      QTest::newRow(expression) << std::string(expression) << std::string(expected);
    };
    row("a >= 5 and a < 9 and b = 2", "a 5 9;b 2 2;");
    row("a between 1 and 8 and 3 <= a", "a 3 8;");
    row("a in (7, 2.5, 4) and t = 'x'", "a 2.5 7;");
    row("a > 1 or b > 1", "");
    row("a between 1 and 2 or a between 8 and 9", "a 1 9;");
    row("a > 3 or a between 1 and 2", "a 1 -;");
    row("not a > 3", "");
    row("a != 3 and b <= 4", "b - 4;");
    row("a = true", "");
    row("a is missing", "");
    row("a <= 9007199254740993", "a - 9007199254740994;");
  }
  void boundsAreThoseOfEveryRowThatStays() {
    QFETCH(std::string, expression);
    QFETCH(std::string, expected);
    QCOMPARE(boundsOf(expression), expected);
  }

  void needsTheBlockThatItWasBoundTo() {
    auto filter = Filter::parse("event_type = 'like'");
    std::vector<std::uint8_t> keep;
    QVERIFY_EXCEPTION_THROWN(filter->select(events(), keep), InvalidArgument);
    QVERIFY(filter->bind(kEventColumns).ok());
    RowBlock block = events();
    std::swap(block.columns[0], block.columns[1]);
    QVERIFY_EXCEPTION_THROWN(filter->select(block, keep), InvalidArgument);
    block = events();
    block.rows = 0;
    filter->select(block, keep);
    QVERIFY(keep.empty());
  }

  void agreesWithTheNaiveEvaluator() {
    const RowBlock block = randomBlock(2500);
    Dice dice(1);
    std::size_t kept = 0;
    for (int round = 0; round < 600; ++round) {
      const NaiveFilter naive = randomFilter(dice, 4);
      const std::string bits = selected(naive.text, randomBlockColumns(), block);
      QVERIFY2(bits.size() == 2500, (naive.text + "\n" + bits).c_str());
      const auto bounds = Filter::parse(naive.text)->bounds();
      for (std::size_t row = 0; row < bits.size(); ++row) {
        const bool stays = naive.evaluate(block, row) == true;
        QVERIFY2((bits[row] == '1') == stays, fmt::format("row {}: {}", row, naive.text).c_str());
        kept += stays;
        if (stays)
          QVERIFY2(isInside(block, row, bounds),
                   fmt::format("row {}: {}", row, naive.text).c_str());
      }
    }
    QVERIFY2(kept > 600 * 2500 / 10 && kept < 600 * 2500 * 9 / 10,
             QByteArray::number(qint64(kept)));
  }
};

QTEST_GUILESS_MAIN(FilterTest)
#include "filter_test.moc"
