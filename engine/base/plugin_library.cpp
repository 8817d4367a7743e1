// SPDX-License-Identifier: Apache-2.0
#include "engine/base/plugin_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/base/process.h"
#include "engine/base/text.h"

namespace parapet {
namespace {

namespace fs = std::filesystem;

struct Closer {
  void operator()(void* library) const { ::dlclose(library); }
};
using Library = std::unique_ptr<void, Closer>;

template <class Function>
Function* symbol(const Library& library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library.get(), name));
}

/// Tells a file that is no library at all from one whose own libraries are missing.
bool beginsAsElf(const fs::path& file) {
  char head[4] = {};
  std::ifstream(file, std::ios::binary).read(head, sizeof head);
  return std::string_view(head, sizeof head) ==
         "\x7f"
         "ELF";
}

PluginOpening refused(PluginOutcome outcome, std::string reason) {
  return {outcome, std::move(reason)};
}

PluginOpening lacks(const char* name) {
  return refused(PluginOutcome::kMissingSymbol,
                 fmt::format("it has no symbol {}, which every plugin exports", name));
}

bool isWritableByAll(const fs::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && (info.st_mode & S_IWOTH) != 0;
}

/// Warns of plugins that other users can write: they decide what this program runs.
void warnOfWritable(const fs::path& folder, const std::vector<fs::path>& files) {
  std::vector<std::string> open;
  if (isWritableByAll(folder)) open.push_back("the plugin folder " + folder.string());
  for (const fs::path& file : files)
    if (isWritableByAll(file)) open.push_back(file.string());
  if (!open.empty())
    log(LogLevel::kWarning, fmt::format("every user of this machine may write to {}, and so decide "
                                        "what Parapet runs; chmod o-w takes that away",
                                        join(open)));
}

}  // namespace

const char* pluginOutcomeName(PluginOutcome outcome) {
  switch (outcome) {
    case PluginOutcome::kLoaded:
      return "loaded";
    case PluginOutcome::kNotChosen:
      return "not chosen";
    case PluginOutcome::kNotInstalled:
      return "not installed";
    case PluginOutcome::kNotSupported:
      return "not supported here";
    case PluginOutcome::kNotALibrary:
      return "not a shared object";
    case PluginOutcome::kCannotLoad:
      return "cannot be loaded";
    case PluginOutcome::kMissingSymbol:
      return "missing symbol";
    case PluginOutcome::kWrongAbi:
      return "wrong ABI";
    case PluginOutcome::kWrongBuildTag:
      return "wrong build tag";
    case PluginOutcome::kInitFailed:
      return "init failed";
    case PluginOutcome::kDisabled:
      return "disabled";
    case PluginOutcome::kWrongSetting:
      return "wrong setting";
  }
  throw InternalError("[base.pluginOutcomeName] unknown outcome");
}

bool isFault(PluginOutcome outcome) {
  switch (outcome) {
    case PluginOutcome::kLoaded:
    case PluginOutcome::kNotChosen:
    case PluginOutcome::kNotInstalled:
    case PluginOutcome::kNotSupported:
      return false;
    default:
      return true;
  }
}

std::vector<fs::path> pluginFolders() {
  if (const char* path = std::getenv("PARAPET_PLUGIN_PATH"); path && *path) {
    std::vector<fs::path> folders;
    for (const std::string_view folder : splitFields(path, ':'))
      if (!folder.empty()) folders.emplace_back(folder);
    return folders;
  }
  return {(programFolder() / ".." / "lib" / "parapet" / "plugins").lexically_normal()};
}

Result<std::vector<fs::path>> pluginFiles(const fs::path& folder) {
  std::error_code refusal;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, refusal), end; !refusal && entry != end;
       entry.increment(refusal))
    if (entry->path().extension() == ".so") files.push_back(entry->path());
  if (refusal) {
    const bool absent = refusal == std::errc::no_such_file_or_directory;
    return Error{
        absent ? ErrorCode::kNotFound : ErrorCode::kIo,
        fmt::format("the plugin folder {} cannot be read: {}", folder.string(), refusal.message()),
        "", folder.string()};
  }
  std::ranges::sort(files);
  warnOfWritable(folder, files);
  return files;
}

