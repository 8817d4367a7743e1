// SPDX-License-Identifier: Apache-2.0
#include "plugins/parquet/cursor.h"

#include <arrow/io/file.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include <algorithm>
#include <utility>

namespace {

// Column chunks of this size and more are read a piece at a time instead of whole.
constexpr std::int64_t kWholeBytes = 32 << 20;
constexpr std::int64_t kPieceBytes = 1 << 20;

/// Texts that are stored as a dictionary are cheaper to read as one.
bool isDictionary(const parquet::ColumnChunkMetaData& chunk) {
  return chunk.type() == parquet::Type::BYTE_ARRAY && chunk.has_dictionary_page();
}

}  // namespace

arrow::Result<std::unique_ptr<PsCursor>> PsCursor::start(const PsFile& file, std::int64_t group,
                                                         std::span<const std::int32_t> columns,
                                                         std::int64_t batchRows) {
  auto cursor = std::make_unique<PsCursor>();
  cursor->file = &file;
  cursor->group = group;
  cursor->columns.assign(columns.begin(), columns.end());

  parquet::ArrowReaderProperties shape(false);
  shape.set_pre_buffer(false);
  shape.set_batch_size(batchRows);
  const auto stored = file.metadata->RowGroup(static_cast<int>(group));
  std::vector<int> leaves;
  std::int64_t largest = 0;
  for (const std::int32_t column : columns) {
    const int leaf = file.columns[static_cast<std::size_t>(column)].leaf;
    const auto known = std::ranges::find(leaves, leaf);
    cursor->decodedIndex.push_back(static_cast<int>(known - leaves.begin()));
    if (known != leaves.end()) continue;
    leaves.push_back(leaf);
    const auto chunk = stored->ColumnChunk(leaf);
    largest = std::max(largest, chunk->total_compressed_size());
    shape.set_read_dictionary(leaf, isDictionary(*chunk));
  }

  parquet::ReaderProperties properties;
  properties.set_page_checksum_verification(true);
  if (largest >= kWholeBytes) {
    properties.enable_buffered_stream();
    properties.set_buffer_size(kPieceBytes);
  }
  ARROW_ASSIGN_OR_RAISE(auto bytes, arrow::io::ReadableFile::Open(file.path));
  ARROW_ASSIGN_OR_RAISE(
      cursor->reader,
      parquet::arrow::FileReader::Make(
          arrow::default_memory_pool(),
          parquet::ParquetFileReader::Open(std::move(bytes), properties, file.metadata), shape));
  ARROW_ASSIGN_OR_RAISE(cursor->batches,
                        cursor->reader->GetRecordBatchReader({static_cast<int>(group)}, leaves));
  return cursor;
}

arrow::Result<std::unique_ptr<PsBatch>> PsCursor::next() {
  std::shared_ptr<arrow::RecordBatch> decoded;
  ARROW_RETURN_NOT_OK(batches->ReadNext(&decoded));
  if (!decoded) return nullptr;
  auto batch = std::make_unique<PsBatch>();
  batch->rows = decoded->num_rows();
  batch->columns.resize(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const PsFile::Column& source = file->columns[static_cast<std::size_t>(columns[i])];
    PsBatch::Column& column = batch->columns[i];
    column.name = source.name;
    column.isList = source.isList;
    const auto rows = decoded->column(decodedIndex[i]);
    if (rows->length() != batch->rows)
      return arrow::Status::Invalid("column ", source.name, " has ", rows->length(), " rows where ",
                                    batch->rows, " are expected");
    ARROW_RETURN_NOT_OK(PsBatch::take(rows, source.kind, column));
  }
  return batch;
}
