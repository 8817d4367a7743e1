// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "engine/mesh/communicator.h"
#include "engine/mesh/communicator_abi.h"

#ifndef SAMPLE_ABI
#define SAMPLE_ABI PC_ABI_VERSION
#endif

namespace parapet::mesh {
namespace {

/// State that a communicator and its groups have in common.
struct World {
  const std::chrono::milliseconds limit;
  std::mutex mutex;
  std::condition_variable ended;
  bool aborted = false;    // guarded by mutex
  std::int64_t calls = 0;  // of all collectives
};

/// PARAPET_SAMPLE_COMMUNICATOR_FAULT; see README.md.
struct Fault {
  std::string kind;
  std::int32_t rank = -1;
  std::int64_t call = 0;

  static Fault read() {
    const char* const text = std::getenv("PARAPET_SAMPLE_COMMUNICATOR_FAULT");
    std::istringstream words(text ? text : "");
    Fault fault;
    char colon = 0;
    if (!std::getline(words, fault.kind, ':') || !(words >> fault.rank >> colon >> fault.call))
      return {};
    return fault;
  }
};

void say(PcError* error, std::int32_t rank, const std::string& text) {
  error->rank = rank;
  std::snprintf(error->text, sizeof error->text, "%s", text.c_str());
}

}  // namespace
}  // namespace parapet::mesh

using parapet::mesh::Communicator;
using parapet::mesh::World;

struct PcCommunicator {
  std::shared_ptr<World> world;
  std::unique_ptr<Communicator> inner;
};

