// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "engine/base/result.h"
#include "engine/launch/machine.h"

namespace parapet::launch {

/// How a process of a run is started.
struct Settings {
  int rank = 0, processes = 1;
  /// Process 0 listens there, at an address in numbers, and the others connect to it (a name will
  /// do). The standard reaches no other machine.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;              ///< 0: process 0 takes one that is free
  std::string secret{};                ///< 64 hex digits; empty: those of `secretFile`
  std::filesystem::path secretFile{};  ///< empty: PARAPET_SECRET
  std::string host{};                  ///< empty: the name that the system gives
  std::vector<Fact> facts{};           ///< what must be equal in all processes
  Limits limits{};
  /// Called at once when the generation ends, on the thread of the sockets: abort what waits for
  /// peers. It must not call back.
  std::function<void(const Verdict&)> onStop{};
};

/// A command that this process has done.
struct Work {
  std::uint64_t status = 0;
  std::vector<Piece> pieces{};  ///< of a checkpoint, written into `folder`
  std::filesystem::path folder{};
  std::string problem{};  ///< the command failed, and the run need not
};
/// The process cannot go on; with a suspect, because it lost that rank.
struct WorkLost {
  std::string reason;
  int suspect = -1;
};
using WorkResult = std::variant<Work, WorkLost>;

/// Sockets, clock and disk of a process, and its machines; one thread of its own.
class Process;

/// The key-value store of process 0. Thread: any.
class Store {
 public:
  explicit Store(Process& process) : process_(process) {}
  /// Arrives in the order of the calls of this process.
  Status set(const std::string& key, const std::string& value);
  /// Waits for the value.
  ///
  /// Errors   kPeer: nobody set it in time, or the run is over.
  Result<std::string> get(const std::string& key, Milliseconds timeoutMs);

 private:
  Process& process_;
};

/// Process 0:
///
///   auto formed = driver.form();                       // who takes part
///   driver.begin(plan, checkpoint);                    // all load it
///   driver.issue(kStep, …); driver.issue(kStep, …);    // the second one ahead
///   auto outcome = driver.complete(own);               // own(command) does this process's share
///   …                                                  // an error: form() again, or it is over
///   driver.finish();
///
/// Errors   kPeer with the verdict, "rank 2 (node2): …". Then form() gives the next generation, or
///          the same error if the run is over.
/// Thread   one at a time.
class Driver {
 public:
  using Own = std::function<WorkResult(const Command&)>;

  /// Listens. Throws InvalidArgument if the settings are not of process 0.
  static Result<std::unique_ptr<Driver>> start(Settings settings);
  /// Ends the run as failed if it is not over.
  ~Driver();

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] Store store() const { return Store(*process_); }

  Result<Formed> form();
  /// While form() waits: for whom, how long still, and who was turned away. Thread: any.
  [[nodiscard]] std::string waiting() const;
  Status begin(const std::string& plan, const std::string& checkpoint);

  /// Sends a command; a step also while the step ahead of it is under way.
  void issue(CommandKind kind, const std::string& arguments, std::uint64_t inputHash = 0);
  /// Does the share of this process of the oldest command, and waits for the others.
  Result<Outcome> complete(const Own& own);
  Result<Outcome> command(CommandKind kind, const std::string& arguments, const Own& own,
                          std::uint64_t inputHash = 0) {
    issue(kind, arguments, inputHash);
    return complete(own);
  }
  /// Commits the pieces of the checkpoint that was the last command: writes the manifest, makes it
  /// durable, and renames.
  ///
  /// Errors   kIo: not committed, the run can go on; else as above.
  Status commit(const std::filesystem::path& temporary, const std::filesystem::path& committed,
                const std::string& manifestName, const std::string& manifest);
  /// Tells all that the run is over, and waits until they know.
  Status finish(const std::string& problem = "");
  /// Ends the run as failed by `rank`; what waits returns. Thread: any.
  void cancel(const std::string& reason, int rank = 0);

 private:
  explicit Driver(std::unique_ptr<Process> process);
  std::unique_ptr<Process> process_;
  std::uint64_t generation_ = 0;
};

/// Every other process:
///
///   for (;;) {
///     auto next = follower.next();                     // an error: the run is over
///     Begin: load the checkpoint under the plan, in the first generation or after a failure
///     Command: do it, then done() or lost()
///     Verdict: the run is finished
///   }
///
/// Thread   one at a time.
class Follower {
 public:
  using Order = std::variant<Begin, Command, Verdict>;

  /// Connects. Throws InvalidArgument if the settings are of process 0.
  static Result<std::unique_ptr<Follower>> start(Settings settings);
  ~Follower();

  [[nodiscard]] Store store() const { return Store(*process_); }
  /// The numeric address of this machine on the way to process 0.
  [[nodiscard]] const std::string& localAddress() const;

  /// Errors   kPeer with the verdict: who failed first and why, the same in all processes.
  Result<Order> next();
  /// Answers the last command, or says that this process is lost before the first one. A generation
  /// that has ended takes no answer.
  void done(const WorkResult& result);

 private:
  explicit Follower(std::unique_ptr<Process> process);
  std::unique_ptr<Process> process_;
  std::optional<Command> command_;  // not answered yet
  std::uint64_t generation_ = 0;    // the last one that began
};

}  // namespace parapet::launch
