// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <limits>
#include <thread>

#include "engine/base/files.h"
#include "engine/data/dataset/parquet/parquet_plugin.h"
#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/import/detect_source.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/ingest/import/preview.h"
#include "engine/data/ingest/sources/source_kinds.h"
#include "engine/experiment/experiment.h"
#include "tests/data/ingest/parquet_bytes.h"

using namespace parapet;
using namespace parapet::data;
namespace fs = std::filesystem;

namespace {

using Requests = std::vector<ColumnRequest>;

ColumnValues integers(std::vector<std::int64_t> values, std::vector<std::uint8_t> missing = {},
                      std::vector<std::int32_t> offsets = {}) {
  ColumnValues column;
  column.integers = std::move(values);
  column.missing = std::move(missing);
  column.offsets = std::move(offsets);
  return column;
}
ColumnValues numbers(std::vector<double> values, std::vector<std::int32_t> offsets = {}) {
  ColumnValues column;
  column.type = ValueType::kNumber;
  column.numbers = std::move(values);
  column.offsets = std::move(offsets);
  return column;
}
ColumnValues texts(std::vector<std::string_view> values, std::vector<std::uint8_t> missing = {},
                   std::vector<std::int32_t> offsets = {}) {
  ColumnValues column;
  column.type = ValueType::kText;
  column.texts = std::move(values);
  column.missing = std::move(missing);
  column.offsets = std::move(offsets);
  return column;
}
RowBlock rows(std::int64_t count, std::vector<ColumnValues> columns) {
  RowBlock block;
  block.rows = count;
  block.columns = std::move(columns);
  return block;
}

bool same(const ColumnValues& a, const ColumnValues& b) {
  return a.type == b.type && a.integers == b.integers && a.numbers == b.numbers &&
         a.texts == b.texts && a.missing == b.missing && a.offsets == b.offsets;
}

/// The writer of a file of Yambda's flat form.
const std::vector<ParquetColumn> kFlat{{"uid", ParquetType::kUint32},
                                       {"item_id", ParquetType::kUint32},
                                       {"timestamp", ParquetType::kUint32},
                                       {"event_type", ParquetType::kText},
                                       {"played_ratio_pct", ParquetType::kUint16, false, true}};

}  // namespace

class ParquetTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  [[nodiscard]] fs::path at(const std::string& name) const {
    return fs::path(folder_.path().toStdString()) / name;
  }
  [[nodiscard]] std::size_t filesThere() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path().toStdString()), {}));
  }

  static void writeFile(const fs::path& path, const std::vector<ParquetColumn>& columns,
                        const std::vector<RowBlock>& groups,
                        ParquetCompression compression = ParquetCompression::kZstd) {
    auto writer = ParquetWriter::create(path, columns, compression);
    QVERIFY2(writer.ok(), writer.ok() ? "" : writer.error().text().c_str());
    for (const RowBlock& group : groups) QVERIFY(writer->write(group).ok());
    QVERIFY(writer->finish().ok());
  }
  static void writeBytes(const fs::path& path, const std::string& bytes) {
    QVERIFY(writeFileAtomically(path, bytes).ok());
  }
  void writeFlat(const std::string& name, std::int64_t groups, std::int64_t groupRows) const {
    std::vector<RowBlock> blocks;
    for (std::int64_t group = 0; group < groups; ++group) {
      RowBlock block =
          rows(groupRows, {integers({}), integers({}), integers({}), texts({}), integers({})});
      for (std::int64_t row = group * groupRows; row < (group + 1) * groupRows; ++row) {
        block.columns[0].integers.push_back(row / 10);
        block.columns[1].integers.push_back(row * 7919 % 1000);
        block.columns[2].integers.push_back(row * 5);
        block.columns[3].texts.push_back(row % 10 == 3 ? "like" : "listen");
        block.columns[4].missing.push_back(row % 10 == 3);
        block.columns[4].integers.push_back(row % 10 == 3 ? 0 : row % 120);
      }
      blocks.push_back(std::move(block));
    }
    writeFile(at(name), kFlat, blocks);
  }

  static Result<std::unique_ptr<Source>> open(const fs::path& path) {
    experiment::Dataset spec;
    spec.source = experiment::SourceKind::kParquet;
    spec.path = path.string();
    return openParquetSource(spec);
  }
  /// All that a source has, a block a piece; or the first error.
  static Result<std::vector<RowBlock>> readAll(const fs::path& path, const Requests& requests,
                                               std::vector<ColumnBound> bounds = {}) {
    PARAPET_ASSIGN(const auto source, open(path));
    PARAPET_TRY(source->select(requests));
    source->pushDown(bounds);
    std::vector<RowBlock> blocks;
    for (;;) {
      Source::Piece piece;
      PARAPET_ASSIGN(const bool more, source->next(piece));
      if (!more) return blocks;
      PARAPET_TRY(source->parse(piece, blocks.emplace_back()));
      if (blocks.back().rows > piece.count)
        return Error{ErrorCode::kInternal, "a piece has more rows than it says"};
    }
  }
  static void verifyFails(const Status& status, ErrorCode code, const QStringList& words) {
    QVERIFY(!status.ok());
    const QString text = QString::fromStdString(status.error().text());
    for (const QString& word : words) QVERIFY2(text.contains(word), qPrintable(text));
    QVERIFY2(status.error().code == code, qPrintable(text));
  }
  template <class T>
  static Status statusOf(const Result<T>& result) {
    return result.ok() ? Status() : Status(result.error());
  }

 private Q_SLOTS:
  void init() {
    const auto plugin = requireParquet();
    if (!plugin && !QString(QTest::currentTestFunction()).startsWith("withoutAPlugin"))
      QSKIP(plugin.error().text().c_str());
  }

  void withoutAPluginItSaysWhatToDo() {
    const std::vector folders{at("nowhere")};
    const ParquetPlugin none = findParquetPlugin(folders, ProbeJournal(at("probes")));
    QCOMPARE(none.outcome, PluginOutcome::kNotInstalled);
    QVERIFY(!none.table);
    fs::create_directories(at("plugins/sources"));
    writeBytes(at("plugins/sources/parapet_parquet.so"), "no library");
    const std::vector broken{at("plugins")};
    const ParquetPlugin found = findParquetPlugin(broken, ProbeJournal(at("probes")));
    QCOMPARE(found.outcome, PluginOutcome::kNotALibrary);
    QVERIFY(!found.reason.empty() && found.file.ends_with("parapet_parquet.so"));
    fs::remove_all(at("plugins"));
    fs::remove_all(at("probes"));
  }

  void readsWhatItWrote_data() {
    QTest::addColumn<int>("compression");
    QTest::newRow("plain") << static_cast<int>(ParquetCompression::kNone);
    QTest::newRow("snappy") << static_cast<int>(ParquetCompression::kSnappy);
    QTest::newRow("zstd") << static_cast<int>(ParquetCompression::kZstd);
  }
  void readsWhatItWrote() {
    QFETCH(int, compression);
    const std::vector<ParquetColumn> columns{{"a", ParquetType::kUint8},
                                             {"b", ParquetType::kUint16, false, true},
                                             {"c", ParquetType::kUint32},
                                             {"d", ParquetType::kInt64},
                                             {"e", ParquetType::kBool},
                                             {"f", ParquetType::kFloat},
                                             {"g", ParquetType::kDouble},
                                             {"h", ParquetType::kText, false, true},
                                             {"i", ParquetType::kUint32, true},
                                             {"j", ParquetType::kFloat, true},
                                             {"k", ParquetType::kText, true, true}};
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const RowBlock first =
        rows(3, {integers({0, 1, 255}), integers({0, 65535, 0}, {1, 0, 1}),
                 integers({0, 7, 4294967295}), integers({kLeast, 0, kMost}), integers({0, 1, 1}),
                 numbers({0.5, -1.25, 3.0}), numbers({0.1, -1e300, 2.0}),
                 texts({"like", "", "ünïcode"}, {0, 1, 0}), integers({5, 6, 7}, {}, {0, 2, 2, 3}),
                 numbers({0.5, 0.25}, {0, 0, 1, 2}), texts({"x", "y"}, {0, 1, 0}, {0, 1, 1, 2})});
    const RowBlock second =
        rows(1, {integers({9}), integers({3}, {0}), integers({8}), integers({-1}), integers({0}),
                 numbers({1.0}), numbers({1.0}), texts({"like"}, {0}), integers({1, 2}, {}, {0, 2}),
                 numbers({}, {0, 0}), texts({}, {0}, {0, 0})});
    const fs::path path = at("types.parquet");
    writeFile(path, columns, {first, second}, static_cast<ParquetCompression>(compression));

    Requests requests;
    for (const ParquetColumn& column : columns) requests.push_back({column.name, {}, {}, {}});
    const auto read = readAll(path, requests);
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QCOMPARE(read->size(), 2u);
    for (std::size_t column = 0; column < columns.size(); ++column) {
      QVERIFY2(same((*read)[0].columns[column], first.columns[column]),
               columns[column].name.c_str());
      ColumnValues wanted = second.columns[column];
      wanted.missing.clear();  // nothing is
      QVERIFY2(same((*read)[1].columns[column], wanted), columns[column].name.c_str());
    }
  }

  void tellsItsColumns() {
    writeFlat("columns.parquet", 1, 10);
    const auto source = open(at("columns.parquet"));
    QVERIFY(source.ok());
    const auto& columns = (*source)->columns();
    QCOMPARE(columns.size(), kFlat.size());
    QCOMPARE(columns[3].name, std::string("event_type"));
    QCOMPARE(columns[3].type, ValueType::kText);
    QCOMPARE((*source)->total(), 10);
  }

  void readsValuesAsTheyAreWanted() {
    writeFile(at("wanted.parquet"), {{"id", ParquetType::kInt64}, {"tags", ParquetType::kText}},
              {rows(3, {integers({-5, 0, 12}), texts({"a:0.5|b:1|", "", "c:2"})})});
    const auto read = readAll(at("wanted.parquet"), {{"tags", ValueType::kText, "|", ":"},
                                                     {"id", ValueType::kText, {}, {}},
                                                     {"id", ValueType::kNumber, {}, {}}});
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    const auto& columns = read->front().columns;
    QCOMPARE(columns.size(), 4u);
    QVERIFY(same(columns[0], texts({"a", "b", "c"}, {}, {0, 2, 2, 3})));
    QVERIFY(same(columns[1], numbers({0.5, 1.0, 2.0}, {0, 2, 2, 3})));
    QVERIFY(same(columns[2], texts({"-5", "0", "12"})));
    QVERIFY(same(columns[3], numbers({-5, 0, 12})));
  }

  void readsTextsAsNumbers() {
    RowBlock ratings = rows(4, {texts({"4.0", "5", "n/a", ""})});
    writeFile(at("ratings.parquet"), {{"rating", ParquetType::kText}}, {ratings, ratings});
    const auto read = readAll(at("ratings.parquet"), {{"rating", ValueType::kNumber, {}, {}}});
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QCOMPARE(read->size(), 2u);
    for (const RowBlock& block : *read) {
      QCOMPARE(block.columns.size(), 1u);
      // Nothing is filled in for a text that is no number.
      constexpr double kNone = std::numeric_limits<double>::infinity();
      QCOMPARE(block.columns[0].numbers, (std::vector{4.0, 5.0, kNone, 0.0}));
      QCOMPARE(block.columns[0].missing, (std::vector<std::uint8_t>{0, 0, 1, 1}));
    }
  }

  void ratingsThatAreTextsAreALabel() {
    RowBlock block = rows(200, {integers({}), integers({}), texts({})});
    for (std::int64_t row = 0; row < 200; ++row) {
      block.columns[0].integers.push_back(row / 10);
      block.columns[1].integers.push_back(row * 7 % 23);
      block.columns[2].texts.push_back(row % 100 == 3 ? "n/a"
                                       : row % 2      ? "4.0"
                                       : row % 4      ? "5"
                                                      : "1");
    }
    writeFile(at("label.parquet"),
              {{"user", ParquetType::kInt64},
               {"item", ParquetType::kInt64},
               {"rating", ParquetType::kText}},
              {block});
    experiment::Dataset spec = detectSource(at("label.parquet")).value();
    spec = suggestDataset(spec, previewSource(spec, 200, {}, makeGenerator).value());
    QCOMPARE(spec.label.column.value_or(""), std::string("rating"));
    const auto report = importDataset(spec, at("datasets"), {}, makeGenerator);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    QCOMPARE(report->rows, std::int64_t{198});
    QCOMPARE(report->quarantined, std::int64_t{2});
    QCOMPARE(report->dataset->labels()[0], 1.0f);
    fs::remove_all(at("datasets"));
  }

  /// A column may fill in its empty cells; a text that is no number is none of them.
  void emptyCellsAreFilledAndWordsAreNot() {
    RowBlock block = rows(200, {integers({}), integers({}), texts({})});
    for (std::int64_t row = 0; row < 200; ++row) {
      block.columns[0].integers.push_back(row / 10);
      block.columns[1].integers.push_back(row);
      block.columns[2].texts.push_back(row == 3 ? "much" : row == 5 ? "" : "2.5");
    }
    writeFile(at("filled.parquet"),
              {{"user", ParquetType::kInt64},
               {"item", ParquetType::kInt64},
               {"price", ParquetType::kText}},
              {block});
    experiment::Dataset spec = detectSource(at("filled.parquet")).value();
    const auto document = experiment::parseJson(R"({"dataset": {"columns": [
        {"name": "user", "role": "user"}, {"name": "item", "role": "item"},
        {"name": "price", "role": "number", "missing": "mean"}],
        "vocabularies": [{"name": "user", "kind": "compressed"},
                         {"name": "item", "kind": "compressed"}]}})");
    spec.columns = experiment::parse(*document).experiment.dataset.columns;
    spec.vocabularies = experiment::parse(*document).experiment.dataset.vocabularies;
    spec.label.column.reset();
    const auto report = importDataset(spec, at("datasets"), {}, makeGenerator);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    QCOMPARE(report->rows, std::int64_t{199});
    QCOMPARE(report->quarantined, std::int64_t{1});
    fs::remove_all(at("datasets"));
  }

  void unrollsYambdasSequentialForm() {
    writeFile(at("sequential.parquet"),
              {{"uid", ParquetType::kUint32},
               {"timestamp", ParquetType::kUint32, true},
               {"item_id", ParquetType::kUint32, true},
               {"event_type", ParquetType::kText, true}},
              {rows(3, {integers({4, 5, 9}), integers({10, 20, 30}, {}, {0, 2, 2, 3}),
                        integers({1, 2, 3}, {}, {0, 2, 2, 3}),
                        texts({"like", "listen", "like"}, {}, {0, 2, 2, 3})})});
    const auto source = open(at("sequential.parquet"));
    QVERIFY(source.ok());
    for (const SourceColumn& column : (*source)->columns()) QVERIFY(!column.isList);
    const auto read =
        readAll(at("sequential.parquet"),
                {{"uid", {}, {}, {}}, {"event_type", {}, {}, {}}, {"item_id", {}, {}, {}}});
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QCOMPARE(read->front().rows, 3);
    QVERIFY(same(read->front().columns[0], integers({4, 4, 9})));
    QVERIFY(same(read->front().columns[1], texts({"like", "listen", "like"})));
    QVERIFY(same(read->front().columns[2], integers({1, 2, 3})));
  }

  void refusesListsThatDoNotBelongTogether() {
    writeFile(at("apart.parquet"),
              {{"uid", ParquetType::kUint32},
               {"timestamp", ParquetType::kUint32, true},
               {"item_id", ParquetType::kUint32, true}},
              {rows(2, {integers({4, 5}), integers({10, 20, 30}, {}, {0, 2, 3}),
                        integers({1, 2, 3}, {}, {0, 1, 3})})});
    verifyFails(statusOf(readAll(at("apart.parquet"),
                                 {{"timestamp", {}, {}, {}}, {"item_id", {}, {}, {}}})),
                ErrorCode::kData, {"apart.parquet", "timestamp", "length"});
  }

  void readsAFolderInTheOrderOfItsNames() {
    fs::create_directory(at("folder"));
    const std::vector<ParquetColumn> columns{{"id", ParquetType::kUint32}};
    writeFile(at("folder/b.parquet"), columns, {rows(2, {integers({3, 4})})});
    writeFile(at("folder/a.parquet"), columns, {rows(2, {integers({1, 2})})});
    writeBytes(at("folder/readme.txt"), "no table");
    const auto read = readAll(at("folder"), {{"id", {}, {}, {}}});
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QVERIFY(same(read->at(0).columns[0], integers({1, 2})));
    QVERIFY(same(read->at(1).columns[0], integers({3, 4})));
    writeFile(at("folder/c.parquet"), {{"id", ParquetType::kText}}, {rows(1, {texts({"x"})})});
    verifyFails(statusOf(open(at("folder"))), ErrorCode::kData,
                {"c.parquet", "a.parquet", "uint32", "id"});
  }

  void leavesOutGroupsOutsideOfTheBounds() {
    writeFlat("bounds.parquet", 8, 100);
    const Requests requests{{"timestamp", {}, {}, {}}};
    const auto read = readAll(at("bounds.parquet"), requests, {{"timestamp", 1000.0, 1999.0}});
    QVERIFY(read.ok());
    QCOMPARE(read->size(), 2u);
    QCOMPARE(read->front().columns[0].integers.front(), 1000);
    QCOMPARE(read->back().columns[0].integers.back(), 1995);
    const auto none = readAll(at("bounds.parquet"), requests, {{"timestamp", 4000.0, {}}});
    QVERIFY(none.ok() && none->empty());
    const auto all = readAll(at("bounds.parquet"), requests, {{"elsewhere", 4000.0, {}}});
    QVERIFY(all.ok() && all->size() == 8);
  }

  void cutsALargeGroupIntoSlices() {
    constexpr std::int64_t kRows = 1'500'000;
    RowBlock block = rows(kRows, {integers({}), texts({})});
    for (std::int64_t row = 0; row < kRows; ++row) {
      block.columns[0].integers.push_back(row);
      block.columns[1].texts.push_back(row % 3 == 0 ? "like" : "listen");
    }
    writeFile(at("large.parquet"), {{"id", ParquetType::kInt64}, {"event", ParquetType::kText}},
              {block});
    const auto read = readAll(at("large.parquet"), {{"id", {}, {}, {}}, {"event", {}, {}, {}}});
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    std::int64_t next = 0;
    for (const RowBlock& slice : *read) {
      QVERIFY(slice.rows <= 1 << 18);
      for (std::size_t row = 0; row < slice.columns[0].integers.size(); ++row, ++next)
        if (slice.columns[0].integers[row] != next ||
            slice.columns[1].texts[row] != (next % 3 == 0 ? "like" : "listen"))
          QFAIL("rows are out of order");
    }
    QCOMPARE(next, kRows);
    fs::remove(at("large.parquet"));
  }

  void parsesPiecesOnSeveralThreads() {
    writeFlat("threads.parquet", 16, 500);
    auto source = open(at("threads.parquet"));
    QVERIFY(source.ok());
    const Requests requests{{"event_type", {}, {}, {}}, {"item_id", {}, {}, {}}};
    QVERIFY((*source)->select(requests).ok());
    std::vector<Source::Piece> pieces;
    for (Source::Piece piece; (*source)->next(piece).value();) pieces.push_back(piece);
    std::vector<RowBlock> blocks(pieces.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t thread = 0; thread < 4; ++thread)
        threads.emplace_back([&, thread] {
          for (std::size_t piece = thread; piece < pieces.size(); piece += 4)
            if (!(*source)->parse(pieces[piece], blocks[piece])) blocks[piece].rows = -1;
        });
    }
    const auto alone = readAll(at("threads.parquet"), requests);
    QVERIFY(alone.ok());
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
      QCOMPARE(pieces[piece].index, static_cast<std::int64_t>(piece));
      QCOMPARE(pieces[piece].first, static_cast<std::int64_t>(piece) * 500);
      for (std::size_t column = 0; column < 2; ++column)
        QVERIFY(same(blocks[piece].columns[column], alone->at(piece).columns[column]));
    }
    QCOMPARE(QString::fromStdString((*source)->excerpt(pieces[1], 3)), "like, 257");
  }

  void refusesColumnsThatDoNotFit_data() {
    QTest::addColumn<QString>("column");
    QTest::addColumn<int>("type");
    QTest::addColumn<QString>("separator");
    QTest::addColumn<QStringList>("words");
    QTest::newRow("missing") << "uit" << 0 << "" << QStringList{"\"uit\"", "did you mean \"uid\""};
    QTest::newRow("text as integers")
        << "event_type" << 0 << "" << QStringList{"event_type", "integers are wanted"};
    QTest::newRow("integers are not cut") << "uid" << 2 << "," << QStringList{"uid", "separator"};
  }
  void refusesColumnsThatDoNotFit() {
    QFETCH(QString, column);
    QFETCH(int, type);
    QFETCH(QString, separator);
    QFETCH(QStringList, words);
    writeFlat("fit.parquet", 1, 10);
    const auto source = open(at("fit.parquet"));
    QVERIFY(source.ok());
    const Requests requests{
        {column.toStdString(), static_cast<ValueType>(type), separator.toStdString(), {}}};
    verifyFails((*source)->select(requests), ErrorCode::kInvalidDocument, words << "fit.parquet");
  }

  void refusesNestedColumnsOnlyWhenTheyAreWanted() {
    writeBytes(at("nested.parquet"),
               bytes::file({{.name = "id"}, {.name = "x", .isInStruct = true}}));
    const auto read = readAll(at("nested.parquet"), {{"id", {}, {}, {}}});
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QVERIFY(same(read->front().columns[0], integers({1, 2, 3})));
    verifyFails(statusOf(readAll(at("nested.parquet"), {{"struct", {}, {}, {}}})),
                ErrorCode::kInvalidDocument, {"nested.parquet", "struct<", "accepted"});
  }

  void tellsYambdaWithOtherTypes() {
    std::vector<ParquetColumn> columns = kFlat;
    columns[4] = {"is_organic", ParquetType::kUint8};
    columns[0].type = ParquetType::kText;
    writeFile(
        at("other.parquet"), columns,
        {rows(1, {texts({"u"}), integers({1}), integers({2}), texts({"like"}), integers({1})})});
    verifyFails(statusOf(open(at("other.parquet"))), ErrorCode::kData,
                {"other.parquet", "Yambda", "uid", "string"});
  }

  // A filter may leave row groups unread; with a slice it must not, for a slice counts rows.
  void aSliceCountsRowsThatAFilterLeavesOut() {
    writeFlat("sliced.parquet", 4, 1000);
    experiment::Dataset spec;
    spec.source = experiment::SourceKind::kParquet;
    spec.path = at("sliced.parquet").string();
    spec.label.column = std::nullopt;
    spec.filter = "uid >= 250";
    spec.slice = "[2600:2800]";
    spec.vocabularies.resize(2);
    spec.vocabularies[0].name = "user";
    spec.vocabularies[1].name = "item";
    for (auto& vocabulary : spec.vocabularies)
      vocabulary.kind = experiment::VocabularyKind::kCompressed;
    const auto report = importDataset(spec, at("datasets"), {}, makeGenerator);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    QCOMPARE(report->rows, std::int64_t{200});
    QCOMPARE(report->dataset->times()[0], std::int64_t{2600 * 5});
    spec.slice = std::nullopt;
    const auto all = importDataset(spec, at("datasets"), {}, makeGenerator);
    QVERIFY2(all.ok(), all ? "" : all.error().text().c_str());
    QCOMPARE(all->rows, std::int64_t{1500});
    QCOMPARE(all->filteredOut,
             std::int64_t{2500});  // most of them in row groups that were not read
    spec.filter = "uid >= 5000";
    const auto none = importDataset(spec, at("datasets"), {}, makeGenerator);
    QVERIFY(!none);
    QCOMPARE(none.error().pointer, std::string("/dataset/filter"));
    fs::remove_all(at("datasets"));
  }

  void refusesBadFiles_data() {
    QTest::addColumn<QString>("damage");
    QTest::addColumn<int>("code");
    QTest::addColumn<QStringList>("words");
    const auto row = [](const char* damage, ErrorCode code, const QStringList& words) {
      QTest::newRow(damage) << QString(damage) << static_cast<int>(code) << words;
    };
    row("absent", ErrorCode::kData, {"does not exist"});
    row("empty", ErrorCode::kData, {"Parquet"});
    row("text", ErrorCode::kData, {"magic bytes"});
    row("truncated", ErrorCode::kData, {"Parquet"});
    row("damaged footer", ErrorCode::kData, {"Parquet"});
    row("footer longer than the file", ErrorCode::kData, {"Parquet"});
    row("damaged page", ErrorCode::kData, {"Parquet", "row group 0"});
    row("no row group", ErrorCode::kData, {"no rows"});
    row("no rows", ErrorCode::kData, {"no rows"});
    row("no column", ErrorCode::kData, {"no rows"});
    row("unknown codec", ErrorCode::kData, {"Parquet"});
    row("encrypted", ErrorCode::kData, {"encrypt"});
    row("folder without files", ErrorCode::kData, {"no *.parquet file"});
  }
  void refusesBadFiles() {
    QFETCH(QString, damage);
    QFETCH(int, code);
    QFETCH(QStringList, words);
    const fs::path path = at("bad.parquet");
    fs::remove_all(path);
    writeFile(path, {{"id", ParquetType::kInt64}}, {rows(5, {integers({11, 12, 13, 14, 15})})},
              ParquetCompression::kNone);
    std::string good = readFile(path).value();
    if (damage == "absent") fs::remove(path);
    if (damage == "empty") writeBytes(path, "");
    if (damage == "text") writeBytes(path, "uid,item_id,timestamp\n1,2,3\n4,5,6\n");
    if (damage == "truncated") writeBytes(path, good.substr(0, good.size() / 2));
    if (damage == "damaged footer")
      writeBytes(path, good.replace(good.size() - 60, 40, 40, '\xFF'));
    if (damage == "footer longer than the file")
      writeBytes(path, good.replace(good.size() - 8, 4, std::string("\xFF\xFF\xFF\x7F", 4)));
    if (damage == "damaged page") writeBytes(path, good.replace(4, 40, 40, '\x5A'));
    if (damage == "no row group") writeBytes(path, bytes::file({{.name = "id"}}, false));
    if (damage == "no rows") writeBytes(path, bytes::file({{.name = "id", .values = {}}}));
    if (damage == "no column") writeBytes(path, bytes::file({}));
    if (damage == "unknown codec") writeBytes(path, bytes::file({{.name = "id", .codec = 99}}));
    if (damage == "encrypted") writeBytes(path, good.replace(good.size() - 4, 4, "PARE"));
    if (damage == "folder without files") {
      fs::remove(path);
      fs::create_directory(path);
    }
    verifyFails(statusOf(readAll(path, {{"id", {}, {}, {}}})), static_cast<ErrorCode>(code),
                words << "bad.parquet");
    fs::remove_all(path);
  }

  void marksIdsThatAreNull() {
    writeFile(at("null.parquet"), {{"id", ParquetType::kUint32, false, true}},
              {rows(3, {integers({7, 0, 8}, {0, 1, 0})})});
    const auto read = readAll(at("null.parquet"), {{"id", {}, {}, {}}});
    QVERIFY(read.ok());
    QVERIFY(read->front().columns[0].isMissing(1));
    QVERIFY(!read->front().columns[0].isMissing(2));
  }

  /// Whatever byte of a file is wrong, it is read or refused: nothing ends the program.
  void survivesAnyDamagedByte() {
    writeFlat("flip.parquet", 2, 40);
    const std::string good = readFile(at("flip.parquet")).value();
    Requests requests;
    for (const ParquetColumn& column : kFlat) requests.push_back({column.name, {}, {}, {}});
    int refused = 0;
    for (std::size_t byte = 0; byte < good.size(); byte += 7) {
      std::string bad = good;
      bad[byte] = static_cast<char>(~bad[byte]);
      std::ofstream(at("flip.parquet"), std::ios::binary) << bad;
      const auto read = readAll(at("flip.parquet"), requests);
      if (!read) ++refused;
      if (!read && read.error().code != ErrorCode::kData &&
          read.error().code != ErrorCode::kInvalidDocument)
        QFAIL(read.error().text().c_str());
    }
    QVERIFY(refused > 0);
  }

  void putsAFileInPlaceOnlyWhenItIsWhole() {
    const fs::path path = at("whole.parquet");
    const std::vector<ParquetColumn> columns{{"id", ParquetType::kUint8}};
    const std::size_t before = filesThere();
    {
      auto writer = ParquetWriter::create(path, columns);
      QVERIFY(writer.ok());
      QVERIFY(writer->write(rows(1, {integers({1})})).ok());
    }
    QCOMPARE(filesThere(), before);
    writeFile(path, columns, {rows(1, {integers({1})})});
    QCOMPARE(filesThere(), before + 1);
    const auto nowhere = ParquetWriter::create(at("no/folder.parquet"), columns);
    verifyFails(statusOf(nowhere), ErrorCode::kIo, {"folder.parquet"});
  }

  void writesOnlyWhatFitsItsColumns() {
    auto writer = ParquetWriter::create(
        at("misuse.parquet"), {{"id", ParquetType::kUint8}, {"name", ParquetType::kText}});
    QVERIFY(writer.ok());
    const auto refused = [&](std::vector<ColumnValues> columns) {
      try {
        static_cast<void>(writer->write(rows(1, std::move(columns))));
        return false;
      } catch (const InvalidArgument&) {
        return true;
      }
    };
    QVERIFY(refused({integers({1})}));
    QVERIFY(refused({integers({256}), texts({"a"})}));
    QVERIFY(refused({integers({-1}), texts({"a"})}));
    QVERIFY(refused({integers({0}, {1}), texts({"a"})}));
    QVERIFY(refused({texts({"a"}), texts({"a"})}));
    QVERIFY(refused({integers({1}, {}, {0, 1}), texts({"a"})}));
    QVERIFY(refused({integers({1, 2}), texts({"a"})}));
    QVERIFY(refused({integers({1}), texts({})}));
  }

  void hashesEveryByte() {
    const std::vector<ParquetColumn> columns{{"id", ParquetType::kUint8}};
    const auto hashOf = [&](std::int64_t value) {
      writeFile(at("hash.parquet"), columns, {rows(1, {integers({value})})});
      Hasher hasher;
      const auto source = open(at("hash.parquet"));
      return source && (*source)->hashInto(hasher, {}) ? hasher.hex() : "";
    };
    const std::string first = hashOf(1);
    QVERIFY(!first.empty());
    QCOMPARE(hashOf(1), first);
    QVERIFY(hashOf(2) != first);
  }
};

QTEST_GUILESS_MAIN(ParquetTest)
#include "parquet_test.moc"
