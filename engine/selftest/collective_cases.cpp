// SPDX-License-Identifier: Apache-2.0
// Collectives move elements or add them in rank order, so every expectation is exact to the bit.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <type_traits>

#include "engine/selftest/cases.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/samples.h"
#include "engine/tensor/buffer.h"

namespace parapet::selftest {
namespace {

using mesh::Communicator;
using mesh::ElementType;
using mesh::PeerCounts;

constexpr std::int64_t kCounts[] = {0, 1, 33, 1000};

/// The bits of a bf16.
struct Half {
  std::uint16_t bits;
  bool operator==(const Half&) const = default;
};

template <class T>
constexpr ElementType kTypeOf = [] {
  if (std::is_same_v<T, double>) return ElementType::kF64;
  if (std::is_same_v<T, Half>) return ElementType::kBf16;
  if (std::is_same_v<T, std::int32_t>) return ElementType::kI32;
  if (std::is_same_v<T, std::int64_t>) return ElementType::kI64;
  if (std::is_same_v<T, std::byte>) return ElementType::kBytes;
  return ElementType::kF32;
}();

constexpr const char* nameOf(ElementType type) {
  constexpr const char* kNames[] = {"f32", "f64", "bf16", "i32", "i64", "bytes"};
  return kNames[static_cast<std::size_t>(type)];
}

// A bf16 is the upper half of an f32; a sum is cut to it by the nearest one, ties to the even one.
constexpr int kHalfBits = 16;
double valueOf(Half half) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half.bits) << kHalfBits);
}
Half halfOf(float value) {
  const Half below{static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> kHalfBits)};
  const Half above{static_cast<std::uint16_t>(below.bits + 1)};
  const double down = std::abs(value - valueOf(below)), up = std::abs(valueOf(above) - value);
  if (down == up) return below.bits % 2 == 0 ? below : above;
  return down < up ? below : above;
}

template <class T>
using Arrays = std::vector<std::vector<T>>;

/// `count` elements that are all different and not the same for another seed.
template <class T>
std::vector<T> elements(std::uint64_t seed, std::int64_t count) {
  const std::vector<float> drawn = samples(seed, count);
  std::vector<T> out;
  for (const float value : drawn) {
    if constexpr (std::is_same_v<T, Half>)
      out.push_back(halfOf(value));
    else if constexpr (std::is_same_v<T, std::byte>)
      out.push_back(static_cast<std::byte>(static_cast<std::int32_t>(value * 1e6f)));
    else  // integers whose sums do not fit must wrap around
      out.push_back(static_cast<T>(std::is_integral_v<T> ? value * 2e9f : value));
  }
  return out;
}

template <class T>
Arrays<T> unset(const std::vector<std::int64_t>& counts) {
  Arrays<T> all;
  for (const std::int64_t count : counts)
    all.emplace_back(static_cast<std::size_t>(count), elements<T>(77, 1)[0]);
  return all;
}

/// Arrays of the ranks where a collective finds them: here, or in the memory of a device each, with
/// an element behind them that nothing may write.
template <class T>
class Lent {
 public:
  Lent(const std::vector<tensor::Device>& devices, Arrays<T>& arrays) : arrays_(arrays) {
    for (std::size_t rank = 0; !devices.empty() && rank < arrays.size(); ++rank) {
      const tensor::Device& device = devices[rank % devices.size()];
      std::vector<T> guarded = arrays[rank];
      guarded.push_back(elements<T>(kGuard, 1)[0]);
      held_.emplace_back(device, static_cast<std::int64_t>(guarded.size()));
      device.copyIn(held_.back().data(), guarded.data(), held_.back().bytes());
    }
  }
  [[nodiscard]] std::vector<void*> pointers() {
    std::vector<void*> out;
    for (std::size_t rank = 0; rank < arrays_.size(); ++rank)
      out.push_back(held_.empty() ? arrays_[rank].data() : held_[rank].data());
    return out;
  }
  [[nodiscard]] std::vector<const void*> constPointers() {
    const std::vector<void*> all = pointers();
    return {all.begin(), all.end()};
  }
  /// Takes back the values that the collective has left there.
  void takeBack() {
    for (std::size_t rank = 0; rank < held_.size(); ++rank) {
      arrays_[rank] = tensor::readBack(held_[rank]);
      if (arrays_[rank].back() != elements<T>(kGuard, 1)[0])
        throw InternalError(fmt::format("rank {}: elements behind the end were written", rank));
      arrays_[rank].pop_back();
    }
  }
  [[nodiscard]] mesh::Memory memory() const {
    return held_.empty() ? mesh::Memory::kHost : mesh::Memory::kDevice;
  }

