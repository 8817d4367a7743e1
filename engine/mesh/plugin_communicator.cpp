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

/// The text of a plugin's error, or its code if there is none.
std::string saidBy(std::int32_t code, const PcError& error) {
  const std::string said = printable(error.text, sizeof error.text - 1);
  return said.empty() ? fmt::format("code {}", code) : said;
}

/// An error that names the rank which the plugin blames. `names`: the devices of the ranks.
Status statusOf(std::int32_t code, const PcError& error, std::span<const std::string> names) {
  if (code == PC_OK) return {};
  const bool known = error.rank >= 0 && static_cast<std::size_t>(error.rank) < names.size();
  const std::string who =
      known ? fmt::format("rank {} ({})", error.rank, names[static_cast<std::size_t>(error.rank)])
            : std::string("a rank");
  return Error{code == PC_PEER ? ErrorCode::kPeer : ErrorCode::kDevice,
               fmt::format("[mesh] {}: {}", who, saidBy(code, error))};
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
    requireMembers(ranks, this->ranks(), local());
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
    requireAll("reduceScatter", *this, in, out, counts);
    requireAddable("reduceScatter", type);
    const PcCall call = callOf(in, out, type, memory);
    return checked(
        [&](PcError* error) { return table_.reduceScatter(made_, &call, counts.data(), error); });
  }

  Status allGather(ConstBuffers in, Buffers out, Counts counts, ElementType type,
                   Memory memory) override {
    requireAll("allGather", *this, in, out, counts);
    const PcCall call = callOf(in, out, type, memory);
    return checked(
        [&](PcError* error) { return table_.allGather(made_, &call, counts.data(), error); });
  }

  Status allToAll(ConstBuffers in, std::span<const PeerCounts> counts, Buffers out,
                  ElementType type, Memory memory) override {
    requireRanks("allToAll", in.size(), ranks());
    requireRanks("allToAll", out.size(), ranks());
    requireSends(counts, ranks(), local());
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

/// An error that names the process which the plugin blames.
Status statusOf(std::int32_t code, const PcError& error) {
  if (code == PC_OK) return {};
  return Error{code == PC_PEER ? ErrorCode::kPeer : ErrorCode::kDevice,
               fmt::format("[mesh] {}: {}",
                           error.rank >= 0 ? fmt::format("process {}", error.rank) : "a process",
                           saidBy(code, error))};
}

/// The store of a meeting as a plugin calls it.
class StoreOfPlugin {
 public:
  explicit StoreOfPlugin(Store store) : store_(std::move(store)) {}
  PcStore table() { return {.self = this, .set = set, .get = get}; }

 private:
  /// No exception reaches the plugin.
  template <class Body>
  static std::int32_t bordered(PcError* error, const Body& body) {
    Status status;
    try {
      status = body();
    } catch (const std::exception& exception) {
      status = Error{ErrorCode::kInternal, exception.what()};
    }
    if (status.ok()) return PC_OK;
    *error = {.rank = -1, .text = {}};
    status.error().text().copy(error->text, sizeof error->text - 1);
    return status.error().code == ErrorCode::kPeer ? PC_PEER : PC_FAILED;
  }
  static std::int32_t set(void* self, const char* key, const void* bytes, std::int64_t size,
                          PcError* error) {
    return bordered(error, [&] {
      return static_cast<StoreOfPlugin*>(self)->store_.set(
          key, {static_cast<const char*>(bytes), static_cast<std::size_t>(size)});
    });
  }
  static std::int32_t get(void* self, const char* key, void* bytes, std::int64_t capacity,
                          std::int64_t* size, std::int64_t timeoutMs, PcError* error) {
    return bordered(error, [&]() -> Status {
      PARAPET_ASSIGN(const std::string value, static_cast<StoreOfPlugin*>(self)->store_.get(
                                                  key, std::chrono::milliseconds(timeoutMs)));
      *size = static_cast<std::int64_t>(value.size());
      if (*size > capacity)
        return Error{ErrorCode::kInternal,
                     fmt::format("{} has {} bytes; at most {} are accepted", key, *size, capacity)};
      value.copy(static_cast<char*>(bytes), value.size());
      return {};
    });
  }

  const Store store_;
};

class PluginTransport final : public Transport {
 public:
  PluginTransport(const PcTransport& table, Meeting meeting)
      : table_(table), meeting_(std::move(meeting)), store_(meeting_.store) {}
  PluginTransport(const PluginTransport&) = delete;
  PluginTransport& operator=(const PluginTransport&) = delete;
  ~PluginTransport() override {
    if (made_) table_.destroy(made_);
  }
  Status connect() {
    const PcMeeting meeting{.structSize = sizeof(PcMeeting),
                            .processes = meeting_.processes,
                            .process = meeting_.process,
                            .timeoutMs = meeting_.timeout.count(),
                            .bindAddress = meeting_.bindAddress.c_str(),
                            .generation = meeting_.generation,
                            .store = store_.table()};
    PcError error{.rank = -1, .text = {}};
    return statusOf(table_.create(&meeting, &made_, &error), error);
  }

  int processes() const override { return meeting_.processes; }
  int process() const override { return meeting_.process; }
  void send(int to, std::uint64_t tag, std::span<const std::byte> message) override {
    requireOther(to);
    if (failed_.ok())
      table_.send(made_, to, tag, message.data(), static_cast<std::int64_t>(message.size()));
  }
  void receive(int from, std::uint64_t tag, std::span<std::byte> message) override {
    requireOther(from);
    if (failed_.ok())
      table_.receive(made_, from, tag, message.data(), static_cast<std::int64_t>(message.size()));
  }
  Status wait() override {
    PcError error{.rank = -1, .text = {}};
    if (failed_.ok()) failed_ = statusOf(table_.wait(made_, &error), error);
    return failed_;
  }
  void close(const std::string& reason) override { table_.close(made_, reason.c_str()); }

 private:
  void requireOther(int process) const {
    if (process < 0 || process >= meeting_.processes || process == meeting_.process)
      throw InvalidArgument(fmt::format("[mesh] process {} sends no message to process {} of {}",
                                        meeting_.process, process, meeting_.processes));
  }

  const PcTransport& table_;
  const Meeting meeting_;
  StoreOfPlugin store_;
  PcConnections* made_ = nullptr;
  Status failed_;  ///< the first failure, which all later calls repeat
};

}  // namespace

Result<std::shared_ptr<Transport>> makePluginTransport(const PcTransport& transport,
                                                       Meeting meeting) {
  auto made = std::make_shared<PluginTransport>(transport, std::move(meeting));
  PARAPET_TRY(made->connect());
  return std::shared_ptr<Transport>(std::move(made));
}

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
