// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace parapet::store {

/// A prepared statement on loan from its Database; reset when the loan ends. The first failing bind
/// is reported by step().
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  /// Parameters count from 1. NaN binds NULL.
  void bind(int parameter, std::int64_t value);
  void bind(int parameter, int value) { bind(parameter, std::int64_t{value}); }
  void bind(int parameter, bool value) { bind(parameter, std::int64_t{value}); }
  void bind(int parameter, double value);
  void bind(int parameter, std::string_view value);
  void bind(int parameter, const std::string& value) { bind(parameter, std::string_view(value)); }
  void bind(int parameter, const char* value) { bind(parameter, std::string_view(value)); }
  /// The value of a column of another statement's row, with its type.
  void bindColumn(int parameter, const Statement& row, int column);
  /// True while there is a row.
  Result<bool> step();

  /// Columns count from 0. NULL reads as 0, NaN, "".
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] int columns() const;
  /// SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB or SQLITE_NULL.
  [[nodiscard]] int type(int column) const;

 private:
  friend class Database;
  Statement(class Database& database, sqlite3_stmt* handle)
      : database_(&database), handle_(handle) {}
  void remember(int outcome);

  class Database* database_;
  sqlite3_stmt* handle_;
  int bindFailure_ = 0;
};

/// The kind of the last failure; decides whether trying again can help.
enum class Failure {
  kNone,
  kBusy,        ///< another connection writes
  kDisk,        ///< full, read-only, I/O error, cannot open
  kConstraint,  ///< the row is against the schema
  kOther,
};

/// One connection.
///
/// Errors   kIo when the file system refused, kStore otherwise; the text says what SQLite found.
/// Thread   one at a time; the owner guards it.
class Database {
 public:
  enum class Access {
    kReadOnly,  ///< other programs may write
    kImmutable,  ///< nobody writes: no locks, no shared-memory file; for folders without write permission
    kReadWrite,  ///< creates the file if there is none
  };
  /// Opens the file; sets busy_timeout 5 s and foreign keys on.
  static Result<Database> open(const std::filesystem::path& file, Access access);
  Database(Database&&) noexcept;
  /// No statement of either may be on loan.
  Database& operator=(Database&&) noexcept;
  ~Database();

  Result<Statement> prepare(std::string_view sql);
  /// Runs one statement to its end.
  template <class... Values>
  Status run(std::string_view sql, const Values&... values) {
    return each(
        sql, [](Statement&) {}, values...);
  }
  /// Calls `row(statement)` for every row.
  template <class Row, class... Values>
  Status each(std::string_view sql, Row&& row, const Values&... values) {
    PARAPET_ASSIGN(Statement statement, prepare(sql));
    [[maybe_unused]] int parameter = 0;
    (statement.bind(++parameter, values), ...);
    for (;;) {
      PARAPET_ASSIGN(const bool found, statement.step());
      if (!found) return {};
      row(statement);
    }
  }
  /// The first column of the first row as an integer, 0 if there is none.
  template <class... Values>
  Result<std::int64_t> integer(std::string_view sql, const Values&... values) {
    std::int64_t result = 0;
    PARAPET_TRY(each(
        sql, [&](Statement& row) { result = row.integer(0); }, values...));
    return result;
  }
  /// Several statements without parameters or results.
  Status script(const char* sql);

  /// Rows changed by the last statement.
  [[nodiscard]] std::int64_t changes() const;
  [[nodiscard]] bool fileIsReadOnly() const;
  /// The file that was opened is no longer the one at its path: removed, moved or replaced. What it
  /// held can still be read from this connection.
  [[nodiscard]] bool fileHasMoved() const;
  /// Remembers which file is the write-ahead log now; to be called once there is one.
  void noteLog();
  /// Whether the log at its path is the one that was noted. It is not that of another database that
  /// has come to the path of this one.
  [[nodiscard]] bool logIsOurs() const;
  [[nodiscard]] Failure lastFailure() const { return lastFailure_; }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  friend class Statement;
  friend class Transaction;
  Database(sqlite3* handle, std::filesystem::path file);
  Error failure(int outcome);

  /// Device and inode; both 0: none.
  using FileIdentity = std::pair<std::uint64_t, std::uint64_t>;
  [[nodiscard]] FileIdentity logNow() const;

  sqlite3* handle_;
  std::filesystem::path file_;
  FileIdentity log_{};
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;  ///< prepared once, kept
  Failure lastFailure_ = Failure::kNone;
};

/// BEGIN IMMEDIATE … COMMIT; rolls back unless committed. Taking the write lock at the start means
/// that a transaction waits for other writers only there and never fails half-way because of them.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Status commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace parapet::store