 private:
  static constexpr std::uint64_t kGuard = 99;
  Arrays<T>& arrays_;
  std::vector<tensor::Buffer<T>> held_;
};

/// The ranks of a case.
struct CollectiveRanks {
  Communicator& communicator;
  const std::vector<tensor::Device>& devices;  ///< of the ranks in turn; empty: memory of the host
};

/// Uneven, some of them 0: rank r has (r mod 3)·n.
std::vector<std::int64_t> unevenCounts(int ranks, std::int64_t n) {
  std::vector<std::int64_t> counts;
  for (int rank = 0; rank < ranks; ++rank) counts.push_back(rank % 3 * n);
  return counts;
}

std::int64_t sum(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

// Σ over ranks in rank order, as the contract says for the element type.
template <class T>
T sumOf(const Arrays<T>& all, std::size_t i) {
  if constexpr (std::is_same_v<T, Half>) {
    float sum = 0.0f;
    for (const std::vector<T>& part : all) sum += static_cast<float>(valueOf(part[i]));
    return halfOf(sum);
  } else if constexpr (std::is_integral_v<T>) {
    std::make_unsigned_t<T> sum = 0;
    for (const std::vector<T>& part : all) sum += static_cast<std::make_unsigned_t<T>>(part[i]);
    return static_cast<T>(sum);
  } else {
    T sum = all[0][i];
    for (std::size_t rank = 1; rank < all.size(); ++rank) sum += all[rank][i];
    return sum;
  }
}
template <class T>
std::vector<T> rankOrderSum(const Arrays<T>& all) {
  std::vector<T> sums;
  for (std::size_t i = 0; i < all[0].size(); ++i) sums.push_back(sumOf(all, i));
  return sums;
}

template <class T>
void requireSame(const char* what, const std::vector<T>& found, std::span<const T> expected,
                 Measure& measure) {
  measure.require(std::ranges::equal(found, expected), fmt::format("{} differs", what));
}

void requireOk(const Status& status, Measure& measure) {
  measure.require(status.ok(), status.ok() ? "" : status.error().message);
}

template <class T>
void allReduceCase(const CollectiveRanks& ranks, std::int64_t n, Measure& measure) {
  Arrays<T> buffers;
  for (int rank = 0; rank < ranks.communicator.ranks(); ++rank)
    buffers.push_back(elements<T>(static_cast<std::uint64_t>(rank) + 1, n));
  const std::vector<T> expected = rankOrderSum(buffers);
  Lent<T> lent(ranks.devices, buffers);
  requireOk(ranks.communicator.allReduce(lent.pointers(), n, kTypeOf<T>, lent.memory()), measure);
  lent.takeBack();
  for (const std::vector<T>& buffer : buffers) requireSame<T>("buffer", buffer, expected, measure);
}

template <class T>
void reduceScatterCase(const CollectiveRanks& of, std::int64_t n, Measure& measure) {
  const int ranks = of.communicator.ranks();
  const std::vector<std::int64_t> counts = unevenCounts(ranks, n);
  Arrays<T> in;
  for (int rank = 0; rank < ranks; ++rank)
    in.push_back(elements<T>(static_cast<std::uint64_t>(rank) + 1, sum(counts)));
  Arrays<T> out = unset<T>(counts);
  Lent<T> lentIn(of.devices, in), lentOut(of.devices, out);
  requireOk(of.communicator.reduceScatter(lentIn.constPointers(), lentOut.pointers(), counts,
                                          kTypeOf<T>, lentOut.memory()),
            measure);
  lentOut.takeBack();
  const std::vector<T> sums = rankOrderSum(in);
  std::size_t begin = 0;
  for (const std::vector<T>& block : out) {
    requireSame<T>("out", block, std::span(sums).subspan(begin, block.size()), measure);
    begin += block.size();
  }
}

template <class T>
void allGatherCase(const CollectiveRanks& of, std::int64_t n, Measure& measure) {
  const int ranks = of.communicator.ranks();
  const std::vector<std::int64_t> counts = unevenCounts(ranks, n);
  Arrays<T> in;
  std::vector<T> expected;
  for (int rank = 0; rank < ranks; ++rank) {
    in.push_back(
        elements<T>(static_cast<std::uint64_t>(rank) + 1, counts[static_cast<std::size_t>(rank)]));
    expected.insert(expected.end(), in.back().begin(), in.back().end());
  }
  Arrays<T> out = unset<T>(std::vector<std::int64_t>(static_cast<std::size_t>(ranks), sum(counts)));
  Lent<T> lentIn(of.devices, in), lentOut(of.devices, out);
  requireOk(of.communicator.allGather(lentIn.constPointers(), lentOut.pointers(), counts,
                                      kTypeOf<T>, lentOut.memory()),
            measure);
  lentOut.takeBack();
  for (const std::vector<T>& gathered : out) requireSame<T>("out", gathered, expected, measure);
}

// Rank r sends (r + 2p) mod 5 · n elements to p: uneven, some of them none. The parts for odd peers
// overlap those for the peers before them.
template <class T>
void allToAllCase(const CollectiveRanks& of, std::int64_t n, Measure& measure) {
  const int ranks = of.communicator.ranks();
  std::vector<PeerCounts> counts(static_cast<std::size_t>(ranks), PeerCounts(ranks));
  Arrays<T> in, expected(static_cast<std::size_t>(ranks));
  for (int from = 0; from < ranks; ++from) {
    PeerCounts& row = counts[static_cast<std::size_t>(from)];
    for (int to = 0; to < ranks; ++to) {
      const auto at = static_cast<std::size_t>(to);
      row.send[at] = (from + 2 * to) % 5 * n;
      counts[at].receive[static_cast<std::size_t>(from)] = row.send[at];
    }
    row.packSends();
    for (std::size_t to = 1; to < row.sendBegin.size(); to += 2)
      row.sendBegin[to] = row.sendBegin[to - 1];
    in.push_back(elements<T>(static_cast<std::uint64_t>(from) + 1, sum(row.send)));
    for (int to = 0; to < ranks; ++to) {
      const auto at = static_cast<std::size_t>(to);
      const auto begin = in.back().begin() + row.sendBegin[at];
      // A part that begins with another may reach beyond the end: it is made to fit.
      const auto room = static_cast<std::int64_t>(in.back().end() - begin);
      if (row.send[at] > room) {
        row.send[at] = counts[at].receive[static_cast<std::size_t>(from)] = room;
      }
      expected[at].insert(expected[at].end(), begin, begin + row.send[at]);
    }
  }
  std::vector<std::int64_t> received;
  for (const std::vector<T>& block : expected)
    received.push_back(static_cast<std::int64_t>(block.size()));
  Arrays<T> out = unset<T>(received);
  Lent<T> lentIn(of.devices, in), lentOut(of.devices, out);
  requireOk(of.communicator.allToAll(lentIn.constPointers(), counts, lentOut.pointers(), kTypeOf<T>,
                                     lentOut.memory()),
            measure);
  lentOut.takeBack();
  for (std::size_t rank = 0; rank < out.size(); ++rank)
    requireSame<T>("out", out[rank], expected[rank], measure);
}

// After abort() every collective fails with kPeer, names the reason and leaves the buffers alone.
void abortCase(Communicator& communicator, Measure& measure) {
  const int ranks = communicator.ranks();
  requireOk(communicator.barrier(), measure);
  communicator.abort("rank 0 lost its mind");
  communicator.abort("a later reason");
  Arrays<float> before;
  for (int rank = 0; rank < ranks; ++rank)
    before.push_back(elements<float>(static_cast<std::uint64_t>(rank) + 1, ranks));
  Arrays<float> buffers = before;
  const std::vector<tensor::Device> host;
  const auto in = Lent<float>(host, before).constPointers();
  const auto out = Lent<float>(host, buffers).pointers();
  const std::vector<std::int64_t> ones(static_cast<std::size_t>(ranks), 1);
  std::vector<PeerCounts> counts(static_cast<std::size_t>(ranks), PeerCounts(ranks));
  for (PeerCounts& row : counts) {
    row.send = row.receive = ones;
    row.packSends();
  }
  const auto requireFailed = [&](const char* collective, const Status& status) {
    if (status.ok()) return measure.require(false, fmt::format("{} works after abort", collective));
    measure.require(status.error().code == ErrorCode::kPeer,
                    fmt::format("{} fails with another code than kPeer", collective));
    measure.require(
        status.error().message.find("rank 0 lost its mind") != std::string::npos,
        fmt::format("{} does not say the first reason: {}", collective, status.error().message));
  };
  const auto type = ElementType::kF32;
  const auto memory = mesh::Memory::kHost;
  requireFailed("allReduce", communicator.allReduce(out, 1, type, memory));
  requireFailed("reduceScatter", communicator.reduceScatter(in, out, ones, type, memory));
  requireFailed("allGather", communicator.allGather(in, out, ones, type, memory));
  requireFailed("allToAll", communicator.allToAll(in, counts, out, type, memory));
  requireFailed("barrier", communicator.barrier());
  for (std::size_t rank = 0; rank < buffers.size(); ++rank)
    requireSame<float>("buffer", buffers[rank], before[rank], measure);
}

// Every second rank adds up what it has, in the memory of its own device; then all together again.
void groupCase(const CollectiveRanks& of, Measure& measure) {
  const int ranks = of.communicator.ranks();
  std::vector<int> members;
  std::vector<tensor::Device> devices;
  for (int rank = ranks > 1 ? 1 : 0; rank < ranks; rank += 2) {
    members.push_back(rank);
    if (!of.devices.empty())
      devices.push_back(of.devices[static_cast<std::size_t>(rank) % of.devices.size()]);
  }
  auto group = of.communicator.group(members);
  if (!group) return measure.require(false, group.error().message);
  measure.require((*group)->ranks() == static_cast<int>(members.size()), "ranks of the group");
  const CollectiveRanks inGroup{**group, devices};
  constexpr std::int64_t kElements = 33;
  allReduceCase<float>(inGroup, kElements, measure);
  reduceScatterCase<float>(inGroup, kElements, measure);
  allGatherCase<std::int32_t>(inGroup, kElements, measure);
  allToAllCase<double>(inGroup, kElements, measure);
  requireOk((*group)->barrier(), measure);
  allReduceCase<double>(of, kElements, measure);
  of.communicator.abort("all end together");
  const Status after = (*group)->barrier();
  measure.require(!after.ok() && after.error().code == ErrorCode::kPeer,
                  "the group goes on after the abort of all");
}

struct Collective {
  const char* name;
  ElementType type;
  void (*run)(const CollectiveRanks&, std::int64_t n, Measure&);
};

template <class T>
void addCollectives(std::vector<Collective>& all) {
  constexpr ElementType kType = kTypeOf<T>;
  if constexpr (kType != ElementType::kBytes) {
    all.push_back({"allReduce", kType, allReduceCase<T>});
    all.push_back({"reduceScatter", kType, reduceScatterCase<T>});
  }
  all.push_back({"allGather", kType, allGatherCase<T>});
  all.push_back({"allToAll", kType, allToAllCase<T>});
}

}  // namespace

