// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parapet::launch::test {

/// One rule of the protocol that a simulation breaks, to see that it is found.
enum class Mutation {
  kNone,
  kRenameBeforeSync,        ///< a checkpoint gets its name before its manifest is durable
  kAcknowledgeBeforeWrite,  ///< a member answers for pieces that are not written yet
  kNoSync,                  ///< no file is synced
  kNoRepeat,                ///< what may be lost is said once
  kAnyGeneration,           ///< answers of an earlier generation count for the current one
  kBlameReporter,           ///< who lost a peer is taken for the culprit
  kKeepState,               ///< a member goes on from its state, not from the checkpoint
  kNeverSilent,             ///< silence is not noticed
  kUncommitted,             ///< a restart takes the newest folder, committed or not
  kRunTwice,                ///< a command that is said twice is done twice
};
struct MutationName {
  Mutation mutation;
  std::string_view name;
};
inline constexpr std::array kMutations{
    MutationName{Mutation::kRenameBeforeSync, "rename-before-sync"},
    MutationName{Mutation::kAcknowledgeBeforeWrite, "acknowledge-before-write"},
    MutationName{Mutation::kNoSync, "no-sync"},
    MutationName{Mutation::kNoRepeat, "no-repeat"},
    MutationName{Mutation::kAnyGeneration, "any-generation"},
    MutationName{Mutation::kBlameReporter, "blame-reporter"},
    MutationName{Mutation::kKeepState, "keep-state"},
    MutationName{Mutation::kNeverSilent, "never-silent"},
    MutationName{Mutation::kUncommitted, "uncommitted"},
    MutationName{Mutation::kRunTwice, "run-twice"},
};

struct SimulationOptions {
  std::uint64_t seed = 0;
  Mutation mutation = Mutation::kNone;
  bool isTraced = false;
};

struct SimulationReport {
  std::vector<std::string> faults;  ///< what was injected, in words
  std::string violation;            ///< the first claim that did not hold; empty: all held
  std::vector<std::string> trace;
  int restarts = 0, commits = 0;
  bool isFinished = false;  ///< process 0 finished the run; else it ended with a reason
};

/// Runs 2 to 8 machines in virtual time under the faults of a seed, then what is left on the disk
/// once more without faults. What must hold:
///   - the bits of every total, checkpoint and end are those of the run without faults
///   - the run ends within a bound of virtual time
///   - a committed checkpoint can be read
///   - one fault: who is blamed is who has it, and the others finish
SimulationReport simulate(const SimulationOptions& options);

}  // namespace parapet::launch::test
