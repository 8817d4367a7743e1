// SPDX-License-Identifier: Apache-2.0
#include "engine/base/files.h"

#include <sys/resource.h>

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>

#include "engine/base/process.h"
#include "engine/base/scratch_memory.h"
#include "engine/base/text.h"

using namespace parapet;
namespace fs = std::filesystem;

namespace {

// While it lives, this process cannot make a file larger than `bytes`: writes fail half-way with
// EFBIG, as they would on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace

class FilesTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  [[nodiscard]] fs::path at(const char* name) const {
    return fs::path(folder_.path().toStdString()) / name;
  }
  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(at("")), fs::directory_iterator{});
  }

 private Q_SLOTS:
  void scratchMemoryLeavesNoFileBehind() {
    const QTemporaryDir folder;
    const fs::path path = folder.path().toStdString();
    auto made = ScratchMemory::create(path, 10'000);
    QVERIFY(made.ok());
    ScratchMemory memory = std::move(made).value();
    QCOMPARE(memory.bytes().size(), std::size_t{10'000});
    QVERIFY(
        std::ranges::all_of(memory.bytes(), [](std::byte byte) { return byte == std::byte{}; }));
    memory.bytes().back() = std::byte{7};
    const ScratchMemory moved = std::move(memory);
    QVERIFY(moved.bytes().back() == std::byte{7});
    QVERIFY(fs::is_empty(path));
    QVERIFY(ScratchMemory::create(path, 0)->bytes().empty());
  }

  void scratchMemoryIsRefusedBeforeItIsWritten() {
    const QTemporaryDir folder;
    const fs::path path = folder.path().toStdString();
    QCOMPARE(ScratchMemory::create(path / "nothing", 10).error().code, ErrorCode::kNotFound);
    const FileSizeLimit full(4096);
    QCOMPARE(ScratchMemory::create(path, 1 << 20).error().code, ErrorCode::kIo);
    QVERIFY(fs::is_empty(path));
  }

  void cleanup() {
    for (const auto& entry : fs::directory_iterator(at(""))) fs::remove_all(entry);
  }

  void outOfMemorySaysWhatForAndHowMuchThereIs() {
    const Error error = outOfMemory("run \"a\"");
    QCOMPARE(error.code, ErrorCode::kInternal);
    QVERIFY(error.message.starts_with("not enough memory for run \"a\": "));
    QVERIFY(error.message.find(formatBytes(physicalMemoryBytes())) != std::string::npos);
  }

  void foldersThatNothingWasWrittenIntoAreRemovedAgain() {
    {
      const auto unused = NewFolders::create(at("x") / "y" / "z");
      QVERIFY(unused.ok());
      QVERIFY(fs::is_directory(at("x") / "y" / "z"));
    }
    QVERIFY(!fs::exists(at("x")));
    {
      const auto used = NewFolders::create(at("x") / "y");
      QVERIFY(writeFileAtomically(at("x") / "y" / "file", "text").ok());
    }
    QVERIFY(fs::exists(at("x") / "y" / "file"));
    QVERIFY(writeFileAtomically(at("plain"), "text").ok());
    QCOMPARE(NewFolders::create(at("plain") / "below").error().code, ErrorCode::kIo);
  }

  void whatIsUnfinishedIsRemovedAtOnce() {
    auto unfinished = FileWriter::create(at("unfinished")).value();
    auto finished = FileWriter::create(at("finished")).value();
    QVERIFY(unfinished.write("text").ok());
    QVERIFY(finished.finish().ok());
    removeUnfinished();
    QVERIFY(!fs::exists(at("unfinished")));
    QVERIFY(fs::exists(at("finished")));
  }

  void mapsWhatWasWritten() {
    QVERIFY(writeFileAtomically(at("a"), std::string("\x01\x00\x02\x00\x03", 5)).ok());
    const auto file = MappedFile::open(at("a"));
    QVERIFY(file.ok());
    QCOMPARE(file->bytes().size(), std::size_t{5});
    const auto numbers = file->as<std::uint16_t>();
    QCOMPARE(numbers.size(), std::size_t{2});
    QCOMPARE(numbers[1], std::uint16_t{2});
  }

  void mapsAnEmptyFileToNothing() {
    QVERIFY(writeFileAtomically(at("empty"), "").ok());
    const auto file = MappedFile::open(at("empty"));
    QVERIFY(file.ok());
    QVERIFY(file->bytes().empty());
    QVERIFY(file->text().empty());
  }

  void aMovedMapStaysReadable() {
    QVERIFY(writeFileAtomically(at("a"), "text").ok());
    MappedFile first = MappedFile::open(at("a")).value();
    MappedFile second;
    second = std::move(first);
    const MappedFile third = std::move(second);
    QCOMPARE(third.text(), std::string_view("text"));
  }

  void aMissingFileIsNotFoundAndNamed() {
    const auto file = readFile(at("missing"));
    QVERIFY(!file.ok());
    QCOMPARE(file.error().code, ErrorCode::kNotFound);
    QVERIFY(file.error().message.find(at("missing").string()) != std::string::npos);
  }

  void aFolderIsNoFile() {
    const auto file = MappedFile::open(at(""));
    QVERIFY(!file.ok());
    QCOMPARE(file.error().code, ErrorCode::kIo);
  }

  void writerKeepsEveryByteAcrossItsBuffer() {
    std::string expected;
    auto writer = FileWriter::create(at("big"));
    QVERIFY(writer.ok());
    for (int i = 0; i < 700; ++i) {
      const std::string piece(4099, static_cast<char>('a' + i % 26));
      QVERIFY(writer->write(piece).ok());
      expected += piece;
    }
    QCOMPARE(writer->written(), std::uint64_t{expected.size()});
    QVERIFY(writer->finish().ok());
    QVERIFY(readFile(at("big")).value() == expected);
  }

  void anUnfinishedWriterRemovesItsFile() {
    {
      auto writer = FileWriter::create(at("half"));
      QVERIFY(writer.ok());
      QVERIFY(writer->write(std::string_view("half")).ok());
      const FileWriter moved = std::move(*writer);
      QVERIFY(fs::exists(at("half")));
    }
    QVERIFY(!fs::exists(at("half")));
  }

  void aFinishedWriterLeavesItsFile() {
    {
      auto writer = FileWriter::create(at("whole"));
      QVERIFY(writer->write(std::string_view("whole")).ok());
      QVERIFY(writer->finish().ok());
    }
    QCOMPARE(readFile(at("whole")).value(), std::string("whole"));
  }

  void writerReportsAFullDisk() {
    const FileSizeLimit limit(65536);
    auto writer = FileWriter::create(at("full"));
    QVERIFY(writer.ok());
    QVERIFY(writer->write(std::string(100000, 'x')).ok());  // still in the buffer
    const Status finished = writer->finish();
    QVERIFY(!finished.ok());
    QCOMPARE(finished.error().code, ErrorCode::kIo);
    QCOMPARE(finished.error().path, at("full").string());
  }

  void createInAMissingFolderFails() {
    const auto writer = FileWriter::create(at("no/such"));
    QVERIFY(!writer.ok());
    // The missing folder is a place to write to, not what was asked for.
    QCOMPARE(writer.error().code, ErrorCode::kIo);
  }

  void atomicWriteReplacesTheContent() {
    QVERIFY(writeFileAtomically(at("a"), "old and longer").ok());
    QVERIFY(writeFileAtomically(at("a"), "new").ok());
    QCOMPARE(readFile(at("a")).value(), std::string("new"));
    QCOMPARE(entries(), std::ptrdiff_t{1});
  }

  void atomicWriteOnAFullDiskLeavesTheOldContent() {
    QVERIFY(writeFileAtomically(at("a"), "old").ok());
    {
      const FileSizeLimit limit(65536);
      QVERIFY(!writeFileAtomically(at("a"), std::string(3'000'000, 'x')).ok());
    }
    QCOMPARE(readFile(at("a")).value(), std::string("old"));
    QCOMPARE(entries(), std::ptrdiff_t{1});
  }

  void atomicWriteOverAFolderLeavesNoTemporary() {
    fs::create_directory(at("folder"));
    QVERIFY(!writeFileAtomically(at("folder"), "text").ok());
    QVERIFY(fs::is_directory(at("folder")));
    QCOMPARE(entries(), std::ptrdiff_t{1});
  }

  void atomicWriteIntoNoFolderNamesTheFileThatWasAskedFor() {
    const Status written = writeFileAtomically(at("missing/a"), "text");
    QVERIFY(!written.ok());
    QCOMPARE(written.error().path, at("missing/a").string());
    QVERIFY2(written.error().text().find(".tmp") == std::string::npos,
             written.error().text().c_str());
    QVERIFY2(written.error().text().find("No such file or directory") != std::string::npos,
             written.error().text().c_str());
  }

  void createsFoldersAndAcceptsExistingOnes() {
    QVERIFY(createFolders(at("x/y/z")).ok());
    QVERIFY(createFolders(at("x/y/z")).ok());
    QVERIFY(fs::is_directory(at("x/y/z")));
  }

  void createFoldersBelowAFileFails() {
    QVERIFY(writeFileAtomically(at("file"), "").ok());
    QVERIFY(!createFolders(at("file/below")).ok());
  }

  void knowsMemoryAndFreeSpace() {
    QVERIFY(freeBytes(at("")).value() > 0);
    QVERIFY(!freeBytes(at("missing")).ok());
    QVERIFY(peakResidentBytes() > 0);
    QVERIFY(peakResidentBytes() < physicalMemoryBytes());
  }
};

QTEST_GUILESS_MAIN(FilesTest)
#include "files_test.moc"
