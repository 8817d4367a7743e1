// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/parquet/parquet_plugin.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "engine/base/log.h"
#include "engine/base/text.h"

namespace parapet::data {
namespace {

/// Whether every slot of a table behind structSize is filled; all of them are functions.
template <class Table>
bool isWhole(const Table* table) {
  if (!table || table->structSize < sizeof(Table)) return false;
  constexpr std::size_t kFirst = alignof(Table);
  std::array<void*, (sizeof(Table) - kFirst) / sizeof(void*)> slots{};
  std::memcpy(slots.data(), reinterpret_cast<const std::byte*>(table) + kFirst, sizeof slots);
  for (const void* slot : slots)
    if (!slot) return false;
  return true;
}

PluginOpening probe(const PsPlugin& plugin) {
  if (plugin.structSize < sizeof(PsPlugin))
    return {PluginOutcome::kInitFailed, "its table is shorter than this ABI's"};
  if (!plugin.name || !plugin.library || !isWhole(plugin.reading) || !isWhole(plugin.writing))
    return {PluginOutcome::kInitFailed, "its table has empty slots"};
  if (plugin.name != std::string_view("parquet"))
    return {PluginOutcome::kNotChosen,
            fmt::format("it reads {}; parquet is wanted", printable(plugin.name))};
  return {};
}

}  // namespace

ParquetPlugin findParquetPlugin(std::span<const std::filesystem::path> folders,
                                const ProbeJournal& journal) {
  ParquetPlugin found{.reason =
                          "no plugin for Parquet is beside the program; `installer/run` "
                          "fetches Apache Arrow and builds it"};
  for (const auto& folder : folders) {
    const auto files = pluginFiles(folder / "sources");
    if (!files) continue;
    for (const auto& file : *files) {
      PluginOpening opening =
          tryPlugin(file, {PS_ABI_VERSION, PARAPET_BUILD_TAG, PluginKind::kSource}, journal,
                    [](const void* table) { return probe(*static_cast<const PsPlugin*>(table)); });
      if (opening.outcome == PluginOutcome::kNotChosen) continue;
      found = {opening.outcome, std::move(opening.reason), file.string(),
               static_cast<const PsPlugin*>(opening.table)};
      if (found.table) return found;
    }
  }
  return found;
}

const ParquetPlugin& parquetPlugin() {
  static const ParquetPlugin plugin = [] {
    ParquetPlugin found = findParquetPlugin(pluginFolders(), ProbeJournal::ofUser());
    if (isFault(found.outcome))
      log(LogLevel::kWarning,
          fmt::format("{}: {}: {}", found.file, pluginOutcomeName(found.outcome), found.reason));
    return found;
  }();
  return plugin;
}

Result<const PsPlugin*> requireParquet() {
  const ParquetPlugin& plugin = parquetPlugin();
  if (plugin.table) return plugin.table;
  return Error{ErrorCode::kDevice,
               fmt::format("Parquet files cannot be read or written: the plugin is {}: {}",
                           pluginOutcomeName(plugin.outcome), plugin.reason),
               "", plugin.file};
}

Error parquetError(std::int32_t kind, const PsError& error, const std::string& path,
                   const std::string& where) {
  constexpr std::size_t kTextBytes = 500;
  const std::string location = where.empty() ? path : fmt::format("{}, {}", path, where);
  const std::string said = printable(error.text, kTextBytes);
  if (kind == PS_IO) return {ErrorCode::kIo, fmt::format("{}: {}", location, said), "", path};
  if (kind == PS_OUT_OF_MEMORY)
    return {ErrorCode::kData,
            fmt::format("{} asks for more memory than there is: {}", location, said), "", path};
  if (kind == PS_FAILED)
    return {ErrorCode::kDevice,
            fmt::format("the plugin for Parquet failed at {}: {}", location, said), "", path};
  return {ErrorCode::kData, fmt::format("{} cannot be read as Parquet: {}", location, said), "",
          path};
}

}  // namespace parapet::data
