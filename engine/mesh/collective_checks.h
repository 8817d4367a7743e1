// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "engine/mesh/communicator.h"

/// What every communicator checks before it does anything: InvalidArgument says the collective, what
/// was found and what is accepted.
namespace parapet::mesh {

void requireRanks(const char* collective, std::size_t found, int ranks);
void requireCount(const char* collective, std::int64_t n);
/// One count of each rank.
void requireCounts(const char* collective, Communicator::Counts counts, int ranks);
/// Of a sum.
void requireAddable(const char* collective, ElementType type);
/// Of an all-to-all.
void requireSends(std::span<const PeerCounts> counts, int ranks);
/// Of a group.
void requireMembers(std::span<const int> members, int ranks);

}  // namespace parapet::mesh
