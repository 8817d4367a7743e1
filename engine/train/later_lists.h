// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

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
  /// Waits; adds the lists to the epoch, unless it was cancelled.
  experiment::EpochSummary finish();

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

/// Adds the lists of the validation part to the epoch that they are of; `seconds`: what they took.
void addLists(experiment::EpochSummary& summary, retrieval::CatalogueRanking::Measured lists,
              double seconds);

/// An epoch that a checkpoint carries because its lists are not known yet: without its validation,
/// which a resumed run measures again on the weights of the checkpoint.
nlohmann::json unmeasuredToJson(const experiment::EpochSummary& summary);
experiment::EpochSummary unmeasuredFromJson(const nlohmann::json& state);

}  // namespace parapet::train
