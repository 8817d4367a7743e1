// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/files.h"
#include "engine/data/dataset/parquet/parquet_plugin.h"
#include "engine/data/ingest/sources/source_kinds.h"
#include "tests/data/ingest/parquet_bytes.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/read_source.h"

using namespace parapet;
using namespace parapet::data;

namespace {

/// A file of two row groups, both of them `block`.
std::string written(const std::vector<ParquetColumn>& columns, const RowBlock& block,
                    ParquetCompression compression) {
  const std::filesystem::path path = fuzz::scratchFolder() / "seed.parquet";
  auto writer = ParquetWriter::create(path, columns, compression);
  const bool isWritten = writer.ok() && writer->write(block).ok() && writer->write(block).ok() &&
                         writer->finish().ok();
  if (!isWritten) fuzz::breakInvariant("the plugin writes a file");
  return readFile(path).value();
}

/// Integers, numbers and texts with missing ones among them, lists.
std::string flat(ParquetCompression compression) {
  RowBlock block;
  block.rows = 3;
  block.columns.resize(4);
  block.columns[0].integers = {1, 2, 3};
  block.columns[1].type = ValueType::kNumber;
  block.columns[1].numbers = {0.5, 0.0, 100.0};
  block.columns[1].missing = {0, 1, 0};
  block.columns[2].type = ValueType::kText;
  block.columns[2].texts = {"like", "listen", ""};
  block.columns[2].missing = {0, 0, 1};
  block.columns[3].integers = {7, 8, 9};
  block.columns[3].offsets = {0, 2, 2, 3};
  return written({{"uid", ParquetType::kInt64, false, false},
                  {"ratio", ParquetType::kFloat, false, true},
                  {"event_type", ParquetType::kText, false, true},
                  {"ids", ParquetType::kInt64, true, false}},
                 block, compression);
}

/// Yambda's rows of users, whose lists are unrolled.
std::string sequential() {
  RowBlock block;
  block.rows = 3;
  block.columns.resize(4);
  block.columns[0].integers = {1, 2, 3};
  block.columns[1].integers = {10, 20, 30};
  block.columns[2].integers = {7, 8, 9};
  block.columns[3].integers = {1, 0, 1};
  for (std::size_t column : {1, 2, 3}) block.columns[column].offsets = {0, 2, 2, 3};
  return written({{"uid", ParquetType::kUint32, false, false},
                  {"timestamp", ParquetType::kUint32, true, false},
                  {"item_id", ParquetType::kUint32, true, false},
                  {"is_organic", ParquetType::kUint8, true, false}},
                 block, ParquetCompression::kNone);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kParquet;
  spec.path = (fuzz::scratchFolder() / "input.parquet").string();
  fuzz::writeInput(*spec.path, fuzz::asText(data, size));
  const auto source = openParquetSource(spec);
  if (!source.ok()) {
    fuzz::tell(source.error().text());
    return 0;
  }
  fuzz::readSource(**source, fuzz::requestsFor(**source));
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  if (const auto plugin = requireParquet(); !plugin.ok()) {
    fmt::print("{}\n", plugin.error().text());
    return {};
  }
  return {flat(ParquetCompression::kNone),
          flat(ParquetCompression::kZstd),
          sequential(),
          bytes::file({{"uid"}, {"item_id", {4, 5, 6}}}),
          bytes::file({{"uid", {UINT64_MAX, 0, 1}, true}}),
          bytes::file({{"uid"}}, false)};
}

std::vector<std::string> fuzz::words() {
  return {"PAR1", "PARE", "uid", "item_id", "timestamp", "is_organic", "list", "element"};
}
