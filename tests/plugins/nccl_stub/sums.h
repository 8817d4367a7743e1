// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nccl_stub {

enum class Kind : std::uint8_t { kAllReduce, kReduce, kBroadcast, kSend, kReceive };

/// A call of one rank within a group.
struct Step {
  Kind kind{};
  const void* in = nullptr;
  void* out = nullptr;
  std::size_t count = 0;
  int type = 0;
  int peer = -1;  ///< root, or whom it exchanges with
};

/// Does what the ranks of a clique asked for, [rank][call]. False if their calls do not fit.
bool perform(const std::vector<std::vector<Step>>& ranks);

}  // namespace nccl_stub
