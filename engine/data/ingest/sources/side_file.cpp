// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/side_file.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/csv_source.h"
#include "engine/data/ingest/sources/parquet_source.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

bool isParquet(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    for (const auto& entry : fs::directory_iterator(path, ignored))
      if (toLowerAscii(entry.path().extension().string()) == ".parquet") return true;
    return false;
  }
  std::array<char, 4> magic{};
  if (fs::is_regular_file(path, ignored))
    std::ifstream(path, std::ios::binary).read(magic.data(), magic.size());
  return std::string_view(magic.data(), magic.size()) == "PAR1";
}

}  // namespace

Result<std::string> findSideFile(const experiment::Dataset& spec, const std::string& path) {
  std::error_code ignored;
  if (fs::path(path).is_relative() && spec.path &&
      spec.source != experiment::SourceKind::kGenerated) {
    const fs::path data(*spec.path);
    const fs::path folder = fs::is_directory(data, ignored) ? data : data.parent_path();
    if (fs::path beside = folder / path; fs::exists(beside, ignored)) return beside.string();
    if (!fs::exists(path, ignored))
      return Error{ErrorCode::kData,
                   fmt::format("{} does not exist, nor does {}; a file beside the data, or an "
                               "absolute path, is accepted",
                               (folder / path).string(), path),
                   "", path};
  }
  if (fs::exists(path, ignored)) return path;
  return Error{ErrorCode::kData, fmt::format("{} does not exist; a file is accepted", path), "",
               path};
}

Status requireFileOrFolder(const std::string& path, const std::string& pointer) {
  std::error_code ignored;
  const auto type = fs::status(path, ignored).type();
  using Type = fs::file_type;
  if (type != Type::fifo && type != Type::socket && type != Type::character && type != Type::block)
    return {};
  return Error{ErrorCode::kData,
               path + " is a pipe, socket or device; accepted: a file or folder of data", pointer,
               path};
}

experiment::SourceKind tableSource(const std::string& path) {
  return isParquet(path) ? experiment::SourceKind::kParquet : experiment::SourceKind::kCsv;
}

Result<std::unique_ptr<Source>> openTable(const std::string& path,
                                          const std::optional<experiment::TextFormat>& format,
                                          TextEncoding encoding) {
  experiment::Dataset table;
  table.source = tableSource(path);
  table.path = path;
  table.format = format;
  PARAPET_TRY(requireFileOrFolder(path, ""));
  return table.source == experiment::SourceKind::kParquet ? openParquetSource(table)
                                                          : openCsvSource(table, encoding);
}

}  // namespace parapet::data
