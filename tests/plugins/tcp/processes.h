// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/mesh/plugin_communicator.h"

/// Processes of a test: this program again, each with a number, that share a folder.
namespace parapet::sample {

/// A store whose values are files of a folder, each written at once.
mesh::Store storeIn(const std::filesystem::path& folder);

/// The processes of a meeting, at 127.0.0.1.
mesh::Meeting meetingIn(const std::filesystem::path& folder, int processes, int process,
                        std::chrono::milliseconds timeout, std::int64_t generation = 1);

/// The transport of the plugin of this build.
const PcTransport& pluginTransport();

/// How a process ended.
struct End {
  int code = -1;  ///< of exit; -1 if a signal ended it
  int signal = 0;
  std::string said;  ///< what it wrote with say()
};

/// Children of this process.
class Processes {
 public:
  /// Starts `processes` of them: this program with "--process SCENARIO processes process folder".
  Processes(const std::string& scenario, int processes, std::filesystem::path folder);
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  [[nodiscard]] pid_t pid(int process) const { return pids_[static_cast<std::size_t>(process)]; }
  /// Waits until it ends.
  End wait(int process);
  /// The ports at which they listen, as the system lists them.
  [[nodiscard]] std::vector<int> listening() const;

 private:
  const std::filesystem::path folder_;
  std::vector<pid_t> pids_;
};

/// Lets the other processes of a test, and the test, know something; and waits until one has.
void note(const std::filesystem::path& folder, const std::string& name, const std::string& text);
bool awaitNote(const std::filesystem::path& folder, const std::string& name);

}  // namespace parapet::sample
