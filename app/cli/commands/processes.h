// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "app/cli/invocation.h"
#include "engine/workspace/run_processes.h"

namespace parapet::cli {

/// A process that this one starts. Its command line and environment hold no secret: it gets that, and
/// the document, by its standard input, whose end ends it.
struct ProcessStart {
  int rank = 0;
  std::string host;     ///< begins the lines that it prints
  std::string command;  ///< for sh
};

/// The processes of a run, as the command line of one of them tells.
struct RunPlaces {
  workspace::ProcessPlace own;
  std::vector<workspace::Host> hosts;  ///< of those that this process starts; empty: it starts none
  std::string way;  ///< the command that reaches a host, with {host} and {command}

  /// The commands of the others. `port`: where this process listens.
  ///
  /// Errors   kIo: the path of the program is not known.
  [[nodiscard]] Result<std::vector<ProcessStart>> others(const Invocation& invocation, int threads,
                                                         std::uint16_t port) const;
};

/// The options that make a command one of several processes which train the same document.
///
/// For addTo, --rank and --of are those that srun and mpirun give their processes, where --meet says
/// that there are others.
class ProcessOptions {
 public:
  /// For a command that is process 0 or, by --rank, another one.
  void addTo(CLI::App& command);
  /// For a command that starts the others on the hosts of a file.
  void addHostsTo(CLI::App& command);
  /// --rank, --of, --meet and --bind.
  void addPlaceTo(CLI::App& command);

  /// Whether there are others.
  [[nodiscard]] bool isAsked() const {
    return local_ || rank_ || of_ || !meet_.empty() || !hosts_.empty();
  }
  /// Where this process stands; if it starts the others it is the first of them.
  ///
  /// Errors   kInvalidDocument for options that do not go together, or say other than srun or
  ///          mpirun; those of workspace::readHosts.
  [[nodiscard]] Result<RunPlaces> places() const;

 private:
  [[nodiscard]] Result<RunPlaces> onHosts() const;

  std::optional<std::int64_t> local_, rank_, of_, port_;
  std::string meet_, secret_, bind_, hosts_, way_;
  bool readsLauncher_ = false;  ///< the variables of srun and mpirun
};

/// Processes that this one has started. They end with it: each ends when its standard input does.
class StartedProcesses {
 public:
  /// `input` is what each reads; their lines go to stderr behind their host. `onFailure` is told,
  /// from another thread, of a rank that ends otherwise than well.
  static Result<std::unique_ptr<StartedProcesses>> start(
      const std::vector<ProcessStart>& processes, const std::string& input,
      std::function<void(int rank, const std::string&)> onFailure);
  /// Waits for them, since they have been told that the run is over; kills those that do not leave.
  ~StartedProcesses();

 private:
  struct Process;
  void watch(const std::stop_token& stop);
  void exchange();

  std::vector<Process> processes_;
  std::function<void(int rank, const std::string&)> onFailure_;
  std::jthread watch_;
};

/// Follows process 0 of a run until it ends.
Answer takePart(Invocation& invocation, const experiment::Experiment& experiment,
                const workspace::ProcessPlace& place, int threads);

}  // namespace parapet::cli
