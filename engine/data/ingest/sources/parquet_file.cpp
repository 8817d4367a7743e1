// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/parquet_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "engine/base/text.h"

namespace parapet::data {

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

}  // namespace parapet::data
