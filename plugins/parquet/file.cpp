// SPDX-License-Identifier: Apache-2.0
#include "plugins/parquet/file.h"

#include <arrow/extension_type.h>
#include <arrow/io/file.h>
#include <arrow/util/utf8.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace {

using arrow::Type;

std::int32_t kindOf(const arrow::DataType& type) {
  switch (type.id()) {
    case Type::BOOL:
    case Type::INT8:
    case Type::INT16:
    case Type::INT32:
    case Type::INT64:
    case Type::UINT8:
    case Type::UINT16:
    case Type::UINT32:
    case Type::UINT64:
    case Type::DATE32:
    case Type::DATE64:
    case Type::TIMESTAMP:
    case Type::NA:
      return PS_INTEGER;
    case Type::HALF_FLOAT:
    case Type::FLOAT:
    case Type::DOUBLE:
      return PS_NUMBER;
    case Type::DECIMAL32:
    case Type::DECIMAL64:
    case Type::DECIMAL128:
    case Type::DECIMAL256:
      return static_cast<const arrow::DecimalType&>(type).scale() == 0 ? PS_INTEGER : PS_NUMBER;
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::STRING_VIEW:
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::BINARY_VIEW:
      return PS_TEXT;
    case Type::DICTIONARY: {
      const auto& values = static_cast<const arrow::DictionaryType&>(type).value_type();
      return kindOf(*values) == PS_TEXT ? PS_TEXT : PS_OTHER;
    }
    default:
      return PS_OTHER;
  }
}

/// The type of a column once a batch has taken it apart.
std::shared_ptr<arrow::DataType> storageOf(const std::shared_ptr<arrow::DataType>& type) {
  if (type->id() != Type::EXTENSION) return type;
  return static_cast<const arrow::ExtensionType&>(*type).storage_type();
}

/// Old writers call texts binary. What is no text is known by the least and the greatest value.
bool isText(const parquet::FileMetaData& metadata, int leaf) {
  for (int group = 0; group < metadata.num_row_groups(); ++group) {
    const auto chunk = metadata.RowGroup(group)->ColumnChunk(leaf);
    const auto statistics = chunk->is_stats_set() ? chunk->statistics() : nullptr;
    if (!statistics || !statistics->HasMinMax()) continue;
    arrow::util::InitializeUTF8();
    return arrow::util::ValidateUTF8(statistics->EncodeMin()) &&
           arrow::util::ValidateUTF8(statistics->EncodeMax());
  }
  return true;
}

std::int32_t kindOf(const arrow::DataType& type, const parquet::FileMetaData& metadata, int leaf) {
  if (type.id() == Type::FIXED_SIZE_BINARY)
    return metadata.schema()->Column(leaf)->logical_type()->is_UUID() ? PS_TEXT : PS_OTHER;
  if (arrow::is_binary(type.id()) || type.id() == Type::BINARY_VIEW)
    return isText(metadata, leaf) ? PS_TEXT : PS_OTHER;
  return kindOf(type);
}

PsFile::Column columnOf(const parquet::arrow::SchemaField& field,
                        const parquet::FileMetaData& metadata) {
  PsFile::Column column{field.field->name(), field.field->type()->ToString(), nullptr};
  const parquet::arrow::SchemaField* value = &field;
  const Type::type id = field.field->type()->id();
  if ((id == Type::LIST || id == Type::LARGE_LIST || id == Type::FIXED_SIZE_LIST) &&
      field.children.size() == 1) {
    column.isList = true;
    value = field.children.data();
  }
  if (!value->is_leaf()) return column;
  column.valueType = storageOf(value->field->type());
  column.kind = kindOf(*column.valueType, metadata, value->column_index);
  if (column.kind != PS_OTHER) column.leaf = value->column_index;
  return column;
}

/// How values come. The times of Hive, INT96, may be years away that nanoseconds do not reach.
parquet::ArrowReaderProperties readerShape() {
  parquet::ArrowReaderProperties shape(false);
  shape.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
  return shape;
}

enum class Bound { kLower, kUpper };

/// The double nearest to a bound of a range, and not inside of the range.
double outside(double value, Bound bound) {
  // Up to 2⁵³ integers are exact.
  constexpr double kExact = 9007199254740992.0;
  if (std::abs(value) < kExact) return value;
  const double infinity = std::numeric_limits<double>::infinity();
  return std::nextafter(value, bound == Bound::kLower ? -infinity : infinity);
}

