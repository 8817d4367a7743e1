// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/plugin_trial.h"
#include "engine/base/probe_journal.h"
#include "engine/base/result.h"

namespace parapet {

/// The outcome of opening a plugin that is installed, or that could be.
enum class PluginOutcome {
  kLoaded,         ///< in use
  kNotChosen,      ///< usable; a better one of its kind is in use
  kNotInstalled,   ///< there is none of this kind
  kNotSupported,   ///< the probe says that this machine cannot run it
  kNotALibrary,    ///< the file is no shared object
  kCannotLoad,     ///< a shared object that the system's loader refuses
  kMissingSymbol,  ///< it lacks a symbol that every plugin has
  kWrongAbi,       ///< it has another version of the plugin ABI
  kWrongBuildTag,  ///< it belongs to another build
  kInitFailed,     ///< it could not start
  kDisabled,       ///< it hung, or ended its process, when it was last tried
  kWrongSetting,   ///< the user asked for something that is not here
};

/// For people and programs: "loaded", "not chosen", "wrong ABI", …
const char* pluginOutcomeName(PluginOutcome outcome);
/// Something is installed or set that should work and does not.
bool isFault(PluginOutcome outcome);

/// The outcome of opening a plugin.
struct PluginOpening {
  PluginOutcome outcome = PluginOutcome::kLoaded;
  std::string reason{};         ///< why not, with what was found and what is accepted; "" if loaded
  const void* table = nullptr;  ///< what parapet_plugin() returned; valid until the process ends
};

/// Where plugins are looked for: the folders of PARAPET_PLUGIN_PATH (between colons) if it is set,
/// else ../lib/parapet/plugins beside the program's own folder.
std::vector<std::filesystem::path> pluginFolders();

/// The shared objects (*.so) of a folder by name. kNotFound if there is no such folder, kIo if it
/// cannot be read.
Result<std::vector<std::filesystem::path>> pluginFiles(const std::filesystem::path& folder);

/// Opens a plugin, compares ABI version and build tag, and only then asks for its table. What is
/// refused is closed again; what is accepted stays for the life of the process, because pointers
/// into it are everywhere.
///
/// Thread   one caller at a time.
PluginOpening openPlugin(const std::filesystem::path& file, const PluginContract& contract);

/// Asks the table of an opened plugin whether it is whole and works here: an outcome and a reason.
using PluginProbe = std::function<PluginOpening(const void* table)>;

/// How long a plugin may take to be opened and probed in its trial. A driver that starts on a busy
/// machine takes a few seconds.
inline constexpr std::chrono::milliseconds kTrialLimit{20'000};

/// Opens and probes a plugin. Before that it has its trial in a child process, whose end the
/// journal remembers for this file and this build, so that a later start pays for reading a small
/// file. One that hung or ended its process in the trial is not opened in this boot: kDisabled; so
/// is one that passed it and then crashes the program twice in a row. Where the program of the
/// trial is missing, plugins are opened without one and a warning says so; two deaths in a row are
/// then enough.
///
/// Thread   one caller at a time.
PluginOpening tryPlugin(const std::filesystem::path& file, const PluginContract& contract,
                        const ProbeJournal& journal, const PluginProbe& probe);

}  // namespace parapet
