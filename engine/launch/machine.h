// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>

#include "engine/launch/messages.h"

// Inputs and outputs of the two machines of the protocol, Leader and Member. The machines neither
// wait nor touch a socket, a clock or a disk: a driver hands them inputs with the time and carries
// out their outputs in order. So a simulator can run them.
namespace parapet::launch {

/// How long things are waited for.
struct Limits {
  Milliseconds beatMs = 1'000;
  Milliseconds silenceMs = 30'000;     ///< a process that says nothing for so long is lost
  Milliseconds joinMs = 120'000;       ///< until all are here
  Milliseconds graceMs = 500;          ///< for others to say so, once a member has lost rank 0
  Milliseconds commandMs = 3'600'000;  ///< a command that takes longer hangs
  Milliseconds skewMs = 5'000;         ///< difference of wall clocks that is accepted
  int maxRestarts = 3;                 ///< within `restartWindowMs`; 0: never
  Milliseconds restartWindowMs = 600'000;
};

/// Time that passes only while this process runs. A process that was stopped, or whose clock
/// jumped, would take everyone else for silent; the machines count at most `maxStepMs` between two
/// inputs, and nothing backwards.
class RunningTime {
 public:
  explicit RunningTime(Milliseconds maxStepMs) : maxStepMs_(maxStepMs) {}
  Milliseconds advance(Milliseconds nowMs) {
    const Milliseconds step = begun_ ? nowMs - lastMs_ : 0;
    begun_ = true;
    lastMs_ = nowMs;
    if (step > maxStepMs_) pauseMs_ = step, pausedAt_ = time_;
    return time_ += std::clamp<Milliseconds>(step, 0, maxStepMs_);
  }
  /// The longest gap of the last `withinMs` of running time; 0 if there was none.
  [[nodiscard]] Milliseconds pauseMs(Milliseconds withinMs) const {
    return time_ - pausedAt_ <= withinMs ? pauseMs_ : 0;
  }

 private:
  Milliseconds maxStepMs_, lastMs_ = 0, time_ = 0, pauseMs_ = 0, pausedAt_ = 0;
  bool begun_ = false;
};

/// A request to a disk. There is one at a time; DiskDone answers it.
struct DiskOp {
  enum class Kind { kWriteFile, kSyncFile, kSyncFolder, kRename };
  Kind kind = Kind::kWriteFile;
  std::filesystem::path path;
  std::string content;             ///< of kWriteFile
  std::filesystem::path target{};  ///< of kRename
};

// -- Inputs -----------------------------------------------------------------------------------

/// `link` is a connection; a process that starts again has another one.
struct Received {
  int link = 0;
  Message message;
};
struct Closed {
  int link = 0;
};
struct Tick {
  Milliseconds wallMs = 0;
};
struct DiskDone {
  std::string problem;  ///< empty: done
};

// From the engine of a member.

/// Works on nothing and can take part in the generation that forms.
struct Idle {};
struct Worked {
  std::uint64_t generation = 0, sequence = 0, status = 0;
  std::vector<Piece> pieces;     ///< written into `folder`, not yet durable
  std::filesystem::path folder;  ///< of the pieces
  std::string problem;           ///< the command failed, the run need not
};
struct WorkFailed {
  std::uint64_t generation = 0;
  std::string reason;
  int suspect = -1;
};
using MemberInput = std::variant<Received, Closed, Tick, DiskDone, Idle, Worked, WorkFailed>;

// From the engine of process 0.

struct Planned {
  std::uint64_t generation = 0;
  std::string plan;
  std::string checkpoint;  ///< the newest committed one that can be read
};
struct Issue {
  std::uint64_t generation = 0;
  CommandKind kind = CommandKind::kStep;
  std::string arguments;
  std::uint64_t inputHash = 0;
};
/// Commits the pieces of the last command.
struct Seal {
  std::uint64_t generation = 0;
  std::filesystem::path temporary, committed;
  std::string manifestName, manifest;
};
struct EndRun {
  std::string problem;    ///< empty: the run is finished
  std::int32_t rank = 0;  ///< the process that has it
};
using LeaderInput = std::variant<Received, Closed, Tick, DiskDone, Planned, Issue, Seal, EndRun>;

// -- Outputs ----------------------------------------------------------------------------------

struct Send {
  int link = 0;
  Message message;
};
struct Write {
  DiskOp op;
};
/// Tick again at this time of the clock that `on` is given.
struct Timer {
  Milliseconds atMs = 0;
};

// To the engine: Begin, Command and Verdict as they stand, and:

/// All are here: make a plan for them.
struct Formed {
  std::uint64_t generation = 0;
  std::vector<std::int32_t> ranks;
  std::vector<std::string> hosts;
};
/// A command is done by all.
struct Outcome {
  std::uint64_t generation = 0, sequence = 0;
  std::uint64_t total = 0;    ///< Σ of the status words, modulo 2⁶⁴
  std::vector<Piece> pieces;  ///< in order of ranks
  std::string problem;        ///< "rank 2 (node2): …" of the first that had one
};
struct Sealed {
  std::uint64_t generation = 0;
  std::string problem;  ///< empty: the checkpoint is committed
};
/// The machine has nothing more to say; the process may end.
struct Ended {};

using Output =
    std::variant<Send, Write, Timer, Begin, Command, Verdict, Formed, Outcome, Sealed, Ended>;

}  // namespace parapet::launch
