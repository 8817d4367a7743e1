// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/workers.h"
#include "engine/data/dataset/dataset.h"
#include "engine/experiment/split_part.h"
#include "engine/retrieval/model_snapshot.h"
#include "engine/retrieval/queries.h"
#include "engine/retrieval/seen_items.h"
#include "engine/retrieval/top_k.h"

namespace parapet::retrieval {

class Interactions;

struct RecommendedItem {
  std::int64_t rank = 0;  ///< from 1
  std::int32_t row = 0;
  std::string id, title;
  float score = 0.0f;
  std::int64_t popularity = 0;  ///< training rows of the item
  double popularityPercentile =
      0.0;                  ///< share of candidates that are at most as popular, in [0, 1]
  bool heldOutHit = false;  ///< the user has a validation or test row with it
  bool seen = false;        ///< the user has a training row with it
};

struct Recommendation {
  std::string user;             ///< raw id
  std::string userTitle;        ///< attributes in words, may be empty
  std::int64_t step = 0;        ///< of the checkpoint that answered
  std::int64_t candidates = 0;  ///< items that could have been listed
  std::vector<RecommendedItem> items;
  std::vector<ContextValue> context{};  ///< which the list answers; empty if the model reads none
  std::vector<std::string> warnings{};  ///< what the list does not rest on
};

struct HistoryItem {
  std::int32_t row = 0;
  std::string id, title;
  double label = 0.0;     ///< raw, e.g. stars
  std::int64_t time = 0;  ///< seconds since 1970, 0 if unknown
  experiment::SplitPart part = experiment::SplitPart::kTrain;
};

/// The rank of one item for one user.
struct ItemRank {
  std::int64_t rank = 0;  ///< from 1, among the candidates of this query
  std::int64_t candidates = 0;
  float score = 0.0f;
  float kthScore = 0.0f;                ///< score of the k-th item
  float gapToKth = 0.0f;                ///< score − kthScore: negative when outside the list
  bool excluded = false;                ///< left out because the user has seen it
  std::vector<ContextValue> context{};  ///< of the query, as in Recommendation
};

struct SimilarItem {
  std::int32_t row = 0;
  std::string id, title;
  double cosine = 0.0;
};

/// Why an item is listed: the items of the history whose vectors are nearest, and the dot product
/// term by term.
struct Explanation {
  float score = 0.0f;
  /// [D], query[d]·candidate[d]; sums to score up to rounding. Empty if the score is no product.
  std::vector<float> terms;
  std::vector<SimilarItem> nearestHistory;  ///< by descending cosine to the item
  std::vector<ContextValue> context{};      ///< of the query, as in Recommendation
};

/// The order of users in a search.
enum class UserOrder {
  kById,  ///< numbers in ids as numbers: 9 before 10
  kActivityDescending,
  kActivityAscending,
  kWorst,  ///< by ascending recall; users without held-out rows come last
};

struct UserSummary {
  std::int32_t row = 0;
  std::string id;
  std::string attributes;      ///< "24 · M · technician"
  std::int64_t trainRows = 0;  ///< activity
  /// recall@10 on held-out rows; NaN if it has none. Of a model that reads a context: the share of
  /// held-out rows, of at most 20,000 spread evenly over the data, whose item is among the best 10
  /// in their own context.
  double recall = 0.0;
};

/// Answers questions about a trained model: an immutable snapshot, the data set it was trained on
/// and the split. Row 0 is never a candidate.
///
/// Errors   kNotFound for unknown users and items, with how many there are; kInvalidDocument for
///          k < 1 or k > candidates, naming both, and for contexts (see QueryReader::resolve).
/// Thread   every method is const and may be called from any thread; each call uses its own
///          threads.
class Recommender {
 public:
  /// Of the data set's id columns for users and items; `interactions` are those of the data set and
  /// the split, not null.
  Recommender(std::shared_ptr<const ModelSnapshot> model,
              std::shared_ptr<const data::Dataset> dataset,
              std::shared_ptr<const Interactions> interactions, const std::string& userColumn,
              const std::string& itemColumn, int threads = 1);
  ~Recommender();

  [[nodiscard]] const ModelSnapshot& model() const;
  [[nodiscard]] const data::Dataset& dataset() const;
  /// The row of a user id that occurs in the data.
  [[nodiscard]] Result<std::int32_t> userRow(std::string_view userId) const;
  [[nodiscard]] Result<std::int32_t> itemRow(std::string_view itemId) const;
  /// What a query has besides its user.
  [[nodiscard]] std::span<const ContextColumn> contexts() const;
  /// The context that a query of this user has by default: as in its last training row.
  [[nodiscard]] Result<std::vector<ContextValue>> defaultContext(std::string_view userId) const;
  /// Several queries in one call, in the given order.
  [[nodiscard]] Result<std::vector<Recommendation>> recommend(std::span<const Query> queries,
                                                              std::int64_t k, SeenItems seen) const;
  /// The same of users alone.
  [[nodiscard]] Result<std::vector<Recommendation>> recommend(std::span<const std::string> users,
                                                              std::int64_t k, SeenItems seen) const;
  /// Newest first where times are known.
  [[nodiscard]] Result<std::vector<HistoryItem>> history(std::string_view userId) const;
  [[nodiscard]] Result<ItemRank> rankOf(const Query& query, std::string_view itemId, std::int64_t k,
                                        SeenItems seen) const;
  [[nodiscard]] Result<std::vector<SimilarItem>> similarItems(std::string_view itemId,
                                                              std::int64_t k) const;
  [[nodiscard]] Result<Explanation> explain(const Query& query, std::string_view itemId,
                                            std::int64_t nearest) const;
  /// Users whose id or attributes contain `text`, in the given order, at most `limit`.
  [[nodiscard]] std::vector<UserSummary> findUsers(std::string_view text, UserOrder order,
                                                   std::size_t limit) const;
  /// A user drawn from (seed, draw); reproducible.
  [[nodiscard]] UserSummary randomUser(std::uint64_t seed, std::uint64_t draw) const;
  /// `count` different users drawn by the seed, or all if there are fewer.
  [[nodiscard]] std::vector<std::string> randomUsers(std::uint64_t seed, std::size_t count) const;
  /// Items whose id or title contains `text`.
  [[nodiscard]] std::vector<SimilarItem> findItems(std::string_view text, std::size_t limit) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parapet::retrieval
