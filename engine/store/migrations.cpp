// SPDX-License-Identifier: Apache-2.0
#include "engine/store/migrations.h"

#include <fmt/format.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

namespace parapet::store {
namespace {

/// Numbers of statfs(2). FUSE is among them because sshfs is; a local FUSE disk loses only some
/// speed.
constexpr std::array<std::uint64_t, 12> kNetworkMagics{
    0x6969,      // NFS
    0x517B,      // SMB
    0xFF534D42,  // CIFS
    0xFE534D42,  // SMB2
    0x65735546,  // FUSE
    0x01021997,  // 9p
    0x5346414F,  // AFS
    0x00C36400,  // Ceph
    0x0BD00BD0,  // Lustre
    0x47504653,  // GPFS
    0x19830326,  // BeeGFS
    0x564C,      // NCP
};

/// Requests a mode and returns the one in effect. SQLite does not wait for others here as it
/// does elsewhere, so two programs that create a workspace at once would meet; we wait instead.
Result<std::string> switchTo(Database& database, const char* mode) {
  constexpr int kAttempts = 100;
  const std::string sql = fmt::format("PRAGMA journal_mode={}", mode);
  for (int attempt = 1;; ++attempt) {
    std::string now;
    const Status asked = database.each(sql, [&](Statement& row) { now = row.text(0); });
    if (asked.ok()) return now;
    if (database.lastFailure() != Failure::kBusy || attempt == kAttempts) return asked.error();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

Error refuse(const Database& database, std::string_view what) {
  return Error{ErrorCode::kStore,
               fmt::format("run database {}: {}", database.file().string(), what),
               {},
               database.file().string()};
}

/// Version of the schema in the file, after checking that the file is ours.
Result<int> versionOf(Database& database, int known) {
  // In one statement: between several, another program may create what we are looking at.
  std::int64_t application = 0, version = 0, objects = 0;
  PARAPET_TRY(database.each(
      "SELECT (SELECT application_id FROM pragma_application_id),"
      " (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)",
      [&](Statement& row) {
        application = row.integer(0);
        version = row.integer(1);
        objects = row.integer(2);
      }));
  if (application != kApplicationId && (objects > 0 || application != 0))
    return refuse(database, "is an SQLite database of another program");
  if (version < 0 || version > known)
    return refuse(database,
                  fmt::format("has schema version {}; this program knows versions up to {}; "
                              "open it with a newer parapet",
                              version, known));
  return static_cast<int>(version);
}

}  // namespace

bool isNetworkFileSystem(std::uint64_t statfsMagic) {
  return std::ranges::find(kNetworkMagics, statfsMagic) != kNetworkMagics.end();
}

Result<std::string> chooseJournalMode(Database& database) {
  const std::filesystem::path folder = database.file().parent_path();
  struct statfs info {};
  const bool known = ::statfs(folder.empty() ? "." : folder.c_str(), &info) == 0;
  // The magic is a signed word on some machines; only its low 32 bits are the value.
  const bool network = known && isNetworkFileSystem(static_cast<std::uint32_t>(info.f_type));
  PARAPET_ASSIGN(const std::string mode, switchTo(database, network ? "DELETE" : "WAL"));
  if (mode == "wal") return std::string();
  if (network)
    return fmt::format(
        "{} may be on a network file system; the run database is written in a slower mode there",
        folder.string());
  return fmt::format(
      "the file system of {} allows no write-ahead log; the run database is written "
      "in a slower mode there",
      folder.string());
}

Status migrate(Database& database, std::span<const char* const> scripts) {
  const int known = static_cast<int>(scripts.size());
  PARAPET_ASSIGN(int version, versionOf(database, known));
  while (version < known) {
    PARAPET_ASSIGN(Transaction transaction, Transaction::begin(database));
    // Somebody else may have migrated while we waited for the lock.
    PARAPET_ASSIGN(version, versionOf(database, known));
    if (version == known) break;
    PARAPET_TRY(database.script(scripts[static_cast<std::size_t>(version)]));
    ++version;
    PARAPET_TRY(database.script(
        fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplicationId, version)
            .c_str()));
    PARAPET_TRY(transaction.commit());
  }
  return {};
}

Status requireOurs(Database& database, int known) {
  const auto version = versionOf(database, known);
  return version.ok() ? Status() : version.error();
}

Status requireCurrent(Database& database, int version) {
  PARAPET_ASSIGN(const int found, versionOf(database, version));
  if (found == version) return {};
  return refuse(database,
                fmt::format("has schema version {}, this program reads {}; open the workspace "
                            "once for writing to bring it up to date",
                            found, version));
}

}  // namespace parapet::store
