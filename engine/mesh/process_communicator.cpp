// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/process_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/mesh/collective_checks.h"
#include "engine/mesh/element_sums.h"
#include "engine/tensor/buffer.h"

namespace parapet::mesh {
namespace {

/// A process that has ranks in a communicator, and these.
struct Member {
  int process = 0;
  LocalRange ranks;
};

/// The kind of a message; with the element type and a counter it makes its tag.
enum class Call : std::uint8_t {
  kAllReduce,
  kSums,
  kReduceScatter,
  kAllGather,
  kAllToAll,
  kBarrier
};

/// An all-reduce of so few bytes of all ranks is one message to each other process, not two: the
/// time of a message counts more than what is in it.
constexpr std::size_t kMaxShortBytes = 64 * 1024;

class ProcessCommunicator final : public Communicator {
 public:
  ProcessCommunicator(std::shared_ptr<Transport> transport, std::vector<Member> members,
                      const tensor::Launch& launch)
      : transport_(std::move(transport)),
        members_(std::move(members)),
        self_(static_cast<std::size_t>(
            std::ranges::find(members_, transport_->process(), &Member::process) -
            members_.begin())),
        device_(*launch.device),
        launch_{&device_, launch.workers},
        sums_(launch_),
        begins_(members_.size() + 1) {
    parts_.reserve(static_cast<std::size_t>(ranks()));
  }

  int ranks() const override { return members_.back().ranks.end(); }
  LocalRange local() const override { return members_[self_].ranks; }

  Result<std::unique_ptr<Communicator>> group(std::span<const int> ranks) override {
    requireMembers(ranks, this->ranks(), local());
    std::vector<Member> members;
    for (int index = 0; index < static_cast<int>(ranks.size()); ++index) {
      const int rank = ranks[static_cast<std::size_t>(index)];
      const auto of = std::ranges::find_if(
          members_, [&](const Member& member) { return member.ranks.has(rank); });
      if (members.empty() || members.back().process != of->process)
        members.push_back({of->process, {index, 0}});
      ++members.back().ranks.count;
    }
    return std::unique_ptr<Communicator>(
        std::make_unique<ProcessCommunicator>(transport_, std::move(members), launch_));
  }

  // Each process has the sums of a part of the elements, which all others send it; of few elements
  // it has all sums, and sends none on.
  Status allReduce(Buffers buffers, std::int64_t n, ElementType type, Memory) override {
    requireRanks("allReduce", buffers.size(), local().count);
    requireCount("allReduce", n);
    requireAddable("allReduce", type);
    PARAPET_TRY(transport_->wait());
    cutEvenly(n);
    const bool isShort = bytesOf(type, n) * static_cast<std::size_t>(ranks()) <= kMaxShortBytes;
    const auto partOf = [&](std::size_t member) {
      return isShort ? Block{0, n} : Block{begins_[member], begins_[member + 1] - begins_[member]};
    };
    const auto [begin, count] = partOf(self_);
    PARAPET_TRY(
        gatherParts(Call::kAllReduce, type, ConstBuffers(buffers.data(), buffers.size()), partOf));
    // A sum may be made in the place of its first part alone.
    void* const sum = self_ == 0 ? elementsAt(buffers[0], begin, type) : roomForSum_;
    sums_.add(type, parts_, count, sum);
    copy(elementsAt(buffers[0], begin, type), sum, count, type);
    if (!isShort) PARAPET_TRY(gatherSums(buffers[0], type));
    for (std::size_t rank = 1; rank < buffers.size(); ++rank)
      copy(buffers[rank], buffers[0], n, type);
    return {};
  }

  Status reduceScatter(ConstBuffers in, Buffers out, Counts counts, ElementType type,
                       Memory) override {
    requireAll("reduceScatter", *this, in, out, counts);
    requireAddable("reduceScatter", type);
    PARAPET_TRY(transport_->wait());
    const auto blockOf = [&](std::size_t member) { return blockOfMember(member, counts); };
    PARAPET_TRY(gatherParts(Call::kReduceScatter, type, in, blockOf));
    std::int64_t done = 0;
    for (std::size_t rank = 0; rank < out.size(); ++rank) {
      const std::int64_t count = counts[static_cast<std::size_t>(local().first) + rank];
      std::vector<const void*>& ofRank = blocks_;
      ofRank.clear();
      for (const void* part : parts_) ofRank.push_back(elementsAt(part, done, type));
      sums_.add(type, ofRank, count, out[rank]);
      done += count;
    }
    return {};
  }

