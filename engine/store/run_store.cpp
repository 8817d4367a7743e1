// SPDX-License-Identifier: Apache-2.0
#include "engine/store/run_store.h"

#include <fmt/format.h>

#include <cstdlib>
#include <random>

#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/store/copy_runs.h"
#include "engine/store/store_state.h"

namespace parapet::store {

RunStore::RunStore(std::unique_ptr<StoreState> state)
    : state_(std::move(state)), experiments_(*state_) {}
RunStore::~RunStore() = default;

std::string newId() {
  // Random rather than counted: two programs may start runs in one workspace at the same time.
  std::random_device device;
  const std::uint64_t bits = (std::uint64_t{device()} << 32) | device();
  return fmt::format("{:012x}", bits & 0xffffffffffffULL);
}

std::string RunStore::newRunId() {
  return newId();
}

experiment::RunSink& RunStore::sink() {
  if (state_->writer) return *state_->writer;
  return state_->silent;
}

Status RunStore::flush() {
  return state_->writer ? state_->writer->flush() : Status();
}

void StoreState::warnOnce(const std::string& message) {
  {
    std::lock_guard lock(warnedMutex);
    if (!warned.insert(message).second) return;
  }
  if (options.onWarning)
    options.onWarning(message);
  else
    log(LogLevel::kWarning, message);
}

Status StoreState::requireWritable() const {
  if (writer) return {};
  return Error{ErrorCode::kStore, fmt::format("run database {} was opened for reading only",
                                              database.file().string())};
}

Status StoreState::change(const std::function<Status(Database&)>& body) {
  PARAPET_TRY(requireWritable());
  constexpr int kAttempts = 4;
  std::lock_guard lock(mutex);
  if (database.fileHasMoved()) {
    PARAPET_ASSIGN(Database opened, openForWriting(database.file(), options.onWarning, &database));
    PARAPET_TRY(copyExperiments(database, opened));
    database = std::move(opened);
  }
  for (int attempt = 1;; ++attempt) {
    const Status outcome = [&]() -> Status {
      PARAPET_ASSIGN(Transaction transaction, Transaction::begin(database));
      PARAPET_TRY(body(database));
      return transaction.commit();
    }();
    if (outcome.ok() || database.lastFailure() != Failure::kBusy || attempt == kAttempts)
      return outcome;
  }
}

Database& StoreState::current() {
  std::error_code error;
  if (!database.fileHasMoved() || !std::filesystem::exists(database.file(), error)) return database;
  auto opened = writer ? openForWriting(database.file(), options.onWarning, &database)
                       : openForReading(database.file());
  if (opened) database = std::move(opened).value();
  return database;
}

Status StoreState::changeRun(const std::string& id, const std::function<Status(Database&)>& body) {
  return change([&](Database& opened) -> Status {
    PARAPET_ASSIGN(const std::int64_t count,
                   opened.integer("SELECT count(*) FROM runs WHERE id=?", id));
    if (count == 0) return noSuchRun(id);
    return body(opened);
  });
}

bool hasLivingOwner(const RunRecord& run, const Owner& self, std::int64_t nowMs) {
  if (experiment::isTerminal(run.state)) return false;
  if (run.owner.bootId != self.bootId) return std::abs(nowMs - run.heartbeatMs) <= kLostHeartbeatMs;
  return run.owner.alive();
}

}  // namespace parapet::store
