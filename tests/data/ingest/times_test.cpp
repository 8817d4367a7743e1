// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <QDateTime>
#include <QTest>
#include <QTimeZone>

#include "engine/base/random.h"
#include "engine/data/ingest/import/choose_data.h"
#include "engine/data/ingest/shape/time_text.h"
#include "engine/experiment/experiment.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using experiment::ColumnRole;
using experiment::TimeUnit;

namespace {

experiment::Dataset specOf(const ImportFixture& fixture, std::string_view rows, TimeUnit unit) {
  fixture.write("rows.csv", rows);
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kCsv;
  spec.path = (fixture.source() / "rows.csv").string();
  spec.label.column.reset();
  spec.maxRejectedShare = 0.7;
  spec.columns = {{.name = "user", .role = ColumnRole::kUser},
                  {.name = "item", .role = ColumnRole::kItem},
                  {.name = "time", .role = ColumnRole::kTime, .from = "when"},
                  {.name = "hour", .role = ColumnRole::kContext}};
  spec.times = {{"when", unit}};
  experiment::Derived hour;
  hour.name = "hour";
  hour.from = "when";
  spec.derived = {hour};
  for (const char* name : {"user", "item", "hour"}) {
    experiment::Vocabulary vocabulary;
    vocabulary.name = name;
    vocabulary.kind = experiment::VocabularyKind::kCompressed;
    spec.vocabularies.push_back(vocabulary);
  }
  return spec;
}

/// A row of a user and an item of its own for each of the times, which commas separate.
std::string rowsAt(const QByteArray& times) {
  std::string rows = "user,item,when\n";
  const QList<QByteArray> each = times.split(',');
  for (int row = 0; row < each.size(); ++row)
    rows += fmt::format("{},{},{}\n", row + 1, row + 7, each[row].toStdString());
  return rows;
}

std::vector<std::int64_t> timesOf(const Dataset& dataset) {
  const auto times = dataset.times();
  return {times.begin(), times.end()};
}

}  // namespace

class TimesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void textsAreReadAsTheCalendarHasThem_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("seconds");  // "": none
    QTest::newRow("the first day") << QByteArray("1970-01-01") << "0";
    QTest::newRow("slashes") << QByteArray("2024/02/29") << "1709164800";
    QTest::newRow("a space") << QByteArray("2024-05-31 18:30") << "1717180200";
    QTest::newRow("seconds") << QByteArray("2024-05-31 18:30:05") << "1717180205";
    QTest::newRow("parts of a second") << QByteArray("2024-05-31T18:30:05.999") << "1717180205";
    QTest::newRow("zulu") << QByteArray("2024-05-31T18:30:05Z") << "1717180205";
    QTest::newRow("ahead") << QByteArray("2024-05-31T20:30:05+02:00") << "1717180205";
    QTest::newRow("behind") << QByteArray("2024-05-31T13:00:05-0530") << "1717180205";
    QTest::newRow("whole hours") << QByteArray("2024-05-31T20:30:05+02") << "1717180205";
    QTest::newRow("before 1970") << QByteArray("1969-12-31 23:59:59") << "-1";
    QTest::newRow("spaces around") << QByteArray("  1970-01-02 ") << "86400";
    QTest::newRow("UTC behind") << QByteArray("2024-05-31 18:30:05 UTC") << "1717180205";
    QTest::newRow("GMT and parts") << QByteArray("2024-05-31 18:30:05.5 GMT") << "1717180205";
    QTest::newRow("digits of a day") << QByteArray("20240531") << "1717113600";
    QTest::newRow("digits of a second") << QByteArray("20240531183005") << "1717180205";
    QTest::newRow("digits and a T") << QByteArray("20240531T183005Z") << "1717180205";
    QTest::newRow("points") << QByteArray("31.05.2024 18:30:05") << "1717180205";
    QTest::newRow("points, one digit") << QByteArray("1.2.1970") << "2678400";
    QTest::newRow("points, no day") << QByteArray("31.02.2024") << QString();
    QTest::newRow("points, month first") << QByteArray("05.31.2024") << QString();
    QTest::newRow("points, short year") << QByteArray("31.05.24") << QString();
    QTest::newRow("digits of no day") << QByteArray("20240532") << QString();
    QTest::newRow("twelve digits") << QByteArray("202405311830") << QString();
    QTest::newRow("half the signs") << QByteArray("2024-0531") << QString();
    QTest::newRow("another zone") << QByteArray("2024-05-31 18:30:05 CET") << QString();
    QTest::newRow("the evening") << QByteArray("2024-05-31 6:30:05 PM") << "1717180205";
    QTest::newRow("midnight") << QByteArray("2024-05-31 12:00am") << "1717113600";
    QTest::newRow("13 o'clock PM") << QByteArray("2024-05-31 13:00 PM") << QString();
    QTest::newRow("an hour of one digit") << QByteArray("31.5.2024 9:05") << "1717146300";
    QTest::newRow("an hour alone") << QByteArray("31.5.2024 9") << QString();
    QTest::newRow("no order") << QByteArray("31/05/2024") << QString();
    QTest::newRow("nothing") << QByteArray() << QString();
    QTest::newRow("no leap year") << QByteArray("2023-02-29") << QString();
    QTest::newRow("month 13") << QByteArray("2023-13-01") << QString();
    QTest::newRow("mixed signs") << QByteArray("2023-01/01") << QString();
    QTest::newRow("hour 24") << QByteArray("2023-01-01 24:00") << QString();
    QTest::newRow("a word behind") << QByteArray("2023-01-01 10:00 tea") << QString();
    QTest::newRow("half an offset") << QByteArray("2023-01-01T10:00+2") << QString();
    QTest::newRow("a number") << QByteArray("1717180205") << QString();
    QTest::newRow("NUL inside") << QByteArray("2023-01-01\0 10:00", 17) << QString();
  }
  void textsAreReadAsTheCalendarHasThem() {
    QFETCH(QByteArray, text);
    QFETCH(QString, seconds);
    const auto found = parseTimeText({text.constData(), static_cast<std::size_t>(text.size())});
    QCOMPARE(found ? QString::number(found->seconds) : QString(), seconds);
  }

  void anOrderTellsDaysFromMonths() {
    const auto read = [](std::string_view text, DateOrder order) {
      const auto found = parseTimeText(text, order);
      return found ? found->seconds : -1;
    };
    using enum DateOrder;
    for (const char* text : {"31/05/2024", "31/5/2024", "31-5-2024", "31.05.2024", "31/5/24"})
      QCOMPARE(read(text, kDayFirst), 1'717'113'600);
    for (const char* text : {"05/31/2024", "5/31/2024", "5-31-2024", "5/31/24"})
      QCOMPARE(read(text, kMonthFirst), 1'717'113'600);
    QCOMPARE(read("5/31/2024 6:30:05 PM", kMonthFirst), 1'717'180'205);
    QCOMPARE(read("2024-05-31 18:30:05", kMonthFirst), 1'717'180'205);
    QCOMPARE(read("1/2/70", kDayFirst), 31 * 86'400);
    QCOMPARE(read("1/1/69", kDayFirst), 3'124'224'000);
    for (const char* text :
         {"31/02/2024", "32/1/2024", "5/31/2024", "31/5-2024", "31/5/224", "31/5"})
      QCOMPARE(read(text, kDayFirst), -1);
    QCOMPARE(read("31/5/2024", kMonthFirst), -1);
  }

  void partsOfASecondAreKept() {
    QCOMPARE(parseTimeText("1970-01-01 00:00:01.25"), std::optional(Moment{1, 250'000}));
    QCOMPARE(parseTimeText("1970-01-01 00:00:01.0000019"), std::optional(Moment{1, 1}));
    QCOMPARE(parseTimeText("1969-12-31T23:59:59.5Z"), std::optional(Moment{-1, 500'000}));
  }

  void anySecondIsReadAsItIsWritten() {
    const Random random(7, RandomPurpose::kSampling);
    for (std::uint64_t draw = 0; draw < 20'000; ++draw) {
      // Years 1 to 9999.
      const auto second =
          static_cast<std::int64_t>(random.below(draw, 315'500'000'000ULL)) - 62'100'000'000LL;
      const QString text = QDateTime::fromSecsSinceEpoch(second, Qt::UTC).toString(Qt::ISODate);
      QCOMPARE(parseTimeText(text.toStdString()), std::optional(Moment{second, 0}));
    }
  }

  void importsHoldSeconds_data() {
    QTest::addColumn<int>("unit");
    QTest::addColumn<QByteArray>("cells");  // of three rows
    QTest::newRow("milliseconds") << static_cast<int>(TimeUnit::kMilliseconds)
                                  << QByteArray("1717180205999,1717180206000,-1");
    QTest::newRow("microseconds") << static_cast<int>(TimeUnit::kMicroseconds)
                                  << QByteArray("1717180205999999,1717180206000000,-1");
    QTest::newRow("nanoseconds") << static_cast<int>(TimeUnit::kNanoseconds)
                                 << QByteArray("1717180205999999999,1717180206000000000,-1");
    QTest::newRow("text") << static_cast<int>(TimeUnit::kText)
                          << QByteArray(
                                 "2024-05-31 18:30:05,2024-05-31T18:30:06Z,1969-12-31 23:59:59");
    QTest::newRow("digits") << static_cast<int>(TimeUnit::kText)
                            << QByteArray("20240531183005,20240531183006,19691231235959");
  }
  void importsHoldSeconds() {
    QFETCH(int, unit);
    QFETCH(QByteArray, cells);
    const ImportFixture fixture;
    const std::string rows = rowsAt(cells);
    const auto report = fixture.import(specOf(fixture, rows, static_cast<TimeUnit>(unit)));
    QVERIFY_OK(report);
    QCOMPARE(timesOf(*report->dataset),
             (std::vector<std::int64_t>{1'717'180'205, 1'717'180'206, -1}));
    // The hours 18, 18 and 23.
    const auto hours = report->dataset->ids("hour");
    QCOMPARE(hours[0], hours[1]);
    QVERIFY(hours[2] != hours[0]);
  }

  // The first rows are whole seconds, which take no room; rows that a filter leaves out are gone.
  void importsKeepTheOrderWithinASecond_data() {
    QTest::addColumn<int>("unit");
    QTest::addColumn<QByteArray>("cells");
    QTest::newRow("seconds") << static_cast<int>(TimeUnit::kSeconds)
                             << QByteArray("5,6.75,7.25,-0.25");
    QTest::newRow("milliseconds") << static_cast<int>(TimeUnit::kMilliseconds)
                                  << QByteArray("5000,6750,7250,-250");
    QTest::newRow("milliseconds as numbers") << static_cast<int>(TimeUnit::kMilliseconds)
                                             << QByteArray("5000.0,6750.0,7250.0,-250.00025");
    QTest::newRow("days first") << static_cast<int>(TimeUnit::kDayFirst)
                                << QByteArray(
                                       "1/1/1970 0:00:05,1/1/1970 00:00:06.75,"
                                       "1.1.1970 00:00:07.25,31/12/1969 11:59:59.75 PM");
    QTest::newRow("nanoseconds") << static_cast<int>(TimeUnit::kNanoseconds)
                                 << QByteArray("5000000000,6750000999,7250000000,-250000000");
    QTest::newRow("text") << static_cast<int>(TimeUnit::kText)
                          << QByteArray(
                                 "1970-01-01 00:00:05,1970-01-01 00:00:06.75,"
                                 "1970-01-01 00:00:07.25,1969-12-31 23:59:59.75");
  }
  void importsKeepTheOrderWithinASecond() {
    QFETCH(int, unit);
    QFETCH(QByteArray, cells);
    const ImportFixture fixture;
    const std::string rows = rowsAt(cells);
    auto spec = specOf(fixture, rows, static_cast<TimeUnit>(unit));
    const auto report = fixture.import(spec);
    QVERIFY_OK(report);
    QCOMPARE(timesOf(*report->dataset), (std::vector<std::int64_t>{5, 6, 7, -1}));
    const auto parts = report->dataset->timeMicroseconds();
    QCOMPARE(std::vector(parts.begin(), parts.end()),
             (std::vector<std::int32_t>{0, 750'000, 250'000, 750'000}));
    spec.filter = "item != 8";
    const auto fewer = fixture.import(spec);
    QVERIFY_OK(fewer);
    QCOMPARE(fewer->dataset->timeMicroseconds().size(), std::size_t{3});
    QCOMPARE(fewer->dataset->timeMicroseconds()[1], 250'000);
    spec.filter = "item = 7";
    const auto whole = fixture.import(spec);
    QVERIFY_OK(whole);
    QVERIFY(whole->dataset->timeMicroseconds().empty());
  }

  void cellsThatAreNoTimesAreRejectedLines() {
    const ImportFixture fixture;
    const auto report = fixture.import(
        specOf(fixture, "user,item,when\n1,7,2024-05-31\n2,8,yesterday\n3,9,\n", TimeUnit::kText));
    QVERIFY_OK(report);
    QCOMPARE(report->quarantined, 2);
    QCOMPARE(timesOf(*report->dataset), (std::vector<std::int64_t>{1'717'113'600}));
  }

  // Other units give other column files.
  void theUnitIsPartOfTheHash() {
    const ImportFixture fixture;
    const std::string rows = "user,item,when\n1,7,1717180205000\n";
    const auto milli = fixture.import(specOf(fixture, rows, TimeUnit::kMilliseconds));
    const auto micro = fixture.import(specOf(fixture, rows, TimeUnit::kMicroseconds));
    QVERIFY_OK(milli);
    QVERIFY_OK(micro);
    QVERIFY(milli->dataset->hash() != micro->dataset->hash());
  }

  void whatIsNoColumnOfTimesIsRefused_data() {
    QTest::addColumn<QString>("column");
    QTest::addColumn<int>("unit");
    QTest::addColumn<QString>("found");
    QTest::newRow("none") << "wen" << static_cast<int>(TimeUnit::kText) << "did you mean \"when\"";
    QTest::newRow("numbers") << "user" << static_cast<int>(TimeUnit::kText) << "has numbers";
    QTest::newRow("text") << "when" << static_cast<int>(TimeUnit::kMilliseconds)
                          << "texts, no numbers";
  }
  void whatIsNoColumnOfTimesIsRefused() {
    QFETCH(QString, column);
    QFETCH(int, unit);
    QFETCH(QString, found);
    const ImportFixture fixture;
    experiment::Dataset spec =
        specOf(fixture, "user,item,when\n1.5,7,2024-05-31\n", static_cast<TimeUnit>(unit));
    spec.times.front().column = column.toStdString();
    const auto report = fixture.import(spec);
    QVERIFY(!report.ok());
    QCOMPARE(report.error().pointer, std::string("/dataset/times/0/column"));
    QVERIFY2(report.error().text().find(found.toStdString()) != std::string::npos,
             report.error().text().c_str());
  }

  void unitsAreProposed_data() {
    QTest::addColumn<int>("unit");  // −1: seconds
    QTest::newRow("seconds") << -1;
    QTest::newRow("milliseconds") << static_cast<int>(TimeUnit::kMilliseconds);
    QTest::newRow("nanoseconds") << static_cast<int>(TimeUnit::kNanoseconds);
    QTest::newRow("text") << static_cast<int>(TimeUnit::kText);
    QTest::newRow("fractions") << static_cast<int>(TimeUnit::kSeconds);
    QTest::newRow("days first") << static_cast<int>(TimeUnit::kDayFirst);
    QTest::newRow("months first") << static_cast<int>(TimeUnit::kMonthFirst);
  }
  void unitsAreProposed() {
    QFETCH(int, unit);
    const ImportFixture fixture;
    for (const char* name : {"timestamp", "q7"}) {  // by name, and by the cells alone
      std::string rows = fmt::format("userId,movieId,{}\n", name);
      for (int row = 0; row < 60; ++row) {
        const std::int64_t second = 1'700'000'000 + row * 86'400;
        std::string cell = std::to_string(second);
        if (unit == static_cast<int>(TimeUnit::kMilliseconds)) cell += "123";
        if (unit == static_cast<int>(TimeUnit::kNanoseconds)) cell += "123456789";
        if (unit == static_cast<int>(TimeUnit::kSeconds)) cell += fmt::format(".{:03}", row % 7);
        const auto textAs = [second](const char* format) {
          return QDateTime::fromSecsSinceEpoch(second, Qt::UTC).toString(format).toStdString();
        };
        if (unit == static_cast<int>(TimeUnit::kText)) cell = textAs("yyyy-MM-dd hh:mm:ss");
        if (unit == static_cast<int>(TimeUnit::kDayFirst)) cell = textAs("dd/MM/yyyy hh:mm:ss");
        if (unit == static_cast<int>(TimeUnit::kMonthFirst)) cell = textAs("M/d/yy h:mm:ss AP");
        rows += fmt::format("{},{},{}\n", row % 7, row % 11, cell);
      }
      fixture.write("rows.csv", rows);
      experiment::Dataset none;
      none.source = experiment::SourceKind::kGenerated;
      const auto chosen = chooseData(none, fixture.source() / "rows.csv", OtherColumns::kSuggest,
                                     20, {}, makeGenerator);
      QVERIFY_OK(chosen);
      QCOMPARE(chosen->dataset.times.size(), std::size_t(unit < 0 ? 0 : 1));
      if (unit >= 0) QCOMPARE(static_cast<int>(chosen->dataset.times.front().unit), unit);
      const auto report = fixture.import(chosen->dataset);
      QVERIFY_OK(report);
      QCOMPARE(timesOf(*report->dataset).front(), std::int64_t{1'700'000'000});
      // The preview shows what is imported.
      QCOMPARE(chosen->preview.rows.front().back().value(), std::string("1700000000"));
      const auto count = countRows(chosen->dataset, 0, {}, makeGenerator);
      QVERIFY_OK(count);
      QCOMPARE(count->times.value(),
               (std::array<std::int64_t, 2>{1'700'000'000, 1'700'000'000 + 59 * 86'400}));
      QCOMPARE(count->lateTimes, std::int64_t{0});
    }
  }

  // A count of the rows knows what an import warns of.
  void mixedUnitsAreCountedBeforeAnImport() {
    ImportFixture fixture;
    std::string rows = "user,item,time\n";
    for (int row = 0; row < 60; ++row)
      rows += fmt::format("{},{},{}\n", row % 7, row % 11,
                          row % 4 == 0 ? "1700000000000" : "1700000000");
    fixture.write("rows.csv", rows);
    experiment::Dataset none;
    none.source = experiment::SourceKind::kGenerated;
    const auto chosen = chooseData(none, fixture.source() / "rows.csv", OtherColumns::kSuggest, 20,
                                   {}, makeGenerator);
    QVERIFY_OK(chosen);
    const auto count = countRows(chosen->dataset, 0, {}, makeGenerator);
    QVERIFY_OK(count);
    QCOMPARE(count->lateTimes, std::int64_t{15});
    const auto report = fixture.import(chosen->dataset);
    QVERIFY_OK(report);
    QVERIFY(std::ranges::find(report->warnings, lateTimesWarning(count->lateTimes, count->kept)) !=
            report->warnings.end());
    QVERIFY(lateTimesWarning(0, 60).empty());
  }

  // Days from 1 to 12 alone leave the order open; seconds and milliseconds in one column are no unit.
  void doubtsAreSaid_data() {
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("others");
    QTest::addColumn<int>("unit");
    QTest::addColumn<QString>("doubt");
    QTest::newRow("slashes") << "3/4/2024"
                             << "5/6/2024" << static_cast<int>(TimeUnit::kMonthFirst)
                             << "days from months";
    QTest::newRow("strokes") << "3-4-2024"
                             << "5-6-2024" << static_cast<int>(TimeUnit::kDayFirst)
                             << "days from months";
    QTest::newRow("units") << "1700000000"
                           << "1700000000000" << -1 << "after the year 2100";
  }
  void doubtsAreSaid() {
    QFETCH(QString, first);
    QFETCH(QString, others);
    QFETCH(int, unit);
    QFETCH(QString, doubt);
    const ImportFixture fixture;
    std::string rows = "userId,movieId,timestamp\n";
    for (int row = 0; row < 60; ++row)
      rows +=
          fmt::format("{},{},{}\n", row % 7, row % 11, (row == 0 ? first : others).toStdString());
    fixture.write("rows.csv", rows);
    experiment::Dataset none;
    none.source = experiment::SourceKind::kGenerated;
    const auto chosen = chooseData(none, fixture.source() / "rows.csv", OtherColumns::kSuggest, 20,
                                   {}, makeGenerator);
    QVERIFY_OK(chosen);
    QCOMPARE(chosen->dataset.times.size(), std::size_t(unit < 0 ? 0 : 1));
    if (unit >= 0) QCOMPARE(static_cast<int>(chosen->dataset.times.front().unit), unit);
    const auto time = std::ranges::find(chosen->proposals, "time", &RoleProposal::use);
    QVERIFY(time != chosen->proposals.end());
    QVERIFY2(time->reason.find(doubt.toStdString()) != std::string::npos, time->reason.c_str());
    const auto report = fixture.import(chosen->dataset);
    QVERIFY_OK(report);
    if (unit < 0)
      QVERIFY2(report->warnings.front().find(doubt.toStdString()) != std::string::npos,
               report->warnings.front().c_str());
  }
};

QTEST_GUILESS_MAIN(TimesTest)
#include "times_test.moc"
