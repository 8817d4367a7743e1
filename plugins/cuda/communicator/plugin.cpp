// SPDX-License-Identifier: Apache-2.0
// Collectives between the GPUs of this process by NCCL, found at run time. Ranks that share one
// GPU, to which NCCL gives only one rank, exchange by that GPU's own copies and sums; what lies in
// the host's memory is added up there.
#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "engine/mesh/communicator_abi.h"
#include "plugins/cuda/communicator/clique.h"
#include "plugins/cuda/communicator/mover.h"
#include "plugins/cuda/communicator/nccl.h"

namespace parapet::cuda {
namespace {

bool isSame(const PcRank& a, const PcRank& b) {
  return a.device == b.device && a.index == b.index;
}

}  // namespace
}  // namespace parapet::cuda

struct PcCommunicator {
  std::shared_ptr<parapet::cuda::World> world;
  std::vector<PcRank> ranks;
  std::unique_ptr<parapet::cuda::Mover> host, device;  // device: all ranks are on one
  std::shared_ptr<const parapet::cuda::NcclApi> nccl;  // null if they are
  std::unique_ptr<parapet::cuda::Clique> clique;
};

namespace parapet::cuda {
namespace {

std::int32_t ranksOf(const PcCommunicator& of) {
  return static_cast<std::int32_t>(of.ranks.size());
}

/// How the ranks reach each other's memory.
std::int32_t connect(PcCommunicator& made, PcError* error) {
  made.host = hostMover();
  const std::vector<PcRank>& ranks = made.ranks;
  if (std::ranges::all_of(ranks, [&](const PcRank& rank) { return isSame(rank, ranks[0]); })) {
    made.device = deviceMover(ranks[0]);
    made.clique = std::make_unique<Clique>(made.world, ranks, nullptr);
    return PC_OK;
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (std::strcmp(ranks[rank].device->kind, "cuda") != 0)
      return refuse(error, PC_UNSUPPORTED, static_cast<std::int32_t>(rank),
                    nameOf(ranks[rank]) + " is no GPU; NCCL moves data between GPUs alone");
    for (std::size_t other = 0; other < rank; ++other)
      if (isSame(ranks[rank], ranks[other]))
        return refuse(error, PC_UNSUPPORTED, static_cast<std::int32_t>(rank),
                      "ranks " + std::to_string(other) + " and " + std::to_string(rank) +
                          " are both on " + nameOf(ranks[rank]) +
                          "; NCCL takes one rank of each GPU, unless all are on one");
  }
  std::string why;
  if (!made.nccl) made.nccl = NcclApi::open(why);
  if (!made.nccl) return refuse(error, PC_UNSUPPORTED, -1, why);
  made.clique = std::make_unique<Clique>(made.world, ranks, made.nccl);
  return made.clique->start(error);
}

/// No exception leaves the plugin.
template <class Body>
std::int32_t bordered(PcError* error, const Body& body) {
  try {
    return body();
  } catch (const std::exception& exception) {
    return refuse(error, PC_FAILED, -1, exception.what());
  }
}

/// A collective: over the host's memory, within one device, or as one group of NCCL calls, `ofRank`
/// for each.
template <class ByMover, class OfRank>
std::int32_t collective(PcCommunicator* of, const PcCall* call, PcError* error,
                        const ByMover& byMover, const OfRank& ofRank) {
  return bordered(error, [&]() -> std::int32_t {
    if (const auto reason = of->world->ended()) return refuse(error, PC_PEER, -1, *reason);
    if (call->memory == PC_HOST || of->device) {
      const std::int32_t code = byMover(call->memory == PC_HOST ? *of->host : *of->device);
      if (code == PP_OK) return PC_OK;
      return refuse(
          error, code == PP_UNSUPPORTED ? PC_UNSUPPORTED : PC_FAILED, -1,
          code == PP_UNSUPPORTED ? "bytes are not added up" : of->ranks[0].device->lastError());
    }
    return of->clique->run(error, ofRank);
  });
}

std::int32_t create(const PcWorld* world, PcCommunicator** made, PcError* error) {
  return bordered(error, [&]() -> std::int32_t {
    auto one = std::make_unique<PcCommunicator>();
    one->world = std::make_shared<World>(world->timeoutMs);
    one->ranks.assign(world->devices, world->devices + world->ranks);
    if (const std::int32_t code = connect(*one, error); code != PC_OK) return code;
    *made = one.release();
    return PC_OK;
  });
}

std::int32_t group(PcCommunicator* of, const std::int32_t* ranks, std::int32_t count,
                   PcCommunicator** made, PcError* error) {
  return bordered(error, [&]() -> std::int32_t {
    auto one = std::make_unique<PcCommunicator>();
    one->world = of->world;
    one->nccl = of->nccl;
    for (std::int32_t i = 0; i < count; ++i)
      one->ranks.push_back(of->ranks.at(static_cast<std::size_t>(ranks[i])));
    if (const std::int32_t code = connect(*one, error); code != PC_OK) return code;
    *made = one.release();
    return PC_OK;
  });
}

void destroy(PcCommunicator* of) {
  delete of;
}

const std::byte* at(const void* begin, std::int64_t elements, std::int32_t type) {
  return static_cast<const std::byte*>(begin) + elements * static_cast<std::int64_t>(bytesOf(type));
}
std::byte* at(void* begin, std::int64_t elements, std::int32_t type) {
  return static_cast<std::byte*>(begin) + elements * static_cast<std::int64_t>(bytesOf(type));
}

std::int32_t allReduceOf(PcCommunicator* of, const PcCall* call, std::int64_t n, PcError* error) {
  return collective(
      of, call, error, [&](Mover& mover) { return allReduce(mover, *call, ranksOf(*of), n); },
      [&](std::int32_t rank, void* comm, void* stream) {
        return of->nccl->allReduce(call->out[rank], call->out[rank], static_cast<std::size_t>(n),
                                   NcclApi::typeOf(call->type), NcclApi::kSum, comm, stream);
      });
}

// Blocks may differ in size: a sum towards each rank.
std::int32_t reduceScatterOf(PcCommunicator* of, const PcCall* call, const std::int64_t* counts,
                             PcError* error) {
  return collective(
      of, call, error,
      [&](Mover& mover) { return reduceScatter(mover, *call, ranksOf(*of), counts); },
      [&](std::int32_t rank, void* comm, void* stream) {
        int failed = NcclApi::kSuccess;
        std::int64_t begin = 0;
        for (std::int32_t root = 0; root < ranksOf(*of) && !NcclApi::isWrong(failed);
             begin += counts[root++])
          failed = of->nccl->reduce(at(call->in[rank], begin, call->type), call->out[rank],
                                    static_cast<std::size_t>(counts[root]),
                                    NcclApi::typeOf(call->type), NcclApi::kSum, root, comm, stream);
        return failed;
      });
}

std::int32_t allGatherOf(PcCommunicator* of, const PcCall* call, const std::int64_t* counts,
                         PcError* error) {
  return collective(
      of, call, error, [&](Mover& mover) { return allGather(mover, *call, ranksOf(*of), counts); },
      [&](std::int32_t rank, void* comm, void* stream) {
        int failed = NcclApi::kSuccess;
        std::int64_t begin = 0;
        for (std::int32_t root = 0; root < ranksOf(*of) && !NcclApi::isWrong(failed);
             begin += counts[root++])
          failed = of->nccl->broadcast(call->in[rank], at(call->out[rank], begin, call->type),
                                       static_cast<std::size_t>(counts[root]),
                                       NcclApi::typeOf(call->type), root, comm, stream);
        return failed;
      });
}

std::int32_t allToAllOf(PcCommunicator* of, const PcCall* call, const PcPeerCounts* counts,
                        PcError* error) {
  return collective(
      of, call, error, [&](Mover& mover) { return allToAll(mover, *call, ranksOf(*of), counts); },
      [&](std::int32_t rank, void* comm, void* stream) {
        int failed = NcclApi::kSuccess;
        const int type = NcclApi::typeOf(call->type);
        const PcPeerCounts& mine = counts[rank];
        std::int64_t begin = 0;
        for (std::int32_t peer = 0; peer < ranksOf(*of); begin += mine.receive[peer++]) {
          if (mine.send[peer] > 0 && !NcclApi::isWrong(failed))
            failed =
                of->nccl->send(at(call->in[rank], mine.sendBegin[peer], call->type),
                               static_cast<std::size_t>(mine.send[peer]), type, peer, comm, stream);
          if (mine.receive[peer] > 0 && !NcclApi::isWrong(failed))
            failed = of->nccl->receive(at(call->out[rank], begin, call->type),
                                       static_cast<std::size_t>(mine.receive[peer]), type, peer,
                                       comm, stream);
        }
        return failed;
      });
}

// All ranks are of this process, so that all have come here; what they asked of the devices is
// ordered by their streams.
std::int32_t barrier(PcCommunicator* of, PcError* error) {
  return bordered(error, [&] { return of->clique->check(error); });
}

void abortAll(PcCommunicator* of, const char* reason) {
  of->world->end(reason);
}

const PcPlugin& plugin() {
  static const PcCollectives table{.structSize = sizeof(PcCollectives),
                                   .create = create,
                                   .group = group,
                                   .destroy = destroy,
                                   .allReduce = allReduceOf,
                                   .reduceScatter = reduceScatterOf,
                                   .allGather = allGatherOf,
                                   .allToAll = allToAllOf,
                                   .barrier = barrier,
                                   .abort = abortAll};
  static const PcPlugin made{sizeof(PcPlugin), "nccl", &table, nullptr};
  return made;
}

}  // namespace
}  // namespace parapet::cuda

extern "C" {

__attribute__((visibility("default"))) uint32_t parapet_plugin_abi(void) {
  return PC_ABI_VERSION;
}
__attribute__((visibility("default"))) const char* parapet_plugin_build_tag(void) {
  return PARAPET_BUILD_TAG;
}
__attribute__((visibility("default"))) const PcPlugin* parapet_plugin(void) {
  return &parapet::cuda::plugin();
}

}  // extern "C"
