// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/mesh/communicator_abi.h"

namespace parapet::cuda {

std::size_t bytesOf(std::int32_t type);

/// Copies and adds up what lies in one memory, where all ranks of a communicator read and write it.
/// Functions give PP_OK or the code of the device.
class Mover {
 public:
  virtual ~Mover() = default;
  virtual std::int32_t copy(void* out, const void* in, std::uint64_t bytes) = 0;
  /// out = Σ in, in their order; out may be in[0].
  virtual std::int32_t add(void* out, const std::vector<const void*>& in, std::int64_t n,
                           std::int32_t type) = 0;
};

/// Makes a mover for the host's memory.
std::unique_ptr<Mover> hostMover();
/// Makes a mover for a device's memory. It uses the ops of the device in the order of its stream;
/// what they cannot add goes through the host.
std::unique_ptr<Mover> deviceMover(const PcRank& rank);

/// The collectives over a mover; see mesh::Communicator.
std::int32_t allReduce(Mover& mover, const PcCall& call, std::int32_t ranks, std::int64_t n);
std::int32_t reduceScatter(Mover& mover, const PcCall& call, std::int32_t ranks,
                           const std::int64_t* counts);
std::int32_t allGather(Mover& mover, const PcCall& call, std::int32_t ranks,
                       const std::int64_t* counts);
std::int32_t allToAll(Mover& mover, const PcCall& call, std::int32_t ranks,
                      const PcPeerCounts* counts);

}  // namespace parapet::cuda