/// A stored integer as integers() gives it.
double asRead(std::int64_t stored, const arrow::DataType& type) {
  switch (type.id()) {
    case Type::UINT8:
    case Type::UINT16:
    case Type::UINT32:
      return static_cast<double>(static_cast<std::uint32_t>(stored));
    case Type::UINT64:
      return static_cast<double>(static_cast<std::uint64_t>(stored));
    case Type::DATE32:
      return static_cast<double>(stored) * 86400.0;
    case Type::DATE64:  // stored as days
      return static_cast<double>(stored) * 86400.0;
    case Type::TIMESTAMP: {
      constexpr double kPerSecond[] = {1, 1e3, 1e6, 1e9};
      const auto unit = static_cast<const arrow::TimestampType&>(type).unit();
      return std::floor(static_cast<double>(stored) / kPerSecond[unit]);
    }
    default:
      return static_cast<double>(stored);
  }
}

template <class Physical>
std::pair<double, double> rangeOf(const parquet::Statistics& statistics,
                                  const arrow::DataType& type) {
  const auto& typed = static_cast<const parquet::TypedStatistics<Physical>&>(statistics);
  if constexpr (std::is_floating_point_v<typename Physical::c_type>)
    return {typed.min(), typed.max()};
  else
    return {asRead(typed.min(), type), asRead(typed.max(), type)};
}

void addBounds(const parquet::Statistics& statistics, const arrow::DataType& type, PsChunk& chunk) {
  if (!statistics.HasMinMax()) return;
  if (arrow::is_decimal(type.id()) && static_cast<const arrow::DecimalType&>(type).scale() != 0)
    return;  // they are of the digits
  std::pair<double, double> range;
  switch (statistics.physical_type()) {
    case parquet::Type::INT32:
      range = rangeOf<parquet::Int32Type>(statistics, type);
      break;
    case parquet::Type::INT64:
      // A time in nanoseconds is divided in double precision; a second more is room enough.
      range = rangeOf<parquet::Int64Type>(statistics, type);
      if (type.id() == Type::TIMESTAMP) range = {range.first - 1, range.second + 1};
      break;
    case parquet::Type::FLOAT:
      range = rangeOf<parquet::FloatType>(statistics, type);
      break;
    case parquet::Type::DOUBLE:
      range = rangeOf<parquet::DoubleType>(statistics, type);
      break;
    default:
      return;
  }
  chunk.hasBounds = 1;
  chunk.least = outside(range.first, Bound::kLower);
  chunk.most = outside(range.second, Bound::kUpper);
}

}  // namespace

arrow::Result<std::unique_ptr<PsFile>> PsFile::open(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto bytes, arrow::io::ReadableFile::Open(path));
  auto file = std::make_unique<PsFile>();
  file->path = path;
  file->metadata = parquet::ParquetFileReader::Open(std::move(bytes))->metadata();
  parquet::arrow::SchemaManifest manifest;
  ARROW_RETURN_NOT_OK(parquet::arrow::SchemaManifest::Make(
      file->metadata->schema(), file->metadata->key_value_metadata(), readerShape(), &manifest));
  for (const auto& field : manifest.schema_fields)
    file->columns.push_back(columnOf(field, *file->metadata));
  for (const Column& column : file->columns)
    file->described.push_back(
        {column.name.c_str(), column.typeName.c_str(), column.kind, column.isList});
  return file;
}

PsChunk PsFile::chunk(std::int64_t group, std::int32_t column) const {
  const Column& wanted = columns[static_cast<std::size_t>(column)];
  PsChunk chunk{};
  if (wanted.leaf < 0) return chunk;
  const auto stored = metadata->RowGroup(static_cast<int>(group))->ColumnChunk(wanted.leaf);
  chunk.values = stored->num_values();
  chunk.bytes = stored->total_uncompressed_size();
  const auto statistics = stored->is_stats_set() ? stored->statistics() : nullptr;
  if (statistics) addBounds(*statistics, *wanted.valueType, chunk);
  return chunk;
}

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

  parquet::ArrowReaderProperties shape = readerShape();
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
    const bool isText = file.columns[static_cast<std::size_t>(column)].kind == PS_TEXT;
    shape.set_read_dictionary(leaf, isText && isDictionary(*chunk));
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
