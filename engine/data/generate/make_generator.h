// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/parquet/parquet_plugin.h"
#include "engine/data/dataset/row_block.h"
#include "engine/data/dataset/row_generator.h"
#include "engine/data/generate/power_law.h"
#include "engine/experiment/document.h"

namespace parapet::data {

GeneratedColumn integerColumn(std::string name, ParquetType stored);
/// A column of cells that hold several integers.
GeneratedColumn listColumn(std::string name, ParquetType stored);
/// The weights of the list before.
GeneratedColumn weightsColumn(std::string name);
GeneratedColumn textColumn(std::string name, std::span<const std::string_view> words);

/// The settings, if a generator can have them. What generators compute is made of integers and
/// tables only, and takes at most some bytes a user and an item, none a row.
///
/// Errors   InvalidArgument for counts that checkGenerator refuses.
const experiment::Generator& checkedSettings(const experiment::Generator& settings);

/// Assigns the ranks of activity to the users.
Scatter userScatter(const experiment::Generator& settings);
/// Assigns the ranks of popularity to the items.
Scatter itemScatter(const experiment::Generator& settings);

/// Errors   InvalidDocument below /dataset/generator for counts that no generator of the kind can
///          have.
Status checkGenerator(const experiment::Generator& settings);

/// The generator of settings.kind.
///
/// Errors   as checkGenerator.
Result<std::unique_ptr<RowGenerator>> makeGenerator(const experiment::Generator& settings);

/// Room for `count` more integers at the end of a column; null for a column that nobody wants.
std::int64_t* appendIntegers(ColumnValues* column, std::int64_t count);

/// A block of rows of a generator, with all of its columns.
RowBlock generateBlock(const RowGenerator& generator, std::int64_t first, std::int64_t count);

}  // namespace parapet::data
