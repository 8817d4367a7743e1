// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/download/download.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <fstream>
#include <set>
#include <stop_token>

#include "engine/base/files.h"
#include "engine/data/ingest/download/http_get.h"
#include "engine/data/ingest/download/known_datasets.h"
#include "engine/data/ingest/download/part_file.h"
#include "tests/data/ingest/file_server.h"

using namespace parapet;
using namespace parapet::data;
using test::FileServer;
using test::ServedFile;

namespace {

/// Bytes that are nowhere the same, so that a piece in the wrong place is seen.
std::string sampleBody(std::size_t size) {
  std::string body;
  while (body.size() < size) body += std::to_string(body.size()) + ",";
  body.resize(size);
  return body;
}

constexpr std::size_t kSize = 300'000;

}  // namespace

/// Downloads from a server on 127.0.0.1 that serves well and badly.
class DownloadTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    server_ = std::make_unique<FileServer>();
    body_ = sampleBody(kSize);
    target_ = std::filesystem::path(folder_->path().toStdString()) / "deep" / "data.bin";
  }

  void bringsTheFileAndNothingElse() {
    server_->serve("/f", {body_});
    std::int64_t last = 0, total = 0;
    const auto report = download(request(), {[&](std::string_view stage, auto done, auto all) {
                                   if (stage != "downloading") return;
                                   QVERIFY(done > last);
                                   last = done;
                                   total = all;
                                 }});
    QVERIFY2(report.ok(), text(report));
    QCOMPARE(report->bytes, std::uint64_t{kSize});
    QCOMPARE(report->resumedFrom, std::uint64_t{0});
    QVERIFY(!report->verified);
    QVERIFY(report->checksum.text().starts_with("sha256:"));
    QCOMPARE(last, std::int64_t{kSize});
    QCOMPARE(total, std::int64_t{kSize});
    QVERIFY(targetIsWhole());
    QCOMPARE(entries(), 1);
  }

  void takesBodiesWithoutLength_data() {
    QTest::addColumn<bool>("chunked");
    QTest::addRow("chunked") << true;
    QTest::addRow("until the connection closes") << false;
  }
  void takesBodiesWithoutLength() {
    QFETCH(bool, chunked);
    server_->serve("/f", {.body = body_, .chunked = chunked, .plainEnd = !chunked});
    const auto report = download(request());
    QVERIFY2(report.ok(), text(report));
    QVERIFY(targetIsWhole());
  }

  void takesAnEmptyFile() {
    server_->serve("/f", {});
    const auto report = download(request());
    QVERIFY2(report.ok(), text(report));
    QCOMPARE(readFile(target_).value(), std::string());
  }

  void aSlowDripIsNoStall() {
    body_ = sampleBody(50);
    server_->serve("/f", {.body = body_, .dripMs = 50});
    const auto report = download(request());
    QVERIFY2(report.ok(), text(report));
    QVERIFY(targetIsWhole());
  }

  void givesUpATransferThatIsTooSlow() {
    server_->serve("/f", {.body = body_, .dripMs = 20});
    DownloadRequest slow = request();
    slow.slowMs = 500;
    slow.minBytesPerSecond = 100'000;
    const auto report = download(slow);
    QVERIFY2(contains(report, "at least 97.66 KiB/s are needed"), text(report));
    QVERIFY(report.error().code == ErrorCode::kPeer);
    QVERIFY(partialBytes(target_) > 0);
  }

  // Going on where it ended.

  void goesOnWhereItEnded() {
    interrupt();
    const std::uint64_t left = partialBytes(target_);
    QCOMPARE(left, std::uint64_t{100'000});
    server_->serve("/f", {body_});
    const auto report = download(request(checksum_));
    QVERIFY2(report.ok(), text(report));
    QCOMPARE(report->resumedFrom, left);
    QVERIFY(report->notes.empty());
    QCOMPARE(server_->requests().back().range, std::string("bytes=100000-"));
    QCOMPARE(server_->requests().back().ifRange, std::string("\"v1\""));
    QVERIFY(targetIsWhole());
    QCOMPARE(entries(), 1);
  }

  // A server may send less of a range than was asked for.
  void asksForTheRestOfAShortRange() {
    interrupt();
    ServedFile file{body_};
    file.longestRange = body_.size() / 8;
    server_->serve("/f", file);
    const auto report = download(request(checksum_));
    QVERIFY2(report.ok(), text(report));
    QVERIFY(targetIsWhole());
    QVERIFY(server_->requests().size() > 3);
  }

  void startsAgainWhereItCannotGoOn_data() {
    QTest::addColumn<QString>("why");
    for (const char* why : {"does not continue", "has changed", "another part", "ends before"})
      QTest::addRow("%s", why) << why;
  }
  void startsAgainWhereItCannotGoOn() {
    QFETCH(QString, why);
    interrupt();
    ServedFile file{body_};
    if (why == "does not continue") file.ranges = false;
    if (why == "has changed") {
      std::ranges::reverse(file.body = body_);
      body_ = file.body;
      file.etag = "\"v2\"";
    }
    if (why == "another part") file.range = "bytes 5-299999/300000";
    if (why == "ends before") body_ = file.body = sampleBody(1000);
    server_->serve("/f", file);
    const auto report = download(request());
    QVERIFY2(report.ok(), text(report));
    QCOMPARE(report->resumedFrom, std::uint64_t{0});
    QCOMPARE(report->notes.size(), std::size_t{1});
    QVERIFY2(QString::fromStdString(report->notes[0]).contains(why), report->notes[0].c_str());
    QVERIFY(targetIsWhole());
  }

  void aPartOfAnotherAddressIsNotUsed() {
    interrupt();
    server_->serve("/g", {.body = "another file", .etag = "\"v1\""});
    DownloadRequest other = request();
    other.url = server_->url("/g");
    QVERIFY(download(other).ok());
    QCOMPARE(readFile(target_).value(), std::string("another file"));
  }

  void withoutAMarkOfTheServerNothingIsKept() {
    server_->serve("/f", {.body = body_, .etag = "", .stopAfter = 1000});
    const auto report = download(request());
    QVERIFY(contains(report, "cannot be continued"));
    QCOMPARE(partialBytes(target_), std::uint64_t{0});
    QCOMPARE(entries(), 0);
  }

  void aStopKeepsThePart() {
    server_->serve("/f", {.body = body_, .stopAfter = 100'000, .stall = true});
    std::stop_source stop;
    const auto report =
        download(request(), {[&](std::string_view, std::int64_t done, std::int64_t) {
                               if (done == 100'000) stop.request_stop();
                             },
                             stop.get_token()});
    QVERIFY(!report.ok());
    QVERIFY(report.error().code == ErrorCode::kCancelled);
    QCOMPARE(partialBytes(target_), std::uint64_t{100'000});
    QVERIFY(!std::filesystem::exists(target_));
  }

  void twoDownloadsNeverShareAPart() {
    const auto first = PartFile::open(target_);
    QVERIFY(first.ok());
    server_->serve("/f", {body_});
    QVERIFY(contains(download(request()), "another program"));
  }

  // Servers that lie or give up.

  void refusesWhatTheServerDoesNotKeep_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("message");
    QTest::addRow("fewer bytes") << "fewer"
                                 << "announced 300500 bytes";
    QTest::addRow("more bytes") << "more"
                                << "sends more";
    QTest::addRow("closes midway") << "closes"
                                   << "after 100000";
    QTest::addRow("stalls") << "stalls"
                            << "nothing came for 2.0 s; 97.66 KiB of 292.97 KiB are there";
    QTest::addRow("chunks end midway") << "chunks"
                                       << "127.0.0.1";
    QTest::addRow("not there") << "404"
                               << "HTTP status 404";
    QTest::addRow("server error") << "503"
                                  << "HTTP status 503";
  }
  void refusesWhatTheServerDoesNotKeep() {
    QFETCH(QString, kind);
    QFETCH(QString, message);
    ServedFile file{body_};
    if (kind == "fewer") file.announced = kSize + 500;
    if (kind == "more") file.announced = kSize - 500;
    if (kind == "closes" || kind == "stalls" || kind == "chunks") file.stopAfter = 100'000;
    file.stall = kind == "stalls";
    file.chunked = kind == "chunks";
    if (kind == "503") file.status = 503;
    if (kind != "404") server_->serve("/f", file);
    const auto report = download(request());
    QVERIFY2(contains(report, message), text(report));
    QVERIFY(!std::filesystem::exists(target_));
  }

  void refusesALengthThatIsNone_data() {
    QTest::addColumn<QString>("length");
    QTest::addRow("words") << "many";
    QTest::addRow("negative") << "-5";
    QTest::addRow("with a unit") << "300000 bytes";
    QTest::addRow("too large") << "99999999999999999999999";
    QTest::addRow("two") << QString("300000\r\nContent-Length: 5");
  }
  void refusesALengthThatIsNone() {
    QFETCH(QString, length);
    server_->serve("/f", {.body = body_, .lengthText = length.toStdString()});
    const auto report = download(request());
    QVERIFY2(contains(report, "Content-Length: "), text(report));
    QVERIFY(report.error().code == ErrorCode::kPeer);
    QCOMPARE(entries(), 0);
  }

  // Whoever may write to the folder must not lead the bytes elsewhere.
  void neverWritesThroughALink() {
    const auto folder = target_.parent_path();
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "precious") << "keep";
    std::filesystem::create_symlink("precious", folder / "data.bin.part");
    server_->serve("/f", {body_});
    QVERIFY2(contains(download(request()), "is a symbolic link"), text(download(request())));
    QCOMPARE(readFile(folder / "precious").value(), std::string("keep"));
    std::filesystem::remove(folder / "data.bin.part");
    QCOMPARE(::mkfifo((folder / "data.bin.part").c_str(), 0600), 0);
    QVERIFY2(contains(download(request()), "is no regular file"), text(download(request())));
  }

  void followsRedirects() {
    server_->serve("/f", {.status = 302, .location = "/g"});
    server_->serve("/g", {.status = 307, .location = server_->url("/h")});
    server_->serve("/h", {body_});
    const auto report = download(request());
    QVERIFY2(report.ok(), text(report));
    QVERIFY(targetIsWhole());
  }

  void refusesRedirects_data() {
    QTest::addColumn<QString>("location");
    QTest::addColumn<QString>("message");
    QTest::addRow("circle") << "/f"
                            << "circle";
    QTest::addRow("file") << "file:///etc/passwd"
                          << "leads to file:///etc/passwd; accepted";
    QTest::addRow("endless") << "/0"
                             << "more than 10 redirects";
    QTest::addRow("nowhere") << ""
                             << "without a Location";
  }
  void refusesRedirects() {
    QFETCH(QString, location);
    QFETCH(QString, message);
    server_->serve("/f", {.status = 302, .location = location.toStdString()});
    for (int i = 0; i < 20; ++i)
      server_->serve("/" + std::to_string(i),
                     {.status = 302, .location = "/" + std::to_string(i + 1)});
    const auto report = download(request());
    QVERIFY2(contains(report, message), text(report));
    QCOMPARE(entries(), 0);
  }

  void neverLeavesTls() {
    const WebAddress open = parseWebAddress("http://a.org/x").value();
    const WebAddress secured = parseWebAddress("HTTPS://b.org/x").value();
    QVERIFY(mayLeadTo(open, open) && mayLeadTo(open, secured) && mayLeadTo(secured, secured));
    QVERIFY(!mayLeadTo(secured, open));
    QCOMPARE(resolveLocation("https://b.org/x/y?z", "../w"), std::string("https://b.org/w"));
    QCOMPARE(resolveLocation("https://b.org/x", "http://a.org/"), std::string("http://a.org/"));
  }

  void keepsTheLimit_data() {
    QTest::addColumn<bool>("endless");
    QTest::addRow("announced") << false;
    QTest::addRow("endless") << true;
  }
  void keepsTheLimit() {
    QFETCH(bool, endless);
    server_->serve("/f", {.body = body_, .plainEnd = endless, .endless = endless});
    DownloadRequest limited = request();
    limited.maxBytes = endless ? 2'000'000 : kSize - 1;
    const auto report = download(limited);
    QVERIFY2(contains(report, "limit"), text(report));
    QVERIFY(report.error().code == ErrorCode::kData);
    QCOMPARE(entries(), 0);
  }

  // The file itself.

  void aWrongChecksumRemovesWhatCame() {
    server_->serve("/f", {body_ + "x"});
    const auto report = download(request(checksum_));
    QVERIFY2(contains(report, "wrong checksum: " + QString::fromStdString(checksum_)),
             text(report));
    QVERIFY(report.error().code == ErrorCode::kData);
    QCOMPARE(entries(), 0);
  }

  void aTargetThatIsThereIsNeverWrittenOver() {
    server_->serve("/f", {body_});
    QVERIFY(download(request(checksum_)).ok());
    const auto again = download(request(checksum_));
    QVERIFY2(again.ok(), text(again));
    QVERIFY(again->alreadyThere && again->verified);
    QCOMPARE(server_->requests().size(), std::size_t{1});
    QVERIFY(contains(download(request()), "is there already"));
    std::ofstream(target_) << "mine";
    QVERIFY(contains(download(request(checksum_)), "is there already with md5:"));
    QCOMPARE(readFile(target_).value(), std::string("mine"));
  }

  void aFailingDiskIsToldAndThePartStays() {
    // A limit on file sizes fails a write as a full disk does.
    server_->serve("/f", {body_});
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{100'000, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &tight);
    const auto report = download(request());
    ::setrlimit(RLIMIT_FSIZE, &before);
    QVERIFY2(contains(report, "cannot write"), text(report));
    QVERIFY(report.error().code == ErrorCode::kIo);
    QVERIFY(partialBytes(target_) > 0);
    QVERIFY(download(request()).ok());
    QVERIFY(targetIsWhole());
  }

  void noProxyStandsBeforeThisMachine() {
    qputenv("http_proxy", "http://127.0.0.1:9");
    server_->serve("/f", {body_});
    const auto report = download(request());
    qunsetenv("http_proxy");
    QVERIFY2(report.ok(), text(report));
  }

  // Addresses and files that may be asked for.

  void refusesOtherAddresses_data() {
    QTest::addColumn<QString>("url");
    for (const char* url :
         {"file:///etc/passwd", "ftp://example.org/a", "example.org/a", "", "http://"})
      QTest::addRow("\"%s\"", url) << url;
  }
  void refusesOtherAddresses() {
    QFETCH(QString, url);
    DownloadRequest other = request();
    other.url = url.toStdString();
    const auto report = download(other);
    QVERIFY2(contains(report, "accepted: an address that begins with https://"), text(report));
    QVERIFY(report.error().code == ErrorCode::kInvalidDocument);
    QCOMPARE(entries(), 0);
  }

  void namesFilesAfterTheAddress() {
    QCOMPARE(parseWebAddress("https://a.org/b/ml%20x.zip?q=1#f")->fileName,
             std::string("ml x.zip"));
    QCOMPARE(parseWebAddress("https://a.org/")->fileName, std::string());
    QCOMPARE(parseWebAddress("https://a.org/x%2F..")->fileName, std::string());
  }

  void readsChecksums() {
    QCOMPARE(parseChecksum("MD5:0E33842E24A9C977BE4E0107933C0723")->text(),
             std::string("md5:0e33842e24a9c977be4e0107933c0723"));
    for (const char* wrong : {"", "md5:", "md5:xyz", "0e33842e24a9c977be4e0107933c0723",
                              "sha256:0e33842e24a9c977be4e0107933c0723", "crc32:00000000"})
      QVERIFY(parseChecksum(wrong).error().code == ErrorCode::kInvalidDocument);
  }

  void computesPublishedDigests() {
    std::filesystem::create_directories(target_.parent_path());
    std::ofstream(target_) << "abc";  // the examples of RFC 1321 and FIPS 180-2
    QCOMPARE(checksumOfFile(target_, ChecksumKind::kMd5)->hex,
             std::string("900150983cd24fb0d6963f7d28e17f72"));
    QCOMPARE(checksumOfFile(target_, ChecksumKind::kSha256)->hex,
             std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  }

  void knownDatasetsAreComplete() {
    std::set<std::string> names, files;
    for (const KnownDataset& set : knownDatasets()) {
      QVERIFY(parseWebAddress(set.url).ok() && parseWebAddress(set.licenceUrl).ok());
      QVERIFY(!set.licence.empty() && !set.title.empty());
      QVERIFY(!set.checksum || parseChecksum(set.checksumText()).value() == *set.checksum);
      names.insert(set.name);
      files.insert(set.fileName);
      QCOMPARE(findKnownDataset(set.name), &set);
    }
    QCOMPARE(names.size(), knownDatasets().size());
    QCOMPARE(files.size(), knownDatasets().size());
    QVERIFY(!findKnownDataset("ml-7"));
  }

  /// Bytes that a server gives in place of a known set are not taken for it.
  void otherBytesAreNoKnownDataset_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"ml-100k", "wikitext-2", "bert-vocabulary"})
      QTest::newRow(name) << name;
  }
  void otherBytesAreNoKnownDataset() {
    QFETCH(QString, name);
    const KnownDataset* set = findKnownDataset(name.toStdString());
    QVERIFY(set && set->checksum);
    server_->serve("/f", {.body = body_});
    DownloadRequest wanted = request();
    wanted.checksum = set->checksum;
    const auto report = download(wanted);
    QVERIFY2(contains(report, QString::fromStdString(set->checksum->hex)), text(report));
    QVERIFY(!std::filesystem::exists(target_));
  }

  /// The pieces that are among the test data are those of the known checksum.
  void theVocabularyOfBertIsItsOwn() {
    const std::string folder = qEnvironmentVariable("PARAPET_DATA_DIR").toStdString();
    if (folder.empty()) QSKIP("PARAPET_DATA_DIR is not set");
    const auto bytes = readFile(folder + "/bert/vocab.txt");
    if (!bytes) QSKIP("PARAPET_DATA_DIR has no bert/vocab.txt");
    const KnownDataset* set = findKnownDataset("bert-vocabulary");
    server_->serve("/f", {.body = *bytes});
    DownloadRequest wanted = request();
    wanted.checksum = set->checksum;
    const auto report = download(wanted);
    QVERIFY2(report.ok(), text(report));
    QVERIFY(report->verified);
    QCOMPARE(report->bytes, *set->bytes);
  }

  void theMeterDoesNotGuess() {
    TransferMeter meter;
    QVERIFY(!meter.bytesPerSecond() && !meter.secondsLeft());
    meter.report(1'000'000, 2'000'000);  // a resumed download: nothing has been transferred yet
    QTest::qSleep(600);
    QCOMPARE(meter.bytesPerSecond().value(), 0.0);
    QVERIFY(!meter.secondsLeft());
    meter.report(1'500'000, 2'000'000);
    QVERIFY(meter.bytesPerSecond().value() <= 500'000 / 0.6);
    QVERIFY(meter.secondsLeft().value() > 0.0);
  }

 private:
  [[nodiscard]] DownloadRequest request(const std::string& checksum = {}) const {
    DownloadRequest wanted{server_->url("/f"), target_};
    if (!checksum.empty()) wanted.checksum = parseChecksum(checksum).value();
    wanted.stallMs = 2000;
    return wanted;
  }
  /// Leaves the first 100,000 bytes behind.
  void interrupt() {
    server_->serve("/f", {.body = body_, .stopAfter = 100'000});
    std::filesystem::create_directories(target_.parent_path());
    std::ofstream(target_) << body_;
    checksum_ = checksumOfFile(target_, ChecksumKind::kMd5)->text();
    std::filesystem::remove(target_);
    QVERIFY(contains(download(request()), "goes on from them"));
  }
  [[nodiscard]] bool targetIsWhole() const { return readFile(target_).value() == body_; }
  /// Files beside the target, itself included.
  [[nodiscard]] int entries() const {
    std::error_code missing;
    const std::filesystem::directory_iterator folder(target_.parent_path(), missing);
    return static_cast<int>(std::distance(begin(folder), end(folder)));
  }
  static const char* text(const Result<DownloadReport>& report) {
    static std::string kept;
    kept = report.ok() ? "ok" : report.error().text();
    return kept.c_str();
  }
  static bool contains(const Result<DownloadReport>& report, const QString& message) {
    return !report.ok() && QString::fromStdString(report.error().text()).contains(message);
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<FileServer> server_;
  std::filesystem::path target_;
  std::string body_;
  std::string checksum_ = "md5:00000000000000000000000000000000";
};

QTEST_GUILESS_MAIN(DownloadTest)
#include "download_test.moc"
