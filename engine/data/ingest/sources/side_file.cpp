// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/side_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "engine/base/file_ranges.h"
#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/data/ingest/sources/parquet_folder.h"
#include "engine/data/ingest/sources/source_kinds.h"
#include "engine/data/ingest/sources/table_files.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashBlockBytes = 1 << 20;  // hashed while it is in the processor's cache

// The folder that all members are in, with its slash; "" if there is none.
std::string commonFolder(const std::vector<ZipArchive::Member>& members) {
  if (members.empty()) return {};
  const std::string& first = members.front().name;
  const std::string folder = first.substr(0, first.find('/') + 1);
  const bool common = std::all_of(
      members.begin(), members.end(),
      [&folder](const ZipArchive::Member& member) { return member.name.starts_with(folder); });
  return common ? folder : std::string();
}

// Whether a member is one that the archiver of macOS adds.
bool isResourceFork(const ZipArchive::Member& member) {
  return member.name.starts_with("__MACOSX/");
}

bool isParquet(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return holdsParquet(path);
  std::array<char, 4> magic{};
  if (fs::is_regular_file(path, ignored))
    std::ifstream(path, std::ios::binary).read(magic.data(), magic.size());
  return std::string_view(magic.data(), magic.size()) == "PAR1";
}

}  // namespace

Result<FileCollection> FileCollection::open(const fs::path& path) {
  FileCollection files;
  files.path_ = path;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::directory) {
    fs::directory_iterator entries(path, error);
    if (error) return ioError("read", path, error.value());
    for (; entries != fs::directory_iterator(); entries.increment(error)) {
      if (error) return ioError("read", path, error.value());
      std::string name = entries->path().filename().string();
      files.names_.emplace(name, name);
    }
    return files;
  }
  if (status.type() == fs::file_type::none || status.type() == fs::file_type::not_found)
    return ioError("read", path, error ? error.value() : ENOENT);
  if (!ZipArchive::isZip(path))
    return Error{ErrorCode::kData, fmt::format("{} is no folder and no zip archive", path.string()),
                 "", path.string()};
  PARAPET_ASSIGN(files.archive_, ZipArchive::open(path));
  std::vector<ZipArchive::Member> members = files.archive_->members();
  std::erase_if(members, isResourceFork);
  const std::string folder = commonFolder(members);
  for (const ZipArchive::Member& member : members)
    files.names_.emplace(member.name.substr(folder.size()), member.name);
  return files;
}

std::vector<std::string> FileCollection::names() const {
  std::vector<std::string> names;
  for (const auto& [name, inside] : names_) names.push_back(name);
  return names;
}

std::string FileCollection::pathOf(std::string_view name) const {
  const auto found = names_.find(name);
  return (path_ / (found == names_.end() ? std::string(name) : found->second)).string();
}

Result<std::unique_ptr<ByteStream>> FileCollection::openBytes(std::string_view name) const {
  if (archive_) {
    const auto found = names_.find(name);
    const ZipArchive::Member* const member =
        found == names_.end() ? nullptr : archive_->find(found->second);
    if (member == nullptr)
      return Error{ErrorCode::kData, fmt::format("{} has no {}", path_.string(), name), "",
                   path_.string()};
    return archive_->read(*member);
  }
  auto stream = data::openBytes(path_ / name);
  if (stream) return stream;
  Error error = stream.error();
  error.code = ErrorCode::kData;
  return error;
}

Result<std::unique_ptr<TextInput>> FileCollection::openText(std::string_view name) const {
  PARAPET_ASSIGN(auto stream, openBytes(name));
  return readTextFrom(std::move(stream), pathOf(name));
}

Status FileCollection::hashInto(Hasher& hasher, std::span<const std::string> names,
                                const WorkContext& context) const {
  if (archive_) return hashFile(hasher, path_, context);
  for (const std::string& name : names) {
    if (!has(name)) continue;
    hasher.update(name + "\n");
    PARAPET_TRY(hashFile(hasher, path_ / name, context));
  }
  return {};
}

Status hashFile(Hasher& hasher, const fs::path& path, const WorkContext& context) {
  PARAPET_ASSIGN(const FileReader file, FileReader::open(path));
  hasher.update(fmt::format("{}\n", file.size()));
  std::string block(kHashBlockBytes, '\0');
  for (std::uint64_t at = 0; at < file.size(); at += kHashBlockBytes) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "import cancelled"};
    context.report("checking the source", static_cast<std::int64_t>(at),
                   static_cast<std::int64_t>(file.size()));
    block.resize(std::min<std::uint64_t>(kHashBlockBytes, file.size() - at));
    PARAPET_TRY(file.read(at, std::as_writable_bytes(std::span(block))));
    hasher.update(std::string_view(block));
  }
  return {};
}

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
  if (isParquet(path)) return experiment::SourceKind::kParquet;
  return holdsJson(path) ? experiment::SourceKind::kJson : experiment::SourceKind::kCsv;
}

bool isOfTables(experiment::SourceKind source) {
  using experiment::SourceKind;
  return source == SourceKind::kCsv || source == SourceKind::kJson ||
         source == SourceKind::kParquet;
}

Result<std::unique_ptr<Source>> openTable(const std::string& path,
                                          const std::optional<experiment::TextFormat>& format,
                                          TextEncoding encoding) {
  experiment::Dataset table;
  table.source = tableSource(path);
  table.path = path;
  table.format = format;
  PARAPET_TRY(requireFileOrFolder(path, ""));
  if (table.source == experiment::SourceKind::kParquet) return openParquetSource(table);
  if (table.source == experiment::SourceKind::kJson) return openJsonSource(table);
  return openCsvSource(table, encoding);
}

}  // namespace parapet::data
