// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/base/wait_limit.h"
#include "engine/mesh/process_communicator.h"

/// Processes of a test: threads of one program that share nothing but messages.
namespace parapet::sample {

/// The messages between all processes.
class Post {
 public:
  struct Message {
    std::uint64_t tag;
    std::vector<std::byte> bytes;
  };
  void put(int from, int to, Message message) {
    const std::lock_guard lock(mutex_);
    boxes_[{from, to}].push_back(std::move(message));
    arrived_.notify_all();
  }
  /// The next message of a pair; an error once the post has closed, or none has come in time.
  Result<Message> take(int from, int to) {
    std::unique_lock lock(mutex_);
    std::deque<Message>& box = boxes_[{from, to}];
    const bool came = arrived_.wait_for(lock, waitLimit(), [&] { return closed_ || !box.empty(); });
    if (closed_) return Error{ErrorCode::kPeer, "[mesh] " + *closed_};
    if (!came)
      return Error{ErrorCode::kPeer, fmt::format("[mesh] process {} has sent nothing", from)};
    Message message = std::move(box.front());
    box.pop_front();
    return message;
  }
  void close(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    if (!closed_) closed_ = reason;
    arrived_.notify_all();
  }
  Status status() {
    const std::lock_guard lock(mutex_);
    if (closed_) return Error{ErrorCode::kPeer, "[mesh] " + *closed_};
    return {};
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, std::deque<Message>> boxes_;
  std::optional<std::string> closed_;
};

class PostTransport final : public mesh::Transport {
 public:
  PostTransport(std::shared_ptr<Post> post, int processes, int process)
      : post_(std::move(post)), processes_(processes), process_(process) {}
  [[nodiscard]] int processes() const override { return processes_; }
  [[nodiscard]] int process() const override { return process_; }

  void send(int to, std::uint64_t tag, std::span<const std::byte> message) override {
    post_->put(process_, to, {tag, {message.begin(), message.end()}});
  }
  void receive(int from, std::uint64_t tag, std::span<std::byte> message) override {
    expected_.push_back({from, tag, message});
  }
  Status wait() override {
    Status done = post_->status();
    for (const Expected& expected : expected_) {
      if (!done.ok()) break;
      const auto message = post_->take(expected.from, process_);
      if (!message)
        done = message.error();
      else if (message->tag != expected.tag || message->bytes.size() != expected.into.size())
        done = Error{ErrorCode::kPeer,
                     fmt::format("[mesh] process {} sent {} bytes as {:x}; process {} expects {} "
                                 "as {:x}",
                                 expected.from, message->bytes.size(), message->tag, process_,
                                 expected.into.size(), expected.tag)};
      else if (!expected.into.empty())
        std::memcpy(expected.into.data(), message->bytes.data(), expected.into.size());
    }
    expected_.clear();
    if (!done.ok()) post_->close(done.error().message);
    return done;
  }
  void close(const std::string& reason) override { post_->close(reason); }

 private:
  struct Expected {
    int from;
    std::uint64_t tag;
    std::span<std::byte> into;
  };
  const std::shared_ptr<Post> post_;
  const int processes_, process_;
  std::vector<Expected> expected_;
};

/// The first rank of each of so many processes, which have nearly as many ranks.
inline std::vector<int> firstRanksOf(int ranks, int processes) {
  std::vector<int> firstRanks;
  for (int process = 0; process < processes; ++process)
    firstRanks.push_back(ranks * process / processes);
  return firstRanks;
}

/// Runs body(process) for all processes, a thread each.
inline void asProcesses(int processes, const std::function<void(int process)>& body) {
  std::vector<std::thread> threads;
  for (int process = 0; process < processes; ++process)
    threads.emplace_back([&body, process] { body(process); });
  for (std::thread& thread : threads) thread.join();
}

/// All ranks of several processes, as if they were of one: what a test asks of all at once each
/// process is asked for its own ranks.
class JoinedProcesses final : public mesh::Communicator {
 public:
  /// `parts`: of each process; null where it has no rank.
  explicit JoinedProcesses(std::vector<std::unique_ptr<Communicator>> parts)
      : parts_(std::move(parts)) {}
  [[nodiscard]] int ranks() const override {
    for (const auto& part : parts_)
      if (part) return part->ranks();
    return 0;
  }