  Status allGather(ConstBuffers in, Buffers out, Counts counts, ElementType type, Memory) override {
    requireAll("allGather", *this, in, out, counts);
    PARAPET_TRY(transport_->wait());
    const Block own = blockOfMember(self_, counts);
    std::int64_t begin = own.begin;
    for (std::size_t rank = 0; rank < in.size(); ++rank) {
      const std::int64_t count = counts[static_cast<std::size_t>(local().first) + rank];
      copy(elementsAt(out[0], begin, type), in[rank], count, type);
      begin += count;
    }
    forOthers([&](std::size_t, const Member& other) {
      transport_->send(other.process, tag(Call::kAllGather, type),
                       message(out[0], own.begin, own.count, type));
    });
    forOthers([&](std::size_t member, const Member& other) {
      const Block block = blockOfMember(member, counts);
      transport_->receive(other.process, tag(Call::kAllGather, type),
                          message(out[0], block.begin, block.count, type));
    });
    PARAPET_TRY(end());
    const std::int64_t all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    for (std::size_t rank = 1; rank < out.size(); ++rank) copy(out[rank], out[0], all, type);
    return {};
  }

  Status allToAll(ConstBuffers in, std::span<const PeerCounts> counts, Buffers out,
                  ElementType type, Memory) override {
    requireRanks("allToAll", in.size(), local().count);
    requireRanks("allToAll", out.size(), local().count);
    requireSends(counts, ranks(), local());
    PARAPET_TRY(transport_->wait());
    forOthers([&](std::size_t, const Member& other) {
      for (std::size_t from = 0; from < in.size(); ++from)
        for (int to = other.ranks.first; to < other.ranks.end(); ++to) {
          const auto peer = static_cast<std::size_t>(to);
          transport_->send(
              other.process, tag(Call::kAllToAll, type),
              message(in[from], counts[from].sendBegin[peer], counts[from].send[peer], type));
        }
    });
    received_.assign(out.size(), 0);
    for (std::size_t member = 0; member < members_.size(); ++member)
      for (int from = members_[member].ranks.first; from < members_[member].ranks.end(); ++from)
        for (std::size_t to = 0; to < out.size(); ++to) {
          const auto peer = static_cast<std::size_t>(from);
          const std::int64_t count = counts[to].receive[peer];
          if (member == self_) {
            const std::size_t index = local().of(from);
            copy(elementsAt(out[to], received_[to], type),
                 elementsAt(in[index],
                            counts[index].sendBegin[static_cast<std::size_t>(local().first) + to],
                            type),
                 count, type);
          } else {
            transport_->receive(members_[member].process, tag(Call::kAllToAll, type),
                                message(out[to], received_[to], count, type));
          }
          received_[to] += count;
        }
    return end();
  }

  Status barrier() override {
    forOthers([&](std::size_t, const Member& other) {
      transport_->send(other.process, tag(Call::kBarrier, ElementType::kBytes), {});
    });
    forOthers([&](std::size_t, const Member& other) {
      transport_->receive(other.process, tag(Call::kBarrier, ElementType::kBytes), {});
    });
    return end();
  }

  void abort(const std::string& reason) override {
    transport_->close(fmt::format("the ranks were told to end: {}", reason));
  }

 private:
  /// Elements of a buffer.
  struct Block {
    std::int64_t begin = 0, count = 0;
  };

  static void copy(void* out, const void* in, std::int64_t count, ElementType type) {
    moveBytes(out, in, bytesOf(type, count));
  }
  static std::span<const std::byte> message(const void* buffer, std::int64_t begin,
                                            std::int64_t count, ElementType type) {
    return {static_cast<const std::byte*>(elementsAt(buffer, begin, type)), bytesOf(type, count)};
  }
  static std::span<std::byte> message(void* buffer, std::int64_t begin, std::int64_t count,
                                      ElementType type) {
    return {static_cast<std::byte*>(elementsAt(buffer, begin, type)), bytesOf(type, count)};
  }

  /// The tag of the messages of this call, equal in all processes; the next call has another.
  [[nodiscard]] std::uint64_t tag(Call call, ElementType type) const {
    constexpr int kCall = 8, kCounter = 16;
    return calls_ << kCounter | static_cast<std::uint64_t>(call) << kCall |
           static_cast<std::uint64_t>(type);
  }
  Status end() {
    ++calls_;
    return transport_->wait();
  }

  template <class Body>
  void forOthers(const Body& body) {
    for (std::size_t member = 0; member < members_.size(); ++member)
      if (member != self_) body(member, members_[member]);
  }

