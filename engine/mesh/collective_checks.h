// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "engine/mesh/communicator.h"

/// Checks that every communicator makes before it does anything. InvalidArgument says the
/// collective, what was found and what is accepted.
namespace parapet::mesh {

void requireRanks(const char* collective, std::size_t found, int ranks);
/// Requires the buffers of the ranks of this process, and a count for each rank of the communicator.
void requireAll(const char* collective, const Communicator& of, Communicator::ConstBuffers in,
                Communicator::Buffers out, Communicator::Counts counts);
void requireCount(const char* collective, std::int64_t n);
/// Requires one count from each rank.
void requireCounts(const char* collective, Communicator::Counts counts, int ranks);
/// Requires a type that a sum can add.
void requireAddable(const char* collective, ElementType type);
/// Requires counts that an all-to-all of the ranks of this process can send.
void requireSends(std::span<const PeerCounts> counts, int ranks, LocalRange local);
/// Requires ascending ranks of the communicator as members of a group, and one of this process.
void requireMembers(std::span<const int> members, int ranks, LocalRange local);

}  // namespace parapet::mesh