std::vector<Case> collectiveCases(const CommunicatorOfRanks& make,
                                  const std::vector<tensor::Device>& devices) {
  std::vector<Collective> collectives;
  addCollectives<float>(collectives);
  addCollectives<double>(collectives);
  addCollectives<Half>(collectives);
  addCollectives<std::int32_t>(collectives);
  addCollectives<std::int64_t>(collectives);
  addCollectives<std::byte>(collectives);
  std::vector<Case> cases;
  for (const int ranks : {1, 2, 3, 8}) {
    for (const Collective& collective : collectives)
      for (const std::int64_t n : kCounts)
        cases.push_back(makeCase(
            collective.name, fmt::format("{}, {} ranks, n = {}", nameOf(collective.type), ranks, n),
            0.0, [=, body = collective.run](Measure& measure) {
              const auto communicator = make(ranks);
              measure.require(communicator->ranks() == ranks, "another number of ranks");
              const CollectiveRanks of{*communicator, devices};
              body(of, n, measure);
              body(of, n, measure);
            }));
    cases.push_back(makeCase("group", fmt::format("{} ranks", ranks), 0.0, [=](Measure& measure) {
      const auto communicator = make(ranks);
      groupCase({*communicator, devices}, measure);
    }));
    cases.push_back(makeCase("abort", fmt::format("{} ranks", ranks), 0.0,
                             [=](Measure& measure) { abortCase(*make(ranks), measure); }));
  }
  return cases;
}

}  // namespace parapet::selftest
