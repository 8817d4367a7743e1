// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/text_input.h"

#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <fstream>

#include "engine/base/files.h"
#include "tests/data/ingest/packed_bytes.h"

using namespace parapet;
using namespace parapet::data;

namespace {

namespace fs = std::filesystem;

std::string linesOf(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

/// Memory of this process that is resident now, mapped pages included.
std::int64_t residentBytes() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

const char* nameOf(Compression packed) {
  return packed == Compression::kGzip ? "gz" : packed == Compression::kZstd ? "zst" : "plain";
}

}  // namespace

class TextInputTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void piecesEndWhereLinesEnd_data() { packedOrNot(); }
  void piecesEndWhereLinesEnd() {
    QFETCH(Compression, packed);
    const std::string text = linesOf(300'000) + "the last one has no end";
    write(text, packed);
    const auto input = openTextFile(path()).value();
    std::string all;
    Source::Piece piece;
    std::int64_t pieces = 0;
    while (input->next(piece).value()) {
      QCOMPARE(piece.index, pieces++);
      QCOMPARE(piece.longLineBytes, std::int64_t{0});
      QVERIFY(piece.text.size() <= TextInput::kPieceBytes + 3);
      all += piece.text;
      QVERIFY(all.size() == text.size() || piece.text.ends_with('\n'));
    }
    QVERIFY(all == text);
    QVERIFY(pieces > 3);
    QCOMPARE(input->done(), input->total());
  }

  void aLineThatIsTooLongIsAPieceOfItsOwn_data() {
    QTest::addColumn<Compression>("packed");
    QTest::addColumn<int>("bytes");
    QTest::addColumn<bool>("tooLong");
    QTest::addColumn<QByteArray>("end");
    for (const Compression packed : {Compression::kNone, Compression::kGzip, Compression::kZstd})
      for (const char* end : {"\n", "\r\n", ""}) {
        const QByteArray name = QByteArray(nameOf(packed)) + QByteArray(end).toHex();
        QTest::newRow(name + " limit") << packed << (1 << 20) << false << QByteArray(end);
        QTest::newRow(name + " 5 million") << packed << 5'000'000 << true << QByteArray(end);
      }
  }
  void aLineThatIsTooLongIsAPieceOfItsOwn() {
    QFETCH(Compression, packed);
    QFETCH(int, bytes);
    QFETCH(bool, tooLong);
    QFETCH(QByteArray, end);
    const std::string after = end.isEmpty() ? "" : "behind\n";
    write(
        "before\n" + std::string(static_cast<std::size_t>(bytes), '7') + end.toStdString() + after,
        packed);
    const auto input = openTextFile(path()).value();
    Source::Piece piece;
    std::int64_t told = 0, kept = 0, shortBytes = 0;
    while (input->next(piece).value()) {
      (piece.longLineBytes > 0 ? kept : shortBytes) += std::ssize(piece.text);
      told += piece.longLineBytes;
    }
    QCOMPARE(told, std::int64_t{tooLong ? bytes : 0});
    QVERIFY(kept <= 4096);
    const std::int64_t others = 7 + std::ssize(after);
    QCOMPARE(shortBytes, tooLong ? others : others + bytes + end.size());
  }

  void whatHasBeenReadLeavesTheMemory() {
    constexpr std::int64_t kFileBytes = 192 << 20;
    {
      auto writer = FileWriter::create(path()).value();
      const std::string block = linesOf(100'000);
      for (std::int64_t bytes = 0; bytes < kFileBytes; bytes += std::ssize(block))
        QVERIFY(writer.write(block).ok());
      QVERIFY(writer.finish().ok());
    }
    const auto input = openTextFile(path()).value();
    const std::int64_t before = residentBytes();
    QVERIFY(before > 0);
    Source::Piece piece;
    std::int64_t ends = 0, most = 0;
    while (input->next(piece).value()) {
      ends += std::count(piece.text.begin(), piece.text.end(), '\n');
      most = std::max(most, residentBytes() - before);
    }
    QVERIFY(ends > 1'000'000);
    QVERIFY2(most < kFileBytes / 2, std::to_string(most).c_str());
  }

  void packedFilesAfterEachOtherAreOne_data() {
    QTest::addColumn<QByteArray>("bytes");
    const auto add = [](const char* name, const std::string& bytes) {
      QTest::newRow(name) << QByteArray::fromStdString(bytes);
    };
    const std::string skipped("\x50\x2A\x4D\x18\x04\0\0\0size", 12);
    add("gz", gzip("a\nb\n") + gzip("c\n"));
    add("zst", zstd("a\nb\n") + zstd("c\n"));
    add("an empty one between them", zstd("a\nb\n") + zstd("") + zstd("c\n"));
    add("frames that are skipped", skipped + zstd("a\nb\n") + skipped + zstd("c\n") + skipped);
  }
  void packedFilesAfterEachOtherAreOne() {
    QFETCH(QByteArray, bytes);
    writeBytes(bytes.toStdString());
    const auto input = openTextFile(path()).value();
    Source::Piece piece;
    QVERIFY(input->next(piece).value());
    QCOMPARE(std::string(piece.text), std::string("a\nb\nc\n"));
    QVERIFY(!input->next(piece).value());
  }

  void aDamagedPackedFileIsADataError_data() {
    QTest::addColumn<Compression>("packed");
    QTest::addColumn<int>("cut");
    QTest::addColumn<int>("flipped");
    QTest::addColumn<QByteArray>("behind");
    for (const Compression packed : {Compression::kGzip, Compression::kZstd}) {
      const QByteArray name = nameOf(packed);
      const int wrongChecksum = packed == Compression::kGzip ? 8 : 4;
      QTest::newRow(name + " half of it") << packed << 2000 << -1 << QByteArray();
      QTest::newRow(name + " without its last byte") << packed << 1 << -1 << QByteArray();
      QTest::newRow(name + " wrong checksum") << packed << 0 << wrongChecksum << QByteArray();
      QTest::newRow(name + " wrong bytes") << packed << 0 << 5000 << QByteArray();
      QTest::newRow(name + " text behind it") << packed << 0 << -1 << QByteArray("user,item\n");
    }
  }
  void aDamagedPackedFileIsADataError() {
    QFETCH(Compression, packed);
    QFETCH(int, cut);
    QFETCH(int, flipped);
    QFETCH(QByteArray, behind);
    std::string bytes =
        packed == Compression::kGzip ? gzip(linesOf(40'000)) : zstd(linesOf(40'000));
    QVERIFY(bytes.size() > 10'000);
    bytes.resize(bytes.size() - static_cast<std::size_t>(cut));
    if (flipped > 0) bytes[bytes.size() - static_cast<std::size_t>(flipped)] ^= 0x55;
    writeBytes(bytes + behind.toStdString());
    const auto input = openTextFile(path()).value();
    Source::Piece piece;
    Result<bool> more = true;
    while (more && *more) more = input->next(piece);
    QVERIFY(!more);
    QVERIFY(more.error().code == ErrorCode::kData);
    QCOMPARE(more.error().path, path().string());
    QVERIFY(more.error().message.starts_with("cannot unpack"));
  }

  void aZstdFileThatTakesMuchMemoryIsRefused() {
    const std::string text = linesOf(1000);
    Source::Piece piece;
    writeBytes(zstd(text, 27));
    QVERIFY(openTextFile(path()).value()->next(piece).value());
    QCOMPARE(std::string(piece.text), text);
    writeBytes(zstd(text, 28));
    const auto more = openTextFile(path()).value()->next(piece);
    QVERIFY(!more);
    QCOMPARE(more.error().code, ErrorCode::kData);
    QVERIFY2(more.error().message.find("128 MiB of memory") != std::string::npos,
             more.error().message.c_str());
  }

  void aFileThatBecomesShorterIsADataError_data() { packedOrNot(); }
  void aFileThatBecomesShorterIsADataError() {
    QFETCH(Compression, packed);
    std::string text;
    for (std::uint64_t i = 0, state = 1; i < 400'000; ++i) {  // that cannot be packed well
      state = state * 6364136223846793005u + 1442695040888963407u;
      text += std::to_string(state) + "\n";
    }
    write(text, packed);
    const auto input = openTextFile(path()).value();
    Source::Piece piece;
    QVERIFY(input->next(piece).value());
    fs::resize_file(path(), fs::file_size(path()) - 1000);
    Result<bool> more = true;
    while (more && *more) more = input->next(piece);
    QVERIFY(!more);
    QCOMPARE(more.error().code, ErrorCode::kData);
    QCOMPARE(more.error().path, path().string());
  }

  // Rows that were added since are not among those that the data set is named after.
  void aFileThatGrowsEndsWhereItEnded() {
    write("a\nb\n", Compression::kNone);
    const auto input = openTextFile(path()).value();
    std::ofstream(path(), std::ios::app) << "c\n";
    Source::Piece piece;
    QVERIFY(input->next(piece).value());
    QCOMPARE(std::string(piece.text), std::string("a\nb\n"));
    QVERIFY(!input->next(piece).value());
  }

  void aByteOrderMarkIsSkippedAndTold_data() { packedOrNot(); }
  void aByteOrderMarkIsSkippedAndTold() {
    QFETCH(Compression, packed);
    write("\xEF\xBB\xBFtext\n", packed);
    const auto input = openTextFile(path()).value();
    Source::Piece piece;
    QVERIFY(input->next(piece).value());
    QCOMPARE(std::string(piece.text), std::string("text\n"));
    QVERIFY(input->hasByteOrderMark());
  }

  void utf16IsRefusedByName() {
    writeBytes(
        std::string("\xFF\xFE"
                    "a\0\n\0",
                    6));
    Source::Piece piece;
    const auto more = openTextFile(path()).value()->next(piece);
    QVERIFY(!more);
    QVERIFY(more.error().message.find("UTF-16") != std::string::npos);
  }

  void anEmptyFileHasNoPieces() {
    writeBytes("");
    Source::Piece piece;
    QVERIFY(!openTextFile(path()).value()->next(piece).value());
  }

 private:
  static void packedOrNot() {
    QTest::addColumn<Compression>("packed");
    for (const Compression packed : {Compression::kNone, Compression::kGzip, Compression::kZstd})
      QTest::newRow(nameOf(packed)) << packed;
  }
  [[nodiscard]] fs::path path() const { return fs::path(folder_.path().toStdString()) / "text"; }
  void write(const std::string& text, Compression packed) const {
    writeBytes(packed == Compression::kGzip   ? gzip(text)
               : packed == Compression::kZstd ? zstd(text)
                                              : text);
  }
  void writeBytes(const std::string& bytes) const {
    std::ofstream(path(), std::ios::binary) << bytes;
  }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TextInputTest)
#include "text_input_test.moc"
