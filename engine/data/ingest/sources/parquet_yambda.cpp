// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/parquet_yambda.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/text.h"

namespace parapet::data {
namespace {

/// Yambda's columns and what their values are.
constexpr std::array<std::pair<const char*, std::int32_t>, 7> kYambda{
    {{"uid", PS_INTEGER},
     {"timestamp", PS_INTEGER},
     {"item_id", PS_INTEGER},
     {"is_organic", PS_INTEGER},
     {"played_ratio_pct", PS_INTEGER},
     {"track_length_seconds", PS_INTEGER},
     {"event_type", PS_TEXT}}};
constexpr std::size_t kYambdaAlways = 4;  // the first of them are in every file

}  // namespace

const PsColumn* columnNamed(std::span<const PsColumn> columns, std::string_view name) {
  const auto found =
      std::ranges::find_if(columns, [&](const PsColumn& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

Status checkYambda(const std::string& path, std::span<const PsColumn> columns) {
  for (std::size_t i = 0; i < kYambdaAlways; ++i)
    if (!columnNamed(columns, kYambda[i].first)) return {};
  for (const auto& [name, kind] : kYambda) {
    const PsColumn* const column = columnNamed(columns, name);
    if (column && column->kind != kind)
      return badParquet(
          path, fmt::format("has the columns of Yambda, but {} holds {}; {} are "
                            "expected (name `columns` in the document to read it as "
                            "any other file)",
                            name, column->typeName, kind == PS_TEXT ? "texts" : "integers"));
  }
  return {};
}

std::optional<UnrolledRows> unrolledRows(std::span<const PsColumn> columns) {
  const PsColumn* const user = columnNamed(columns, "uid");
  const PsColumn* const item = columnNamed(columns, "item_id");
  const PsColumn* const time = columnNamed(columns, "timestamp");
  const auto isInteger = [](const PsColumn* column, bool isList) {
    return column && column->kind == PS_INTEGER && (column->isList != 0) == isList;
  };
  if (!isInteger(user, false) || !isInteger(item, true) || !isInteger(time, true)) return {};
  return UnrolledRows{static_cast<std::int32_t>(item - columns.data())};
}

}  // namespace parapet::data