namespace parapet::mesh {
namespace {

std::int32_t codeOf(const Status& status, PcError* error) {
  if (status) return PC_OK;
  say(error, -1, status.error().message);
  return status.error().code == ErrorCode::kPeer ? PC_PEER : PC_FAILED;
}

/// No exception leaves the plugin.
template <class Body>
std::int32_t bordered(PcError* error, const Body& body) {
  try {
    return body();
  } catch (const std::exception& exception) {
    say(error, -1, exception.what());
    return PC_FAILED;
  }
}

/// A rank that has gone silent is waited for, but not for ever.
std::int32_t meet(PcCommunicator& of, PcError* error) {
  World& world = *of.world;
  const Fault fault = Fault::read();
  std::unique_lock lock(world.mutex);
  if (fault.rank < 0 || ++world.calls < fault.call || world.aborted) return PC_OK;
  if (fault.kind == "silent")
    world.ended.wait_for(lock, world.limit, [&] { return world.aborted; });
  say(error, fault.rank,
      fault.kind == "silent" ? "it was silent for " + std::to_string(world.limit.count()) + " ms"
                             : std::string("it closed its connection"));
  return PC_PEER;
}

template <class Body>
std::int32_t collective(PcCommunicator* of, PcError* error, const Body& body) {
  return bordered(error, [&]() -> std::int32_t {
    if (const std::int32_t code = meet(*of, error); code != PC_OK) return code;
    return codeOf(body(*of->inner), error);
  });
}

struct Arrays {
  Communicator::ConstBuffers in;
  Communicator::Buffers out;
  ElementType type;
  Memory memory;
  Arrays(const PcCommunicator& of, const PcCall& call)
      : in(call.in, call.in ? ranksOf(of) : 0),
        out(call.out, ranksOf(of)),
        type(static_cast<ElementType>(call.type)),
        memory(static_cast<Memory>(call.memory)) {}
  static std::size_t ranksOf(const PcCommunicator& of) {
    return static_cast<std::size_t>(of.inner->ranks());
  }
};

std::int32_t create(const PcWorld* world, PcCommunicator** made, PcError* error) {
  return bordered(error, [&] {
    std::vector<tensor::Device> devices;
    for (const PcRank& rank : std::span(world->devices, static_cast<std::size_t>(world->ranks)))
      devices.emplace_back(std::string(rank.device->kind) + ":" + std::to_string(rank.index),
                           *rank.device, rank.index, "");
    auto common = std::make_shared<World>(std::chrono::milliseconds(world->timeoutMs));
    *made = new PcCommunicator{std::move(common), makeLocalCommunicator(devices, nullptr)};
    return PC_OK;
  });
}

std::int32_t group(PcCommunicator* of, const std::int32_t* ranks, std::int32_t count,
                   PcCommunicator** made, PcError* error) {
  return bordered(error, [&]() -> std::int32_t {
    auto inner = of->inner->group(std::span(ranks, static_cast<std::size_t>(count)));
    if (!inner) return codeOf(inner.error(), error);
    *made = new PcCommunicator{of->world, std::move(inner).value()};
    return PC_OK;
  });
}

void destroy(PcCommunicator* communicator) {
  delete communicator;
}

std::int32_t allReduce(PcCommunicator* of, const PcCall* call, std::int64_t n, PcError* error) {
  const Arrays on(*of, *call);
  return collective(of, error, [&](Communicator& inner) {
    return inner.allReduce(on.out, n, on.type, on.memory);
  });
}

std::int32_t reduceScatter(PcCommunicator* of, const PcCall* call, const std::int64_t* counts,
                           PcError* error) {
  const Arrays on(*of, *call);
  return collective(of, error, [&](Communicator& inner) {
    return inner.reduceScatter(on.in, on.out, std::span(counts, on.out.size()), on.type, on.memory);
  });
}

std::int32_t allGather(PcCommunicator* of, const PcCall* call, const std::int64_t* counts,
                       PcError* error) {
  const Arrays on(*of, *call);
  return collective(of, error, [&](Communicator& inner) {
    return inner.allGather(on.in, on.out, std::span(counts, on.out.size()), on.type, on.memory);
  });
}

std::int32_t allToAll(PcCommunicator* of, const PcCall* call, const PcPeerCounts* counts,
                      PcError* error) {
  const Arrays on(*of, *call);
  return collective(of, error, [&](Communicator& inner) {
    const std::size_t ranks = on.out.size();
    std::vector<PeerCounts> all(ranks, PeerCounts(static_cast<int>(ranks)));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      std::copy_n(counts[rank].send, ranks, all[rank].send.begin());
      std::copy_n(counts[rank].sendBegin, ranks, all[rank].sendBegin.begin());
      std::copy_n(counts[rank].receive, ranks, all[rank].receive.begin());
    }
    return inner.allToAll(on.in, all, on.out, on.type, on.memory);
  });
}

std::int32_t barrier(PcCommunicator* of, PcError* error) {
  return collective(of, error, [](Communicator& inner) { return inner.barrier(); });
}

void abortAll(PcCommunicator* of, const char* reason) {
  {
    const std::lock_guard lock(of->world->mutex);
    of->world->aborted = true;
  }
  of->world->ended.notify_all();
  of->inner->abort(reason);
}

const PcPlugin& plugin() {
  static const PcCollectives table{.structSize = sizeof(PcCollectives),
                                   .create = create,
                                   .group = group,
                                   .destroy = destroy,
                                   .allReduce = allReduce,
                                   .reduceScatter = reduceScatter,
                                   .allGather = allGather,
                                   .allToAll = allToAll,
                                   .barrier = barrier,
                                   .abort = abortAll};
  static const PcPlugin made{sizeof(PcPlugin), "sample", &table, nullptr};
  return made;
}

}  // namespace
}  // namespace parapet::mesh

extern "C" {

__attribute__((visibility("default"))) uint32_t parapet_plugin_abi(void) {
  return SAMPLE_ABI;
}
__attribute__((visibility("default"))) const char* parapet_plugin_build_tag(void) {
  return PARAPET_BUILD_TAG;
}
__attribute__((visibility("default"))) const PcPlugin* parapet_plugin(void) {
  return &parapet::mesh::plugin();
}

}  // extern "C"
