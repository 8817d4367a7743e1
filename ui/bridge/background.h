// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "ui/bridge/progress.h"

namespace parapet::ui {

/// Runs one piece of work at a time off the GUI thread.
///
///   background_.start([=](const WorkContext& context) { return workspace->importData(e, context);
///   },
///                     [this](Result<ImportReport> report) { show(report); });
///
/// The work takes its inputs by value and asks `context.cancelled()` now and then. A new start
/// supersedes the work before: that one is asked to stop and its result and progress are dropped,
/// however late they come. Exceptions become an Error result.
///
/// Life     the destructor asks all work to stop and joins; `onDone` never runs afterwards.
/// Thread   start, cancel, stop: the thread of this object, where onDone and progressed run too.
class Background : public QObject {
  Q_OBJECT

 public:
  explicit Background(QObject* parent = nullptr) : Background("background", parent) {}
  /// `threadName`: what its threads are called and their processor time is booked under.
  explicit Background(const char* threadName, QObject* parent = nullptr)
      : QObject(parent), threadName_(threadName) {}
  ~Background() override;

  /// `work(const WorkContext&)` gives Result<T> or Status; `onDone` gets the same.
  template <class Work, class Done>
  void start(Work work, Done onDone) {
    using Answer = std::invoke_result_t<Work&, const WorkContext&>;
    // Shared, because a post copies its function and neither work nor answer needs to be copyable.
    auto task = std::make_shared<Work>(std::move(work));
    auto done = std::make_shared<Done>(std::move(onDone));
    launch([task, done](const WorkContext& context) -> Delivery {
      auto answer = std::make_shared<Answer>(guarded<Answer>(*task, context));
      return [done, answer] { (*done)(std::move(*answer)); };
    });
  }
  /// Asks the work to stop and drops its result.
  void cancel();
  /// Asks the work to stop; its result (kCancelled, as a rule) still arrives.
  void stop();
  /// True from start until the result was delivered or dropped.
  [[nodiscard]] bool running() const { return running_; }

 signals:
  /// The latest progress, coalesced. `total` 0: unknown.
  void progressed(const QString& stage, qint64 done, qint64 total);
  void runningChanged(bool running);

 private:
  using Delivery = std::function<void()>;
  struct Worker {
    std::jthread thread;
    std::atomic<bool> finished{false};
  };

  template <class Answer, class Work>
  static Answer guarded(Work& work, const WorkContext& context) {
    try {
      return work(context);
    } catch (...) {
      return currentError();
    }
  }
  static Error currentError();
  void launch(std::function<Delivery(const WorkContext&)> work);
  ProgressFunction progressOf(std::uint64_t generation);
  void deliver(std::uint64_t generation, const Delivery& delivery);
  void setRunning(bool running);
  void reap();

  const char* const threadName_;
  std::list<Worker> workers_;  ///< the newest last; the others are stopping
  std::uint64_t generation_ = 0;
  bool running_ = false;
};

}  // namespace parapet::ui
