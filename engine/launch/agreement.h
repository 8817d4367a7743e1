// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/launch/messages.h"

namespace parapet::launch {

/// One process, with how far its clock is ahead of that of process 0.
struct Joined {
  Join join;
  Milliseconds skewMs = 0;
};

struct Difference {
  std::int32_t rank = 0;
  std::string text;
};

/// Compares, before the first step, every fact of every process with those of the first in `all`,
/// and the wall clocks. Each text names host, rank and both values.
///
///   build: rank 2 (node2) has "0.2.0-3f2a", rank 0 (node0) has "0.2.0-77c1"
///
/// Order    of ranks, then of the facts of the first.
/// Thread   pure.
std::vector<Difference> differences(std::span<const Joined> all, Milliseconds maxSkewMs);

/// "rank 2 (node2)"
std::string nameOf(std::int32_t rank, const std::string& host);

}  // namespace parapet::launch
