// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/parquet_projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "engine/base/text.h"

namespace parapet::data {
namespace {

constexpr const char* kReadable =
    "integers, numbers, decimals, text, UUIDs, bools, dates, timestamps and lists of these are "
    "accepted";

ValueType typeOf(std::int32_t kind) {
  constexpr ValueType kTypes[] = {ValueType::kInteger, ValueType::kNumber, ValueType::kText};
  return kTypes[kind];
}

Error unfit(std::string message) {
  return {ErrorCode::kInvalidDocument, std::move(message)};
}

Error absent(std::span<const PsColumn> columns, std::span<const PartitionKey> keys,
             const std::string& name) {
  std::vector<std::string> names;
  for (const PsColumn& column : columns) names.push_back(printable(column.name));
  for (const PartitionKey& key : keys) names.push_back(printable(key.name));
  return unfit(fmt::format("the file has no column \"{}\"{}; it has: {}", printable(name),
                           didYouMean(name, names), join(names)));
}

Status check(const PsColumn& column, const ColumnRequest& request, ValueType type) {
  const auto refuse = [&](const char* what) {
    return unfit(fmt::format("column \"{}\" holds {}; {}", printable(column.name),
                             printable(column.typeName), what));
  };
  if (column.kind == PS_OTHER) return refuse(kReadable);
  const bool isText = column.kind == PS_TEXT;
  if (!request.separator.empty() && (!isText || column.isList))
    return refuse("a separator cuts text");
  if (request.separator.empty() && type != typeOf(column.kind)) {
    const bool widened = type == ValueType::kNumber && column.kind == PS_INTEGER;
    const bool written = type == ValueType::kText && column.kind == PS_INTEGER;
    const bool parsed = type == ValueType::kNumber && isText && !column.isList;
    if (!widened && !written && !parsed)
      return unfit(fmt::format("column \"{}\" holds {} where {} are wanted", printable(column.name),
                               printable(column.typeName), valuesName(type)));
  }
  return {};
}

/// A key of folders as a column of the file.
PsColumn columnOf(const PartitionKey& key) {
  const bool isInteger = key.type == ValueType::kInteger;
  return {key.name.c_str(), isInteger ? "whole numbers in names of folders" : "names of folders",
          isInteger ? PS_INTEGER : PS_TEXT, 0};
}

}  // namespace

Error badParquet(const std::string& path, std::string_view what) {
  return {ErrorCode::kData, fmt::format("{} {}", path, what), "", path};
}

Result<std::shared_ptr<const ParquetBatch>> ParquetCursor::next() {
  const PsReading& reading = *cursor_.get_deleter().reading;
  PsBatch* batch = nullptr;
  PsError error{};
  if (const auto kind = reading.next(cursor_.get(), &batch, &error); kind != PS_OK)
    return parquetError(kind, error, path_, where_);
  if (!batch) return std::shared_ptr<const ParquetBatch>();
  return std::make_shared<const ParquetBatch>(batch, reading);
}

ParquetFile::ParquetFile(std::string path, PsFile* file, const PsReading& reading)
    : path_(std::move(path)), reading_(&reading), file_(file, {&reading}) {
  reading.describe(file, &info_);
}

Result<ParquetFile> ParquetFile::open(const std::string& path) {
  PARAPET_ASSIGN(const PsPlugin* plugin, requireParquet());
  std::error_code refusal;
  if (!std::filesystem::exists(path, refusal))
    return Error{ErrorCode::kData, fmt::format("{} does not exist", path), "", path};
  PsFile* file = nullptr;
  PsError error{};
  if (const auto kind = plugin->reading->open(path.c_str(), &file, &error); kind != PS_OK)
    return parquetError(kind, error, path);
  return ParquetFile(path, file, *plugin->reading);
}

PsChunk ParquetFile::chunk(std::int64_t group, std::int32_t column) const {
  PsChunk chunk{};
  reading_->chunk(file_.get(), group, column, &chunk);
  return chunk;
}

Result<ParquetCursor> ParquetFile::start(std::int64_t group, std::span<const std::int32_t> columns,
                                         std::int64_t batchRows) const {
  PsCursor* cursor = nullptr;
  PsError error{};
  std::string where = fmt::format("row group {}", group);
  const auto kind =
      reading_->start(file_.get(), group, columns.data(), static_cast<std::int32_t>(columns.size()),
                      batchRows, &cursor, &error);
  if (kind != PS_OK) return parquetError(kind, error, path_, where);
  return ParquetCursor(cursor, *reading_, path_, std::move(where));
}

const char* valuesName(ValueType type) {
  constexpr const char* kNames[] = {"integers", "numbers", "text"};
  return kNames[static_cast<std::size_t>(type)];
}

Result<ParquetProjection> ParquetProjection::make(std::span<const PsColumn> columns,
                                                  std::span<const PartitionKey> keys,
                                                  std::span<const ColumnRequest> requests,
                                                  std::optional<UnrolledRows> unrolled) {
  ParquetProjection made;
  std::unordered_map<std::string_view, std::int32_t> indexOf;
  for (std::size_t column = 0; column < columns.size(); ++column)
    indexOf.emplace(columns[column].name, static_cast<std::int32_t>(column));
  std::unordered_map<std::int32_t, std::int32_t> readAs;  // column of the file → of a batch
  const auto batchColumnOf = [&](std::int32_t column) {
    const auto [known, isNew] =
        readAs.emplace(column, static_cast<std::int32_t>(made.columns_.size()));
    if (isNew) made.columns_.push_back(column);
    return known->second;
  };
  for (const ColumnRequest& request : requests) {
    const auto found = indexOf.find(request.name);
    const auto key = std::ranges::find(keys, request.name, &PartitionKey::name);
    if (found == indexOf.end() && key == keys.end()) return absent(columns, keys, request.name);
    const bool isKey = found == indexOf.end();
    const std::int32_t index = isKey ? -1 : found->second;
    const PsColumn column = isKey ? columnOf(*key) : columns[static_cast<std::size_t>(index)];
    const ValueType type =
        request.type.value_or(column.kind == PS_OTHER ? ValueType::kText : typeOf(column.kind));
    PARAPET_TRY(check(column, request, type));
    if (isKey && !request.separator.empty())
      return unfit(
          fmt::format("column \"{}\" holds names of folders; a separator cuts text of rows",
                      printable(request.name)));
    if (unrolled && !request.separator.empty())
      return unfit(
          fmt::format("column \"{}\" lies beside lists that become rows; a separator cuts "
                      "text of plain files",
                      printable(column.name)));
    made.outputs_.push_back({request.name, isKey ? -1 : batchColumnOf(index), column.kind, type,
                             column.isList != 0, request.separator, request.weightSeparator,
                             request.pointer, isKey ? &*key : nullptr});
  }
  if (unrolled) made.lengths_ = batchColumnOf(unrolled->lengths);
  return made;
}

void ParquetProjection::clear(RowBlock& block, std::size_t expectedRows) const {
  block.clear();
  std::vector<ColumnValues>& columns = block.columns;
  std::size_t count = 0;
  const auto add = [&](ValueType type, bool isList) {
    if (columns.size() == count) columns.emplace_back();
    ColumnValues& column = columns[count++];
    column.type = type;
    if (isList) {
      column.offsets.reserve(expectedRows + 1);
      column.offsets.assign(1, 0);
    } else if (type == ValueType::kInteger) {
      column.integers.reserve(expectedRows);
    } else if (type == ValueType::kNumber) {
      column.numbers.reserve(expectedRows);
    } else {
      column.texts.reserve(expectedRows);
    }
  };
  for (const Output& output : outputs_) {
    add(output.type, !output.separator.empty() || (output.isList && !lengths_));
    if (!output.weightSeparator.empty()) add(ValueType::kNumber, true);
  }
  columns.resize(count);
}

std::int64_t ParquetProjection::rowsOf(const ParquetBatch& batch) const {
  return lengths_ ? batch.reading().values(batch.get(), *lengths_)
                  : static_cast<std::int64_t>(batch.rows());
}

}  // namespace parapet::data
