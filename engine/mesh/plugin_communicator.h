// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/base/plugin_library.h"
#include "engine/base/probe_journal.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/communicator_abi.h"

namespace parapet::mesh {

/// A plugin that gives communicators, or what became of it.
struct CommunicatorPlugin {
  PluginOutcome outcome = PluginOutcome::kLoaded;
  std::string name;    ///< as it says, "gloo"; of one that cannot be used, the name of its file
  std::string reason;  ///< "" if it can be used
  std::string file;
  const PcCollectives* collectives = nullptr;  ///< null if it cannot; lives as long as the process
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

/// What makes communicators by a plugin of that name, or with "" and "local" within this process.
///
/// Errors   kInvalidDocument if there is none, with those that there are and why others are not.
Result<CommunicatorFactory> communicatorsNamed(const std::string& name,
                                               const std::vector<CommunicatorPlugin>& plugins);

/// The communicators that PARAPET_COMMUNICATOR names.
Result<CommunicatorFactory> chosenCommunicators();

}  // namespace parapet::mesh
