// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/plugin_library.h"
#include "engine/base/probe_journal.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/communicator_abi.h"
#include "engine/mesh/process_communicator.h"

namespace parapet::mesh {

/// A plugin that gives communicators or transports, or what became of it.
struct CommunicatorPlugin {
  PluginOutcome outcome = PluginOutcome::kLoaded;
  std::string name;    ///< as it says, "gloo"; of one that cannot be used, the name of its file
  std::string reason;  ///< "" if it can be used
  std::string file;
  // Null if it cannot, or has none; they live as long as the process.
  const PcCollectives* collectives = nullptr;
  const PcTransport* transport = nullptr;
};

/// Holds what the processes of a run tell each other before they connect, and why they ended. A key
/// is set once.
///
/// Thread   any.
struct Store {
  std::function<Status(const std::string& key, const std::string& value)> set;
  /// Waits for a value. kPeer if there is none until the time-out, which may be 0.
  std::function<Result<std::string>(const std::string& key, std::chrono::milliseconds timeout)> get;
};

/// How the processes of a run find each other.
struct Meeting {
  int processes = 1, process = 0;
  std::chrono::milliseconds timeout{};
  std::string bindAddress;      ///< where others reach this process; a number, never a name
  std::int64_t generation = 0;  ///< of the meeting; what it keeps in the store is no other's
  Store store;
};

/// Finds the plugins in the folder `communicators` of each of the folders.
std::vector<CommunicatorPlugin> findCommunicatorPlugins(
    std::span<const std::filesystem::path> folders, const ProbeJournal& journal);

/// The communicator plugins of this process, tried at first use.
const std::vector<CommunicatorPlugin>& communicatorPlugins();

/// A communicator of a plugin; every call waits for at most waitLimit().
///
/// Errors   kDevice or kPeer, as the plugin says.
Result<std::unique_ptr<Communicator>> makePluginCommunicator(
    const PcCollectives& collectives, std::span<const tensor::Device> devices);

/// Connects the processes of a meeting by a plugin's transport, which is never used again once a
/// call has failed: a new one needs a new generation.
///
/// Errors   kPeer that names a process which did not come, kDevice for anything else, as the plugin
///          says.
Result<std::shared_ptr<Transport>> makePluginTransport(const PcTransport& transport,
                                                       Meeting meeting);

/// What makes communicators by a plugin of that name, or with "" and "local" within this process.
///
/// Errors   kInvalidDocument if there is none, with those that there are and why others are not.
Result<CommunicatorFactory> communicatorsNamed(const std::string& name,
                                               const std::vector<CommunicatorPlugin>& plugins);

/// The communicators that PARAPET_COMMUNICATOR names.
Result<CommunicatorFactory> chosenCommunicators();

}  // namespace parapet::mesh
