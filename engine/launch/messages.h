// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

// Messages between the processes of a run. The rank of a process is its number from the start of
// the run; it is never given to another one. A generation is the time between two restarts.
namespace parapet::launch {

using Milliseconds = std::int64_t;

/// The version of messages and greeting; two versions never talk to each other.
constexpr std::uint16_t kProtocolVersion = 1;

/// Something that must be equal in all processes: {"build", "0.2.0-3f2a"}.
struct Fact {
  std::string name, value;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.name, self.value);
  }
  bool operator==(const Fact&) const = default;
};

/// A file that a process has written for a checkpoint.
struct Piece {
  std::string name;
  std::uint64_t bytes = 0;
  std::string hash;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.name, self.bytes, self.hash);
  }
  bool operator==(const Piece&) const = default;
};

/// To process 0: here I am, and I work on nothing. Repeated until the generation begins.
struct Join {
  std::uint64_t generation = 1;
  std::int32_t rank = 0, processes = 1;
  std::string host;
  Milliseconds wallMs = 0;
  std::vector<Fact> facts;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.generation, self.rank, self.processes, self.host, self.wallMs, self.facts);
  }
  bool operator==(const Join&) const = default;
};

/// From process 0: all are here. The engine loads the checkpoint (empty: starts anew) under the plan.
struct Begin {
  std::uint64_t generation = 0;
  std::vector<std::int32_t> ranks;  ///< who takes part, ascending
  std::vector<std::string> hosts;   ///< parallel to `ranks`
  std::string plan, checkpoint;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.generation, self.ranks, self.hosts, self.plan, self.checkpoint);
  }
  bool operator==(const Begin&) const = default;
};

/// Each way, as long as there is nothing else to say. `sequence` is the last command that a member
/// received, or that process 0 has a total of.
struct Beat {
  std::uint64_t generation = 0, sequence = 0;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.generation, self.sequence);
  }
  bool operator==(const Beat&) const = default;
};

/// The kinds of commands. Only steps are sent before the command ahead of them has its total.
enum class CommandKind : std::uint8_t {
  kStep,        ///< trains on one batch
  kEndEpoch,    ///< what is to be done between two epochs
  kValidate,    ///< evaluates
  kCheckpoint,  ///< writes the pieces of a checkpoint
  kQuery,       ///< answers a question of the window or of the trainer
};
constexpr std::uint8_t kCommandKinds = 5;

struct Command {
  std::uint64_t generation = 0, sequence = 0;
  CommandKind kind = CommandKind::kStep;
  std::string arguments;
  std::uint64_t inputHash = 0;  ///< of what the command works on, to be compared by each process
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.generation, self.sequence, self.kind, self.arguments, self.inputHash);
  }
  bool operator==(const Command&) const = default;
};

/// A command is done. A problem ends the command, not the run: a disk is full, say.
struct Done {
  std::uint64_t generation = 0, sequence = 0, status = 0;
  std::vector<Piece> pieces;
  std::string problem;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.generation, self.sequence, self.status, self.pieces, self.problem);
  }
  bool operator==(const Done&) const = default;
};

/// To process 0: I cannot go on. A member that only lost a peer names it as the suspect.
struct Failure {
  std::uint64_t generation = 0;
  std::string reason;
  std::int32_t suspect = -1;  ///< rank; -1 where the fault is the sender's own
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.generation, self.reason, self.suspect);
  }
  bool operator==(const Failure&) const = default;
};

/// How a generation ends.
enum class Ending : std::uint8_t {
  kRestart,   ///< the others go on without the one that failed
  kFinished,  ///< the run is over
  kFailed,    ///< the run is over, or over for the receiver
};
constexpr std::uint8_t kEndings = 3;

/// From process 0: who failed first and why, the same for all.
struct Verdict {
  std::uint64_t generation = 0;
  Ending ending = Ending::kFailed;
  std::int32_t rank = -1;
  std::string host, reason;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.generation, self.ending, self.rank, self.host, self.reason);
  }
  bool operator==(const Verdict&) const = default;
  /// "rank 2 (node2): its connection was closed"; the reason alone where no rank is to blame.
  [[nodiscard]] std::string text() const;
};

/// To process 0: I have read how it ended and leave.
struct Bye {
  std::uint64_t generation = 0;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.generation);
  }
  bool operator==(const Bye&) const = default;
};

// The key-value store of process 0.

struct Set {
  std::string key, value;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.key, self.value);
  }
  bool operator==(const Set&) const = default;
};

/// Asks for a value and waits for it.
struct Get {
  std::uint64_t question = 0;
  std::string key;
  Milliseconds timeoutMs = 0;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.question, self.key, self.timeoutMs);
  }
  bool operator==(const Get&) const = default;
};

struct Value {
  std::uint64_t question = 0;
  bool isSet = false;  ///< false: nobody set it in time
  std::string value;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.question, self.isSet, self.value);
  }
  bool operator==(const Value&) const = default;
};

/// The index of an alternative is its number on the wire.
using Message =
    std::variant<Join, Begin, Beat, Command, Done, Failure, Verdict, Bye, Set, Get, Value>;

}  // namespace parapet::launch
