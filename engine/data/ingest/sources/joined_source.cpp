// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/joined_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/sources/catalogue_file.h"
#include "engine/data/ingest/sources/catalogue_join.h"

namespace parapet::data {
namespace {

constexpr std::array<std::string_view, 2> kRoles{"user", "item"};

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
    return sides_[role == kRoles[0] ? 0 : 1];
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
  std::array<Side, 2> sides_;  // by kRoles
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
      Side& side = sides_[files_[f]->info().of == kRoles[0] ? 0 : 1];
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
