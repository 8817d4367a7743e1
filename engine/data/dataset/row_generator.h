// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/parquet/parquet_plugin.h"
#include "engine/data/dataset/row_block.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// The ids of one column as a generator knows them besides the rows.
struct Catalogue {
  struct Entry {
    std::string id;
    std::string title;
    std::vector<std::string> attributes;  ///< as many as attributeNames
  };
  std::vector<std::string> attributeNames;
  std::vector<Entry> entries;
};

/// The 19 genres of MovieLens-100K in the order of the flags of u.item.
const std::vector<std::string>& movielensGenres();

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

/// A generated table. A row is a pure function of the settings and its index, so any part can be
/// made by itself, and every machine makes the same bits.
///
/// Thread   const, so any number of threads.
class RowGenerator {
 public:
  virtual ~RowGenerator() = default;

  [[nodiscard]] const experiment::Generator& settings() const { return settings_; }
  [[nodiscard]] std::int64_t rows() const { return settings_.events; }
  [[nodiscard]] virtual const std::vector<GeneratedColumn>& columns() const = 0;
  /// Appends rows [first, first + count) to targets[c] for column c; null: not wanted. Texts live
  /// as long as the program.
  virtual void fill(std::int64_t first, std::int64_t count,
                    std::span<ColumnValues* const> targets) const = 0;
  /// A row as a message shows it.
  [[nodiscard]] virtual std::string line(std::int64_t row) const = 0;
  /// Whether it describes its users and items: then catalogue() has an entry for each of them.
  [[nodiscard]] virtual bool hasCatalogues() const { return false; }
  /// role   "user" or "item".
  [[nodiscard]] virtual Catalogue catalogue(std::string_view) const { return {}; }

 protected:
  explicit RowGenerator(const experiment::Generator& settings) : settings_(settings) {}

 private:
  experiment::Generator settings_;
};

/// Makes the generator of the settings; makeGenerator of `generate` is one.
using GeneratorFactory =
    std::function<Result<std::unique_ptr<RowGenerator>>(const experiment::Generator& settings)>;

}  // namespace parapet::data
