// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/plugin_communicator.h"

#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/base/wait_limit.h"
#include "engine/mesh/collective_checks.h"

namespace parapet::mesh {
namespace {

static_assert(static_cast<int>(ElementType::kF32) == PC_F32 &&
              static_cast<int>(ElementType::kF64) == PC_F64 &&
              static_cast<int>(ElementType::kBf16) == PC_BF16 &&
              static_cast<int>(ElementType::kI32) == PC_I32 &&
              static_cast<int>(ElementType::kI64) == PC_I64 &&
              static_cast<int>(ElementType::kBytes) == PC_BYTES);
static_assert(static_cast<int>(Memory::kHost) == PC_HOST &&
              static_cast<int>(Memory::kDevice) == PC_DEVICE);

/// An error that names the rank which the plugin blames. `names`: the devices of the ranks.
Status statusOf(std::int32_t code, const PcError& error, std::span<const std::string> names) {
  if (code == PC_OK) return {};
  const std::string said = printable(error.text, sizeof error.text - 1);
  const bool known = error.rank >= 0 && static_cast<std::size_t>(error.rank) < names.size();
  const std::string who =
      known ? fmt::format("rank {} ({})", error.rank, names[static_cast<std::size_t>(error.rank)])
            : std::string("a rank");
  return Error{
      code == PC_PEER ? ErrorCode::kPeer : ErrorCode::kDevice,
      fmt::format("[mesh] {}: {}", who, said.empty() ? fmt::format("code {}", code) : said)};
}

class PluginCommunicator final : public Communicator {
 public:
  /// `names`: the devices of the ranks. Destroys what the plugin has made.
  PluginCommunicator(const PcCollectives& table, PcCommunicator* made,
                     std::vector<std::string> names)
      : table_(table), made_(made), names_(std::move(names)), peers_(names_.size()) {}
  PluginCommunicator(const PluginCommunicator&) = delete;
  PluginCommunicator& operator=(const PluginCommunicator&) = delete;
  ~PluginCommunicator() override { table_.destroy(made_); }

  int ranks() const override { return static_cast<int>(names_.size()); }

  Result<std::unique_ptr<Communicator>> group(std::span<const int> ranks) override {
    requireMembers(ranks, this->ranks());
    const std::vector<std::int32_t> members(ranks.begin(), ranks.end());
    std::vector<std::string> names;
    for (const int rank : ranks) names.push_back(names_[static_cast<std::size_t>(rank)]);
    PcCommunicator* made = nullptr;
    PARAPET_TRY(checked([&](PcError* error) {
      return table_.group(made_, members.data(), static_cast<std::int32_t>(members.size()), &made,
                          error);
    }));
    return std::unique_ptr<Communicator>(
        std::make_unique<PluginCommunicator>(table_, made, std::move(names)));
  }

  Status allReduce(Buffers buffers, std::int64_t n, ElementType type, Memory memory) override {
    requireRanks("allReduce", buffers.size(), ranks());
    requireCount("allReduce", n);
    requireAddable("allReduce", type);
    const PcCall call = callOf({}, buffers, type, memory);
    return checked([&](PcError* error) { return table_.allReduce(made_, &call, n, error); });
  }

  Status reduceScatter(ConstBuffers in, Buffers out, Counts counts, ElementType type,
                       Memory memory) override {
    requireAll("reduceScatter", in, out, counts);
    requireAddable("reduceScatter", type);
    const PcCall call = callOf(in, out, type, memory);
    return checked(
        [&](PcError* error) { return table_.reduceScatter(made_, &call, counts.data(), error); });
  }

  Status allGather(ConstBuffers in, Buffers out, Counts counts, ElementType type,
                   Memory memory) override {
    requireAll("allGather", in, out, counts);
    const PcCall call = callOf(in, out, type, memory);
    return checked(
        [&](PcError* error) { return table_.allGather(made_, &call, counts.data(), error); });
  }

  Status allToAll(ConstBuffers in, std::span<const PeerCounts> counts, Buffers out,
                  ElementType type, Memory memory) override {
    requireRanks("allToAll", in.size(), ranks());
    requireRanks("allToAll", out.size(), ranks());
    requireSends(counts, ranks());
    for (std::size_t rank = 0; rank < counts.size(); ++rank)
      peers_[rank] = {counts[rank].send.data(), counts[rank].sendBegin.data(),
                      counts[rank].receive.data()};
    const PcCall call = callOf(in, out, type, memory);
    return checked(
        [&](PcError* error) { return table_.allToAll(made_, &call, peers_.data(), error); });
  }

  Status barrier() override {
    return checked([&](PcError* error) { return table_.barrier(made_, error); });
  }
  void abort(const std::string& reason) override { table_.abort(made_, reason.c_str()); }

 private:
  void requireAll(const char* collective, ConstBuffers in, Buffers out, Counts counts) const {
    requireRanks(collective, in.size(), ranks());
    requireRanks(collective, out.size(), ranks());
    requireCounts(collective, counts, ranks());
  }
  static PcCall callOf(ConstBuffers in, Buffers out, ElementType type, Memory memory) {
    return {.structSize = sizeof(PcCall),
            .type = static_cast<std::int32_t>(type),
            .memory = static_cast<std::int32_t>(memory),
            .in = in.empty() ? nullptr : in.data(),
            .out = out.data()};
  }
  template <class Call>
  [[nodiscard]] Status checked(const Call& call) const {
    PcError error{.rank = -1, .text = {}};
    return statusOf(call(&error), error, names_);
  }

  const PcCollectives& table_;
  PcCommunicator* const made_;
  const std::vector<std::string> names_;
  std::vector<PcPeerCounts> peers_;  ///< scratch of allToAll
};

}  // namespace

Result<std::unique_ptr<Communicator>> makePluginCommunicator(
    const PcCollectives& collectives, std::span<const tensor::Device> devices) {
  std::vector<PcRank> ranks;
  std::vector<std::string> names;
  for (const tensor::Device& device : devices) {
    ranks.push_back({&device.backend(), device.index()});
    names.push_back(device.name());
  }
  const PcWorld world{.structSize = sizeof(PcWorld),
                      .ranks = static_cast<std::int32_t>(ranks.size()),
                      .devices = ranks.data(),
                      .timeoutMs = waitLimit().count()};
  PcCommunicator* made = nullptr;
  PcError error{.rank = -1, .text = {}};
  PARAPET_TRY(statusOf(collectives.create(&world, &made, &error), error, names));
  return std::unique_ptr<Communicator>(
      std::make_unique<PluginCommunicator>(collectives, made, std::move(names)));
}

}  // namespace parapet::mesh
