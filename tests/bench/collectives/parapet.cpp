// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "engine/mesh/plugin_communicator.h"
#include "tests/bench/collectives/participants.h"
#include "tests/plugins/tcp/processes.h"

namespace parapet::bench {
namespace {

class OverTcp final : public Participant {
 public:
  OverTcp(const std::filesystem::path& folder, int processes, int process)
      : transport_(mesh::makePluginTransport(
                       sample::pluginTransport(),
                       sample::meetingIn(folder, processes, process, std::chrono::seconds(60)))
                       .value()),
        counts_(processes) {
    std::vector<int> firstRanks;
    std::vector<tensor::Device> devices(static_cast<std::size_t>(processes),
                                        tensor::hostDevice().elsewhere());
    for (int first = 0; first < processes; ++first) firstRanks.push_back(first);
    devices[static_cast<std::size_t>(process)] = tensor::hostDevice();
    ranks_ = mesh::makeProcessCommunicator(transport_, firstRanks, devices, nullptr);
  }

  void allReduce(std::vector<float>& data) override {
    void* const buffer = data.data();
    require(ranks_->allReduce({&buffer, 1}, static_cast<std::int64_t>(data.size()),
                              mesh::ElementType::kF32, mesh::Memory::kHost));
  }
  void allToAll(const std::vector<float>& in, std::vector<float>& out) override {
    const auto each = static_cast<std::int64_t>(in.size()) / ranks_->ranks();
    counts_.send.assign(counts_.send.size(), each);
    counts_.receive = counts_.send;
    counts_.packSends();
    const void* const from = in.data();
    void* const to = out.data();
    require(ranks_->allToAll({&from, 1}, {&counts_, 1}, {&to, 1}, mesh::ElementType::kF32,
                             mesh::Memory::kHost));
  }

 private:
  static void require(const Status& status) {
    if (!status.ok()) throw std::runtime_error(status.error().text());
  }

  const std::shared_ptr<mesh::Transport> transport_;
  std::unique_ptr<mesh::Communicator> ranks_;
  mesh::PeerCounts counts_;
};

}  // namespace

std::unique_ptr<Participant> parapetParticipant(const std::filesystem::path& folder, int processes,
                                                int process) {
  return std::make_unique<OverTcp>(folder, processes, process);
}

}  // namespace parapet::bench
