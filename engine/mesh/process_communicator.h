// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/mesh/communicator.h"

namespace parapet::mesh {

/// Moves bytes between the processes of a run, each of which has a number from 0 on. Messages from
/// one process to another arrive in the order in which they were sent; those of different pairs in
/// any order.
///
/// Errors   kPeer that names the process: it is gone, has been silent for longer than waitLimit(),
///          or has sent something other than what was to be received. Then everything fails.
/// Thread   one caller at a time; close() from any thread.
class Transport {
 public:
  virtual ~Transport() = default;
  [[nodiscard]] virtual int processes() const = 0;
  [[nodiscard]] virtual int process() const = 0;

  /// Begins to send or to receive a message; its memory stays as it is until wait(). `tag` says what
  /// the message is: both sides give the same.
  virtual void send(int to, std::uint64_t tag, std::span<const std::byte> message) = 0;
  virtual void receive(int from, std::uint64_t tag, std::span<std::byte> message) = 0;
  /// Returns when all that was begun has arrived here, and what was sent may be changed. With
  /// nothing begun it says whether the transport has been closed.
  virtual Status wait() = 0;
  /// Makes every call, pending or to come, fail with kPeer and this reason, here and at the others.
  virtual void close(const std::string& reason) = 0;
};

/// A communicator among the ranks of several processes, by messages from each of them to each
/// other. A sum is made where its elements go: each process adds up its part of them over all ranks
/// in rank order and sends the sums to the others, so that bits are those of a single process.
///
/// `devices`: of all ranks; those of other processes are elsewhere. `firstRanks`: the first rank of
/// each process of the transport. Where the devices here have memory of their own, what they
/// exchange goes through the host's. See algorithms.md for what moves.
std::unique_ptr<Communicator> makeProcessCommunicator(std::shared_ptr<Transport> transport,
                                                      std::span<const int> firstRanks,
                                                      std::span<const tensor::Device> devices,
                                                      Workers* workers);

}  // namespace parapet::mesh
