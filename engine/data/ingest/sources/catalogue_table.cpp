// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/catalogue_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/hash.h"
#include "engine/base/text.h"

namespace parapet::data {
namespace {

constexpr std::size_t kMaxIdBytes = 512;        // as ids of rows
constexpr std::size_t kMaxCellBytes = 1 << 16;  // a title is no document

std::string reasonAgainstCell(std::string_view text, const CatalogueColumn& column) {
  if (text.size() <= kMaxCellBytes) return {};
  return fmt::format("{} of {} bytes; at most {} are accepted",
                     !column.name.empty()       ? column.name
                     : column.attribute.empty() ? "title"
                                                : column.attribute,
                     text.size(), kMaxCellBytes);
}

}  // namespace

void CatalogueTable::begin(CatalogueInfo info) {
  File file{.info = std::move(info), .columns = {}, .lines = {}};
  file.columns.resize(file.info.columns.size());
  files_.push_back(std::move(file));
}

std::string CatalogueTable::add(std::string_view id, std::span<const CatalogueCell> cells) {
  File& file = files_.back();
  if (id.empty()) return "the id is missing; an id is accepted";
  if (id.size() > kMaxIdBytes)
    return fmt::format("id of {} bytes; at most {} are accepted", id.size(), kMaxIdBytes);
  std::optional<std::int64_t> integer;
  if (idType() == ValueType::kInteger && !(integer = parseInt(id)))
    return fmt::format("id \"{}\"; a whole number is accepted, as the ids of the data are",
                       printable(id, 40));
  for (std::size_t c = 0; c < cells.size(); ++c)
    if (std::string reason = reasonAgainstCell(cells[c].text, file.info.columns[c]);
        !reason.empty())
      return reason;
  const std::int32_t known = integer ? ids_.find(*integer) : ids_.find(id);
  if (known >= 0 && file.lineOf(known) >= 0)
    return file.info.isOfRows ? std::string()
                              : fmt::format("id {} occurs a second time; the first line counts",
                                            printable(id, 40));
  std::int32_t entry = known;
  if (entry < 0) {
    uniqueIndex_.clear();
    const std::uint64_t hash = hash64(id);
    const Status added = integer
                             ? ids_.add(std::span(&*integer, 1), {}, uniqueIndex_)
                             : ids_.add(std::span(&id, 1), std::span(&hash, 1), {}, uniqueIndex_);
    if (!added) return added.error().message;
    entry = uniqueIndex_.front();
  }
  file.lines.resize(std::max(file.lines.size(), static_cast<std::size_t>(entry) + 1), -1);
  file.lines[static_cast<std::size_t>(entry)] = file.count++;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    Column& column = file.columns[c];
    if (!file.info.columns[c].isList) {
      column.texts.add(cells[c].text);
      continue;
    }
    for (const std::string_view value : cells[c].list) column.texts.add(value);
    column.ends.push_back(column.texts.size());
  }
  return {};
}

bool CatalogueTable::keepsCold(std::int32_t entry) const {
  return std::ranges::any_of(files_, [&](const File& file) {
    return file.info.cold == experiment::ColdRows::kKeep && file.lineOf(entry) >= 0;
  });
}

std::string_view CatalogueTable::title(std::int32_t entry) const {
  // The files that the data come with are the first.
  for (const bool named : {true, false})
    for (std::size_t f = 0; f < files_.size(); ++f) {
      const CatalogueInfo& info = files_[f].info;
      if (!info.title || info.pointer.empty() == named) continue;
      if (const std::string_view title = cell(f, *info.title, entry); !title.empty()) return title;
    }
  return {};
}

std::vector<std::string> CatalogueTable::attributeNames() const {
  std::vector<std::string> names;
  for (const File& file : files_)
    for (const CatalogueColumn& column : file.info.columns)
      if (!column.attribute.empty()) names.push_back(column.attribute);
  return names;
}

std::vector<std::string> CatalogueTable::attributes(std::int32_t entry) const {
  std::vector<std::string> values;
  std::vector<std::string_view> parts;
  for (std::size_t f = 0; f < files_.size(); ++f)
    for (std::size_t c = 0; c < files_[f].columns.size(); ++c) {
      const CatalogueColumn& column = files_[f].info.columns[c];
      if (column.attribute.empty()) continue;
      if (!column.isList) {
        values.emplace_back(cell(f, c, entry));
        continue;
      }
      list(f, c, entry, parts);
      values.push_back(fmt::format("{}", fmt::join(parts, "|")));
    }
  return values;
}

std::string CatalogueTable::exampleIds(std::size_t file) const {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> shown;
  for (std::int32_t entry = 0; entry < size() && shown.size() < kShown; ++entry)
    if (has(file, entry)) shown.push_back("\"" + printable(id(entry), 40) + "\"");
  return shown.empty() ? "none" : join(shown) + ", …";
}

std::string_view CatalogueTable::cell(std::size_t file, std::size_t column,
                                      std::int32_t entry) const {
  const std::int32_t line = files_[file].lineOf(entry);
  return line < 0 ? std::string_view()
                  : files_[file].columns[column].texts.at(static_cast<std::size_t>(line));
}

void CatalogueTable::list(std::size_t file, std::size_t column, std::int32_t entry,
                          std::vector<std::string_view>& values) const {
  values.clear();
  const std::int32_t line = files_[file].lineOf(entry);
  if (line < 0) return;
  const Column& from = files_[file].columns[column];
  for (std::uint64_t i = from.ends[static_cast<std::size_t>(line)];
       i < from.ends[static_cast<std::size_t>(line) + 1]; ++i)
    values.push_back(from.texts.at(i));
}

}  // namespace parapet::data
