// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace parapet {

/// Three kinds of wrong. The world failed (file, document, peer, plugin): `Result<T>` with a
/// chained cause. The caller misused an operation: `InvalidArgument` is thrown before any work. We
/// broke an invariant: `InternalError` is thrown; the run dies, the program lives.
enum class ErrorCode {
  kInvalidDocument,  ///< arguments or experiment document wrong; found before anything starts
  kNotFound,         ///< run, user, recipe or document file does not exist
  kData,             ///< a data set cannot be read as what it claims to be
  kIo,               ///< the file system refused
  kStore,            ///< the run database refused
  kDevice,           ///< a device or plugin failed
  kPeer,             ///< another process of the run failed or went silent
  kCancelled,        ///< stopped by the user
  kDiverged,         ///< loss or gradient is NaN or infinite
  kInternal,         ///< an invariant of ours is broken
};

/// Stable lower-case name for machine-readable answers, e.g. "not_found".
const char* errorCodeName(ErrorCode code);

/// A failure: what went wrong, where, and the cause underneath. A message reads
/// "where: what was found; what is accepted".
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string pointer{};  ///< JSON pointer into the experiment document, if that is where
  std::string path{};     ///< file, if that is where
  std::optional<std::int64_t> line{};  ///< line of `path`, from 1
  std::shared_ptr<const Error> cause{};

  /// A new error with this one as its cause, that says what was being done.
  [[nodiscard]] Error wrap(std::string outerMessage) const;
  /// The message with its chain of causes, outermost first.
  [[nodiscard]] std::string text() const;
};

/// A value or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}
  [[nodiscard]] bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};
using Status = Result<void>;

/// The caller misused an operation; thrown before any work is done.
class InvalidArgument : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// One of our own invariants does not hold.
class InternalError : public std::logic_error {
  using std::logic_error::logic_error;
};

/// Returns the error of a failed Status or Result from the enclosing function.
#define PARAPET_TRY(expression)                                                               \
  do {                                                                                        \
    if (auto parapetStatus = (expression); !parapetStatus.ok()) return parapetStatus.error(); \
  } while (false)

#define PARAPET_CONCAT_INNER(a, b) a##b
#define PARAPET_CONCAT(a, b) PARAPET_CONCAT_INNER(a, b)
/// `PARAPET_ASSIGN(auto rows, readRows(path));` declares `rows` or returns the error.
#define PARAPET_ASSIGN(declaration, expression) \
  PARAPET_ASSIGN_IMPL(PARAPET_CONCAT(parapetResult, __LINE__), declaration, expression)
#define PARAPET_ASSIGN_IMPL(result, declaration, expression) \
  auto result = (expression);                                \
  if (!result.ok()) return result.error();                   \
  declaration = std::move(result).value()

}  // namespace parapet
