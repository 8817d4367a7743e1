// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"

namespace parapet::workspace {

/// A matrix whose rows belong to ids of the data: vectors of users or items, a table.
struct LabelledRows {
  std::string name;  ///< "users", "tables/item/weight"
  std::int64_t rows = 0, dim = 0;
  /// Raw ids as in the data, "" where a row has none; null: no row has, as in the weight of a layer.
  std::function<std::string_view(std::int64_t row)> id;
  std::span<const float> values;  ///< [rows, dim], row-major
};

/// A warning of ids in CSV files that spreadsheets take for formulas; "" if there are none.
std::string formulaNote(const std::string& format, std::span<const LabelledRows> matrices);

/// The file of a tensor in a folder: "tables.item.weight.npy" of "tables/item/weight".
std::string exportedFileName(std::string name, std::string_view ending);

/// Writes matrices with their ids as files that others read; returns the files.
///
///   safetensors  one file `out`: <name> f32 [rows, dim]; <name>/ids u8 [bytes], the ids one after
///                the other in UTF-8; <name>/id_ends i64 [rows], where each of them ends
///   npy          folder `out`: <name>.npy f32 [rows, dim], <name>.ids.csv with one column `id`
///   csv          folder `out`: <name>.csv with columns id, v0, v1, …; digits that read back exactly
///   parquet      folder `out`: <name>.parquet with columns id (text) and vector (list of float)
///
/// Without ids their part is left out. A file appears when it is complete.
///
/// Errors   kInvalidDocument for another format; kDevice where the Parquet plugin is missing; kIo;
///          kCancelled.
Result<std::vector<std::filesystem::path>> writeLabelledRows(
    const std::filesystem::path& out, const std::string& format,
    std::span<const LabelledRows> matrices, const std::map<std::string, std::string>& metadata,
    const WorkContext& context);

}  // namespace parapet::workspace
