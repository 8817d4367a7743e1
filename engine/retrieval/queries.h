// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/dataset.h"
#include "engine/retrieval/query_encoder.h"

namespace parapet::retrieval {

class Interactions;
struct CandidateSet;

/// A value of a context as people write it: a raw id, or a number.
struct ContextValue {
  std::string name;  ///< column
  std::string value;
  bool given = true;  ///< else it is the default (see QuerySide::lastContext)
  bool operator==(const ContextValue&) const = default;
};

/// A user and a context to recommend for. What is not given has its default.
struct Query {
  Query() = default;
  // A user alone is a query of a model that reads nothing else.
  Query(std::string id) : user(std::move(id)) {}  // NOLINT(google-explicit-constructor)
  Query(std::string_view id) : user(id) {}        // NOLINT(google-explicit-constructor)
  Query(const char* id) : user(id) {}             // NOLINT(google-explicit-constructor)
  Query(std::string id, std::vector<ContextValue> values)
      : user(std::move(id)), context(std::move(values)) {}

  std::string user;  ///< raw id
  std::vector<ContextValue> context;
  /// Raw ids of items that replace the user's own history, oldest first; nullopt: the user's own,
  /// at the end of the data.
  std::optional<std::vector<std::string>> history{};
  /// The candidates that its list may name, of the recommender that is asked; null: all.
  std::shared_ptr<const CandidateSet> candidates{};
};

/// The items that a list rests on besides the user and the context.
struct QueryHistory {
  std::vector<std::string> items;  ///< raw ids, oldest first, as many as the model reads
  bool given = false;              ///< else they are the user's own
  bool operator==(const QueryHistory&) const = default;
};

/// Every combination of one value per name, the last name fastest; one empty one of no names.
std::vector<std::vector<ContextValue>> combinations(
    const std::vector<std::pair<std::string, std::vector<std::string>>>& valuesByName);

/// A query with its values looked up.
struct ResolvedQuery {
  EncoderQuery encoder;
  std::vector<ContextValue> context;    ///< by context of the model
  std::optional<QueryHistory> history;  ///< nullopt: the model reads none
  std::vector<std::string> warnings;    ///< what the list does not rest on, for the user
  /// Whether values that are not given are those of a training row of the user, not the usual ones.
  bool fromLastRow = false;
};

/// Looks the users and values of queries up.
///
/// Thread   pure after construction.
class QueryReader {
 public:
  /// All references, and `side` unless it is null, must outlive it.
  QueryReader(const data::Dataset& dataset, const data::Vocabulary& users,
              const data::Vocabulary& items, const Interactions& interactions,
              const QuerySide* side);

  [[nodiscard]] std::span<const ContextColumn> contexts() const;
  [[nodiscard]] bool readsHistory() const { return side_ && side_->readsHistory(); }
  /// A value that no row has is out-of-vocabulary; so is, where values or a history are given, a
  /// user. Items that are not in the catalogue are left out of a history. All of it is said, and so
  /// is a history without items.
  ///
  /// Errors   kInvalidDocument for a context that the model does not read, one given twice, text
  ///          where a number is due, or a history for a model that reads none; kNotFound for an
  ///          unknown user of which nothing else is known.
  [[nodiscard]] Result<ResolvedQuery> resolve(const Query& query) const;
  /// Whether the user is not in the data, and neither a value nor a history is given.
  [[nodiscard]] bool isOfUnknown(const Query& query) const;
  /// The default of an unknown user (see QuerySide::lastContext).
  [[nodiscard]] std::vector<ContextValue> usualContext() const;
  /// The context of a row of the data set.
  [[nodiscard]] std::vector<ContextCell> contextOf(std::int64_t row) const;
  /// The query that a row of the data set is: its user, context and history.
  [[nodiscard]] EncoderQuery queryOf(std::int32_t user, std::int64_t row) const;
  /// The row of a user id that occurs in the data.
  [[nodiscard]] Result<std::int32_t> userRow(std::string_view userId) const;

 private:
  Status checkNames(const Query& query) const;
  Result<ContextCell> read(const ContextColumn& column, const std::string& value,
                           std::vector<std::string>& warnings) const;
  Status readHistory(const Query& query, ResolvedQuery& found) const;
  void warnOfUser(const Query& query, ResolvedQuery& found) const;
  [[nodiscard]] std::string textOf(const ContextColumn& column, const ContextCell& cell) const;

  const data::Dataset& dataset_;
  const data::Vocabulary& users_;
  const data::Vocabulary& items_;
  const Interactions& interactions_;
  const QuerySide* side_;
};

}  // namespace parapet::retrieval
