// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "engine/base/queue.h"
#include "engine/experiment/run_event.h"
#include "engine/experiment/step_ring.h"
#include "engine/store/recorder.h"
#include "engine/store/sqlite.h"

namespace parapet::store {

/// Half a megabyte of the disk, or what of it is left, held while runs are recorded, so that on a full disk there is
/// space to record how they ended. The file has no name: whatever happens to the process, nothing is left.
class DiskReserve {
 public:
  explicit DiskReserve(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~DiskReserve() { release(); }
  DiskReserve(const DiskReserve&) = delete;
  DiskReserve& operator=(const DiskReserve&) = delete;

  /// Takes the space unless it is held already. Where there is none left, nothing is held.
  void hold();
  /// Gives the space back; false if none was held.
  bool release();

 private:
  std::filesystem::path folder_;
  int descriptor_ = -1;
};

/// The one thread of this process that records runs, with a connection of its own.
///
/// Events arrive through a bounded queue, steps through one ring per run. It commits both
/// in one transaction per 0.5 s, at once when a run ends or somebody waits in flush(), and renews
/// the heartbeat of the live runs each second. When the disk refuses, what was received stays here
/// (events up to a bound, steps merged by their ring), is tried again with growing pauses, and
/// `onWarning` is called once until it works again. If the disk is full when a run ends, its end is
/// recorded in space that was reserved before, or else in what the log gives back. If the database is removed or replaced, the next
/// commit goes to the one at its path, created if need be, with all recorded rows of this
/// process's runs. Training never waits for any of this.
class Writer final : public experiment::RunSink {
 public:
  Writer(Database database, std::function<void(const std::string&)> onWarning);
  /// Commits what is left, once, and joins.
  ~Writer() override;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void onEvent(const std::string& runId, const experiment::RunEvent& event) override;
  void onStep(const std::string& runId, const experiment::StepPoint& point) override;
  /// Waits until everything received before is committed; returns the error of the attempt if it failed.
  Status flush();
  /// From now on the run is one of this process, with a heartbeat until it ends.
  void beginHeartbeat(const std::string& runId);
  void endHeartbeat(const std::string& runId);

 private:
  using Clock = std::chrono::steady_clock;
  using Flush = std::shared_ptr<std::promise<Status>>;
  using Item = std::variant<ReceivedEvent, Flush>;

  void work();
  void receive(Item item);
  bool due(Clock::time_point now) const;
  void attempt(Clock::time_point now);
  void chooseBeats(Clock::time_point now);
  void drainRings();
  [[nodiscard]] bool nothingToDo() const;
  Status commitAll();
  Status commitWithReserve();
  Status commit();
  Status commitEnds();
  Status followFile();
  Status recordPending();
  Status beat();
  void dropBeyondBound();
  void failed(const Error& error, Clock::time_point now);
  void succeeded();

  void warn(const std::string& message) const;

  Database database_;
  const std::function<void(const std::string&)> onWarning_;
  BoundedQueue<Item> queue_;

  std::mutex runsMutex_;  ///< guards the three below; held for look-ups only
  std::map<std::string, std::shared_ptr<experiment::StepRing>, std::less<>> rings_;
  std::set<std::string, std::less<>> live_;
  DiskReserve reserve_;  ///< held while there are live runs

  // Only the thread touches these.
  std::deque<ReceivedEvent> events_;
  std::map<std::string, std::vector<experiment::StepBucket>> steps_;
  std::vector<Flush> waiting_;
  std::vector<std::string> beating_;  ///< live runs whose heartbeat is due
  std::vector<std::string> ended_;    ///< their rings are done with
  bool urgent_ = false;
  std::int64_t dropped_ = 0;
  bool inTrouble_ = false;
  std::chrono::milliseconds pause_{0};
  Clock::time_point nextCommit_, nextBeat_, retryAt_;

  std::jthread thread_;  ///< last: starts when all else is there
};

}  // namespace parapet::store
