// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "engine/base/files.h"
#include "engine/data/vocabulary.h"
#include "engine/data/vocabulary_format.h"

namespace parapet::data {
namespace {

using Entries = std::vector<Vocabulary::Entry>;

template <class T>
Status writeArray(FileWriter& file, std::span<const T> values) {
  return file.write(std::as_bytes(values));
}

Status pad(FileWriter& file) {
  static constexpr char kZeros[8] = {};
  return file.write(std::string_view(kZeros, paddedTo8(file.written()) - file.written()));
}

// One text column: where each row's bytes start, then the bytes.
Status writeColumn(FileWriter& file, std::size_t rows,
                   const std::function<std::string_view(std::size_t)>& text) {
  std::uint64_t offset = 0;
  for (std::size_t row = 0; row <= rows; ++row) {
    PARAPET_TRY(writeArray(file, std::span<const std::uint64_t>(&offset, 1)));
    if (row < rows) offset += text(row).size();
  }
  for (std::size_t row = 0; row < rows; ++row) PARAPET_TRY(file.write(text(row)));
  return pad(file);
}

std::vector<std::int32_t> rowsByRawId(const Entries& entries) {
  std::vector<std::int32_t> rows;
  for (std::size_t row = 0; row < entries.size(); ++row)
    if (entries[row].present) rows.push_back(static_cast<std::int32_t>(row));
  std::sort(rows.begin(), rows.end(), [&](std::int32_t a, std::int32_t b) {
    return entries[static_cast<std::size_t>(a)].rawId < entries[static_cast<std::size_t>(b)].rawId;
  });
  return rows;
}

void checkEntries(const Entries& entries, const std::vector<std::int32_t>& sorted,
                  std::size_t attributes) {
  if (entries.empty() || entries.front().present)
    throw InvalidArgument("[Vocabulary.write] row 0 is reserved and must be there, not present");
  for (const auto& entry : entries)
    if (entry.present && entry.attributes.size() != attributes && !entry.attributes.empty())
      throw InvalidArgument(fmt::format("[Vocabulary.write] raw id {} has {} attributes of {}",
                                        entry.rawId, entry.attributes.size(), attributes));
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const std::string& rawId = entries[static_cast<std::size_t>(sorted[i])].rawId;
    if (entries[static_cast<std::size_t>(sorted[i - 1])].rawId == rawId)
      throw InvalidArgument(fmt::format("[Vocabulary.write] raw id {} has two rows", rawId));
  }
}

}  // namespace

Status Vocabulary::write(const std::filesystem::path& folder, const std::string& name,
                         const std::vector<std::string>& attributeNames, const Entries& entries) {
  const std::vector<std::int32_t> sorted = rowsByRawId(entries);
  checkEntries(entries, sorted, attributeNames.size());
  PARAPET_ASSIGN(FileWriter file, FileWriter::create(folder / (name + ".vocab")));
  const VocabularyHeader header{.attributes = static_cast<std::uint32_t>(attributeNames.size()),
                                .rows = entries.size(),
                                .present = sorted.size()};
  PARAPET_TRY(writeArray(file, std::span<const VocabularyHeader>(&header, 1)));
  for (const Entry& entry : entries)
    PARAPET_TRY(writeArray(file, std::span<const std::int64_t>(&entry.count, 1)));
  for (const Entry& entry : entries)
    PARAPET_TRY(file.write(entry.present ? std::string_view("\1", 1) : std::string_view("\0", 1)));
  PARAPET_TRY(pad(file));
  PARAPET_TRY(writeArray(file, std::span<const std::int32_t>(sorted)));
  PARAPET_TRY(pad(file));
  const std::size_t rows = entries.size();
  PARAPET_TRY(writeColumn(file, attributeNames.size(),
                          [&](std::size_t i) { return std::string_view(attributeNames[i]); }));
  PARAPET_TRY(
      writeColumn(file, rows, [&](std::size_t i) { return std::string_view(entries[i].rawId); }));
  PARAPET_TRY(
      writeColumn(file, rows, [&](std::size_t i) { return std::string_view(entries[i].title); }));
  for (std::size_t a = 0; a < attributeNames.size(); ++a)
    PARAPET_TRY(writeColumn(file, rows, [&](std::size_t i) {
      return a < entries[i].attributes.size() ? std::string_view(entries[i].attributes[a])
                                              : std::string_view{};
    }));
  return file.finish();
}

}  // namespace parapet::data
