// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>

#include "engine/base/files.h"
#include "engine/data/dataset/parquet/parquet_plugin.h"
#include "engine/data/ingest/import/detect_source.h"
#include "engine/data/ingest/sources/source_kinds.h"

using namespace parapet;
using namespace parapet::data;

namespace {

struct ReadRows {
  std::vector<std::vector<std::string>> rows;  ///< "∅": missing
  std::vector<std::string> files;
};

std::string cellOf(const ColumnValues& values, std::size_t row) {
  if (values.isMissing(row)) return "∅";
  if (values.type == ValueType::kInteger) return std::to_string(values.integers[row]);
  if (values.type == ValueType::kNumber) return QString::number(values.numbers[row]).toStdString();
  return std::string(values.texts[row]);
}

Result<ReadRows> readFolder(const std::filesystem::path& path,
                            const std::vector<ColumnRequest>& requests,
                            const std::vector<ColumnBound>& bounds = {}) {
  PARAPET_ASSIGN(const experiment::Dataset spec, detectSource(path));
  if (spec.source != experiment::SourceKind::kParquet)
    return Error{ErrorCode::kInternal, "it is not read as Parquet"};
  PARAPET_ASSIGN(const auto source, openParquetSource(spec));
  PARAPET_TRY(source->select(requests));
  source->pushDown(bounds);
  ReadRows read;
  Source::Piece piece;
  RowBlock block;
  for (;;) {
    PARAPET_ASSIGN(const bool more, source->next(piece));
    if (!more) return read;
    PARAPET_TRY(source->parse(piece, block));
    for (std::size_t row = 0; row < static_cast<std::size_t>(block.rows); ++row) {
      auto& cells = read.rows.emplace_back();
      for (const ColumnValues& values : block.columns) cells.push_back(cellOf(values, row));
      read.files.emplace_back(piece.file);
    }
  }
}

}  // namespace

/// Folders of files as Spark, Hive and others write them.
class ParquetFoldersTest : public QObject {
  Q_OBJECT

  std::unique_ptr<QTemporaryDir> folder_;
  [[nodiscard]] std::filesystem::path at(const std::string& name = "") const {
    return std::filesystem::path(folder_->path().toStdString()) / name;
  }
  /// A file with a row for each id.
  void write(const std::string& name, std::vector<std::int64_t> ids,
             const std::string& column = "id") const {
    std::filesystem::create_directories(at(name).parent_path());
    RowBlock block;
    block.rows = std::ssize(ids);
    block.columns.resize(1);
    block.columns[0].integers = std::move(ids);
    auto writer = ParquetWriter::create(at(name), {{column, ParquetType::kInt64}});
    QVERIFY(writer.ok() && writer->write(block).ok() && writer->finish().ok());
  }
  void verifyRefused(const std::vector<ColumnRequest>& requests, const QStringList& words) const {
    const auto read = readFolder(at(), requests);
    QVERIFY(!read.ok());
    const QString text = QString::fromStdString(read.error().text());
    for (const QString& word : words) QVERIFY2(text.contains(word), qPrintable(text));
  }

 private Q_SLOTS:
  void init() {
    const auto plugin = requireParquet();
    if (!plugin) QSKIP(plugin.error().text().c_str());
    folder_ = std::make_unique<QTemporaryDir>();
  }

  void keysOfFoldersAreColumns() {
    write("day=2024-01-02/hour=9/a.parquet", {3});
    write("day=2024-01-01/hour=10/a.parquet", {1, 2});
    write("day=2024-01-02/hour=__HIVE_DEFAULT_PARTITION__/a.parquet", {4});
    const auto read = readFolder(at(), {{"hour", {}, {}, {}},
                                        {"id", {}, {}, {}},
                                        {"day", {}, {}, {}},
                                        {"hour", ValueType::kNumber, {}, {}},
                                        {"hour", ValueType::kText, {}, {}}});
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    const std::vector<std::vector<std::string>> wanted{{"10", "1", "2024-01-01", "10", "10"},
                                                       {"10", "2", "2024-01-01", "10", "10"},
                                                       {"9", "3", "2024-01-02", "9", "9"},
                                                       {"∅", "4", "2024-01-02", "∅", "∅"}};
    QCOMPARE(read->rows, wanted);
    // Files of the same name are told apart.
    QCOMPARE(read->files[0], std::string("day=2024-01-01/hour=10/a.parquet"));

    const auto source = openParquetSource(detectSource(at()).value()).value();
    QCOMPARE(namesOf(source->columns()), (std::vector<std::string>{"id", "day", "hour"}));
    QCOMPARE(source->columns()[1].type, ValueType::kText);
    QCOMPARE(source->columns()[2].type, ValueType::kInteger);
    // Keys alone are rows, too.
    QCOMPARE(readFolder(at(), {{"day", {}, {}, {}}})->rows.size(), std::size_t{4});
  }

