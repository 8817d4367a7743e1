// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/tcp/scenarios.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <numeric>
#include <thread>

#include "engine/mesh/process_communicator.h"
#include "engine/tensor/backends.h"
#include "tests/mesh/thread_processes.h"
#include "tests/plugins/tcp/processes.h"

namespace parapet::sample {
namespace {

using mesh::Communicator;
using mesh::ElementType;
using mesh::Memory;
using mesh::PeerCounts;
using std::chrono::milliseconds;
namespace fs = std::filesystem;

/// Elements of 4 bytes: nothing, one, 4 KiB, 1 MiB.
constexpr std::int64_t kSizes[] = {0, 1, 1024, 262'144};
constexpr milliseconds kLong{30'000}, kShort{1'500};

struct Self {
  int processes, process;
  fs::path folder;
};

Result<std::shared_ptr<mesh::Transport>> meet(const Self& self, milliseconds timeout,
                                              std::int64_t generation = 1) {
  return mesh::makePluginTransport(
      pluginTransport(), meetingIn(self.folder, self.processes, self.process, timeout, generation));
}

/// The processes have 1, 2, 1, 2, … ranks.
std::unique_ptr<Communicator> unevenRanks(std::shared_ptr<mesh::Transport> transport) {
  std::vector<int> firstRanks;
  std::vector<tensor::Device> devices;
  for (int process = 0; process < transport->processes(); ++process) {
    firstRanks.push_back(static_cast<int>(devices.size()));
    for (int rank = 0; rank <= process % 2; ++rank)
      devices.push_back(process == transport->process() ? tensor::hostDevice()
                                                        : tensor::hostDevice().elsewhere());
  }
  return mesh::makeProcessCommunicator(std::move(transport), firstRanks, devices, nullptr);
}

/// Element i of what a rank has. Sums of it are exact.
std::int32_t valueOf(int rank, std::int64_t i) {
  return static_cast<std::int32_t>((rank + 1) * 1'000'003 + i * 7);
}

/// The buffers of the ranks here; `size` and `value` by rank of the world.
struct Buffers {
  std::vector<std::vector<std::int32_t>> of;
  template <class Size>
  Buffers(const Communicator& ranks, const Size& size) {
    for (int rank = ranks.local().first; rank < ranks.local().end(); ++rank) {
      of.emplace_back(static_cast<std::size_t>(size(rank)));
      for (std::size_t i = 0; i < of.back().size(); ++i)
        of.back()[i] = valueOf(rank, static_cast<std::int64_t>(i));
    }
  }
  std::vector<void*> out() {
    std::vector<void*> all;
    for (auto& buffer : of) all.push_back(buffer.data());
    return all;
  }
  std::vector<const void*> in() const {
    std::vector<const void*> all;
    for (const auto& buffer : of) all.push_back(buffer.data());
    return all;
  }
};

Status wrong(const char* collective, std::int64_t n, int rank, std::size_t i) {
  return Error{ErrorCode::kInternal,
               fmt::format("{} of {}: element {} of rank {} is wrong", collective, n, i, rank)};
}

/// expected(rank, i) is what out holds.
template <class Expected>
Status compare(const char* collective, std::int64_t n, const Communicator& ranks,
               const Buffers& out, const Expected& expected) {
  for (std::size_t index = 0; index < out.of.size(); ++index) {
    const int rank = ranks.local().first + static_cast<int>(index);
    for (std::size_t i = 0; i < out.of[index].size(); ++i)
      if (out.of[index][i] != expected(rank, static_cast<std::int64_t>(i)))
        return wrong(collective, n, rank, i);
  }
  return {};
}

Status reduceAll(Communicator& ranks, std::int64_t n) {
  Buffers sums(ranks, [&](int) { return n; });
  PARAPET_TRY(ranks.allReduce(sums.out(), n, ElementType::kI32, Memory::kHost));
  return compare("all-reduce", n, ranks, sums, [&](int, std::int64_t i) {
    std::int32_t sum = 0;
    for (int rank = 0; rank < ranks.ranks(); ++rank) sum += valueOf(rank, i);
    return sum;
  });
}

/// Rank r has n + r elements, but rank 1 none.
std::vector<std::int64_t> unevenCounts(const Communicator& ranks, std::int64_t n) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks.ranks()));
  std::iota(counts.begin(), counts.end(), n);
  if (counts.size() > 1) counts[1] = 0;
  return counts;
}

Status gatherAndScatter(Communicator& ranks, std::int64_t n) {
  const std::vector<std::int64_t> counts = unevenCounts(ranks, n);
  const std::int64_t all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const auto own = [&](int rank) { return counts[static_cast<std::size_t>(rank)]; };
  const auto whole = [&](int) { return all; };
  const Buffers in(ranks, own);
  Buffers out(ranks, whole);
  PARAPET_TRY(ranks.allGather(in.in(), out.out(), counts, ElementType::kI32, Memory::kHost));
  PARAPET_TRY(compare("all-gather", n, ranks, out, [&](int, std::int64_t i) {
    int rank = 0;
    for (; i >= own(rank); ++rank) i -= own(rank);
    return valueOf(rank, i);
  }));
  const Buffers parts(ranks, whole);
  Buffers sums(ranks, own);
  PARAPET_TRY(
      ranks.reduceScatter(parts.in(), sums.out(), counts, ElementType::kI32, Memory::kHost));
  return compare("reduce-scatter", n, ranks, sums, [&](int rank, std::int64_t i) {
    const std::int64_t begin =
        std::accumulate(counts.begin(), counts.begin() + rank, std::int64_t{0});
    std::int32_t sum = 0;
    for (int other = 0; other < ranks.ranks(); ++other) sum += valueOf(other, begin + i);
    return sum;
  });
}