  Result<std::unique_ptr<Communicator>> group(std::span<const int> ranks) override {
    std::vector<std::unique_ptr<Communicator>> groups(parts_.size());
    for (std::size_t process = 0; process < parts_.size(); ++process) {
      const auto isHere = [&](int rank) { return parts_[process]->local().has(rank); };
      if (parts_[process] && std::ranges::any_of(ranks, isHere)) {
        PARAPET_ASSIGN(groups[process], parts_[process]->group(ranks));
      }
    }
    return std::unique_ptr<Communicator>(std::make_unique<JoinedProcesses>(std::move(groups)));
  }
  Status allReduce(Buffers buffers, std::int64_t n, mesh::ElementType type,
                   mesh::Memory memory) override {
    return ask(
        [&](Communicator& of) { return of.allReduce(partOf(buffers, of), n, type, memory); });
  }
  Status reduceScatter(ConstBuffers in, Buffers out, Counts counts, mesh::ElementType type,
                       mesh::Memory memory) override {
    return ask([&](Communicator& of) {
      return of.reduceScatter(partOf(in, of), partOf(out, of), counts, type, memory);
    });
  }
  Status allGather(ConstBuffers in, Buffers out, Counts counts, mesh::ElementType type,
                   mesh::Memory memory) override {
    return ask([&](Communicator& of) {
      return of.allGather(partOf(in, of), partOf(out, of), counts, type, memory);
    });
  }
  Status allToAll(ConstBuffers in, std::span<const mesh::PeerCounts> counts, Buffers out,
                  mesh::ElementType type, mesh::Memory memory) override {
    return ask([&](Communicator& of) {
      return of.allToAll(partOf(in, of), partOf(counts, of), partOf(out, of), type, memory);
    });
  }
  Status barrier() override {
    return ask([](Communicator& of) { return of.barrier(); });
  }
  void abort(const std::string& reason) override {
    for (const auto& part : parts_)
      if (part) part->abort(reason);
  }

 private:
  template <class Element>
  static std::span<Element> partOf(std::span<Element> all, const Communicator& of) {
    return all.subspan(static_cast<std::size_t>(of.local().first),
                       static_cast<std::size_t>(of.local().count));
  }
  Status ask(const std::function<Status(Communicator&)>& call) {
    std::vector<Status> said(parts_.size());
    asProcesses(static_cast<int>(parts_.size()), [&](int process) {
      const auto index = static_cast<std::size_t>(process);
      if (parts_[index]) said[index] = call(*parts_[index]);
    });
    for (Status& status : said)
      if (!status.ok()) return status;
    return {};
  }

  std::vector<std::unique_ptr<Communicator>> parts_;
};

/// Communicators of ranks that `processes` share, or as many as there are ranks.
inline mesh::CommunicatorFactory joinedProcesses(int processes) {
  return [processes](std::span<const tensor::Device> devices,
                     Workers* workers) -> Result<std::unique_ptr<mesh::Communicator>> {
    const auto ranks = static_cast<int>(devices.size());
    const std::vector<int> firstRanks = firstRanksOf(ranks, std::min(processes, ranks));
    const auto post = std::make_shared<Post>();
    std::vector<std::unique_ptr<mesh::Communicator>> parts;
    for (int process = 0; process < static_cast<int>(firstRanks.size()); ++process) {
      const auto next = static_cast<std::size_t>(process) + 1;
      const mesh::LocalRange here{
          firstRanks[next - 1],
          (next < firstRanks.size() ? firstRanks[next] : ranks) - firstRanks[next - 1]};
      std::vector<tensor::Device> seen;
      for (int rank = 0; rank < ranks; ++rank) {
        const tensor::Device& device = devices[static_cast<std::size_t>(rank)];
        seen.push_back(here.has(rank) ? device : device.elsewhere());
      }
      parts.push_back(mesh::makeProcessCommunicator(
          std::make_shared<PostTransport>(post, static_cast<int>(firstRanks.size()), process),
          firstRanks, seen, workers));
    }
    return std::unique_ptr<mesh::Communicator>(std::make_unique<JoinedProcesses>(std::move(parts)));
  };
}

}  // namespace parapet::sample
