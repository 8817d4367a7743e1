// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <cstdint>
#include <cstring>

#include "engine/base/files.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/strict_json.h"

using namespace parapet;
using namespace parapet::checkpoint;

namespace {

std::string fileOf(const std::string& header, std::size_t dataBytes) {
  std::string file;
  for (std::size_t i = 0; i < 8; ++i) file += static_cast<char>((header.size() >> (8 * i)) & 0xff);
  return file + header + std::string(dataBytes, 'x');
}

auto parsed(const std::string& file) {
  return parseSafetensors(std::as_bytes(std::span(file)));
}

std::string entry(const char* dtype, const char* shape, const char* offsets) {
  return std::string(R"({"dtype":")") + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" +
         offsets + "}";
}

std::filesystem::path inside(const QTemporaryDir& folder, const char* name) {
  return std::filesystem::path(folder.path().toStdString()) / name;
}

}  // namespace

class SafetensorsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void readsWhatTheFormatDescribes();
  void writesAlignedDataThatReadBack();
  void refusesMalformed_data();
  void refusesMalformed();
  void refusesDeepNesting();
  void refusesMisuse();
  void writesNpyThatNumPyDescribes();
};

void SafetensorsTest::readsWhatTheFormatDescribes() {
  const std::string file =
      fileOf("{\"__metadata__\":{\"a\":\"b\"},\"w\":" + entry("F32", "[1,2]", "[0,8]") +
                 ",\"n\":" + entry("I64", "[]", "[8,16]") + "}  ",
             16);
  const auto tensors = parsed(file);
  QVERIFY2(tensors.ok(), tensors.ok() ? "" : tensors.error().text().c_str());
  QCOMPARE(tensors->size(), std::size_t{2});
  QCOMPARE((*tensors)[0].name, std::string("w"));
  QCOMPARE((*tensors)[0].shape, (std::vector<std::int64_t>{1, 2}));
  QCOMPARE((*tensors)[1].bytes.size(), std::size_t{8});
}

void SafetensorsTest::writesAlignedDataThatReadBack() {
  const QTemporaryDir folder;
  const std::string bytes = "abc";
  const double number = -0.5;
  const std::vector<TensorView> tensors{
      {"odd", ElementType::kU8, {3}, std::as_bytes(std::span(bytes))},
      {"wide", ElementType::kF64, {}, std::as_bytes(std::span(&number, 1))}};
  const auto path = inside(folder, "t.safetensors");
  QVERIFY(writeSafetensors(path, tensors, {{"source", "test"}}).ok());
  const auto text = readFile(path);
  QVERIFY(text.ok());
  QCOMPARE((text->size() - 11) % 64, std::size_t{0});  // 11 bytes of data
  const auto found = parsed(*text);
  QVERIFY(found.ok());
  QCOMPARE((*found)[0].name, std::string("wide"));
  double stored = 0;
  std::memcpy(&stored, (*found)[0].bytes.data(), sizeof stored);
  QCOMPARE(stored, number);
  QCOMPARE(std::memcmp((*found)[1].bytes.data(), "abc", 3), 0);
}