  /// A part of n elements for each process.
  void cutEvenly(std::int64_t n) {
    const auto count = static_cast<std::int64_t>(members_.size());
    for (std::int64_t member = 0; member <= count; ++member)
      begins_[static_cast<std::size_t>(member)] = n / count * member + std::min(member, n % count);
  }

  [[nodiscard]] Block blockOfMember(std::size_t member, Counts counts) const {
    const LocalRange of = members_[member].ranks;
    const auto begin = counts.begin() + of.first, end = counts.begin() + of.end();
    return {std::accumulate(counts.begin(), begin, std::int64_t{0}),
            std::accumulate(begin, end, std::int64_t{0})};
  }

  /// Brings the blocks of this process from the buffers of all ranks: parts_ are they, in rank order.
  template <class BlockOf>
  Status gatherParts(Call call, ElementType type, ConstBuffers in, const BlockOf& blockOf) {
    const Block own = blockOf(self_);
    const std::int64_t others = ranks() - local().count;
    const auto size = static_cast<std::int64_t>(bytesOf(type, own.count));
    const std::int64_t needed = size * (others + 1);  // and room for a sum
    if (scratch_.size() < needed) scratch_ = {tensor::hostDevice(), needed};
    forOthers([&](std::size_t member, const Member& other) {
      const Block block = blockOf(member);
      for (const void* buffer : in)
        transport_->send(other.process, tag(call, type),
                         message(buffer, block.begin, block.count, type));
    });
    parts_.clear();
    std::byte* next = scratch_.data();
    for (std::size_t member = 0; member < members_.size(); ++member) {
      if (member == self_) {
        for (const void* buffer : in) parts_.push_back(elementsAt(buffer, own.begin, type));
        continue;
      }
      for (int rank = 0; rank < members_[member].ranks.count; ++rank, next += size) {
        transport_->receive(members_[member].process, tag(call, type),
                            {next, static_cast<std::size_t>(size)});
        parts_.push_back(next);
      }
    }
    roomForSum_ = next;
    return end();
  }

  /// Sends the sums of this process's part of an all-reduce, and receives those of the others.
  Status gatherSums(void* sums, ElementType type) {
    const auto partOf = [&](std::size_t member) {
      return message(sums, begins_[member], begins_[member + 1] - begins_[member], type);
    };
    forOthers([&](std::size_t, const Member& other) {
      transport_->send(other.process, tag(Call::kSums, type), partOf(self_));
    });
    forOthers([&](std::size_t member, const Member& other) {
      transport_->receive(other.process, tag(Call::kSums, type), partOf(member));
    });
    return end();
  }

  const std::shared_ptr<Transport> transport_;
  const std::vector<Member> members_;
  const std::size_t self_;
  const tensor::Device device_;
  const tensor::Launch launch_;
  ElementSums sums_;
  std::uint64_t calls_ = 0;
  std::vector<std::int64_t> begins_;  ///< of the parts of an all-reduce
  // Scratch:
  std::vector<const void*> parts_, blocks_;
  std::vector<std::int64_t> received_;
  tensor::Buffer<std::byte> scratch_;
  void* roomForSum_ = nullptr;  ///< behind the blocks of the others, of the size of one
};

}  // namespace

std::unique_ptr<Communicator> makeProcessCommunicator(std::shared_ptr<Transport> transport,
                                                      std::span<const int> firstRanks,
                                                      std::span<const tensor::Device> devices,
                                                      Workers* workers) {
  if (std::ssize(firstRanks) != transport->processes())
    throw InvalidArgument(
        fmt::format("[mesh.makeProcessCommunicator] first ranks of {} processes; "
                    "the transport has {}",
                    firstRanks.size(), transport->processes()));
  std::vector<Member> members;
  for (std::size_t process = 0; process < firstRanks.size(); ++process) {
    const int first = firstRanks[process];
    const int end = process + 1 < firstRanks.size() ? firstRanks[process + 1]
                                                    : static_cast<int>(devices.size());
    members.push_back({static_cast<int>(process), {first, end - first}});
  }
  const LocalRange local = localRange(devices);
  const auto here =
      devices.subspan(static_cast<std::size_t>(local.first), static_cast<std::size_t>(local.count));
  const tensor::Device& host = here[0].isHost() ? here[0] : tensor::hostDevice();
  return throughHost(here, local.first,
                     std::make_unique<ProcessCommunicator>(std::move(transport), std::move(members),
                                                           tensor::Launch{&host, workers}));
}

}  // namespace parapet::mesh
