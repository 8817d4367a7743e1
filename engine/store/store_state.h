// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "engine/base/text.h"
#include "engine/store/run_store.h"
#include "engine/store/sqlite.h"
#include "engine/store/writer.h"

namespace parapet::store {

/// The state of a RunStore: a connection for questions and short changes, guarded by `mutex`, and
/// the writer with its own.
struct StoreState {
  StoreState(Database opened, RunStore::Options chosen)
      : options(std::move(chosen)), database(std::move(opened)) {}

  const RunStore::Options options;
  const Owner owner = Owner::thisProcess();
  std::mutex mutex;
  Database database;
  experiment::NullSink silent;     ///< the sink of a store that was opened for reading
  std::unique_ptr<Writer> writer;  ///< null when opened for reading

  std::mutex warnedMutex;
  std::set<std::string> warned;  ///< what warnOnce() has said

  /// Says what a query found, the first time that it finds it.
  void warnOnce(const std::string& message);
  Status requireWritable() const;
  /// The connection for questions, to the file that is at its path now: if the one that was opened
  /// was replaced, the new one; if it was removed, what it held. `mutex` is held.
  Database& current();
  /// Runs `body(database)` in one transaction. Waits for other programs longer than one
  /// busy_timeout, since a user's click should not fail because another run commits.
  Status change(const std::function<Status(Database&)>& body);
  /// Makes a change of one run: kNotFound unless the run exists.
  Status changeRun(const std::string& id, const std::function<Status(Database&)>& body);
};

/// A run id or the id of an experiment: 12 random hex digits.
std::string newId();
bool isRunId(std::string_view id);
/// Throws InvalidArgument unless `id` is one.
void requireRunId(const std::string& id);

/// Opens a database for writing, creates it if there is none, and brings its schema up to date.
/// `replaced`: the connection to a database that was at this path before, null if there is none.
Result<Database> openForWriting(const std::filesystem::path& file,
                                const std::function<void(const std::string&)>& onWarning,
                                const Database* replaced = nullptr);
/// The versions of the schema that a reader takes.
enum class SchemaVersion {
  kCurrent,
  kAnyKnown,  ///< older ones too
};
/// Opens a database for reading. Writes nothing, so it works in folders without write permission.
Result<Database> openForReading(const std::filesystem::path& file,
                                SchemaVersion version = SchemaVersion::kCurrent);

/// Whether the owner of a run that is not over is still there. Another machine's processes cannot
/// be looked up; there a fresh heartbeat decides.
bool hasLivingOwner(const RunRecord& run, const Owner& self, std::int64_t nowMs);

/// A heartbeat older than this is lost.
inline constexpr std::int64_t kLostHeartbeatMs = 10'000;

/// SQL list of the states of runs that are not over.
inline constexpr const char* kLiveStates = "('Queued','Running','Paused')";

/// Inserts a run with its document, owned by `owner`; a pid of 0 is nobody.
Status insertRun(Database& database, const RunRecord& run, const Owner& owner, std::int64_t queued);

/// A waiting run becomes Stopped. In the transaction of the caller.
Status takeOutOfQueue(Database& database, const RunRecord& run);
/// A run of the queue whose owner is gone, or gives it back, has none, unless another took it since it was
/// read. In the transaction of the caller.
Status waitAgain(Database& database, const RunRecord& run);

/// All of a run but its document; kNotFound with no further help.
Result<RunRecord> readRun(Database& database, const std::string& id);

/// The epochs of a run that should be recorded and are not, "3, 5 to 7"; "" if there are none.
Result<std::string> missingEpochs(Database& database, const std::string& id);

/// Runs without documents that a condition holds for, which may end in an order.
Result<std::vector<RunRecord>> readRuns(Database& database, const std::string& condition);

inline Error noSuchRun(const std::string& id) {
  return Error{ErrorCode::kNotFound, fmt::format("there is no run {}", printable(id))};
}

}  // namespace parapet::store
