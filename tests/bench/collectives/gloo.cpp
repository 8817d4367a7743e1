// SPDX-License-Identifier: Apache-2.0
#include <gloo/allreduce.h>
#include <gloo/alltoallv.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include "tests/bench/collectives/participants.h"

namespace parapet::bench {
namespace {

class OverGloo final : public Participant {
 public:
  OverGloo(const std::filesystem::path& folder, int processes, int process)
      : context_(std::make_shared<gloo::rendezvous::Context>(process, processes)) {
    std::filesystem::create_directories(folder);
    auto device = gloo::transport::tcp::CreateDevice(gloo::transport::tcp::attr("127.0.0.1"));
    gloo::rendezvous::FileStore store(folder.string());
    context_->connectFullMesh(store, device);
  }

  void allReduce(std::vector<float>& data) override {
    gloo::AllreduceOptions options(context_);
    options.setOutput(data.data(), data.size());
    options.setReduceFunction(
        static_cast<void (*)(void*, const void*, const void*, std::size_t)>(&gloo::sum<float>));
    gloo::allreduce(options);
  }
  void allToAll(const std::vector<float>& in, std::vector<float>& out) override {
    const std::vector<std::int64_t> each(static_cast<std::size_t>(context_->size),
                                         static_cast<std::int64_t>(in.size()) / context_->size);
    gloo::AlltoallvOptions options(context_);
    options.setInput(const_cast<float*>(in.data()), each);
    options.setOutput(out.data(), each);
    gloo::alltoallv(options);
  }

 private:
  const std::shared_ptr<gloo::rendezvous::Context> context_;
};

}  // namespace

std::unique_ptr<Participant> glooParticipant(const std::filesystem::path& folder, int processes,
                                             int process) {
  return std::make_unique<OverGloo>(folder, processes, process);
}

}  // namespace parapet::bench
