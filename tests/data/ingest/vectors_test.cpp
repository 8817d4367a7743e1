// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <array>

#include "engine/base/npy.h"
#include "engine/data/dataset/parquet/parquet_plugin.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using experiment::ColumnRole;
using experiment::PretrainedEmbeddings;

namespace {

// Items 7, 8 and 9; compressed, so 8 has row 1.
experiment::Dataset spec(const ImportFixture& fixture) {
  fixture.write("events.csv", "uid,item_id\n1,8\n2,8\n1,7\n2,9\n");
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kCsv;
  spec.path = (fixture.source() / "events.csv").string();
  spec.label.column.reset();
  spec.columns = {{.name = "uid", .role = ColumnRole::kUser},
                  {.name = "item_id", .role = ColumnRole::kItem}};
  for (const char* name : {"uid", "item_id"}) {
    experiment::Vocabulary vocabulary;
    vocabulary.name = name;
    vocabulary.kind = experiment::VocabularyKind::kCompressed;
    spec.vocabularies.push_back(vocabulary);
  }
  return spec;
}

PretrainedEmbeddings vectors(const char* path) {
  return {.name = "audio", .of = "item_id", .path = path, .id = "item_id"};
}

std::vector<float> vectorOf(const Dataset& dataset, const char* id) {
  const DenseMatrix matrix = dataset.vectors("audio");
  const auto row = *dataset.vocabulary("item_id").row(id);
  const auto found = matrix.values.subspan(static_cast<std::size_t>(row * matrix.width),
                                           static_cast<std::size_t>(matrix.width));
  return {found.begin(), found.end()};
}

void writeArray(const ImportFixture& fixture, const char* name, std::vector<float> values,
                std::array<std::int64_t, 2> shape) {
  QVERIFY(writeNpy(fixture.source() / name, "<f4", shape, std::as_bytes(std::span(values))).ok());
}

#define QVERIFY_FAILS(result, words)                                     \
  do {                                                                   \
    QVERIFY(!(result));                                                  \
    QVERIFY2((result).error().text().find(words) != std::string::npos,   \
             (result).error().text().c_str());                           \
    QVERIFY2((result).error().pointer.starts_with("/dataset/vectors/0"), \
             (result).error().pointer.c_str());                          \
    QCOMPARE(fixture.leftBehind(), 0);                                   \
  } while (false)

}  // namespace

class VectorsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Yambda's embeddings.parquet: item_id, embed, normalized_embed, lists of 128 numbers.
  void readsEmbeddingsAsYambdaHasThem() {
    if (const auto plugin = requireParquet(); !plugin) QSKIP(plugin.error().text().c_str());
    const ImportFixture fixture;
    constexpr std::int32_t kWidth = 128;
    const std::vector<ParquetColumn> columns{{"item_id", ParquetType::kUint32},
                                             {"embed", ParquetType::kDouble, true},
                                             {"normalized_embed", ParquetType::kDouble, true}};
    auto writer = ParquetWriter::create(fixture.source() / "embeddings.parquet", columns);
    QVERIFY_OK(writer);
    RowBlock block;
    block.rows = 4;
    block.columns.resize(3);
    block.columns[0].integers = {9, 100, 8, 7};
    for (std::size_t c = 1; c < 3; ++c) {
      block.columns[c].type = ValueType::kNumber;
      block.columns[c].offsets = {0};
      for (std::int32_t row = 0; row < 4; ++row) {
        for (std::int32_t i = 0; i < kWidth; ++i)
          block.columns[c].numbers.push_back(static_cast<double>(row) + (c == 2 ? 0.5 : 0.25) * i);
        block.columns[c].offsets.push_back((row + 1) * kWidth);
      }
    }
    QVERIFY(writer->write(block).ok());
    QVERIFY(writer->finish().ok());

    auto dataset = spec(fixture);
    dataset.vectors = {vectors("embeddings.parquet")};
    dataset.vectors[0].column = "normalized_embed";
    const auto report = fixture.import(dataset);
    QVERIFY_OK(report);
    QCOMPARE(report->dataset->vectors("audio").width, std::int64_t{kWidth});
    QCOMPARE(vectorOf(*report->dataset, "8")[0], 2.0f);
    QCOMPARE(vectorOf(*report->dataset, "8")[127], 2.0f + 63.5f);
    QCOMPARE(vectorOf(*report->dataset, "9")[4], 2.0f);
    QCOMPARE(report->dataset->vectors("audio").values[5], 0.0f);  // row 0
    QVERIFY(report->warnings.empty());
    // Nobody said which of the two lists is meant.
    dataset.vectors[0].column.reset();
    const auto open = fixture.import(dataset);
    QVERIFY(!open);
    QCOMPARE(open.error().pointer, std::string("/dataset/vectors/0/column"));
    QVERIFY2(open.error().message.find("embed, normalized_embed") != std::string::npos,
             open.error().message.c_str());
  }

  void readsArraysWithTheirIdsBesideThem() {
    const ImportFixture fixture;
    auto dataset = spec(fixture);
    writeArray(fixture, "items.npy", {1, 2, 3, 4, 5, 6}, {3, 2});
    fixture.write("items.ids.csv", "id\n7\n9\n8\n");
    dataset.vectors = {{.name = "audio", .of = "item_id", .path = "items.npy"}};
    const auto report = fixture.import(dataset);
    QVERIFY_OK(report);
    QCOMPARE(vectorOf(*report->dataset, "9"), (std::vector<float>{3, 4}));
    QCOMPARE(vectorOf(*report->dataset, "8"), (std::vector<float>{5, 6}));
    fixture.write("names.csv", "item_id\n8\n9\n7\n");
    dataset.vectors = {vectors("items.npy")};
    dataset.vectors[0].ids = "names.csv";
    const auto other = fixture.import(dataset);
    QVERIFY_OK(other);
    QCOMPARE(vectorOf(*other->dataset, "8"), (std::vector<float>{1, 2}));
    // Other bytes are another data set.
    writeArray(fixture, "items.npy", {9, 2, 3, 4, 5, 6}, {3, 2});
    const auto changed = fixture.import(dataset);
    QVERIFY_OK(changed);
    QVERIFY(changed->dataset->hash() != other->dataset->hash());
    QCOMPARE(vectorOf(*changed->dataset, "8"), (std::vector<float>{9, 2}));
  }

  void readsAColumnForEachNumber() {
    const ImportFixture fixture;
    auto dataset = spec(fixture);
    fixture.write("vectors.csv", "item_id,v0,v1\n8,0.5,1\n9,2,-3e-2\n7,0,1\n");
    dataset.vectors = {vectors("vectors.csv")};
    const auto report = fixture.import(dataset);
    QVERIFY_OK(report);
    QCOMPARE(vectorOf(*report->dataset, "9"), (std::vector<float>{2, -0.03f}));
  }

  void saysWhatIsWrong_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("words");
    const auto add = [](const char* name, const char* content, const char* words) {
      QTest::newRow(name) << QByteArray(content) << QByteArray(words);
    };
    add("a number is missing", "item_id,v0,v1\n8,0.5,\n7,1,2\n",
        "has no number in the column \"v1\"");
    add("no number", "item_id,v0,v1\n8,1,2\n9,x,2\n", "\"x\"");
    add("no id of the data", "item_id,v0\n5,1\n6,2\n", "no id of its column \"item_id\"");
    add("nothing besides ids", "item_id\n8\n9\n", "has no column besides the ids");
    add("no id column", "item,v0\n8,1\n", "item_id");
    add("empty", "", "vectors.csv");
    add("not finite", "item_id,v0\n8,inf\n", "8");
  }
  void saysWhatIsWrong() {
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, words);
    const ImportFixture fixture;
    auto dataset = spec(fixture);
    fixture.write("vectors.csv", content.toStdString());
    dataset.vectors = {vectors("vectors.csv")};
    const auto report = fixture.import(dataset);
    QVERIFY_FAILS(report, words.toStdString());
  }

  void saysWhatIsWrongWithAnArray() {
    const ImportFixture fixture;
    auto dataset = spec(fixture);
    dataset.vectors = {vectors("items.npy")};
    const auto missing = fixture.import(dataset);
    QVERIFY_FAILS(missing, "items.npy does not exist");
    writeArray(fixture, "items.npy", {1, 2, 3, 4}, {2, 2});
    const auto noIds = fixture.import(dataset);
    QVERIFY_FAILS(noIds, "items.ids.csv");
    fixture.write("items.ids.csv", "item_id\n7\n9\n8\n");
    const auto more = fixture.import(dataset);
    QVERIFY_FAILS(more, "has 2 rows, and items.ids.csv has 3 ids");
    fixture.write("items.ids.csv", "item_id\n7\n");
    const auto fewer = fixture.import(dataset);
    QVERIFY_FAILS(fewer, "has 2 rows, and items.ids.csv has 1 ids");
    fixture.write("items.npy", "no array");
    const auto damaged = fixture.import(dataset);
    QVERIFY_FAILS(damaged, "items.npy");
  }
};

QTEST_GUILESS_MAIN(VectorsTest)
#include "vectors_test.moc"
