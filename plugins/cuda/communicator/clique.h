// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/mesh/communicator_abi.h"
#include "plugins/cuda/communicator/nccl.h"

namespace parapet::cuda {

std::int32_t refuse(PcError* error, std::int32_t code, std::int32_t rank, const std::string& text);
std::string nameOf(const PcRank& rank);

class Clique;

/// State that a communicator and its groups have in common: the time-out, and whether they have ended.
class World {
 public:
  explicit World(std::int64_t timeoutMs) : timeoutMs_(timeoutMs) {}
  [[nodiscard]] std::int64_t timeoutMs() const { return timeoutMs_; }
  /// Why it has ended; nullopt as long as it has not.
  [[nodiscard]] std::optional<std::string> ended() const;
  /// The first reason stays. Every clique is aborted: those that no thread is in at once, the
  /// others by the thread that is in them, which looks for it. Any thread.
  void end(const std::string& reason);

 private:
  friend class Clique;
  const std::int64_t timeoutMs_;
  mutable std::mutex mutex_;
  std::optional<std::string> reason_;  // guarded by mutex_, as are the cliques with their state
  std::vector<Clique*> cliques_;
};

/// Ranks that NCCL connects, or ranks of one device, which need no connection. NCCL does not block
/// a call, so none takes longer than the time-out. What it does is in the order of the devices'
/// streams: a call returns once NCCL has put it there, and who reads a result back waits for it.
class Clique {
 public:
  /// nccl null: the ranks are on one device.
  Clique(std::shared_ptr<World> world, std::vector<PcRank> ranks,
         std::shared_ptr<const NcclApi> nccl);
  Clique(const Clique&) = delete;
  Clique& operator=(const Clique&) = delete;
  /// Ends the connections in order, or aborts them where that takes longer than the time-out.
  ~Clique();

  /// Connects the ranks, for which NCCL asks all of them.
  std::int32_t start(PcError* error);
  /// Runs one group of NCCL calls, `ofRank` for each rank.
  std::int32_t run(
      PcError* error,
      const std::function<int(std::int32_t rank, NcclApi::Comm, NcclApi::Stream)>& ofRank);
  /// Whether NCCL has found an error on a rank; nothing is waited for.
  std::int32_t check(PcError* error);

 private:
  friend class World;
  class Use;
  struct Look {
    bool isDone = true;
    std::string wrong;  ///< "" if nothing is
  };
  /// The state of NCCL on a rank.
  [[nodiscard]] Look look(std::size_t rank) const;
  std::int32_t sendUploads(PcError* error);
  /// Until NCCL has put on every stream what it was asked for, or a rank has failed, or the time is
  /// over.
  std::int32_t wait(PcError* error, const char* what);
  std::int32_t fail(PcError* error, std::int32_t rank, const std::string& text);
  void abortComms();

  std::shared_ptr<World> world_;
  std::vector<PcRank> ranks_;
  std::shared_ptr<const NcclApi> nccl_;
  std::vector<NcclApi::Comm> comms_;  // of each rank; of the thread that is in it
  bool inUse_ = false;                // guarded by the world's mutex
};

}  // namespace parapet::cuda
