// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/background.h"

#include <QMetaObject>
#include <exception>
#include <new>

#include "engine/base/file_error.h"
#include "engine/base/process.h"
#include "engine/base/threads.h"

namespace parapet::ui {

Background::~Background() {
  // All are asked before any is joined, so they stop side by side.
  for (Worker& worker : workers_) worker.thread.request_stop();
  workers_.clear();
}

Error Background::currentError() {
  try {
    throw;
  } catch (const InvalidArgument& error) {
    return {ErrorCode::kInternal, std::string("[bridge.Background] misuse: ") + error.what()};
  } catch (const FileError& error) {
    return error.error();
  } catch (const std::bad_alloc&) {
    return outOfMemory("the work of the page");
  } catch (const std::exception& error) {
    return {ErrorCode::kInternal, std::string("[bridge.Background] ") + error.what()};
  } catch (...) {
    return {ErrorCode::kInternal, "[bridge.Background] an exception that is no std::exception"};
  }
}

void Background::launch(std::function<Delivery(const WorkContext&)> work) {
  cancel();
  reap();
  const std::uint64_t generation = ++generation_;
  Worker& worker = workers_.emplace_back();
  // `this` outlives the thread: the destructor joins. Posts that are still queued then are
  // discarded with this object.
  worker.thread = std::jthread([this, generation, &worker, work = std::move(work),
                                progress = progressOf(generation)](std::stop_token stop) mutable {
    const ThreadName name(threadName_);
    Delivery delivery = work(WorkContext{progress, stop});
    // The objects of the work are released here, off the GUI thread.
    work = nullptr;
    QMetaObject::invokeMethod(
        this, [this, generation, delivery = std::move(delivery)] { deliver(generation, delivery); },
        Qt::QueuedConnection);
    worker.finished.store(true);
  });
  setRunning(true);
}

ProgressFunction Background::progressOf(std::uint64_t generation) {
  return latestProgressTo(this,
                          [this, generation](const QString& stage, qint64 done, qint64 total) {
                            if (generation == generation_ && running_)
                              emit progressed(stage, done, total);
                          });
}

void Background::deliver(std::uint64_t generation, const Delivery& delivery) {
  reap();
  if (generation != generation_) return;
  // Before the call: it may start the next piece of work.
  ++generation_;
  setRunning(false);
  delivery();
}

void Background::cancel() {
  stop();
  ++generation_;
  setRunning(false);
}

void Background::stop() {
  if (running_ && !workers_.empty()) workers_.back().thread.request_stop();
}

void Background::setRunning(bool running) {
  if (running_ == running) return;
  running_ = running;
  emit runningChanged(running);
}

/// Joins threads that have nothing left to do but return.
void Background::reap() {
  workers_.remove_if([](const Worker& worker) { return worker.finished.load(); });
}

}  // namespace parapet::ui
