// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace parapet::retrieval {

/// A column that a query has a value of besides its user: when, where, how.
struct ContextColumn {
  std::string name;
  bool isNumeric = false;
};

/// Value of a context: the row of its vocabulary, or the number of a numeric one.
struct ContextCell {
  std::int32_t row = 0;
  float number = 0.0f;
  bool operator==(const ContextCell&) const = default;
};

/// A feature that the query side of a model reads.
struct QueryFeature {
  std::string name;    ///< in the document
  std::string column;  ///< of the data set
  bool operator==(const QueryFeature&) const = default;
};
/// Features that can be told apart in EncoderQuery::without.
inline constexpr std::size_t kMaxQueryFeatures = 64;

/// A query as a model reads it.
struct EncoderQuery {
  std::int32_t user = 0;               ///< row of the vocabulary; 0: unknown
  std::vector<ContextCell> context{};  ///< by context of the model
  /// Bit i: feature i of the query side is taken out: its embedding is a zero vector, its number
  /// the mean of the training rows.
  std::uint64_t without = 0;
  /// Items that replace the user's own history, oldest first, of which a feature takes the last
  /// ones; nullopt: the user's own.
  std::optional<std::vector<std::int32_t>> history{};
  /// Row of the data set before which the user's own history ends; −1: the end of the data.
  std::int64_t row = -1;
};

/// The inputs of the query side of a model.
///
/// Thread   from any thread.
class QuerySide {
 public:
  virtual ~QuerySide() = default;
  [[nodiscard]] virtual std::span<const ContextColumn> contexts() const = 0;
  /// The default of what a query does not give: the context of the user's last training row. Of a
  /// user without any: the most frequent value of each id column, the mean of each number.
  [[nodiscard]] virtual std::vector<ContextCell> lastContext(std::int32_t user) const = 0;
  /// In the order of the document, at most kMaxQueryFeatures; empty where none can be taken out.
  [[nodiscard]] virtual std::span<const QueryFeature> features() const { return {}; }
  [[nodiscard]] virtual bool readsHistory() const { return false; }
  /// The items that the model reads of a query's history, oldest first; of several features the
  /// longest.
  [[nodiscard]] virtual std::vector<std::int32_t> historyOf(const EncoderQuery& query) const {
    static_cast<void>(query);
    return {};
  }
};

/// Query → vector, for models whose query side reads more than the user. Holds a copy of the query
/// tower, independent of further training.
class QueryEncoder : public QuerySide {
 public:
  /// vectors [queries, D]. InvalidArgument for a query with more or fewer values than contexts.
  virtual void encode(std::span<const EncoderQuery> queries, std::span<float> vectors) const = 0;
};

/// Scores pairs for models whose score is no product of two vectors. Items are vocabulary rows.
class PairScorer : public QuerySide {
 public:
  /// scores[i] is that of (query, items[i]).
  virtual void score(const EncoderQuery& query, std::span<const std::int32_t> items,
                     std::span<float> scores) const = 0;
};

}  // namespace parapet::retrieval
