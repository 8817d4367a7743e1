// SPDX-License-Identifier: Apache-2.0
// Collectives move elements or add them in rank order, so every expectation is exact to the bit.
#include <fmt/format.h>

#include <limits>

#include "engine/selftest/cases.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/samples.h"

namespace parapet::selftest {
namespace {

using mesh::Communicator;
using Arrays = std::vector<std::vector<float>>;

constexpr std::int64_t kCounts[] = {0, 1, 33, 1000};

/// One array of `count` elements per rank, all different.
Arrays arrays(int ranks, std::int64_t count) {
  Arrays all;
  for (int rank = 0; rank < ranks; ++rank)
    all.push_back(samples(static_cast<std::uint64_t>(rank) + 1, count));
  return all;
}

Arrays unset(int ranks, std::int64_t count) {
  return Arrays(
      static_cast<std::size_t>(ranks),
      std::vector<float>(static_cast<std::size_t>(count), std::numeric_limits<float>::quiet_NaN()));
}

std::vector<float*> pointers(Arrays& all) {
  std::vector<float*> out;
  for (std::vector<float>& array : all) out.push_back(array.data());
  return out;
}

std::vector<const float*> constPointers(const Arrays& all) {
  std::vector<const float*> out;
  for (const std::vector<float>& array : all) out.push_back(array.data());
  return out;
}

// Σ over ranks in rank order, in f32 as the contract says.
std::vector<float> rankOrderSum(const Arrays& all) {
  std::vector<float> sum = all[0];
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += all[rank][i];
  return sum;
}

void requireOk(const Status& status, Measure& measure) {
  measure.require(status.ok(), status.ok() ? "" : status.error().message);
}

void allReduceCase(Communicator& communicator, std::int64_t n, Measure& measure) {
  Arrays buffers = arrays(communicator.worldRanks(), n);
  const std::vector<float> expected = rankOrderSum(buffers);
  requireOk(communicator.allReduce(pointers(buffers), n), measure);
  for (const std::vector<float>& buffer : buffers) measure.same("buffer", buffer, expected);
}

void reduceScatterCase(Communicator& communicator, std::int64_t n, Measure& measure) {
  const int ranks = communicator.worldRanks();
  const Arrays in = arrays(ranks, ranks * n);
  Arrays out = unset(ranks, n);
  requireOk(communicator.reduceScatter(constPointers(in), pointers(out), n), measure);
  const std::vector<float> sum = rankOrderSum(in);
  for (int rank = 0; rank < ranks; ++rank)
    measure.same(
        "out", out[static_cast<std::size_t>(rank)],
        std::span(sum).subspan(static_cast<std::size_t>(rank * n), static_cast<std::size_t>(n)));
}

void allGatherCase(Communicator& communicator, std::int64_t n, Measure& measure) {
  const int ranks = communicator.worldRanks();
  const Arrays in = arrays(ranks, n);
  Arrays out = unset(ranks, ranks * n);
  requireOk(communicator.allGather(constPointers(in), pointers(out), n), measure);
  std::vector<float> expected;
  for (const std::vector<float>& part : in)
    expected.insert(expected.end(), part.begin(), part.end());
  for (const std::vector<float>& gathered : out) measure.same("out", gathered, expected);
}

// Rank r sends (r + 2p) mod 5 · n elements to p: uneven, some of them none.
void allToAllCase(Communicator& communicator, std::int64_t n, Measure& measure) {
  const int ranks = communicator.worldRanks();
  std::vector<std::vector<std::int64_t>> counts;
  Arrays in, expected(static_cast<std::size_t>(ranks));
  for (int from = 0; from < ranks; ++from) {
    std::int64_t total = 0;
    auto& row = counts.emplace_back();
    for (int to = 0; to < ranks; ++to) total += row.emplace_back((from + 2 * to) % 5 * n);
    in.push_back(samples(static_cast<std::uint64_t>(from) + 1, total));
    std::ptrdiff_t at = 0;
    for (int to = 0; to < ranks; ++to) {
      const auto begin = in.back().begin() + at;
      at += row[static_cast<std::size_t>(to)];
      auto& received = expected[static_cast<std::size_t>(to)];
      received.insert(received.end(), begin, in.back().begin() + at);
    }
  }
  Arrays out;
  for (const std::vector<float>& received : expected)
    out.push_back(unset(1, static_cast<std::int64_t>(received.size()))[0]);
  requireOk(communicator.allToAll(constPointers(in), counts, pointers(out)), measure);
  for (std::size_t rank = 0; rank < out.size(); ++rank)
    measure.same("out", out[rank], expected[rank]);
}

void broadcastCase(Communicator& communicator, std::int64_t n, Measure& measure) {
  for (int root = 0; root < communicator.worldRanks(); ++root) {
    Arrays buffers = arrays(communicator.worldRanks(), n);
    const std::vector<float> expected = buffers[static_cast<std::size_t>(root)];
    requireOk(communicator.broadcast(pointers(buffers), n, root), measure);
    for (const std::vector<float>& buffer : buffers) measure.same("buffer", buffer, expected);
  }
}

// After abort() every collective fails with kPeer, names the reason and leaves the buffers alone.
void abortCase(Communicator& communicator, Measure& measure) {
  const int ranks = communicator.worldRanks();
  requireOk(communicator.barrier(), measure);
  communicator.abort("rank 0 lost its mind");
  communicator.abort("a later reason");
  const Arrays before = arrays(ranks, ranks);
  Arrays buffers = before;
  const auto in = constPointers(before);
  const auto out = pointers(buffers);
  const std::vector<std::vector<std::int64_t>> counts(
      static_cast<std::size_t>(ranks),
      std::vector<std::int64_t>(static_cast<std::size_t>(ranks), 1));
  const auto requireFailed = [&](const char* collective, const Status& status) {
    if (status.ok()) return measure.require(false, fmt::format("{} works after abort", collective));
    measure.require(status.error().code == ErrorCode::kPeer,
                    fmt::format("{} fails with another code than kPeer", collective));
    measure.require(
        status.error().message.find("rank 0 lost its mind") != std::string::npos,
        fmt::format("{} does not say the first reason: {}", collective, status.error().message));
  };
  requireFailed("allReduce", communicator.allReduce(out, 1));
  requireFailed("reduceScatter", communicator.reduceScatter(in, out, 1));
  requireFailed("allGather", communicator.allGather(in, out, 1));
  requireFailed("allToAll", communicator.allToAll(in, counts, out));
  requireFailed("broadcast", communicator.broadcast(out, 1, 0));
  requireFailed("barrier", communicator.barrier());
  for (std::size_t rank = 0; rank < buffers.size(); ++rank)
    measure.same("buffer", buffers[rank], before[rank]);
}

void requireAllLocal(const Communicator& communicator, int ranks, Measure& measure) {
  measure.require(communicator.worldRanks() == ranks && communicator.localRanks() == ranks &&
                      communicator.firstLocalRank() == 0,
                  "the ranks are not all local");
}

}  // namespace

std::vector<Case> collectiveCases(const CommunicatorFactory& make) {
  struct Collective {
    const char* name;
    void (*run)(Communicator&, std::int64_t n, Measure&);
  };
  std::vector<Case> cases;
  for (const int ranks : {1, 2, 3, 8}) {
    for (const auto [name, run] :
         {Collective{"allReduce", allReduceCase}, Collective{"reduceScatter", reduceScatterCase},
          Collective{"allGather", allGatherCase}, Collective{"allToAll", allToAllCase},
          Collective{"broadcast", broadcastCase}})
      for (const std::int64_t n : kCounts)
        cases.push_back(makeCase(name, fmt::format("{} ranks, n = {}", ranks, n), 0.0,
                                 [=, body = run](Measure& measure) {
                                   const auto communicator = make(ranks);
                                   requireAllLocal(*communicator, ranks, measure);
                                   body(*communicator, n, measure);
                                   body(*communicator, n, measure);
                                 }));
    cases.push_back(makeCase("abort", fmt::format("{} ranks", ranks), 0.0,
                             [=](Measure& measure) { abortCase(*make(ranks), measure); }));
  }
  return cases;
}

}  // namespace parapet::selftest
