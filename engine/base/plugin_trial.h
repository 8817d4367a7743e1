// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace parapet {

/// The question that a plugin is asked after it was opened.
enum class PluginKind {
  kDevice,        ///< engine/tensor/plugin_abi.h: its probe and its devices
  kSource,        ///< engine/data/source_abi.h: nothing further
  kCommunicator,  ///< engine/mesh/communicator_abi.h: nothing further
};
/// "device", "source", "communicator": as the program of the trial reads it.
const char* pluginKindName(PluginKind kind);

/// The statements of a plugin about itself that are checked before anything else in it is called.
struct PluginContract {
  std::uint32_t abi = 0;
  std::string buildTag;
  PluginKind kind = PluginKind::kDevice;
};

/// How a trial ended.
enum class TrialEnd {
  kReturned,    ///< it came back, whatever it then said of itself
  kDied,        ///< it ended the process that tried it
  kHung,        ///< it did not come back within the time limit
  kStopped,     ///< the user asked this program to stop meanwhile
  kNotStarted,  ///< the program of the trial could not be started
};

struct Trial {
  TrialEnd end = TrialEnd::kReturned;
  std::string reason{};  ///< "it did not return …"; "" if it came back
};

/// Opens and probes a plugin in a process of its own, so that one that hangs, exits or crashes
/// takes nothing along. Whether the plugin suits is not asked here: who opens it afterwards finds
/// out.
///
/// The child is another program, parapet-plugin-trial in ../lib/parapet beside the program's own
/// folder, started by posix_spawn: that is safe beside other threads (a fork that goes on running
/// our code is not), it starts in milliseconds where the window would first load Qt, and every
/// program finds it, tests included. It dies with the thread that waits for it.
///
/// Thread   any; blocks for at most `limit`.
Trial tryInChild(const std::filesystem::path& plugin, const PluginContract& contract,
                 std::chrono::milliseconds limit);

/// Asked many times a second while a trial is waited for: true ends it with kStopped. The
/// application sets it once at start, before plugins are looked for.
void setTrialStop(std::function<bool()> asksToStop);

}  // namespace parapet