void SafetensorsTest::refusesMalformed_data() {
  QTest::addColumn<QByteArray>("file");
  QTest::addColumn<QString>("says");
  const auto row = [](const char* name, const std::string& file, const char* says) {
    QTest::newRow(name) << QByteArray::fromStdString(file) << QString(says);
  };
  const std::string w = entry("F32", "[2]", "[0,8]");
  row("empty", "", "at least 8");
  row("short length", "1234567", "at least 8");
  row("huge length", std::string(8, '\xff') + "{}", "at most 2");
  row("length beyond end", fileOf("{}", 0).substr(0, 9), "at most 1");
  row("no JSON", fileOf("{\"w\":", 0), "no JSON");
  row("no UTF-8", fileOf("{\"\xff\":1}", 0), "no JSON");
  row("not an object", fileOf("[1]", 0), "not an object");
  row("duplicate names", fileOf("{\"w\":" + w + ",\"w\":" + w + "}", 8), "twice");
  row("unknown type", fileOf("{\"w\":" + entry("F8_E4M3", "[8]", "[0,8]") + "}", 8), "F8_E4M3");
  row("overlap", fileOf("{\"w\":" + w + ",\"v\":" + entry("F32", "[2]", "[4,12]") + "}", 12),
      "begins at byte 4");
  row("gap", fileOf("{\"w\":" + w + ",\"v\":" + entry("F32", "[2]", "[12,20]") + "}", 20),
      "begins at byte 12");
  row("beyond the end", fileOf("{\"w\":" + w + "}", 7), "ends at byte 8");
  row("left over", fileOf("{\"w\":" + w + "}", 9), "9 bytes of data");
  row("negative offset", fileOf("{\"w\":" + entry("F32", "[2]", "[-8,0]") + "}", 8), "-8");
  row("negative extent", fileOf("{\"w\":" + entry("F32", "[-2]", "[0,8]") + "}", 8), "-2");
  row("reversed", fileOf("{\"w\":" + entry("F32", "[2]", "[8,0]") + "}", 8), "begin");
  row("fraction", fileOf("{\"w\":" + entry("F32", "[2.0]", "[0,8]") + "}", 8), "2.0");
  row("beyond int64", fileOf("{\"w\":" + entry("F32", "[2]", "[0,18446744073709551615]") + "}", 8),
      "18446744073709551615");
  row("product overflows",
      fileOf("{\"w\":" + entry("F32", "[4294967296,4294967296]", "[0,0]") + "}", 0), "do not fill");
  row("wrong size", fileOf("{\"w\":" + entry("F32", "[3]", "[0,8]") + "}", 8), "do not fill");
  row("three offsets", fileOf("{\"w\":" + entry("F32", "[2]", "[0,4,8]") + "}", 8), "begin");
  row("missing key", fileOf("{\"w\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8), "nothing else");
  row("metadata no text", fileOf("{\"__metadata__\":{\"a\":1}}", 0), "not a text");
  row("entry is a number", fileOf("{\"w\":1}", 0), "nothing else");
}

void SafetensorsTest::refusesMalformed() {
  QFETCH(const QByteArray, file);
  QFETCH(const QString, says);
  const auto tensors = parsed(file.toStdString());
  QVERIFY(!tensors.ok());
  QCOMPARE(tensors.error().code, ErrorCode::kData);
  QVERIFY2(QString::fromStdString(tensors.error().message).contains(says),
           tensors.error().message.c_str());
}

void SafetensorsTest::refusesDeepNesting() {
  for (const char* open : {"[", "{\"a\":"}) {
    std::string bomb = "{\"w\":";
    for (int i = 0; i < 1'000'000; ++i) bomb += open;
    const auto tensors = parsed(fileOf(bomb, 0));
    QVERIFY(!tensors.ok());
    QVERIFY(tensors.error().message.find("deeper than") != std::string::npos);
  }
}

void SafetensorsTest::refusesMisuse() {
  const QTemporaryDir folder;
  const auto path = inside(folder, "x");
  const std::string bytes = "abcd";
  const auto data = std::as_bytes(std::span(bytes));
  const TensorView good{"a", ElementType::kF32, {1}, data};
  const auto write = [&](std::vector<TensorView> tensors) {
    (void)writeSafetensors(path, tensors, {});
  };
  QVERIFY_THROWS_EXCEPTION(InvalidArgument, write({good, good}));
  QVERIFY_THROWS_EXCEPTION(InvalidArgument, write({{"", ElementType::kF32, {1}, data}}));
  QVERIFY_THROWS_EXCEPTION(InvalidArgument,
                           write({{"__metadata__", ElementType::kF32, {1}, data}}));
  QVERIFY_THROWS_EXCEPTION(InvalidArgument, write({{"a", ElementType::kF32, {2}, data}}));
  QVERIFY_THROWS_EXCEPTION(InvalidArgument, write({{"a\xff", ElementType::kF32, {1}, data}}));
  QVERIFY(!std::filesystem::exists(path));
}

void SafetensorsTest::writesNpyThatNumPyDescribes() {
  const QTemporaryDir folder;
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const auto check = [&](std::vector<std::int64_t> shape, std::size_t count,
                         const std::string& tuple) {
    const auto path = inside(folder, "t.npy");
    QVERIFY(writeNpy(path, {"t", ElementType::kF32, std::move(shape),
                            std::as_bytes(std::span(values).first(count))})
                .ok());
    const auto text = readFile(path);
    QVERIFY(text.ok());
    QCOMPARE(text->substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t length =
        static_cast<unsigned char>((*text)[8]) + 256u * static_cast<unsigned char>((*text)[9]);
    QCOMPARE((10 + length) % 64, std::size_t{0});
    const std::string header = text->substr(10, length);
    QCOMPARE(header.back(), '\n');
    QVERIFY2(
        header.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': " + tuple + ", }"),
        header.c_str());
    QCOMPARE(text->size(), 10 + length + 4 * count);
    QCOMPARE(std::memcmp(text->data() + 10 + length, values.data(), 4 * count), 0);
  };
  check({2, 3}, 6, "(2, 3)");
  check({6}, 6, "(6,)");
  check({}, 1, "()");
}

QTEST_GUILESS_MAIN(SafetensorsTest)
#include "safetensors_test.moc"
