// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/files.h"
#include "engine/data/sources/parquet_plugin.h"
#include "engine/data/sources/parquet_source.h"
#include "engine/data/sources/parquet_writer.h"
#include "tests/data/parquet_bytes.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/read_source.h"

using namespace parapet;
using namespace parapet::data;

namespace {

/// Integers, numbers and texts with missing ones among them, lists, in two row groups.
std::string written() {
  const std::filesystem::path path = fuzz::scratchFolder() / "seed.parquet";
  auto writer = ParquetWriter::create(path,
                                      {{"uid", ParquetType::kInt64, false, false},
                                       {"ratio", ParquetType::kFloat, false, true},
                                       {"event_type", ParquetType::kText, false, true},
                                       {"ids", ParquetType::kInt64, true, false}},
                                      ParquetCompression::kNone);
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
  const bool isWritten = writer.ok() && writer->write(block).ok() && writer->write(block).ok() &&
                         writer->finish().ok();
  if (!isWritten) fuzz::breakInvariant("the plugin writes a file");
  return readFile(path).value();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  experiment::Dataset spec;
  spec.source = "parquet";
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
  return {written(), bytes::file({{"uid"}, {"item_id", {4, 5, 6}}}),
          bytes::file({{"uid", {UINT64_MAX, 0, 1}, true}}), bytes::file({{"uid"}}, false)};
}

std::vector<std::string> fuzz::words() {
  return {"PAR1", "PARE", "uid", "item_id", "list", "element"};
}
