// SPDX-License-Identifier: Apache-2.0
// As much of nccl.h 2 as the plugin calls. Numbers are those of that header.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "sums.h"

#ifndef STUB_VERSION
#define STUB_VERSION 22809
#endif

namespace nccl_stub {
namespace {

enum : int { kSuccess = 0, kInvalidUsage = 5, kRemoteError = 6, kInProgress = 7 };

struct Comm {
  std::uint64_t clique = 0;
  int rank = 0, ranks = 0;
  int state = kSuccess;  // as the library is asked for it
};

struct UniqueId {
  char bytes[128];
};
struct Config {
  std::size_t size;
  unsigned magic, version;
  int blocking;
};

std::mutex mutex;
std::set<Comm*> live;  // guarded by mutex, as are the counts
int aborted = 0, destroyed = 0;
std::uint64_t lastClique = 0;

// Depth of the thread's open group.
thread_local int depth = 0;
thread_local std::map<std::uint64_t, std::map<int, std::pair<Comm*, std::vector<Step>>>> asked;
thread_local std::vector<Comm*> started;

struct Fault {
  std::string kind;
  int rank = -1;  // all
};
Fault fault() {
  const char* const text = std::getenv("PARAPET_NCCL_STUB");
  const std::string words = text ? text : "";
  const std::size_t colon = words.find(':');
  if (colon == std::string::npos) return {};
  const std::string rank = words.substr(colon + 1);
  return {words.substr(0, colon), rank == "all" ? -1 : std::atoi(rank.c_str())};
}

int stateOf(const Fault& fault, const char* hanging, int rank) {
  const bool isIts = fault.rank < 0 || fault.rank == rank;
  if (fault.kind == hanging) return isIts ? kInProgress : kSuccess;
  if (fault.kind == "lost") return isIts ? kRemoteError : kInProgress;
  return kSuccess;
}

int add(Comm* comm, const Step& step) {
  const std::lock_guard lock(mutex);
  if (!live.contains(comm) || comm->state != kSuccess || depth == 0) return kInvalidUsage;
  auto& [whose, steps] = asked[comm->clique][comm->rank];
  whose = comm;
  steps.push_back(step);
  return kInProgress;
}

int endGroup() {
  const std::lock_guard lock(mutex);
  const Fault now = fault();
  for (Comm* const comm : started)
    comm->state = now.kind == "starts" ? stateOf(now, "starts", comm->rank) : kSuccess;
  int code = started.empty() ? kSuccess : kInProgress;
  started.clear();
  for (auto& [clique, ranks] : asked) {
    std::vector<std::vector<Step>> steps;
    for (auto& [rank, calls] : ranks) {
      calls.first->state = stateOf(now, "hangs", rank);
      steps.push_back(calls.second);
    }
    const bool isWhole = static_cast<int>(ranks.size()) == ranks.begin()->second.first->ranks;
    const bool isHalted = now.kind == "hangs" || now.kind == "lost";
    if (!isHalted && (!isWhole || !perform(steps))) code = kInvalidUsage;
    if (code == kSuccess) code = kInProgress;
  }
  asked.clear();
  return code;
}

int leave(void* of, int& count) {
  const std::lock_guard lock(mutex);
  const auto at = live.find(static_cast<Comm*>(of));
  if (at == live.end()) return kInvalidUsage;
  ++count;
  delete *at;
  live.erase(at);
  return kSuccess;
}

}  // namespace
}  // namespace nccl_stub

using namespace nccl_stub;
#define STUB_API __attribute__((visibility("default")))

extern "C" {

STUB_API int ncclGetVersion(int* version) {
  *version = STUB_VERSION;
  return kSuccess;
}
STUB_API const char* ncclGetErrorString(int code) {
  return code == kRemoteError ? "remote process exited or there was a network error"
                              : "invalid usage";
}
STUB_API int ncclGetUniqueId(UniqueId* id) {
  const std::lock_guard lock(mutex);
  *id = {};
  ++lastClique;
  std::memcpy(id->bytes, &lastClique, sizeof lastClique);
  return kSuccess;
}
STUB_API int ncclCommInitRankConfig(void** made, int ranks, UniqueId id, int rank, Config* config) {
  if (config->magic != 0xcafebeef || config->blocking != 0 || depth == 0) return kInvalidUsage;
  auto comm = std::make_unique<Comm>();
  std::memcpy(&comm->clique, id.bytes, sizeof comm->clique);
  comm->rank = rank;
  comm->ranks = ranks;
  comm->state = kInProgress;
  started.push_back(comm.get());
  const std::lock_guard lock(mutex);
  live.insert(comm.get());
  *made = comm.release();
  return kInProgress;
}
#ifndef STUB_WITHOUT_ABORT
STUB_API int ncclCommAbort(void* comm) {
  return leave(comm, aborted);
}
#endif
STUB_API int ncclCommFinalize(void* comm) {
  const std::lock_guard lock(mutex);
  return live.contains(static_cast<Comm*>(comm)) ? kSuccess : kInvalidUsage;
}
STUB_API int ncclCommDestroy(void* comm) {
  return leave(comm, destroyed);
}
STUB_API int ncclCommGetAsyncError(void* comm, int* state) {
  const std::lock_guard lock(mutex);
  if (!live.contains(static_cast<Comm*>(comm))) return kInvalidUsage;
  *state = static_cast<Comm*>(comm)->state;
  return kSuccess;
}
STUB_API int ncclGroupStart() {
  ++depth;
  return kSuccess;
}
STUB_API int ncclGroupEnd() {
  return --depth == 0 ? endGroup() : kSuccess;
}
STUB_API int ncclAllReduce(const void* in, void* out, std::size_t count, int type, int, void* comm,
                           void*) {
  return add(static_cast<Comm*>(comm), {Kind::kAllReduce, in, out, count, type, -1});
}
STUB_API int ncclReduce(const void* in, void* out, std::size_t count, int type, int, int root,
                        void* comm, void*) {
  return add(static_cast<Comm*>(comm), {Kind::kReduce, in, out, count, type, root});
}
STUB_API int ncclBroadcast(const void* in, void* out, std::size_t count, int type, int root,
                           void* comm, void*) {
  return add(static_cast<Comm*>(comm), {Kind::kBroadcast, in, out, count, type, root});
}
STUB_API int ncclSend(const void* in, std::size_t count, int type, int peer, void* comm, void*) {
  return add(static_cast<Comm*>(comm), {Kind::kSend, in, nullptr, count, type, peer});
}
STUB_API int ncclRecv(void* out, std::size_t count, int type, int peer, void* comm, void*) {
  return add(static_cast<Comm*>(comm), {Kind::kReceive, nullptr, out, count, type, peer});
}

// For the test alone.
/// A rank is found lost while nobody calls.
STUB_API void stubFail(int rank) {
  const std::lock_guard lock(mutex);
  for (Comm* const comm : live)
    if (comm->rank == rank) comm->state = kRemoteError;
}
STUB_API int stubAborted() {
  const std::lock_guard lock(mutex);
  return aborted;
}
STUB_API int stubDestroyed() {
  const std::lock_guard lock(mutex);
  return destroyed;
}
STUB_API int stubLive() {
  const std::lock_guard lock(mutex);
  return static_cast<int>(live.size());
}

}  // extern "C"
