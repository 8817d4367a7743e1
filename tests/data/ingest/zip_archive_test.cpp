// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/packed_files.h"

#include <sys/stat.h>

#include <QTemporaryDir>
#include <QTest>

#include "tests/data/ingest/zip_fixture.h"

using namespace parapet;
using namespace parapet::data;

namespace {

namespace fs = std::filesystem;

Result<std::string> readAll(const ZipArchive& archive, const std::string& name) {
  const ZipArchive::Member* const member = archive.find(name);
  if (member == nullptr) return Error{ErrorCode::kNotFound, "no member " + name};
  PARAPET_ASSIGN(const auto stream, archive.read(*member));
  std::string content;
  std::string block(1000, '\0');
  for (;;) {
    PARAPET_ASSIGN(const std::size_t count, stream->read(block));
    if (count == 0) return content;
    content.append(block, 0, count);
  }
}

// Puts `value` into the `width` bytes at `at`, lowest first.
void patch(std::string& bytes, std::size_t at, std::size_t width, std::uint64_t value) {
  for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}

constexpr const char* kLocalHeader = "PK\x03\x04";
constexpr const char* kDirectoryEntry = "PK\x01\x02";

}  // namespace

class ZipArchiveTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsMembersToTheByte() {
    std::string large;
    for (int i = 0; i < 300'000; ++i) large += std::to_string(i * 31 % 100'003) + "\n";
    writeZip(path(), {{"top/", ""}, {"top/large.csv", large}, {"top/empty", ""}});
    const auto archive = ZipArchive::open(path());
    QVERIFY2(archive.ok(), archive ? "" : archive.error().text().c_str());
    QCOMPARE(archive->members().size(), std::size_t{2});
    QCOMPARE(archive->members()[0].bytes, std::uint64_t{large.size()});
    QVERIFY(readAll(*archive, "top/large.csv").value() == large);
    QCOMPARE(readAll(*archive, "top/empty").value(), std::string());
    QCOMPARE(archive->nameOf(archive->members()[0]), (path() / "top/large.csv").string());
  }

  void refusesNamesThatLeadOutOfTheArchive_data() {
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("above") << QByteArray("../evil") << QByteArray("leads out");
    QTest::newRow("above from below") << QByteArray("a/../../evil") << QByteArray("leads out");
    QTest::newRow("absolute") << QByteArray("/etc/passwd") << QByteArray("absolute");
    QTest::newRow("drive") << QByteArray("C:evil") << QByteArray("absolute");
    QTest::newRow("backslashes") << QByteArray("..\\evil") << QByteArray("backslash");
  }
  void refusesNamesThatLeadOutOfTheArchive() {
    QFETCH(QByteArray, name);
    QFETCH(QByteArray, words);
    writeZip(path(), {{"good", "1"}, {name.toStdString(), "2"}});
    refuses(words.toStdString());
  }

  void refusesSymbolicLinksAndDevices() {
    const auto asKind = [](mode_t kind) {
      return [kind](zip_t* archive, zip_uint64_t index) {
        zip_file_set_external_attributes(archive, index, 0, ZIP_OPSYS_UNIX, (kind | 0644U) << 16);
      };
    };
    writeZip(path(), {{"link", "/etc/passwd"}}, asKind(S_IFLNK));
    refuses("symbolic link");
    writeZip(path(), {{"device", ""}}, asKind(S_IFCHR));
    refuses("special file");
    writeZip(path(), {{"file", "1"}}, asKind(S_IFREG));
    QVERIFY(ZipArchive::open(path()).ok());
  }

  void refusesEncryptedMembers() {
    writeZip(path(), {{"secret", "1,2,3\n"}});
    std::string bytes = readBytes(path());
    bytes[bytes.find(kLocalHeader) + 6] |= 1;
    bytes[bytes.find(kDirectoryEntry) + 8] |= 1;
    writeBytes(path(), bytes);
    refuses("encrypted");
  }

  void refusesBombsAndSaysTheLimit() {
    writeZip(path(), {{"zeros", std::string(20 << 20, '\0')}});
    refuses("at most 250 times is accepted");
    writeZip(path(), {{"a", std::string(600, 'a')}, {"b", std::string(600, 'b')}});
    const auto archive = ZipArchive::open(path(), {.unpackedBytes = 1000});
    QVERIFY(!archive);
    QVERIFY2(archive.error().message.find("at most 1000 B are accepted") != std::string::npos,
             archive.error().message.c_str());
    QVERIFY(ZipArchive::open(path(), {.unpackedBytes = 1200}).ok());
  }

  // The directory tells fewer bytes than the member has, as a bomb in disguise does.
  void aMemberThatIsLargerThanTheArchiveTellsIsDamaged() {
    writeZip(path(), {{"liar", std::string(100'000, 'x')}});
    std::string bytes = readBytes(path());
    patch(bytes, bytes.find(kDirectoryEntry) + 24, 4, 10);
    patch(bytes, bytes.find(kLocalHeader) + 22, 4, 10);
    writeBytes(path(), bytes);
    const auto archive = ZipArchive::open(path());
    QVERIFY2(archive.ok(), archive ? "" : archive.error().text().c_str());
    const auto content = readAll(*archive, "liar");
    QVERIFY(!content);
    QVERIFY(content.error().code == ErrorCode::kData);
    QVERIFY2(content.error().message.find("\"liar\" is damaged") != std::string::npos,
             content.error().message.c_str());
  }

  void aWrongChecksumIsToldWithTheMember() {
    writeZip(path(), {{"data.csv", "1,2,3,4\n"}}, [](zip_t* archive, zip_uint64_t index) {
      zip_set_file_compression(archive, index, ZIP_CM_STORE, 0);
    });
    std::string bytes = readBytes(path());
    bytes[bytes.find("1,2,3,4")] = '9';
    writeBytes(path(), bytes);
    const auto content = readAll(ZipArchive::open(path()).value(), "data.csv");
    QVERIFY(!content);
    QVERIFY(content.error().code == ErrorCode::kData);
    QCOMPARE(content.error().path, path().string());
    QVERIFY2(content.error().message.find("\"data.csv\" is damaged: CRC") != std::string::npos,
             content.error().message.c_str());
  }

  // Whatever is cut off, the archive or its member is refused; nothing is read half.
  void aTruncatedArchiveIsRefused() {
    std::string content;
    for (int i = 0; i < 1000; ++i) content += std::to_string(i * 7919) + "\n";
    writeZip(path(), {{"data.csv", content}});
    const std::string whole = readBytes(path());
    for (const std::size_t kept : {whole.size() - 1, whole.size() / 2, std::size_t{40}}) {
      writeBytes(path(), whole.substr(0, kept));
      const auto archive = ZipArchive::open(path());
      QVERIFY(!archive);
      QVERIFY(archive.error().code == ErrorCode::kData);
      QVERIFY(archive.error().message.find("truncated") != std::string::npos);
    }
  }

  // Any byte may be wrong: an error or the same bytes, never others and never a crash.
  void aDamagedByteIsNeverReadAsData() {
    std::string content;
    for (int i = 0; i < 50; ++i) content += std::to_string(i * 7919) + "\n";
    writeZip(path(), {{"data.csv", content}});
    const std::string whole = readBytes(path());
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
      writeBytes(path(), bytes);
      const auto archive = ZipArchive::open(path());
      if (!archive) continue;
      const auto read = readAll(*archive, "data.csv");
      QVERIFY2(!read || *read == content, std::to_string(at).c_str());
    }
  }

  void aMissingFileIsNotFound() {
    const fs::path missing = path().parent_path() / "nowhere.zip";
    const auto archive = ZipArchive::open(missing);
    QVERIFY(!archive);
    QVERIFY(archive.error().code == ErrorCode::kNotFound);
    QVERIFY(!ZipArchive::isZip(missing));
  }

 private:
  [[nodiscard]] fs::path path() const { return fs::path(folder_.path().toStdString()) / "a.zip"; }
  void refuses(const std::string& words) const {
    const auto archive = ZipArchive::open(path());
    QVERIFY(!archive);
    QVERIFY(archive.error().code == ErrorCode::kData);
    QCOMPARE(archive.error().path, path().string());
    QVERIFY2(archive.error().message.find(words) != std::string::npos,
             archive.error().message.c_str());
  }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(ZipArchiveTest)
#include "zip_archive_test.moc"