PluginOpening openPlugin(const fs::path& file, const PluginContract& contract) {
  if (!beginsAsElf(file))
    return refused(PluginOutcome::kNotALibrary, "the file does not begin as a shared object does");
  // Absolute, so that no search path comes into it.
  Library library(::dlopen(fs::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library) return refused(PluginOutcome::kCannotLoad, ::dlerror());

  const auto abi = symbol<std::uint32_t()>(library, "parapet_plugin_abi");
  if (!abi) return lacks("parapet_plugin_abi");
  if (const std::uint32_t found = abi(); found != contract.abi)
    return refused(PluginOutcome::kWrongAbi,
                   fmt::format("it has plugin ABI {}; {} is accepted", found, contract.abi));
  const auto tag = symbol<const char*()>(library, "parapet_plugin_build_tag");
  if (!tag) return lacks("parapet_plugin_build_tag");
  const char* found = tag();
  if (!found || contract.buildTag != found)
    return refused(PluginOutcome::kWrongBuildTag,
                   fmt::format("it belongs to build {}; {} is accepted",
                               found ? printable(found) : "without a name", contract.buildTag));
  const auto table = symbol<const void*()>(library, "parapet_plugin");
  if (!table) return lacks("parapet_plugin");
  PluginOpening opening{PluginOutcome::kLoaded, "", table()};
  if (!opening.table)
    return refused(PluginOutcome::kInitFailed, "parapet_plugin() returned no table");
  static_cast<void>(library.release());
  return opening;
}

namespace {

/// The trial of a plugin, held now unless the journal remembers one.
PastTrial trialOf(const fs::path& file, const PluginContract& contract,
                  const ProbeJournal& journal) {
  if (auto past = journal.trialOf(file, contract.buildTag)) return std::move(*past);
  PastTrial now{wallClockMs(), tryInChild(file, contract, kTrialLimit)};
  if (now.trial.end == TrialEnd::kNotStarted)
    log(LogLevel::kWarning, fmt::format("{} is loaded without a trial: {}; install Parapet again",
                                        file.string(), now.trial.reason));
  if (now.trial.end != TrialEnd::kNotStarted && now.trial.end != TrialEnd::kStopped)
    journal.rememberTrial(file, contract.buildTag, now);
  return now;
}

}  // namespace

PluginOpening tryPlugin(const fs::path& file, const PluginContract& contract,
                        const ProbeJournal& journal, const PluginProbe& probe) {
  if (const auto crashedMs = journal.crashOf(file))
    return refused(PluginOutcome::kDisabled,
                   fmt::format("the program ended twice while it was tried, at last at {}; "
                               "`parapet-cli devices --retry` tries it again",
                               formatUtc(*crashedMs)));
  if (!beginsAsElf(file)) return openPlugin(file, contract);
  const PastTrial past = trialOf(file, contract, journal);
  if (past.trial.end == TrialEnd::kStopped)
    return refused(PluginOutcome::kInitFailed, past.trial.reason);
  if (past.trial.end == TrialEnd::kDied || past.trial.end == TrialEnd::kHung)
    return refused(
        PluginOutcome::kDisabled,
        fmt::format("{} when it was tried at {}; `parapet-cli devices --retry` tries it again",
                    past.trial.reason, formatUtc(past.beganMs)));
  // A plugin that did well on its own is not to blame for a kill.
  const auto mark =
      journal.mark(file, past.trial.end == TrialEnd::kReturned ? ProbeJournal::MarkedBy::kCrash
                                                               : ProbeJournal::MarkedBy::kAnyDeath);
  PluginOpening opening = openPlugin(file, contract);
  if (opening.outcome != PluginOutcome::kLoaded) return opening;
  PluginOpening answer = probe(opening.table);
  return answer.outcome == PluginOutcome::kLoaded ? opening : answer;
}

}  // namespace parapet
