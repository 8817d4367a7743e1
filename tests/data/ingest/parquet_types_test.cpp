// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <limits>

#include "engine/base/files.h"
#include "engine/data/dataset/parquet/parquet_plugin.h"
#include "engine/data/ingest/sources/source_kinds.h"
#include "tests/data/ingest/parquet_bytes.h"

using namespace parapet;
using namespace parapet::data;

namespace {

using bytes::bigEndian;
using bytes::littleEndian;
using bytes::Thrift;

ColumnValues wholeValues(std::vector<std::int64_t> values,
                         std::vector<std::int32_t> microseconds = {}) {
  ColumnValues column;
  column.integers = std::move(values);
  column.microseconds = std::move(microseconds);
  return column;
}
ColumnValues numberValues(std::vector<double> values) {
  ColumnValues column;
  column.type = ValueType::kNumber;
  column.numbers = std::move(values);
  return column;
}
ColumnValues textValues(std::vector<std::string_view> values) {
  ColumnValues column;
  column.type = ValueType::kText;
  column.texts = std::move(values);
  return column;
}

auto decimalType(int precision, int scale) {
  return [=](Thrift& element) { element.i32(6, 5).i32(7, scale).i32(8, precision); };
}
/// A logical type without parameters.
auto logicalType(int number) {
  return [=](Thrift& element) { element.record(10, Thrift().record(number, Thrift())); };
}
/// unit 1: milliseconds, 2: microseconds, 3: nanoseconds.
auto timestampType(int unit) {
  return [=](Thrift& element) {
    const Thrift units = Thrift().record(unit, Thrift());
    element.record(10, Thrift().record(8, Thrift().flag(1, true).record(2, units)));
  };
}

/// A time as Hive and Spark write it: nanoseconds of the day, then the day.
std::string int96Bytes(std::int64_t secondsSince1970, std::int64_t nanoseconds = 0) {
  constexpr std::int64_t kDay = 86'400, kJulianDayOf1970 = 2'440'588;
  const std::int64_t second = (secondsSince1970 % kDay + kDay) % kDay;
  const std::int64_t day = (secondsSince1970 - second) / kDay + kJulianDayOf1970;
  return littleEndian(second * 1'000'000'000 + nanoseconds, 8) + littleEndian(day, 4);
}

struct TypeCase {
  bytes::Column column;
  ColumnValues wanted;
};

std::vector<TypeCase> typeCases() {
  const std::string half("\x00\x3C\x00\xC2", 4);  // 1 and -3
  std::string uuid;
  for (int byte = 0; byte < 16; ++byte) uuid += static_cast<char>(byte * 17);
  const auto milliseconds = [](Thrift& element) { element.i32(6, 9); };
  return {
      {{.name = "int96",
        .physical = bytes::kInt96,
        .raw = {int96Bytes(253402214400), int96Bytes(-62135596800), int96Bytes(-1, 500'000'000)}},
       wholeValues({253402214400, -62135596800, -1}, {0, 0, 500'000})},
      {{.name = "decimal of 32 bits",
        .physical = bytes::kInt32,
        .raw = {littleEndian(7, 4), littleEndian(-9, 4)},
        .type = decimalType(9, 0)},
       wholeValues({7, -9})},
      {{.name = "decimal of 64 bits", .values = {435, 1999}, .type = decimalType(18, 2)},
       numberValues({4.35, 19.99})},
      {{.name = "decimal of 128 bits",
        .physical = bytes::kFixedBytes,
        .raw = {bigEndian(std::int64_t{1} << 60, 16), bigEndian(-5, 16)},
        .type = decimalType(38, 0)},
       wholeValues({std::int64_t{1} << 60, -5})},
      {{.name = "decimal of 256 bits",
        .physical = bytes::kFixedBytes,
        .raw = {bigEndian(3, 32), bigEndian(-5, 32)},
        .type = decimalType(70, 0)},
       wholeValues({3, -5})},
      {{.name = "fractions of 256 bits",
        .physical = bytes::kFixedBytes,
        .raw = {bigEndian(3125, 32), bigEndian(-5, 32)},
        .type = decimalType(70, 3)},
       numberValues({3.125, -0.005})},
      {{.name = "decimal in bytes",
        .physical = bytes::kByteArray,
        .raw = {bigEndian(1234, 2), bigEndian(-7, 1)},
        .type = decimalType(20, 2)},
       numberValues({12.34, -0.07})},
      {{.name = "float16",
        .physical = bytes::kFixedBytes,
        .raw = {half.substr(0, 2), half.substr(2)},
        .type = logicalType(15)},
       numberValues({1.0, -3.0})},
      {{.name = "uuid", .physical = bytes::kFixedBytes, .raw = {uuid}, .type = logicalType(14)},
       textValues({"00112233-4455-6677-8899-aabbccddeeff"})},
      {{.name = "hashes",
        .values = {5, std::numeric_limits<std::uint64_t>::max()},
        .isUnsigned = true,
        .hasBounds = true},
       textValues({"5", "18446744073709551615"})},
      {{.name = "whole seconds", .values = {3000, 4000}, .type = milliseconds},
       wholeValues({3, 4})},
      {{.name = "milliseconds",
        .values = {3000, 4005, static_cast<std::uint64_t>(-1)},
        .type = milliseconds},
       wholeValues({3, 4, -1}, {0, 5'000, 999'000})},
      {{.name = "microseconds", .values = {3'000'001}, .type = timestampType(2)},
       wholeValues({3}, {1})},
      {{.name = "nanoseconds",
        .values = {3'000'001'999, static_cast<std::uint64_t>(-1)},
        .type = timestampType(3)},
       wholeValues({3, -1}, {1, 999'999})},
      {{.name = "integers have no parts", .values = {3'000'001}}, wholeValues({3'000'001})},
  };
}

}  // namespace

/// Types of columns as other programs write them.
class ParquetTypesTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  experiment::Dataset write(const std::vector<bytes::Column>& columns) const {
    experiment::Dataset spec;
    spec.source = experiment::SourceKind::kParquet;
    spec.path = folder_.path().toStdString() + "/types.parquet";
    if (!writeFileAtomically(*spec.path, bytes::file(columns))) qFatal("no file");
    return spec;
  }
  static void readBlock(Source& source, const std::vector<ColumnRequest>& requests,
                        Source::Piece& piece, RowBlock& block) {
    const Status selected = source.select(requests);
    QVERIFY2(selected.ok(), selected.ok() ? "" : selected.error().text().c_str());
    QVERIFY(source.next(piece).value());
    const Status parsed = source.parse(piece, block);
    QVERIFY2(parsed.ok(), parsed.ok() ? "" : parsed.error().text().c_str());
  }

 private Q_SLOTS:
  void init() {
    const auto plugin = requireParquet();
    if (!plugin) QSKIP(plugin.error().text().c_str());
  }

  void readsTypesOfOtherWriters() {
    for (const TypeCase& of : typeCases()) {
      const char* const name = of.column.name.c_str();
      const auto source = openParquetSource(write({of.column}));
      QVERIFY2(source.ok(), source.ok() ? name : source.error().text().c_str());
      QVERIFY2((*source)->columns().front().type == of.wanted.type, name);
      Source::Piece piece;
      RowBlock block;
      readBlock(**source, {{name, {}, {}, {}}}, piece, block);
      const ColumnValues& found = block.columns.front();
      QVERIFY2(found.type == of.wanted.type && block.rejected.empty(), name);
      QVERIFY2(found.integers == of.wanted.integers, name);
      QVERIFY2(found.numbers == of.wanted.numbers, name);
      QVERIFY2(found.texts == of.wanted.texts, name);
      QVERIFY2(found.microseconds == of.wanted.microseconds, name);
    }
  }

  /// A bound of a decimal is one of its digits.
  void boundsOfFractionsLeaveNothingOut() {
    const auto source = openParquetSource(write(
        {{.name = "x", .values = {435, 1999}, .type = decimalType(18, 2), .hasBounds = true}}));
    QVERIFY(source.ok());
    const std::vector<ColumnRequest> all{{"x", {}, {}, {}}};
    QVERIFY((*source)->select(all).ok());
    const std::vector<ColumnBound> bounds{{"x", 4.0, 20.0}};
    (*source)->pushDown(bounds);
    Source::Piece piece;
    QVERIFY((*source)->next(piece).value());
  }

  void rejectsRowsWithIntegersBeyondInt64() {
    const auto source = openParquetSource(
        write({{.name = "hash",
                .values = {1, std::numeric_limits<std::uint64_t>::max(), 3, 4},
                .isUnsigned = true},
               {.name = "decimal",
                .physical = bytes::kFixedBytes,
                .raw = {bigEndian(7, 16), bigEndian(8, 16), bigEndian(9, 16),
                        bigEndian(1, 8) + bigEndian(0, 8)},
                .type = decimalType(38, 0)},
               {.name = "time", .values = {1000, 2000, 3500, 4000}, .type = timestampType(1)}}));
    QVERIFY(source.ok());
    Source::Piece piece;
    RowBlock block;
    readBlock(**source,
              {{"hash", {}, {}, {}, "/a"}, {"decimal", {}, {}, {}, "/b"}, {"time", {}, {}, {}}},
              piece, block);
    QCOMPARE(block.rows, 2);
    QCOMPARE(block.lines, 4);
    QCOMPARE(block.lineOfRow, (std::vector<std::int32_t>{0, 2}));
    QCOMPARE(block.columns[0].integers, (std::vector<std::int64_t>{1, 3}));
    QCOMPARE(block.columns[1].integers, (std::vector<std::int64_t>{7, 9}));
    QCOMPARE(block.columns[2].integers, (std::vector<std::int64_t>{1, 3}));
    QCOMPARE(block.columns[2].microseconds, (std::vector<std::int32_t>{0, 500'000}));
    QCOMPARE(block.rejected.size(), std::size_t{2});
    QCOMPARE(block.rejected[0].line, 1);
    QCOMPARE(block.rejected[0].pointer, std::string("/a"));
    QVERIFY(QString::fromStdString(block.rejected[0].reason)
                .contains("hash 18446744073709551615; integers"));
    QCOMPARE(block.rejected[1].line, 3);
    QCOMPARE(block.rejected[1].excerpt, std::string("18446744073709551616"));
    QCOMPARE((*source)->excerpt(piece, 2), std::string("3, 9, 3"));
    QCOMPARE((*source)->excerpt(piece, 3), std::string());
    // As text or number, nothing is beyond.
    const auto other =
        openParquetSource(write({{.name = "hash", .values = {1, 1ULL << 63}, .isUnsigned = true}}));
    readBlock(**other, {{"hash", ValueType::kText, {}, {}}, {"hash", ValueType::kNumber, {}, {}}},
              piece, block);
    QCOMPARE(block.rows, 2);
    QCOMPARE(block.columns[0].texts[1], std::string_view("9223372036854775808"));
    QCOMPARE(block.columns[1].numbers[1], 0x1p63);
  }

  void namesColumnsThatCannotBeRead() {
    const auto time = [](Thrift& element) { element.i32(6, 8); };
    const experiment::Dataset spec =
        write({{.name = "id"},
               {.name = "inner", .isInStruct = true},
               {.name = "packed", .physical = bytes::kFixedBytes, .raw = {"1234", "1234", "1234"}},
               {.name = "clock", .type = time},
               {.name = "picture",
                .physical = bytes::kByteArray,
                .raw = {"\xFF\xD8", "\xFF\xD8", "\xFF\xD9"},
                .hasBounds = true}});
    const auto source = openParquetSource(spec);
    QVERIFY(source.ok());
    QCOMPARE(namesOf((*source)->columns()), std::vector<std::string>{"id"});
    QCOMPARE((*source)->warnings().size(), std::size_t{1});
    const QString warning = QString::fromStdString((*source)->warnings().front());
    for (const char* words : {"struct (struct<inner: int64", "packed (fixed_size_binary[4])",
                              "clock (time64[us])", "picture (binary)"})
      QVERIFY2(warning.contains(words), qPrintable(warning));
    QVERIFY(QString::fromStdString((*source)->absenceOf("clock")).contains("time64[us]"));
    QCOMPARE((*source)->absenceOf("id"), std::string());
    QCOMPARE((*source)->absenceOf("nothing"), std::string());
  }
};

QTEST_GUILESS_MAIN(ParquetTypesTest)
#include "parquet_types_test.moc"
