// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <unistd.h>

#include <QTest>
#include <csignal>
#include <functional>
#include <stop_token>

#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using SizeKind = experiment::VocabularySize::Kind;

namespace {

namespace fs = std::filesystem;
using Change = std::function<void(experiment::Dataset&)>;

// A limit on the size of files stands in for a full disk: writes fail beyond it.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &old_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_{};
};

}  // namespace

class ImportFailuresTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void namesTheMemberOfTheDocument_data() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("words");
    const auto add = [](const char* name, Change change, const char* pointer, const char* words) {
      QTest::newRow(name) << change << QString(pointer) << QString(words);
    };
    add(
        "no path", [](auto& s) { s.path.reset(); }, "/dataset/path", "--data PATH");
    add(
        "unknown label", [](auto& s) { s.label.column = "stars"; }, "/dataset/label/column",
        "accepted: user, item, rating, time");
    add(
        "upside-down scale",
        [](auto& s) {
          s.label.scale = {5.0, 1.0};
        },
        "/dataset/label/scale", "smaller");
    add(
        "time as weight", [](auto& s) { s.weight = "timestamp"; }, "/dataset/weight",
        "accepted: user, item, rating, time");
    add(
        "no item vocabulary", [](auto& s) { s.vocabularies.pop_back(); }, "/dataset/vocabularies",
        "\"item\"");
    add(
        "vocabulary of no column", [](auto& s) { s.vocabularies[1].name = "genre"; },
        "/dataset/vocabularies/1/name", "accepted: user, item");
    add(
        "two of one name", [](auto& s) { s.vocabularies[1].name = "user"; },
        "/dataset/vocabularies/1/name", "twice");
    add(
        "size 1",
        [](auto& s) {
          s.vocabularies[1].size = {SizeKind::kFixed, 1};
        },
        "/dataset/vocabularies/1/size", "2 to");
    add(
        "no catalogue",
        [](auto& s) {
          s.vocabularies[1].size = {SizeKind::kCataloguePlusOne, 0};
        },
        "/dataset/vocabularies/1/size", "u.item");
    add(
        "no generated users",
        [](auto& s) {
          s.source = experiment::SourceKind::kGenerated,
          s.generator = experiment::Generator{.users = 0};
        },
        "/dataset/generator/users", "1 to");
  }
  void namesTheMemberOfTheDocument() {
    QFETCH(Change, change);
    QFETCH(QString, pointer);
    QFETCH(QString, words);
    const ImportFixture fixture;
    fixture.write("u.data", "1\t1\t3\t0\n");
    auto spec = fixture.spec();
    change(spec);
    const auto report = fixture.import(spec);
    QVERIFY(!report);
    QVERIFY(report.error().code == ErrorCode::kInvalidDocument);
    QCOMPARE(QString::fromStdString(report.error().pointer), pointer);
    QVERIFY2(QString::fromStdString(report.error().message).contains(words),
             report.error().message.c_str());
    QCOMPARE(fixture.leftBehind(), 0);
  }

  void namesTheFolderThatIsNoDataSet_data() {
    QTest::addColumn<QString>("below");
    QTest::addColumn<QString>("words");
    QTest::newRow("missing") << "nowhere"
                             << "does not exist";
    QTest::newRow("empty") << "empty"
                           << "is empty";
    QTest::newRow("a file") << "file"
                            << "is no folder";
    QTest::newRow("other files") << "other"
                                 << "has no u.data";
    QTest::newRow("empty u.data") << "hollow"
                                  << "u.data is empty";
    QTest::newRow("u.data is a folder") << "nested"
                                        << "cannot read";
  }
  void namesTheFolderThatIsNoDataSet() {
    QFETCH(QString, below);
    QFETCH(QString, words);
    const ImportFixture fixture;
    fs::create_directories(fixture.root() / "empty");
    fs::create_directories(fixture.root() / "other");
    fs::create_directories(fixture.root() / "hollow");
    fs::create_directories(fixture.root() / "nested" / "u.data");
    std::ofstream(fixture.root() / "file") << "text";
    std::ofstream(fixture.root() / "other" / "readme") << "text";
    std::ofstream(fixture.root() / "hollow" / "u.data").flush();
    auto spec = fixture.spec();
    spec.path = (fixture.root() / below.toStdString()).string();
    const auto report = fixture.import(spec);
    QVERIFY(!report);
    QVERIFY(report.error().code == ErrorCode::kData);
    QVERIFY(QString::fromStdString(report.error().path).contains(below));
    QVERIFY2(QString::fromStdString(report.error().message).contains(words),
             report.error().message.c_str());
  }

  void unreadableFileIsADataError() {
    if (::geteuid() == 0) QSKIP("root reads every file");
    const ImportFixture fixture;
    fixture.write("u.data", "1\t1\t3\t0\n");
    fs::permissions(fixture.source() / "u.data", fs::perms::none);
    const auto report = fixture.import(fixture.spec());
    QVERIFY(!report);
    QVERIFY(report.error().code == ErrorCode::kData);
  }

  void cancellingLeavesNothing_data() {
    QTest::addColumn<int>("at");
    QTest::newRow("before it starts") << 0;
    QTest::newRow("while reading") << 1;
    QTest::newRow("at the end of reading") << 2;
  }
  void cancellingLeavesNothing() {
    QFETCH(int, at);
    const ImportFixture fixture;
    fixture.write("u.data", "1\t1\t3\t0\n2\t1\t3\t0\n");
    std::stop_source stop;
    int reports = 0;
    if (at == 0) stop.request_stop();
    const WorkContext context{.progress =
                                  [&](std::string_view, std::int64_t, std::int64_t) {
                                    if (++reports == at) stop.request_stop();
                                  },
                              .stop = stop.get_token()};
    const auto report = fixture.import(fixture.spec(), context);
    QVERIFY(!report);
    QVERIFY(report.error().code == ErrorCode::kCancelled);
    QCOMPARE(fixture.leftBehind(), 0);
  }

  void aFullDiskLeavesNothing() {
    const ImportFixture fixture;
    std::string text;
    for (int i = 1; i <= 3000; ++i) text += std::to_string(i) + "\t1\t3\t0\n";
    fixture.write("u.data", text);
    Result<ImportReport> report = Error{};
    {
      const FileSizeLimit limit(4096);
      report = fixture.import(fixture.spec());
    }
    QVERIFY(!report);
    QVERIFY(report.error().code == ErrorCode::kIo);
    QVERIFY(!report.error().path.empty());
    QCOMPARE(fixture.leftBehind(), 0);
    QVERIFY(fixture.import(fixture.spec()).ok());
  }

  void aPlaceThatCannotHoldFoldersIsAnIoError() {
    const ImportFixture fixture;
    fixture.write("u.data", "1\t1\t3\t0\n");
    std::ofstream(fixture.datasets()) << "a file is in the way";
    const auto report = fixture.import(fixture.spec());
    QVERIFY(!report);
    QVERIFY(report.error().code == ErrorCode::kIo);
    QVERIFY(report.error().path.starts_with(fixture.datasets().string()));
  }
};

QTEST_GUILESS_MAIN(ImportFailuresTest)
#include "import_failures_test.moc"
