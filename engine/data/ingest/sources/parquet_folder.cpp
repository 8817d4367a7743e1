// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/parquet_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <utility>

#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxKeys = 64;  // a folder may hold a link to itself

Error unusable(const fs::path& path, std::string_view what) {
  return {ErrorCode::kData, fmt::format("{} {}", path.string(), what), "", path.string()};
}

/// "%3A" is a colon: characters that no name of a folder may have are written so.
std::string unescaped(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      return at < name.size() ? kDigits.find(toLowerAscii(name.substr(at, 1))) : kDigits.npos;
    };
    const bool isEscape = name[i] == '%' && digit(i + 1) != name.npos && digit(i + 2) != name.npos;
    text += isEscape ? static_cast<char>(digit(i + 1) * 16 + digit(i + 2)) : name[i];
    if (isEscape) i += 2;
  }
  return text;
}

bool isHidden(std::string_view name) {
  return name.starts_with('.') || (name.starts_with('_') && name.find('=') == name.npos);
}

bool isPart(const fs::path& file) {
  const std::string end = toLowerAscii(file.extension().string());
  if (!end.empty()) return end == ".parquet" || end == ".parq" || end == ".pq";
  std::array<char, 4> magic{};
  std::ifstream(file, std::ios::binary).read(magic.data(), magic.size());
  return std::string_view(magic.data(), magic.size()) == "PAR1";
}

Status findBelow(const fs::path& folder, const std::vector<PartitionKey>& keys,
                 std::vector<PartitionedFile>& files) {
  if (keys.size() > kMaxKeys) return unusable(folder, "is too deep in folders of keys");
  std::error_code refusal;
  for (fs::directory_iterator entry(folder, refusal), end; !refusal && entry != end;
       entry.increment(refusal)) {
    const std::string name = entry->path().filename().string();
    if (isHidden(name)) continue;
    std::error_code ignored;
    if (entry->is_regular_file(ignored) && isPart(entry->path()))
      files.push_back({entry->path().string(), keys});
    const std::size_t equals = name.find('=');
    if (!entry->is_directory(ignored) || equals == 0 || equals == name.npos) continue;
    PartitionKey key{.name = unescaped(name.substr(0, equals)),
                     .value = unescaped(name.substr(equals + 1))};
    if (!isValidUtf8(key.name) || !isValidUtf8(*key.value))
      return unusable(entry->path(), "is a key that is no UTF-8");
    if (key.value->empty() || *key.value == "__HIVE_DEFAULT_PARTITION__") key.value.reset();
    std::vector<PartitionKey> inner = keys;
    inner.push_back(std::move(key));
    PARAPET_TRY(findBelow(entry->path(), inner, files));
  }
  if (refusal) return ioError("read", folder, refusal.value());
  return {};
}

std::string namesOf(const std::vector<PartitionKey>& keys) {
  std::vector<std::string> names;
  for (const PartitionKey& key : keys) names.push_back(printable(key.name));
  return keys.empty() ? "no key" : join(names);
}

/// A key has the same type in all files.
void setTypes(std::vector<PartitionedFile>& files) {
  for (std::size_t k = 0; k < files.front().keys.size(); ++k) {
    const bool isWhole = std::ranges::all_of(files, [k](const PartitionedFile& file) {
      const auto& value = file.keys[k].value;
      return !value || parseInt(*value).has_value();
    });
    for (PartitionedFile& file : files)
      file.keys[k].type = isWhole ? ValueType::kInteger : ValueType::kText;
  }
}

}  // namespace

bool holdsParquet(const fs::path& folder) {
  std::vector<PartitionedFile> files;
  const Status found = findBelow(folder, {}, files);
  return !found || !files.empty();  // opening it tells what is wrong
}

Result<std::vector<PartitionedFile>> findParquetFiles(const fs::path& path) {
  std::error_code refusal;
  if (!fs::is_directory(path, refusal)) return std::vector{PartitionedFile{path.string(), {}}};
  std::vector<PartitionedFile> files;
  PARAPET_TRY(findBelow(path, {}, files));
  if (files.empty()) return unusable(path, "has no *.parquet file in it");
  std::ranges::sort(files, {}, &PartitionedFile::path);
  const PartitionedFile& first = files.front();
  for (const PartitionedFile& file : files)
    if (!std::ranges::equal(file.keys, first.keys, {}, &PartitionKey::name, &PartitionKey::name))
      return unusable(file.path,
                      fmt::format("lies below {} (folders that are named key=value) where {} lies "
                                  "below {}; the files of a folder have the same keys",
                                  namesOf(file.keys), first.path, namesOf(first.keys)));
  setTypes(files);
  return files;
}

}  // namespace parapet::data
