// SPDX-License-Identifier: Apache-2.0
#include "engine/store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/hash.h"

struct sqlite3;

namespace parapet::store {
namespace {

std::string_view bytesOf(sqlite3_value* value) {
  const void* data = sqlite3_value_blob(value);
  return {static_cast<const char*>(data), static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

void appendWord(std::string& text, std::uint64_t word) {
  for (int byte = 0; byte < 8; ++byte) text += static_cast<char>(word >> (8 * byte));
}

/// A value with its type; a text with its length, so that no two rows of values read alike.
void append(std::string& text, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  text += static_cast<char>('0' + type);
  if (type == SQLITE_INTEGER)
    appendWord(text, static_cast<std::uint64_t>(sqlite3_value_int64(value)));
  if (type == SQLITE_FLOAT)
    appendWord(text, std::bit_cast<std::uint64_t>(sqlite3_value_double(value)));
  if (type != SQLITE_TEXT && type != SQLITE_BLOB) return;
  const std::string_view bytes = bytesOf(value);
  appendWord(text, bytes.size());
  text += bytes;
}

std::string encoded(std::span<sqlite3_value*> values) {
  std::string text;
  for (sqlite3_value* value : values) append(text, value);
  return text;
}

void contentHash(sqlite3_context* context, int count, sqlite3_value** values) {
  const bool isText = count == 1 && sqlite3_value_type(values[0]) == SQLITE_TEXT;
  const std::string hash = isText ? hashHex(bytesOf(values[0]))
                                  : hashHex(encoded({values, static_cast<std::size_t>(count)}));
  sqlite3_result_text(context, hash.data(), static_cast<int>(hash.size()), SQLITE_TRANSIENT);
}

std::uint64_t* sumOf(sqlite3_context* context, int bytes) {
  return static_cast<std::uint64_t*>(sqlite3_aggregate_context(context, bytes));
}

void addRow(sqlite3_context* context, int count, sqlite3_value** values) {
  if (std::uint64_t* sum = sumOf(context, sizeof *sum))
    *sum += hash64(encoded({values, static_cast<std::size_t>(count)}));
  else
    sqlite3_result_error_nomem(context);
}

void giveSum(sqlite3_context* context) {
  const std::uint64_t* sum = sumOf(context, 0);
  sqlite3_result_int64(context, sum ? static_cast<sqlite3_int64>(*sum) : 0);
}

/// Gives a connection two functions of SQL, with which rows keep a hash of what they hold:
///
///   content_hash(a, b, …)      32 hex digits of the types and bytes of its values; of one text alone
///                              the hash of that text, hashHex().
///   content_sum(a, b, …)       an aggregate: the sum of a 64-bit hash of every row, whatever their
///                              order; 0 without rows.
///
/// Numbers count with their bits, not as text, so that another SQLite gives the same. They detect
/// accidents and edits, not attackers. The schema uses them in no index and no trigger, so the file
/// stays readable with any SQLite browser.
///
/// Returns what SQLite said, SQLITE_OK if all is well.
int addContentHash(sqlite3* handle) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  const int outcome = sqlite3_create_function_v2(handle, "content_hash", -1, kFlags, nullptr,
                                                 contentHash, nullptr, nullptr, nullptr);
  if (outcome != SQLITE_OK) return outcome;
  return sqlite3_create_function_v2(handle, "content_sum", -1, kFlags, nullptr, nullptr, addRow,
                                    giveSum, nullptr);
}

/// Long enough for any transaction of ours on a slow disk; waiting is what keeps SQLITE_BUSY away
/// from users.
constexpr int kBusyTimeoutMs = 5000;

Failure failureOf(int outcome) {
  switch (outcome & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Failure::kBusy;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return Failure::kDisk;
    case SQLITE_CONSTRAINT:
      return Failure::kConstraint;
    default:
      return Failure::kOther;
  }
}

std::string describe(int outcome, const char* detail) {
  switch (outcome & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program has been writing to it for longer than 5 s";
    case SQLITE_NOTADB:
      return "is not a run database (not an SQLite file)";
    default:
      return detail;
  }
}

std::string immutableUri(const std::filesystem::path& file) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(file).string())
    if (c == '%' || c == '?' || c == '#')
      uri += fmt::format("%{:02x}", static_cast<unsigned>(c));
    else
      uri += c;
  return uri + "?immutable=1";
}

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_),
      handle_(std::exchange(other.handle_, nullptr)),
      bindFailure_(other.bindFailure_) {}

Statement::~Statement() {
  if (!handle_) return;
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
}

void Statement::remember(int outcome) {
  if (outcome != SQLITE_OK && bindFailure_ == SQLITE_OK) bindFailure_ = outcome;
}

void Statement::bind(int parameter, std::int64_t value) {
  remember(sqlite3_bind_int64(handle_, parameter, value));
}

