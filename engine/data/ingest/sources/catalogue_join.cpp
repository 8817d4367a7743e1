// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/catalogue_join.h"

#include <cmath>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/text.h"

namespace parapet::data {

void CatalogueJoin::learn(const CatalogueTable& table, std::size_t fileIndex) {
  table_ = &table;
  fileIndex_ = fileIndex;
  unreadable_ = 0;
  if (target_.type == ValueType::kText) return;
  const auto count = static_cast<std::size_t>(table.size());
  hasNumber_.assign(count, 0);
  const bool whole = target_.type == ValueType::kInteger;
  if (whole)
    integers_.assign(count, 0);
  else
    numbers_.assign(count, 0.0);
  for (std::size_t entry = 0; entry < count; ++entry) {
    const std::string_view text =
        trim(table.cell(fileIndex, target_.column, static_cast<std::int32_t>(entry)));
    if (text.empty()) continue;
    const auto integer = whole ? parseInt(text) : std::nullopt;
    const auto number = whole ? std::nullopt : parseDouble(text);
    if (integer) integers_[entry] = *integer;
    if (number && std::isfinite(*number)) numbers_[entry] = *number;
    hasNumber_[entry] = integer || (number && std::isfinite(*number));
    unreadable_ += !hasNumber_[entry];
  }
}

void CatalogueJoin::entriesOf(const ColumnValues& ids, std::vector<std::int32_t>& entries) const {
  const bool areTexts = ids.type == ValueType::kText;
  const std::size_t count = areTexts ? ids.texts.size() : ids.integers.size();
  entries.resize(count);
  for (std::size_t row = 0; row < count; ++row)
    entries[row] = ids.isMissing(row) ? -1
                   : areTexts         ? table_->find(ids.texts[row])
                                      : table_->find(ids.integers[row]);
}

void CatalogueJoin::apply(RowBlock& block) const {
  if (!table_) throw InvalidArgument("[CatalogueJoin] rows before readCatalogues()");
  ColumnValues& column = block.columns[target_.blockColumn];
  std::vector<std::int32_t> entries;
  entriesOf(column, entries);
  column.clear();
  column.type = target_.type;
  if (target_.type != ValueType::kText)
    joinNumbers(entries, column);
  else if (target_.isList)
    joinLists(entries, column);
  else
    joinTexts(entries, column);
}

void CatalogueJoin::joinTexts(const std::vector<std::int32_t>& entries,
                              ColumnValues& column) const {
  column.texts.resize(entries.size());
  for (std::size_t row = 0; row < entries.size(); ++row) {
    column.texts[row] = table_->cell(fileIndex_, target_.column, entries[row]);
    if (!column.texts[row].empty()) continue;
    if (column.missing.empty()) column.missing.resize(entries.size());
    column.missing[row] = 1;
  }
}

void CatalogueJoin::joinLists(const std::vector<std::int32_t>& entries,
                              ColumnValues& column) const {
  column.offsets.assign(1, 0);
  std::vector<std::string_view> values;
  for (const std::int32_t entry : entries) {
    if (target_.separator.empty()) {
      table_->list(fileIndex_, target_.column, entry, values);
      column.texts.insert(column.texts.end(), values.begin(), values.end());
    } else {
      std::string_view rest = table_->cell(fileIndex_, target_.column, entry);
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(target_.separator), rest.size());
        if (end > 0) column.texts.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + target_.separator.size(), rest.size()));
      }
    }
    column.offsets.push_back(static_cast<std::int32_t>(column.texts.size()));
  }
}

void CatalogueJoin::joinNumbers(const std::vector<std::int32_t>& entries,
                                ColumnValues& column) const {
  const bool whole = target_.type == ValueType::kInteger;
  if (whole)
    column.integers.assign(entries.size(), 0);
  else
    column.numbers.assign(entries.size(), 0.0);
  for (std::size_t row = 0; row < entries.size(); ++row) {
    const std::int32_t entry = entries[row];
    if (entry >= 0 && hasNumber_[static_cast<std::size_t>(entry)]) {
      if (whole)
        column.integers[row] = integers_[static_cast<std::size_t>(entry)];
      else
        column.numbers[row] = numbers_[static_cast<std::size_t>(entry)];
      continue;
    }
    if (column.missing.empty()) column.missing.resize(entries.size());
    column.missing[row] = 1;
  }
}

}  // namespace parapet::data
