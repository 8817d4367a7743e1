// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/threads.h"
#include "engine/experiment/run_event.h"
#include "engine/train/evaluator.h"

namespace parapet::train {

/// One piece of work in a thread of its own, whose result its owner takes when it is there.
/// Cancelled and joined by the destructor.
///
/// Thread   not shared.
template <class Value>
class Background {
 public:
  Background(const char* name, std::function<Value(std::stop_token)> work) {
    std::packaged_task<Value(std::stop_token)> task(std::move(work));
    value_ = task.get_future();
    thread_ = std::jthread([name, task = std::move(task)](std::stop_token stop) mutable {
      const ThreadName named(name);
      task(std::move(stop));
    });
  }

  /// Whether take() returns at once.
  [[nodiscard]] bool isReady() const { return waitFor(std::chrono::milliseconds(0)); }
  /// Waits up to `timeout`; true if take() returns at once then.
  [[nodiscard]] bool waitFor(std::chrono::milliseconds timeout) const {
    return value_.wait_for(timeout) == std::future_status::ready;
  }
  /// Asks the work to end early.
  void cancel() { thread_.request_stop(); }
  /// Waits for the result, once; rethrows what the work threw.
  Value take() { return value_.get(); }

 private:
  std::future<Value> value_;
  std::jthread thread_;
};

/// An epoch whose lists of the catalogue are measured in threads of their own, on a snapshot, while
/// the next epoch trains. These threads are lent by training: see threads().
///
/// Determinism   the values are those of CatalogueLists::rank, whatever the threads and the time.
/// Thread        not shared.
class LaterLists {
 public:
  /// Largest snapshot that is made; lists of larger ones are measured while training waits.
  static constexpr std::int64_t kMaxBytes = std::int64_t{256} << 20;
  /// Threads that an evaluation borrows from the `threads` of training.
  static int threadsOf(int threads) { return threads / 2; }

  /// Begins with the weights as they are now. `of` must outlive this.
  ///
  /// Errors   those of CatalogueLists::snapshot, which `stop` is of.
  static Result<std::unique_ptr<LaterLists>> begin(CatalogueLists& of, int sessionThreads,
                                                   const std::stop_token& stop = {});

  /// Whether finish() returns at once.
  [[nodiscard]] bool isReady() const { return job_->isReady(); }
  [[nodiscard]] bool waitFor(std::chrono::milliseconds timeout) const {
    return job_->waitFor(timeout);
  }
  /// Threads that work from the next block of queries on.
  void setThreads(int threads) { threads_->store(threads); }
  void cancel() { job_->cancel(); }
  /// Waits; adds the lists to the epoch as addLists() does, unless it was cancelled.
  experiment::EpochSummary finish(std::string_view best = {});

  experiment::EpochSummary summary;                ///< the epoch without its lists
  double heldUpSeconds = 0.0;                      ///< time of the snapshot, while training waited
  retrieval::CatalogueRanking::Measured measured;  ///< after finish()

 private:
  struct Lists {
    retrieval::CatalogueRanking::Measured measured;
    double seconds = 0.0;
  };
  LaterLists() = default;

  std::shared_ptr<std::atomic<int>> threads_;
  std::unique_ptr<Background<Lists>> job_;
};

/// Baselines that cost more than a pass over the rows, fitted to the validation part in a thread of
/// their own while a run trains: see CatalogueRanking::fitted.
///
/// Thread   not shared.
class LaterBaselines {
 public:
  /// The baselines that were fitted, and the names of those that were cancelled before.
  struct Taken {
    experiment::Baselines fitted{};
    std::vector<std::string> missing{};

    /// Evaluator::verdictsOf, then verdicts without a reference on what is missing.
    [[nodiscard]] std::vector<experiment::BaselineVerdict> verdictsOf(
        const retrieval::CatalogueRanking::Measured& lists, const std::string& prefix,
        std::string_view best) const;
    /// "a baseline is left out: the run ended before item-kNN and EASE were fitted"
    [[nodiscard]] std::string missingSentence() const;
  };

  /// One thread works at first. `of` must outlive this.
  LaterBaselines(const Evaluator& of, int sessionThreads);

  /// Whether take() returns at once.
  [[nodiscard]] bool isReady() const { return job_.isReady(); }
  [[nodiscard]] bool waitFor(std::chrono::milliseconds timeout) const {
    return job_.waitFor(timeout);
  }
  /// Threads that work from the next report of progress on; they change no bit.
  void setThreads(int threads) { threads_.store(threads); }
  void cancel() { job_.cancel(); }
  /// Passes on how far the thread is; nothing before it has begun.
  void report(const ProgressFunction& progress) const;
  /// Waits for the result, once.
  Taken take();

 private:
  /// As the thread reported last.
  struct Reached {
    mutable std::mutex mutex{};
    std::string stage{};
    std::int64_t done = 0, total = 0;
  };
  Reached reached_;
  std::atomic<int> threads_ = 1;
  Background<experiment::Baselines> job_;  ///< last: it ends before what it writes
};

/// Adds the lists of the validation part to the epoch that they are of; `seconds`: what they took; `best`: the
/// metric of the best checkpoint, see Evaluator::verdictsOf.
void addLists(experiment::EpochSummary& summary, retrieval::CatalogueRanking::Measured lists,
              double seconds, std::string_view best = {});

/// An epoch that a checkpoint carries because its lists are not known yet: without its validation,
/// which a resumed run measures again on the weights of the checkpoint.
nlohmann::json unmeasuredToJson(const experiment::EpochSummary& summary);
experiment::EpochSummary unmeasuredFromJson(const nlohmann::json& state);

}  // namespace parapet::train