void Statement::bind(int parameter, double value) {
  remember(sqlite3_bind_double(handle_, parameter, value));
}

void Statement::bind(int parameter, std::string_view value) {
  // An empty view may have no address, which SQLite would take for NULL.
  const char* data = value.empty() ? "" : value.data();
  // Null destructor pointer (SQLITE_STATIC): all values outlive the loan, see Database::each.
  remember(sqlite3_bind_text64(handle_, parameter, data, value.size(), nullptr, SQLITE_UTF8));
}

Result<bool> Statement::step() {
  if (bindFailure_ != SQLITE_OK) return database_->failure(bindFailure_);
  const int outcome = sqlite3_step(handle_);
  if (outcome == SQLITE_ROW) return true;
  if (outcome == SQLITE_DONE) return false;
  return database_->failure(outcome);
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_, column);
}

double Statement::real(int column) const {
  if (sqlite3_column_type(handle_, column) == SQLITE_NULL)
    return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(handle_, column);
}

std::string Statement::text(int column) const {
  const unsigned char* data = sqlite3_column_text(handle_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  return data ? std::string(reinterpret_cast<const char*>(data), size) : std::string();
}

void Statement::bindColumn(int parameter, const Statement& row, int column) {
  remember(sqlite3_bind_value(handle_, parameter, sqlite3_column_value(row.handle_, column)));
}

int Statement::columns() const {
  return sqlite3_column_count(handle_);
}

int Statement::type(int column) const {
  return sqlite3_column_type(handle_, column);
}

Database::Database(sqlite3* handle, std::filesystem::path file)
    : handle_(handle), file_(std::move(file)) {}

Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      file_(std::move(other.file_)),
      log_(other.log_),
      statements_(std::exchange(other.statements_, {})),
      lastFailure_(other.lastFailure_) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(file_, other.file_);
  std::swap(log_, other.log_);
  std::swap(statements_, other.statements_);
  std::swap(lastFailure_, other.lastFailure_);
  return *this;
}

Database::~Database() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close_v2(handle_);
}

Result<Database> Database::open(const std::filesystem::path& file, Access access) {
  int mode = access == Access::kReadWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                          : SQLITE_OPEN_READONLY;
  // '%' and '?' in a path are ordinary characters, so it is a URI only where an option is needed.
  std::string name = file.string();
  if (access == Access::kImmutable) {
    mode |= SQLITE_OPEN_URI;
    name = immutableUri(file);
  }
  sqlite3* handle = nullptr;
  const int outcome = sqlite3_open_v2(name.c_str(), &handle, mode | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(handle, file);
  if (outcome != SQLITE_OK) return database.failure(outcome);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  if (const int added = addContentHash(handle); added != SQLITE_OK) return database.failure(added);
  PARAPET_TRY(database.script("PRAGMA foreign_keys=ON"));
  return database;
}

Error Database::failure(int outcome) {
  lastFailure_ = failureOf(outcome);
  const char* detail = handle_ ? sqlite3_errmsg(handle_) : "out of memory";
  const ErrorCode code = lastFailure_ == Failure::kDisk ? ErrorCode::kIo : ErrorCode::kStore;
  return Error{code,
               fmt::format("run database {}: {}", file_.string(), describe(outcome, detail)),
               {},
               file_.string()};
}

Result<Statement> Database::prepare(std::string_view sql) {
  auto known = statements_.find(sql);
  if (known == statements_.end()) {
    sqlite3_stmt* handle = nullptr;
    const int outcome = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                           SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
    if (outcome != SQLITE_OK) return failure(outcome);
    known = statements_.emplace(std::string(sql), handle).first;
  }
  return Statement(*this, known->second);
}

Status Database::script(const char* sql) {
  const int outcome = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (outcome != SQLITE_OK) return failure(outcome);
  return {};
}

std::int64_t Database::changes() const {
  return sqlite3_changes64(handle_);
}
bool Database::fileHasMoved() const {
  int moved = 0;
  return sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
         moved != 0;
}

Database::FileIdentity Database::logNow() const {
  struct stat info {};
  if (::stat((file_.string() + "-wal").c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino};
}

void Database::noteLog() {
  log_ = logNow();
}

bool Database::logIsOurs() const {
  return log_ != FileIdentity{} && log_ == logNow();
}

bool Database::fileIsReadOnly() const {
  return sqlite3_db_readonly(handle_, "main") == 1;
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  if (!database_) return;
  // After some errors (disk full) SQLite has rolled back by itself. That there is nothing left to roll
  // back must not hide what the failure was.
  const Failure failure = database_->lastFailure_;
  (void)database_->script("ROLLBACK");
  database_->lastFailure_ = failure;
}

Result<Transaction> Transaction::begin(Database& database) {
  PARAPET_TRY(database.script("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Status Transaction::commit() {
  PARAPET_TRY(database_->script("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace parapet::store
