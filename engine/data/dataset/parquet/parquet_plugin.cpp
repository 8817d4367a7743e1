// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/parquet/parquet_plugin.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "engine/base/files.h"
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

ValueType valuesFor(ParquetType type) {
  switch (type) {
    case ParquetType::kFloat:
    case ParquetType::kDouble:
      return ValueType::kNumber;
    case ParquetType::kText:
      return ValueType::kText;
    default:
      return ValueType::kInteger;
  }
}

/// The greatest integer of a type; the least is 0 for all but kInt64.
std::int64_t greatest(ParquetType type) {
  switch (type) {
    case ParquetType::kUint8:
      return std::numeric_limits<std::uint8_t>::max();
    case ParquetType::kUint16:
      return std::numeric_limits<std::uint16_t>::max();
    case ParquetType::kUint32:
      return std::numeric_limits<std::uint32_t>::max();
    case ParquetType::kBool:
      return 1;
    default:
      return std::numeric_limits<std::int64_t>::max();
  }
}

std::size_t countOf(const ColumnValues& values) {
  return std::max({values.integers.size(), values.numbers.size(), values.texts.size()});
}

void check(const ParquetColumn& column, const ColumnValues& values, std::size_t rows) {
  const auto refuse = [&](std::string_view what) {
    throw InvalidArgument(fmt::format("column {}: {}", column.name, what));
  };
  if (values.type != valuesFor(column.type)) refuse("values of another type");
  if (values.isList() != column.isList) refuse("lists where it has none, or the other way round");
  const bool fits = values.isList() ? values.offsets.size() == rows + 1 &&
                                          std::cmp_equal(values.offsets.back(), countOf(values))
                                    : countOf(values) == rows;
  if (!fits || (!values.missing.empty() && values.missing.size() != rows))
    refuse(fmt::format("values for other than the {} rows", rows));
  if (!column.isNullable)
    for (const std::uint8_t missing : values.missing)
      if (missing) refuse("a missing value, and it is not nullable");
  if (values.type != ValueType::kInteger || column.type == ParquetType::kInt64) return;
  const std::int64_t most = greatest(column.type);
  for (const std::int64_t value : values.integers)
    if (value < 0 || value > most) refuse(fmt::format("{}; 0 to {} are accepted", value, most));
}

}  // namespace

ParquetPlugin findParquetPlugin(std::span<const std::filesystem::path> folders,
                                const ProbeJournal& journal) {
  ParquetPlugin found{.reason =
                          "no plugin for Parquet is beside the program; install the package "
                          "parapet-parquet, or build it by `installer/run`, which fetches "
                          "Apache Arrow"};
  if (folders.empty())
    found.reason = "no plugins are loaded, as in safe mode: PARAPET_PLUGIN_PATH names no folder";
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

struct ParquetWriter::State {
  struct Discard {
    const PsWriting* writing;
    void operator()(PsOutput* output) const { writing->discard(output); }
  };

  State(std::filesystem::path target_, std::filesystem::path temporary_, FileWriter file_)
      : target(std::move(target_)), temporary(std::move(temporary_)), file(std::move(file_)) {}

  /// PsWrite: keeps the first error of the file.
  static std::int32_t take(void* context, const void* bytes, std::uint64_t count) {
    State& state = *static_cast<State*>(context);
    if (state.failure) return 0;
    const auto written =
        state.file.write({static_cast<const std::byte*>(bytes), static_cast<std::size_t>(count)});
    if (!written) state.failure = written.error();
    return written.ok() ? 1 : 0;
  }
  /// The error of the file, if there is one, explains that of the plugin.
  [[nodiscard]] Error explain(std::int32_t kind, const PsError& error) const {
    return failure ? *failure : parquetError(kind, error, target.string());
  }

  std::filesystem::path target, temporary;
  FileWriter file;
  std::vector<ParquetColumn> columns;
  std::optional<Error> failure;
  std::unique_ptr<PsOutput, Discard> output;  // before `file`: it writes while it is discarded
};

ParquetWriter::ParquetWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ParquetWriter::ParquetWriter(ParquetWriter&&) noexcept = default;
ParquetWriter& ParquetWriter::operator=(ParquetWriter&&) noexcept = default;
ParquetWriter::~ParquetWriter() = default;

Result<ParquetWriter> ParquetWriter::create(const std::filesystem::path& path,
                                            std::vector<ParquetColumn> columns,
                                            ParquetCompression compression) {
  PARAPET_ASSIGN(const PsPlugin* plugin, requireParquet());
  std::filesystem::path temporary = path;
  temporary += fmt::format(".{}.tmp", ::getpid());
  PARAPET_ASSIGN(FileWriter file, FileWriter::create(temporary));
  auto state = std::make_unique<State>(path, std::move(temporary), std::move(file));
  state->columns = std::move(columns);
  std::vector<PsField> fields;
  for (const ParquetColumn& column : state->columns)
    fields.push_back({column.name.c_str(), static_cast<std::int32_t>(column.type), column.isList,
                      column.isNullable});
  PsOutput* output = nullptr;
  PsError error{};
  const auto kind = plugin->writing->create(fields.data(), static_cast<std::int32_t>(fields.size()),
                                            static_cast<std::int32_t>(compression), State::take,
                                            state.get(), &output, &error);
  if (kind != PS_OK) return state->explain(kind, error);
  state->output = {output, State::Discard{plugin->writing}};
  return ParquetWriter(std::move(state));
}

Status ParquetWriter::write(const RowBlock& rows) {
  State& state = *state_;
  if (rows.columns.size() != state.columns.size())
    throw InvalidArgument(
        fmt::format("{} columns; {} are accepted", rows.columns.size(), state.columns.size()));
  std::vector<std::vector<PsText>> texts(rows.columns.size());
  std::vector<PsValues> values;
  for (std::size_t column = 0; column < rows.columns.size(); ++column) {
    const ColumnValues& from = rows.columns[column];
    check(state.columns[column], from, static_cast<std::size_t>(rows.rows));
    for (const std::string_view text : from.texts)
      texts[column].push_back({text.data(), text.size()});
    values.push_back({from.integers.data(), from.numbers.data(), texts[column].data(),
                      from.missing.empty() ? nullptr : from.missing.data(),
                      from.isList() ? from.offsets.data() : nullptr});
  }
  PsError error{};
  const PsWriting& writing = *state.output.get_deleter().writing;
  const auto kind = writing.append(state.output.get(), rows.rows, values.data(), &error);
  if (kind != PS_OK) return state.explain(kind, error);
  return {};
}

Status ParquetWriter::finish() {
  State& state = *state_;
  PsError error{};
  const PsWriting& writing = *state.output.get_deleter().writing;
  if (const auto kind = writing.complete(state.output.get(), &error); kind != PS_OK)
    return state.explain(kind, error);
  PARAPET_TRY(state.file.finish());
  std::error_code refusal;
  std::filesystem::rename(state.temporary, state.target, refusal);
  if (refusal) {
    std::filesystem::remove(state.temporary);
    return ioError("replace", state.target, refusal.value());
  }
  return syncFolder(state.target.has_parent_path() ? state.target.parent_path() : ".");
}

}  // namespace parapet::data
