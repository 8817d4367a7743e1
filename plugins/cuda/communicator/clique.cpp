// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/communicator/clique.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "plugins/cuda/stream.h"

namespace parapet::cuda {
namespace {

using Clock = std::chrono::steady_clock;

Stream& streamOfRank(const PcRank& rank) {
  return *static_cast<Stream*>(rank.device->stream(rank.index));
}

}  // namespace

std::int32_t refuse(PcError* error, std::int32_t code, std::int32_t rank, const std::string& text) {
  error->rank = rank;
  std::snprintf(error->text, sizeof error->text, "%s", text.c_str());
  return code;
}

std::string nameOf(const PcRank& rank) {
  return std::string(rank.device->kind) + ":" + std::to_string(rank.index);
}

std::optional<std::string> World::ended() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

void World::end(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (reason_) return;
  reason_ = reason;
  for (Clique* const clique : cliques_)
    if (!clique->inUse_) clique->abortComms();
}

/// A thread's stay in a clique. What ended meanwhile is aborted when it leaves.
class Clique::Use {
 public:
  explicit Use(Clique& of) : of_(of) {
    const std::lock_guard lock(of_.world_->mutex_);
    ended_ = of_.world_->reason_;
    of_.inUse_ = true;
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() {
    const std::lock_guard lock(of_.world_->mutex_);
    of_.inUse_ = false;
    if (of_.world_->reason_) of_.abortComms();
  }
  [[nodiscard]] const std::optional<std::string>& ended() const { return ended_; }

 private:
  Clique& of_;
  std::optional<std::string> ended_;
};

Clique::Clique(std::shared_ptr<World> world, std::vector<PcRank> ranks,
               std::shared_ptr<const NcclApi> nccl)
    : world_(std::move(world)), ranks_(std::move(ranks)), nccl_(std::move(nccl)) {
  const std::lock_guard lock(world_->mutex_);
  world_->cliques_.push_back(this);
}

Clique::~Clique() {
  {
    const std::lock_guard lock(world_->mutex_);
    std::erase(world_->cliques_, this);
    if (world_->reason_) abortComms();
  }
  // Finalizing says that nothing more comes; destroying before it is done might block.
  for (const NcclApi::Comm comm : comms_)
    if (comm) (void)nccl_->commFinalize(comm);
  const auto until = Clock::now() + std::chrono::milliseconds(world_->timeoutMs());
  for (NcclApi::Comm& comm : comms_) {
    int code = NcclApi::kInProgress;
    while (comm && nccl_->commGetAsyncError(comm, &code) == NcclApi::kSuccess &&
           code == NcclApi::kInProgress && Clock::now() < until)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (!comm) continue;
    (void)(code == NcclApi::kSuccess ? nccl_->commDestroy(comm) : nccl_->commAbort(comm));
    comm = nullptr;
  }
}

void Clique::abortComms() {
  for (NcclApi::Comm& comm : comms_)
    if (comm) (void)nccl_->commAbort(std::exchange(comm, nullptr));
}

// Whoever meets the end later is told whose fault it was; the caller names the rank by itself.
std::int32_t Clique::fail(PcError* error, std::int32_t rank, const std::string& text) {
  world_->end(rank < 0 ? text
                       : "rank " + std::to_string(rank) + " (" +
                             nameOf(ranks_[static_cast<std::size_t>(rank)]) + "): " + text);
  return refuse(error, PC_PEER, rank, text);
}

// A connection belongs to the device that is the thread's own when it is made; asking a device for
// anything makes it so.
std::int32_t Clique::start(PcError* error) {
  const Use use(*this);
  if (use.ended()) return refuse(error, PC_PEER, -1, *use.ended());
  comms_.assign(ranks_.size(), nullptr);
  NcclApi::UniqueId id{};
  NcclApi::Config config;
  int code = nccl_->getUniqueId(&id);
  if (code == NcclApi::kSuccess) code = nccl_->groupStart();
  if (code == NcclApi::kSuccess) {
    for (std::size_t rank = 0; rank < ranks_.size() && !NcclApi::isWrong(code); ++rank) {
      (void)ranks_[rank].device->wait(&streamOfRank(ranks_[rank]), 0);
      code = nccl_->commInitRankConfig(&comms_[rank], static_cast<int>(ranks_.size()), id,
                                       static_cast<int>(rank), &config);
    }
    const int ended = nccl_->groupEnd();
    if (!NcclApi::isWrong(code)) code = ended;
  }
  if (NcclApi::isWrong(code))
    return fail(error, -1, std::string("NCCL does not start: ") + nccl_->getErrorString(code));
  return wait(error, "NCCL has not started");
}

std::int32_t Clique::run(
    PcError* error,
    const std::function<int(std::int32_t, NcclApi::Comm, NcclApi::Stream)>& ofRank) {
  const Use use(*this);
  if (use.ended()) return refuse(error, PC_PEER, -1, *use.ended());
  if (const std::int32_t code = sendUploads(error)) return code;
  int code = nccl_->groupStart();
  for (std::size_t rank = 0; rank < ranks_.size() && !NcclApi::isWrong(code); ++rank)
    code = ofRank(static_cast<std::int32_t>(rank), comms_[rank], streamOfRank(ranks_[rank]).handle);
  const int ended = nccl_->groupEnd();
  if (!NcclApi::isWrong(code)) code = ended;
  if (NcclApi::isWrong(code))
    return fail(error, -1, std::string("NCCL: ") + nccl_->getErrorString(code));
  return wait(error, "it has not answered");
}

std::int32_t Clique::check(PcError* error) {
  const Use use(*this);
  if (use.ended()) return refuse(error, PC_PEER, -1, *use.ended());
  for (std::size_t rank = 0; rank < comms_.size(); ++rank)
    if (const Look look = this->look(rank); !look.wrong.empty())
      return fail(error, static_cast<std::int32_t>(rank), look.wrong);
  return PC_OK;
}

// Uploads are copies of the device's stream like its ops; NCCL asks for its kernels behind our back.
std::int32_t Clique::sendUploads(PcError* error) {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    Stream& stream = streamOfRank(ranks_[rank]);
    const std::lock_guard lock(stream.mutex);
    if (stream.send && stream.send(stream) != PP_OK)
      return fail(error, static_cast<std::int32_t>(rank), ranks_[rank].device->lastError());
  }
  return PC_OK;
}

Clique::Look Clique::look(std::size_t rank) const {
  int code = NcclApi::kSuccess;
  const int asked = nccl_->commGetAsyncError(comms_[rank], &code);
  if (NcclApi::isWrong(asked)) code = asked;
  if (NcclApi::isWrong(code)) return {false, nccl_->getErrorString(code)};
  return {code != NcclApi::kInProgress, ""};
}

// All ranks are looked at in turn: the one that failed is named, not the first that waits for it.
std::int32_t Clique::wait(PcError* error, const char* what) {
  constexpr auto kSpin = std::chrono::microseconds(200), kPause = std::chrono::microseconds(50);
  const auto begin = Clock::now();
  const auto until = begin + std::chrono::milliseconds(world_->timeoutMs());
  while (true) {
    const bool isOver = Clock::now() > until;
    std::vector<std::int32_t> waiting;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const Look look = this->look(rank);
      if (!look.wrong.empty()) return fail(error, static_cast<std::int32_t>(rank), look.wrong);
      if (!look.isDone) waiting.push_back(static_cast<std::int32_t>(rank));
    }
    if (waiting.empty()) return PC_OK;
    if (const auto reason = world_->ended()) return refuse(error, PC_PEER, -1, *reason);
    if (isOver) {
      std::string text =
          std::string(what) + " within " + std::to_string(world_->timeoutMs()) + " ms";
      if (waiting.size() > 1)
        text += ", as " + std::to_string(waiting.size() - 1) + " of the other ranks";
      return fail(error, waiting[0], text);
    }
    if (Clock::now() - begin > kSpin) std::this_thread::sleep_for(kPause);
  }
}

}  // namespace parapet::cuda
