// SPDX-License-Identifier: Apache-2.0
#pragma once

struct sqlite3;

namespace parapet::store {

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
int addContentHash(sqlite3* handle);

}  // namespace parapet::store
