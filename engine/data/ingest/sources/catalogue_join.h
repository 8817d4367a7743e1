// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/data/dataset/row_block.h"
#include "engine/data/ingest/sources/catalogue_table.h"

namespace parapet::data {

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
  void learn(const CatalogueTable& table, std::size_t fileIndex);
  /// Replaces the ids in the block's column. InvalidArgument before learn(). Thread: any number.
  void apply(RowBlock& block) const;

  [[nodiscard]] std::size_t blockColumn() const { return target_.blockColumn; }
  [[nodiscard]] std::size_t file() const { return target_.file; }
  [[nodiscard]] std::size_t column() const { return target_.column; }
  /// Cells that should be numbers and are none.
  [[nodiscard]] std::int64_t unreadable() const { return unreadable_; }

 private:
  void entriesOf(const ColumnValues& ids, std::vector<std::int32_t>& entries) const;
  void joinTexts(const std::vector<std::int32_t>& entries, ColumnValues& column) const;
  void joinLists(const std::vector<std::int32_t>& entries, ColumnValues& column) const;
  void joinNumbers(const std::vector<std::int32_t>& entries, ColumnValues& column) const;

  Target target_;
  const CatalogueTable* table_ = nullptr;
  std::size_t fileIndex_ = 0;
  // Numbers of every entry, where the column is requested as numbers.
  std::vector<std::int64_t> integers_;
  std::vector<double> numbers_;
  std::vector<std::uint8_t> hasNumber_;
  std::int64_t unreadable_ = 0;
};

}  // namespace parapet::data
