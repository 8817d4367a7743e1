// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/experiment/document.h"
#include "engine/launch/driver.h"
#include "engine/launch/hosts.h"
#include "engine/mesh/device_mesh.h"
#include "engine/train/session.h"

namespace parapet::workspace {

struct Shared;
class RunConnections;

// The hosts of a run, for programs.
using launch::Host;
using launch::kMaxProcesses;
using launch::readHosts;
using launch::RunHosts;

/// Where the processes of a run meet, and which of them this one is.
struct ProcessPlace {
  int rank = 0, processes = 1;
  /// The address of process 0, which listens there. It needs a number; the others may use a name.
  /// The standard reaches no other machine.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;              ///< 0: process 0 takes one that is free
  std::string secret{};                ///< 64 hex digits; empty: those of `secretFile`
  std::filesystem::path secretFile{};  ///< see launch::readSecret
  /// The numeric address at which the others reach this process; empty: the one that process 0 is
  /// reached from.
  std::string bindAddress{};

  /// HOST:PORT, an IPv6 address in brackets.
  [[nodiscard]] std::string meeting() const;
};

/// The other processes of a run, as the one that drives it sees them: it waits for them, hands them
/// the plan, and sends the commands of its session. Devices are divided evenly, in their order.
///
/// Errors   kPeer, naming the process that failed first. Then every call says the same.
/// Thread   one caller at a time.
class RunProcesses {
 public:
  /// Listens as process 0, for processes that are asked to train the same document.
  ///
  /// Errors   kInvalidDocument for a document with fewer devices than processes; kDevice if no
  ///          plugin connects processes; those of launch::Driver.
  static Result<std::unique_ptr<RunProcesses>> start(const ProcessPlace& place,
                                                     const experiment::Experiment& experiment);
  ~RunProcesses();
  RunProcesses(const RunProcesses&) = delete;
  RunProcesses& operator=(const RunProcesses&) = delete;

  /// 64 hex digits for a run that nobody else knows.
  static Result<std::string> newSecret();
  [[nodiscard]] std::uint16_t port() const;
  /// Returns once all processes are here; reports which are missing. kCancelled once it is stopped.
  Status gather(const WorkContext& context);
  /// The mesh of the document as process 0 sees it.
  [[nodiscard]] const mesh::DeviceMesh& mesh() const { return mesh_; }
  /// All begin: the session of process 0, which drives those of the others. Its arguments are those
  /// of train::Session::create, as are its errors; the others get the data set by its hash, and are
  /// waited for until they have it.
  Result<std::unique_ptr<train::Session>> session(const experiment::Experiment& experiment,
                                                  std::shared_ptr<const data::Dataset> dataset,
                                                  train::ResolvedModel resolved, int threads,
                                                  const WorkContext& context);
  /// Ends the run for all, as failed by process `rank`. Thread: any.
  void fail(int rank, const std::string& reason);
  /// Tells all that the run is over. `problem` empty: it has ended as it should.
  void end(const std::string& problem);

 private:
  RunProcesses(ProcessPlace place, mesh::DeviceMesh mesh);
  /// Sends a command, once the last one is done everywhere.
  Status send(const train::Command& command);
  Status awaitLast();
  Status awaitData(const WorkContext& context);

  const ProcessPlace place_;
  const mesh::DeviceMesh mesh_;
  const std::shared_ptr<RunConnections> connections_;
  std::unique_ptr<launch::Driver> driver_;
  train::CommandWriter writer_;
  std::int64_t generation_ = 0;
  bool isUnderWay_ = false, hasEnded_ = false;
};

/// Takes part in the run of process 0 until it ends: the data set is that of the workspace, imported
/// if it is not there.
///
/// Errors   kPeer for what ended the run; kData if the data set here is another one; those of
///          RunProcesses::start.
Status followRun(Shared& shared, const experiment::Experiment& experiment,
                 const ProcessPlace& place, int threads, const WorkContext& context);

}  // namespace parapet::workspace
