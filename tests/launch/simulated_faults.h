// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "engine/launch/machine.h"

namespace parapet::launch::test {

enum class FaultKind {
  kKill,        ///< the process is gone, its host lives
  kPower,       ///< the host is gone, with what it did not sync
  kStartAgain,  ///< killed, and started again
  kStop,        ///< SIGSTOP, and SIGCONT later
  kPartition,   ///< no message to or from it
  kFullDisk,
  kLostSync,  ///< syncs answer and do nothing, then the power is lost
  kClockJump,
  kEngineFault,  ///< its engine fails
};

struct Fault {
  FaultKind kind = FaultKind::kKill;
  int rank = 0;
  Milliseconds atMs = 0, durationMs = 0;
  int atDiskOp = -1;    ///< instead of atMs: just before this operation of the rank
  bool isLong = false;  ///< lasts longer than the silence that is accepted
  [[nodiscard]] std::string text() const;
};

/// The faults of a seed.
struct Scenario {
  int processes = 2;
  int dropPermille = 0;
  Milliseconds maxDelayMs = 1;  ///< reorders, too; one of a hundred is late 40 times as long
  std::vector<Fault> faults;
  /// A sync may have been lost, now or before: a committed checkpoint may be damaged, and is seen to be.
  bool mayLoseSyncs = false;
};

/// Numbers in the order in which they are drawn.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed, RandomPurpose::kGenerator) {}
  std::uint64_t below(std::uint64_t bound) { return random_.below(index_++, bound); }
  Milliseconds between(Milliseconds first, Milliseconds last) {
    return first + static_cast<Milliseconds>(below(static_cast<std::uint64_t>(last - first + 1)));
  }
  bool chance(std::uint64_t percent) { return below(100) < percent; }

 private:
  Random random_;
  std::uint64_t index_ = 0;
};

Scenario drawScenario(Draws& draws, Milliseconds silenceMs);

}  // namespace parapet::launch::test