  void namesOfFoldersAreUnescaped() {
    write("a%20b=x%2Fy%3A%C3%A9%zz/a.parquet", {1});
    const auto read = readFolder(at(), {{"a b", {}, {}, {}}});
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QCOMPARE(read->rows[0][0], std::string("x/y:é%zz"));
    write("a%20b=%FF/a.parquet", {1});
    verifyRefused({}, {"UTF-8"});
  }

  void aKeyIsTextIfOneValueIs() {
    write("k=1/a.parquet", {1});
    write("k=x/a.parquet", {2});
    const auto read = readFolder(at(), {{"k", {}, {}, {}}, {"k", ValueType::kNumber, {}, {}}});
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QCOMPARE(read->rows, (std::vector<std::vector<std::string>>{{"1", "1"}, {"x", "∅"}}));
    verifyRefused({{"k", ValueType::kInteger, {}, {}}}, {"k", "names of folders", "integers"});
    verifyRefused({{"k", ValueType::kText, "|", {}}}, {"k", "separator"});
    verifyRefused({{"q", {}, {}, {}}}, {"\"q\"", "id", "k"});
  }

  void aBoundLeavesOutFolders() {
    for (const char* name : {"k=1/a.parquet", "k=2/a.parquet", "k=3/a.parquet"}) write(name, {7});
    const auto read = readFolder(at(), {{"k", {}, {}, {}}}, {{"k", 2.0, 2.0}});
    QVERIFY(read.ok());
    QCOMPARE(read->rows, (std::vector<std::vector<std::string>>{{"2"}}));
  }

  /// A column of the file stands before a key of that name.
  void filesMayHoldTheirKeys() {
    write("id=7/a.parquet", {7, 7});
    const auto source = openParquetSource(detectSource(at()).value()).value();
    QCOMPARE(source->columns().size(), std::size_t{1});
    QCOMPARE(readFolder(at(), {{"id", {}, {}, {}}})->rows.size(), std::size_t{2});
  }

  void passesOverWhatIsNoPart() {
    write("part-0.snappy.parquet", {1});
    write("000001_0", {2});
    write("_temporary=no/a.parquet", {3}, "other");
    std::filesystem::rename(at("_temporary=no"), at("_temporary"));
    for (const char* name : {"_SUCCESS", ".part-0.snappy.parquet.crc", "._part.parquet",
                             "_metadata.parquet", "readme"})
      QVERIFY(writeFileAtomically(at(name), "no table").ok());
    const auto read = readFolder(at(), {{"id", {}, {}, {}}});
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QCOMPARE(read->rows, (std::vector<std::vector<std::string>>{{"2"}, {"1"}}));
  }

  void refusesFilesWithOtherKeys() {
    write("a.parquet", {1});
    write("day=1/a.parquet", {1});
    verifyRefused({{"id", {}, {}, {}}}, {"day", "no key", "same keys"});
  }

  void warnsOfColumnsThatTheFirstFileLacks() {
    write("a.parquet", {1});
    RowBlock block;
    block.rows = 1;
    block.columns.resize(2);
    block.columns[0].integers = block.columns[1].integers = {2};
    for (const char* name : {"b.parquet", "c.parquet"}) {
      auto writer = ParquetWriter::create(
          at(name), {{"id", ParquetType::kInt64}, {"late", ParquetType::kInt64}});
      QVERIFY(writer.ok() && writer->write(block).ok() && writer->finish().ok());
    }
    const auto source = openParquetSource(detectSource(at()).value()).value();
    QCOMPARE(source->warnings().size(), std::size_t{1});
    QVERIFY(QString::fromStdString(source->warnings()[0]).contains("late"));
  }

  void aLinkToItselfEnds() {
    write("k=1/a.parquet", {1});
    std::filesystem::create_directory_symlink(at("k=1"), at("k=1/k=2"));
    verifyRefused({}, {"same keys"});
  }

  /// Parts may have integers where others have numbers, and nulls alone where others have values.
  void partsMayDifferInWidth() {
    write("a.parquet", {1});
    RowBlock block;
    block.rows = 1;
    block.columns.resize(1);
    block.columns[0].type = ValueType::kNumber;
    block.columns[0].numbers = {0.5};
    auto writer = ParquetWriter::create(at("b.parquet"), {{"id", ParquetType::kDouble}});
    QVERIFY(writer.ok() && writer->write(block).ok() && writer->finish().ok());
    const auto read = readFolder(at(), {{"id", {}, {}, {}}});
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QCOMPARE(read->rows, (std::vector<std::vector<std::string>>{{"1"}, {"0.5"}}));
  }
};

QTEST_GUILESS_MAIN(ParquetFoldersTest)
#include "parquet_folders_test.moc"
