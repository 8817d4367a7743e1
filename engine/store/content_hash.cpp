// SPDX-License-Identifier: Apache-2.0
#include "engine/store/content_hash.h"

#include <sqlite3.h>

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/hash.h"

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

}  // namespace

int addContentHash(sqlite3* handle) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  const int outcome = sqlite3_create_function_v2(handle, "content_hash", -1, kFlags, nullptr,
                                                 contentHash, nullptr, nullptr, nullptr);
  if (outcome != SQLITE_OK) return outcome;
  return sqlite3_create_function_v2(handle, "content_sum", -1, kFlags, nullptr, nullptr, addRow,
                                    giveSum, nullptr);
}

}  // namespace parapet::store
