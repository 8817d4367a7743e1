// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/source_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/data/dataset/row_block.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/sources/catalogue_file.h"
#include "engine/data/ingest/sources/catalogue_table.h"

namespace parapet::data {
namespace {

/// Puts what a catalogue knows in the place of the ids that it is looked up by: one column of the
/// blocks of a source.
class CatalogueJoin {
 public:
  struct Target {
    std::size_t blockColumn = 0;
    ValueType type = ValueType::kText;
    std::string separator{};  ///< not "": a text is a list of what stands between these
    bool isList = false;
    std::size_t file = 0;    ///< of the source
    std::size_t column = 0;  ///< of the file
  };

  explicit CatalogueJoin(Target target) : target_(std::move(target)) {}

  /// `table` has the file at `fileIndex`, and outlives the join.
  void learn(const CatalogueTable& table, std::size_t fileIndex) {
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

  /// Replaces the ids in the block's column. InvalidArgument before learn(). Thread: any number.
  void apply(RowBlock& block) const {
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

  [[nodiscard]] std::size_t blockColumn() const { return target_.blockColumn; }
  [[nodiscard]] std::size_t file() const { return target_.file; }
  [[nodiscard]] std::size_t column() const { return target_.column; }
  /// Cells that should be numbers and are none.
  [[nodiscard]] std::int64_t unreadable() const { return unreadable_; }

 private:
  void entriesOf(const ColumnValues& ids, std::vector<std::int32_t>& entries) const {
    const bool areTexts = ids.type == ValueType::kText;
    const std::size_t count = areTexts ? ids.texts.size() : ids.integers.size();
    entries.resize(count);
    for (std::size_t row = 0; row < count; ++row)
      entries[row] = ids.isMissing(row) ? -1
                     : areTexts         ? table_->find(ids.texts[row])
                                        : table_->find(ids.integers[row]);
  }

  void joinTexts(const std::vector<std::int32_t>& entries, ColumnValues& column) const {
    column.texts.resize(entries.size());
    for (std::size_t row = 0; row < entries.size(); ++row) {
      column.texts[row] = table_->cell(fileIndex_, target_.column, entries[row]);
      if (!column.texts[row].empty()) continue;
      if (column.missing.empty()) column.missing.resize(entries.size());
      column.missing[row] = 1;
    }
  }

  void joinLists(const std::vector<std::int32_t>& entries, ColumnValues& column) const {
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

  void joinNumbers(const std::vector<std::int32_t>& entries, ColumnValues& column) const {
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

  Target target_;
  const CatalogueTable* table_ = nullptr;
  std::size_t fileIndex_ = 0;
  // Numbers of every entry, where the column is requested as numbers.
  std::vector<std::int64_t> integers_;
  std::vector<double> numbers_;
  std::vector<std::uint8_t> hasNumber_;
  std::int64_t unreadable_ = 0;
};

constexpr std::array<std::string_view, 2> kSides{"user", "item"};

class JoinedSource final : public Source {
 public:
  JoinedSource(std::unique_ptr<Source> rows, const experiment::Dataset& spec)
      : rows_(std::move(rows)) {
    for (const experiment::Column& column : columnsOf(spec, rows_->columns())) {
      Side& side = column.role == experiment::ColumnRole::kUser ? sides_[0] : sides_[1];
      if (column.role != experiment::ColumnRole::kUser &&
          column.role != experiment::ColumnRole::kItem)
        continue;
      side.idColumn = column.originName();
      const auto found = std::ranges::find(rows_->columns(), side.idColumn, &SourceColumn::name);
      side.isThere = found != rows_->columns().end();
      if (side.isThere && found->type == ValueType::kInteger) side.idType = ValueType::kInteger;
    }
    columns_ = rows_->columns();
  }

  [[nodiscard]] std::string idOf(std::string_view role) const { return sideOf(role).idColumn; }
  void add(std::vector<std::unique_ptr<CatalogueFile>> files) {
    for (auto& file : files) {
      const std::size_t index = files_.size();
      for (std::size_t c = 0; c < file->info().columns.size(); ++c) {
        const CatalogueColumn& column = file->info().columns[c];
        if (column.name.empty()) continue;
        if (const std::string name = freeName(file->info().of, column.name); name != column.name)
          file->renameColumn(c, name);
        const CatalogueColumn& named = file->info().columns[c];
        columns_.push_back({named.name, named.type, named.isList});
        known_.push_back({named.name, index, c});
      }
      rejected_.emplace_back(file->fileName());
      files_.push_back(std::move(file));
    }
  }
  [[nodiscard]] bool hasCatalogues() const { return !files_.empty(); }
  std::unique_ptr<Source> takeRows() { return std::move(rows_); }

  [[nodiscard]] const std::vector<SourceColumn>& columns() const override { return columns_; }
  [[nodiscard]] std::string absenceOf(std::string_view column) const override {
    return rows_->absenceOf(column);
  }
  Status select(std::span<const ColumnRequest> requests) override;
  void pushDown(std::span<const ColumnBound> bounds) override {
    std::vector<ColumnBound> own;
    for (const ColumnBound& bound : bounds)
      if (!find(bound.column)) own.push_back(bound);
    rows_->pushDown(own);
  }
  Result<bool> next(Piece& piece) override { return rows_->next(piece); }
  Status parse(const Piece& piece, RowBlock& block) const override {
    PARAPET_TRY(rows_->parse(piece, block));
    for (const CatalogueJoin& join : joins_) join.apply(block);
    return {};
  }
  [[nodiscard]] std::string excerpt(const Piece& piece, std::int64_t line) const override {
    return rows_->excerpt(piece, line);
  }

  Status hashInto(Hasher& hasher, const WorkContext& context) const override {
    PARAPET_TRY(rows_->hashInto(hasher, context));
    for (const auto& file : files_) PARAPET_TRY(file->hashInto(hasher, context));
    return {};
  }
  Status readCatalogues(CatalogueExtent extent, const WorkContext& context) override;
  [[nodiscard]] const CatalogueTable* catalogue(std::string_view role) const override {
    if (role != "user" && role != "item") return nullptr;
    const Side& side = sideOf(role);
    return side.table ? &*side.table : nullptr;
  }
  [[nodiscard]] std::string catalogueName(std::string_view role) const override {
    return rows_->catalogueName(role);
  }
  [[nodiscard]] std::string_view describes(std::string_view column) const override {
    const Known* known = find(column);
    return known ? std::string_view(files_[known->file]->info().of) : std::string_view();
  }
  void readEntities(std::string_view role, std::span<const std::string_view> ids,
                    RowBlock& block) const override;
  [[nodiscard]] std::string fileName() const override { return rows_->fileName(); }
  [[nodiscard]] std::int64_t linesBefore() const override { return rows_->linesBefore(); }
  [[nodiscard]] std::int64_t done() const override { return rows_->done(); }
  [[nodiscard]] std::int64_t total() const override { return rows_->total(); }
  [[nodiscard]] std::vector<const Quarantine*> quarantines() const override {
    std::vector<const Quarantine*> all = rows_->quarantines();
    for (const Quarantine& rejected : rejected_) all.push_back(&rejected);
    return all;
  }
  [[nodiscard]] std::vector<std::string> warnings() const override {
    std::vector<std::string> all = rows_->warnings();
    all.insert(all.end(), warnings_.begin(), warnings_.end());
    return all;
  }

 private:
  // The ids of a role, and what is known of them.
  struct Side {
    std::string idColumn{};
    bool isThere = false;
    ValueType idType = ValueType::kText;
    std::optional<CatalogueTable> table{};
  };
  // A column that a catalogue gives.
  struct Known {
    std::string name;
    std::size_t file, column;
  };
  // A column of the blocks to come.
  struct Selected {
    ValueType type;
    bool isList;
  };

  [[nodiscard]] const Side& sideOf(std::string_view role) const {
    return sides_[role == kSides[0] ? 0 : 1];
  }
  [[nodiscard]] const Known* find(std::string_view column) const {
    const auto found = std::ranges::find(known_, column, &Known::name);
    return found == known_.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool isTaken(const std::string& name) const {
    return std::ranges::find(columns_, name, &SourceColumn::name) != columns_.end();
  }
  [[nodiscard]] std::string freeName(const std::string& role, const std::string& name) const {
    if (!isTaken(name)) return name;
    std::string other = role + "." + name;
    for (int number = 2; isTaken(other); ++number)
      other = fmt::format("{}.{}-{}", role, name, number);
    return other;
  }
  Result<ColumnRequest> idsInsteadOf(const Known& known, const ColumnRequest& request);
  void learnJoins();

  std::unique_ptr<Source> rows_;
  std::array<Side, 2> sides_;  // by kSides
  std::vector<SourceColumn> columns_;
  std::vector<std::unique_ptr<CatalogueFile>> files_;
  std::vector<Known> known_;
  std::vector<Quarantine> rejected_;  // by file
  std::vector<std::string> warnings_;
  std::vector<Selected> selected_;
  std::vector<CatalogueJoin> joins_;
  std::vector<std::size_t> fileIndex_;  // of each file among those of its role
  bool isRead_ = false;
};

// The request for the ids that a column of a catalogue is looked up by, which replaces its own.
Result<ColumnRequest> JoinedSource::idsInsteadOf(const Known& known, const ColumnRequest& request) {
  const CatalogueInfo& info = files_[known.file]->info();
  const CatalogueColumn& column = info.columns[known.column];
  const Side& side = sideOf(info.of);
  if (!side.isThere)
    return wrongRequest(fmt::format(
        "column \"{}\" of {} needs the ids of the {}, and the data have "
        "no column of them{}{}",
        known.name, info.file, info.of, side.idColumn.empty() ? "" : " called ", side.idColumn));
  const ValueType type = request.type.value_or(column.type);
  if (column.type == ValueType::kText && type != ValueType::kText)
    return wrongRequest(
        fmt::format("column \"{}\" is text; a numeric column is accepted here", known.name));
  if (!request.separator.empty() && type != ValueType::kText)
    return wrongRequest(fmt::format("column \"{}\" is one number a row, no list", known.name));
  if (!request.separator.empty() && !request.weightSeparator.empty())
    return wrongRequest(
        fmt::format("column \"{}\" has no weights; weights null is accepted", known.name));
  return ColumnRequest{side.idColumn, side.idType, {}, {}, request.pointer};
}

Status JoinedSource::select(std::span<const ColumnRequest> requests) {
  std::vector<ColumnRequest> own;
  selected_.clear();
  joins_.clear();
  for (const ColumnRequest& request : requests) {
    const Known* known = find(request.name);
    const auto found = std::ranges::find(columns_, request.name, &SourceColumn::name);
    if (!known || found == columns_.end()) {
      own.push_back(request);
      const bool isList = !request.separator.empty() || (found != columns_.end() && found->isList);
      const ValueType type = found == columns_.end() ? ValueType::kText : found->type;
      selected_.push_back({request.type.value_or(type), isList});
      if (!request.separator.empty() && !request.weightSeparator.empty())
        selected_.push_back({ValueType::kNumber, true});
      continue;
    }
    PARAPET_ASSIGN(const ColumnRequest ids, idsInsteadOf(*known, request));
    const bool isList = !request.separator.empty() || found->isList;
    joins_.push_back(CatalogueJoin({.blockColumn = selected_.size(),
                                    .type = request.type.value_or(found->type),
                                    .separator = found->isList ? std::string() : request.separator,
                                    .isList = isList,
                                    .file = known->file,
                                    .column = known->column}));
    selected_.push_back({request.type.value_or(found->type), isList});
    own.push_back(ids);
  }
  if (isRead_) learnJoins();
  return rows_->select(own);
}

Status JoinedSource::readCatalogues(CatalogueExtent extent, const WorkContext& context) {
  // Enough to look at; a preview of a large catalogue does not wait for its end.
  constexpr std::int64_t kStart = 1'000'000;
  const std::int64_t atMost =
      extent == CatalogueExtent::kStart ? kStart : std::numeric_limits<std::int64_t>::max();
  if (!std::exchange(isRead_, true)) {
    // Where each file stands among those of its role.
    std::vector<std::size_t> fileIndex(files_.size());
    for (std::size_t f = 0; f < files_.size(); ++f) {
      Side& side = sides_[files_[f]->info().of == kSides[0] ? 0 : 1];
      if (!side.table) side.table.emplace(side.idType);
      fileIndex[f] = side.table->files();
      side.table->begin(files_[f]->info());
      PARAPET_TRY(files_[f]->read(*side.table, rejected_[f], atMost, context));
      for (std::string& warning : files_[f]->warnings()) warnings_.push_back(std::move(warning));
    }
    fileIndex_ = std::move(fileIndex);
  }
  learnJoins();
  return {};
}

void JoinedSource::learnJoins() {
  for (CatalogueJoin& join : joins_) {
    const CatalogueInfo& info = files_[join.file()]->info();
    join.learn(*sideOf(info.of).table, fileIndex_[join.file()]);
    if (join.unreadable() == 0) continue;
    warnings_.push_back(
        fmt::format("{} cells of the column \"{}\" of {} are no numbers; they are "
                    "missing",
                    formatCount(join.unreadable()), info.columns[join.column()].name, info.file));
  }
}

void JoinedSource::readEntities(std::string_view role, std::span<const std::string_view> ids,
                                RowBlock& block) const {
  const std::size_t count = ids.size();
  block.clear();
  block.columns.resize(selected_.size());
  block.rows = block.lines = static_cast<std::int64_t>(count);
  for (std::size_t c = 0; c < selected_.size(); ++c) {
    ColumnValues& column = block.columns[c];
    column.clear();
    column.type = selected_[c].type;
    if (column.type == ValueType::kInteger)
      column.integers.assign(selected_[c].isList ? 0 : count, 0);
    if (column.type == ValueType::kNumber)
      column.numbers.assign(selected_[c].isList ? 0 : count, 0);
    if (column.type == ValueType::kText) column.texts.assign(selected_[c].isList ? 0 : count, {});
    if (selected_[c].isList)
      column.offsets.assign(count + 1, 0);
    else
      column.missing.assign(count, 1);
  }
  const Side& side = sideOf(role);
  for (const CatalogueJoin& join : joins_) {
    if (files_[join.file()]->info().of != role) continue;
    ColumnValues& column = block.columns[join.blockColumn()];
    column.clear();
    column.type = side.idType;
    if (side.idType == ValueType::kText) {
      column.texts.assign(ids.begin(), ids.end());
    } else {
      constexpr std::int64_t kNoId = std::numeric_limits<std::int64_t>::min();
      for (const std::string_view id : ids) column.integers.push_back(parseInt(id).value_or(kNoId));
    }
    join.apply(block);
  }
}

}  // namespace

Result<std::vector<std::unique_ptr<CatalogueFile>>> Source::openCatalogues() const {
  return std::vector<std::unique_ptr<CatalogueFile>>();
}

Result<std::unique_ptr<Source>> joinCatalogues(std::unique_ptr<Source> rows,
                                               const experiment::Dataset& spec) {
  PARAPET_ASSIGN(auto own, rows->openCatalogues());
  auto joined = std::make_unique<JoinedSource>(std::move(rows), spec);
  joined->add(std::move(own));
  PARAPET_ASSIGN(auto named, openCatalogueFiles(
                                 spec, [&](std::string_view role) { return joined->idOf(role); }));
  joined->add(std::move(named));
  if (!joined->hasCatalogues()) return joined->takeRows();
  return std::unique_ptr<Source>(std::move(joined));
}

}  // namespace parapet::data
