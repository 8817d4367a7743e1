// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/mesh/communicator_abi.h"
#include "plugins/tcp/sockets.h"

namespace parapet::tcp {

/// The keys of this meeting in the store of the host.
class Board {
 public:
  explicit Board(const PcMeeting& meeting)
      : store_(meeting.store), prefix_("transport/" + std::to_string(meeting.generation) + "/") {}

  /// Errors   Failure without blame.
  void set(const std::string& key, const std::string& value) const;
  /// No value until the deadline. Errors   Failure without blame.
  [[nodiscard]] std::optional<std::string> get(const std::string& key,
                                               Clock::time_point deadline) const;

 private:
  const PcStore store_;
  const std::string prefix_;
};

/// Connects this process with each of the others; the connections do not block, its own is none.
///
/// Every process writes a random token and where it listens into the store. The one of two with the
/// higher number connects and shows the token of the other, which answers with its. Whoever knows
/// none is a stranger and is sent away. Nothing listens any more when this returns.
///
/// Errors   Failure that names the process which did not come.
std::vector<Descriptor> meet(const PcMeeting& meeting, const Board& board);

}  // namespace parapet::tcp
