// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/mesh/plugin_communicator.h"

namespace parapet::mesh {
namespace {

constexpr std::string_view kLocal = "local";

// Every slot of a table behind structSize is a function. A plugin need not have the table.
template <class Table>
bool isWhole(const Table* table) {
  if (!table) return true;
  if (table->structSize < sizeof(Table)) return false;
  constexpr std::size_t kFirst = offsetof(Table, create);
  std::array<void*, (sizeof(Table) - kFirst) / sizeof(void*)> slots{};
  std::memcpy(slots.data(), reinterpret_cast<const std::byte*>(table) + kFirst, sizeof slots);
  return std::ranges::all_of(slots, [](const void* slot) { return slot != nullptr; });
}

PluginOpening probe(const PcPlugin& plugin) {
  if (plugin.structSize < sizeof(PcPlugin))
    return {PluginOutcome::kInitFailed, "its table is shorter than this ABI's"};
  if (!plugin.name || (!plugin.collectives && !plugin.transport) || !isWhole(plugin.collectives) ||
      !isWhole(plugin.transport))
    return {PluginOutcome::kInitFailed, "its table has empty slots"};
  if (plugin.name == kLocal)
    return {PluginOutcome::kInitFailed, "it calls itself local, as what needs no plugin is called"};
  return {};
}

CommunicatorPlugin opened(const std::filesystem::path& file, const ProbeJournal& journal) {
  PluginOpening opening =
      tryPlugin(file, {PC_ABI_VERSION, PARAPET_BUILD_TAG, PluginKind::kCommunicator}, journal,
                [](const void* table) { return probe(*static_cast<const PcPlugin*>(table)); });
  const auto* const table = static_cast<const PcPlugin*>(opening.table);
  return {opening.outcome,
          table ? printable(table->name) : file.stem().string(),
          std::move(opening.reason),
          file.string(),
          table ? table->collectives : nullptr,
          table ? table->transport : nullptr};
}

}  // namespace

std::vector<CommunicatorPlugin> findCommunicatorPlugins(
    std::span<const std::filesystem::path> folders, const ProbeJournal& journal) {
  std::vector<CommunicatorPlugin> found;
  for (const auto& folder : folders)
    if (const auto files = pluginFiles(folder / "communicators"))
      for (const auto& file : *files) found.push_back(opened(file, journal));
  return found;
}

const std::vector<CommunicatorPlugin>& communicatorPlugins() {
  static const std::vector<CommunicatorPlugin> plugins = [] {
    auto found = findCommunicatorPlugins(pluginFolders(), ProbeJournal::ofUser());
    for (const CommunicatorPlugin& plugin : found)
      if (isFault(plugin.outcome))
        log(LogLevel::kWarning, fmt::format("{}: {}: {}", plugin.file,
                                            pluginOutcomeName(plugin.outcome), plugin.reason));
    return found;
  }();
  return plugins;
}

Result<CommunicatorFactory> communicatorsNamed(const std::string& name,
                                               const std::vector<CommunicatorPlugin>& plugins) {
  if (name.empty() || name == kLocal) return localCommunicators();
  std::vector<std::string> accepted{std::string(kLocal)}, refused;
  for (const CommunicatorPlugin& plugin : plugins) {
    if (plugin.collectives && plugin.name == name)
      return CommunicatorFactory(
          [&table = *plugin.collectives](std::span<const tensor::Device> devices, Workers*) {
            return makePluginCommunicator(table, devices);
          });
    if (plugin.collectives)
      accepted.push_back(plugin.name);
    else if (plugin.transport)
      refused.push_back(plugin.name + " (it connects processes; this is one)");
    else
      refused.push_back(fmt::format("{} ({}: {})", plugin.file, pluginOutcomeName(plugin.outcome),
                                    plugin.reason));
  }
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("PARAPET_COMMUNICATOR is \"{}\"{}; accepted here: {}{}{}",
                           printable(name), didYouMean(name, accepted), join(accepted),
                           refused.empty() ? "" : "; cannot be used: ", join(refused))};
}

Result<CommunicatorFactory> chosenCommunicators() {
  const char* const named = std::getenv("PARAPET_COMMUNICATOR");
  if (!named || !*named) return localCommunicators();
  return communicatorsNamed(named, communicatorPlugins());
}

}  // namespace parapet::mesh
