// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/generate/power_law.h"
#include "engine/data/sources/parquet_writer.h"
#include "engine/data/sources/row_block.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// A column that a generator makes.
struct GeneratedColumn {
  SourceColumn source;
  ParquetType stored = ParquetType::kInt64;  ///< narrowest type that holds its values
  bool mayBeMissing = false;
  /// Weights of the values of the column before, list for list; in text they follow the values
  /// ("7:0.5") and are no column of their own.
  bool weighsPrevious = false;
  std::vector<std::string_view> words{};  ///< of a column of texts: those that occur
};

GeneratedColumn integerColumn(std::string name, ParquetType stored);
/// A column of cells that hold several integers.
GeneratedColumn listColumn(std::string name, ParquetType stored);
/// The weights of the list before.
GeneratedColumn weightsColumn(std::string name);
GeneratedColumn textColumn(std::string name, std::span<const std::string_view> words);

/// A generated table. Integers and tables only, so every machine makes the same bits; a row is a
/// pure function of settings and index, so any part can be made by itself. Cheap in memory: at most
/// some bytes a user and an item, none a row.
///
/// Thread   const, so any number of threads.
class RowGenerator {
 public:
  /// InvalidArgument for counts that checkGenerator refuses.
  explicit RowGenerator(const experiment::Generator& settings);
  virtual ~RowGenerator() = default;

  [[nodiscard]] const experiment::Generator& settings() const { return settings_; }
  [[nodiscard]] std::int64_t rows() const { return settings_.events; }
  [[nodiscard]] virtual const std::vector<GeneratedColumn>& columns() const = 0;
  /// Appends rows [first, first + count) to targets[c] for column c; null: not wanted. Texts live
  /// as long as the program.
  virtual void fill(std::int64_t first, std::int64_t count,
                    std::span<ColumnValues* const> targets) const = 0;

 protected:
  /// Which user has which rank, and which item.
  [[nodiscard]] Scatter userScatter() const;
  [[nodiscard]] Scatter itemScatter() const;

 private:
  experiment::Generator settings_;
};

/// Errors   InvalidDocument below /dataset/generator for counts that no generator of the kind can
///          have.
Status checkGenerator(const experiment::Generator& settings);

/// The generator of settings.kind.
///
/// Errors   as checkGenerator.
Result<std::unique_ptr<RowGenerator>> makeGenerator(const experiment::Generator& settings);

/// Room for `count` more integers at the end of a column.
std::int64_t* appendIntegers(ColumnValues& column, std::int64_t count);

/// A block of rows of a generator, with all of its columns.
RowBlock generateBlock(const RowGenerator& generator, std::int64_t first, std::int64_t count);

}  // namespace parapet::data