/// Rank r sends rank t its elements from r on, n / (t + 1) of them, but nothing to itself.
Status exchange(Communicator& ranks, std::int64_t n) {
  const auto countOf = [&](int from, int to) { return from == to ? 0 : n / (to + 1); };
  std::vector<PeerCounts> counts;
  for (int rank = ranks.local().first; rank < ranks.local().end(); ++rank) {
    PeerCounts& own = counts.emplace_back(ranks.ranks());
    for (int peer = 0; peer < ranks.ranks(); ++peer) {
      const auto index = static_cast<std::size_t>(peer);
      own.send[index] = countOf(rank, peer);
      own.sendBegin[index] = rank;
      own.receive[index] = countOf(peer, rank);
    }
  }
  const Buffers in(ranks, [&](int rank) { return n + rank; });
  Buffers out(ranks, [&](int rank) { return (ranks.ranks() - 1) * (n / (rank + 1)); });
  PARAPET_TRY(ranks.allToAll(in.in(), counts, out.out(), ElementType::kI32, Memory::kHost));
  return compare("all-to-all", n, ranks, out, [&](int rank, std::int64_t i) {
    const std::int64_t each = n / (rank + 1);
    const auto nth = static_cast<int>(i / each);
    const int from = nth < rank ? nth : nth + 1;
    return valueOf(from, from + i % each);
  });
}

Status everyCollective(Communicator& ranks) {
  for (const std::int64_t n : kSizes) {
    PARAPET_TRY(reduceAll(ranks, n));
    PARAPET_TRY(gatherAndScatter(ranks, n));
    PARAPET_TRY(exchange(ranks, n));
    PARAPET_TRY(ranks.barrier());
  }
  return {};
}

/// Collectives of all ranks, then of the group with the last rank of each process.
Status collectives(const Self& self) {
  if (self.process + 1 == self.processes && fs::exists(self.folder / "strangers"))
    awaitNote(self.folder, "go");
  PARAPET_ASSIGN(auto transport, meet(self, kLong));
  note(self.folder, fmt::format("met.{}", self.process), "");
  const auto ranks = unevenRanks(transport);
  PARAPET_TRY(everyCollective(*ranks));
  std::vector<int> last;
  for (int process = 0, rank = -1; process < self.processes; ++process)
    last.push_back(rank += 1 + process % 2);
  PARAPET_ASSIGN(const auto group, ranks->group(last));
  PARAPET_TRY(everyCollective(*group));
  if (fs::exists(self.folder / "strangers")) awaitNote(self.folder, "seen");
  return ranks->barrier();
}

/// Reduces until that fails, which says so with how long it took.
Status reduceUntilItFails(Communicator& ranks, const Self& self) {
  for (;;) {
    const auto begin = std::chrono::steady_clock::now();
    const Status status = reduceAll(ranks, 262'144);
    if (status.ok()) continue;
    const auto took =
        std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
    note(self.folder, fmt::format("took.{}", self.process), std::to_string(took.count()));
    return status;
  }
}

/// Process 1 gets a signal some time after the first round.
Status interrupted(const Self& self, int signal, milliseconds timeout) {
  PARAPET_ASSIGN(auto transport, meet(self, timeout));
  const auto ranks = unevenRanks(transport);
  PARAPET_TRY(reduceAll(*ranks, 1));
  std::thread interrupts;
  if (self.process == 1) {
    interrupts = std::thread([&] {
      std::this_thread::sleep_for(milliseconds(30));
      kill(getpid(), signal);
    });
    interrupts.detach();
  }
  return reduceUntilItFails(*ranks, self);
}

/// Process 1 is killed; the processes that are left meet again.
Status killed(const Self& self) {
  const Status status = interrupted(self, SIGKILL, kLong);
  if (self.processes == 2) return status;
  const Self left{self.processes - 1, self.process == 0 ? 0 : self.process - 1, self.folder};
  PARAPET_ASSIGN(auto transport, meet(left, kLong, 2));
  PARAPET_TRY(everyCollective(*unevenRanks(transport)));
  return status;
}

Status different(const Self& self, bool otherCollective) {
  PARAPET_ASSIGN(auto transport, meet(self, kLong));
  const auto ranks = unevenRanks(transport);
  if (self.process != 1) return reduceAll(*ranks, 100'000);
  return otherCollective ? gatherAndScatter(*ranks, 100'000) : reduceAll(*ranks, 100'001);
}

Status ended(const Self& self) {
  PARAPET_ASSIGN(auto transport, meet(self, kLong));
  const auto ranks = unevenRanks(transport);
  PARAPET_TRY(ranks->barrier());
  if (self.process != 0) return ranks->barrier();
  std::thread ends([&] {
    std::this_thread::sleep_for(milliseconds(50));
    ranks->abort("the user wanted it");
  });
  // The others of three or more wait for each other, and for this one, which waits for itself.
  while (transport->wait().ok()) std::this_thread::sleep_for(milliseconds(1));
  ends.join();
  return transport->wait();
}

}  // namespace

int runScenario(const std::string& scenario, int processes, int process, const fs::path& folder) {
  const Self self{processes, process, folder};
  Status status;
  if (scenario == "collectives") status = collectives(self);
  if (scenario == "killed") status = killed(self);
  if (scenario == "stopped") status = interrupted(self, SIGSTOP, kShort);
  if (scenario == "sizes") status = different(self, false);
  if (scenario == "order") status = different(self, true);
  if (scenario == "ended") status = ended(self);
  if (status.ok()) return 0;
  note(folder, fmt::format("said.{}", process), status.error().text());
  return 1;
}

}  // namespace parapet::sample
