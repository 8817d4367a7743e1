// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/ingest/sources/source.h"

namespace parapet::data {

/// Columns that ratings of movies get from what is known of users and movies, looked up by the id
/// of the row:
///
///   of the user   user_age (integer), user_gender, user_occupation, user_zip (text)
///   of the item   genres (text, "Action|Comedy"), year (integer, from the end of the title)
///
/// A row whose user or item is not in the catalogue, or has no such value, has none.
class MovieAttributes {
 public:
  /// The columns of a role, "user" or "item".
  static std::vector<SourceColumn> columnsOf(std::string_view role);
  /// "user" or "item" if one of the columns has the name, else "".
  static std::string_view roleOf(std::string_view column);

  /// Takes its columns out of the requests: in their place come those of the ids, "user" or "item"
  /// as integers, which the source itself answers.
  ///
  /// Errors   InvalidDocument for a type or weights that a column cannot have.
  Status takeRequests(std::vector<ColumnRequest>& requests);
  /// Whether a column of the role was asked for.
  [[nodiscard]] bool needs(std::string_view role) const;
  /// What is known of the ids of a role; the catalogue must outlive it.
  void learn(std::string_view role, const Catalogue& catalogue);
  /// Replaces the ids in the columns that it took by what they stand for. Thread: any number.
  void join(RowBlock& block) const;

 private:
  /// One request, and its value for every entry of the catalogue.
  struct Joined {
    std::size_t columnIndex = 0;  // in the block
    std::size_t attribute = 0;
    ValueType type = ValueType::kText;
    std::string separator{};
    std::vector<std::string_view> texts{};  // "": none
    std::vector<std::int64_t> integers{};   // kNone: none
  };
  using EntryOfId = std::unordered_map<std::int64_t, std::size_t>;
  static void joinTexts(const Joined& joined, const EntryOfId& entries, ColumnValues& column);
  static void joinLists(const Joined& joined, const EntryOfId& entries, ColumnValues& column);
  static void joinNumbers(const Joined& joined, const EntryOfId& entries, ColumnValues& column);

  std::vector<Joined> joined_;
  EntryOfId users_, items_;
};

}  // namespace parapet::data
