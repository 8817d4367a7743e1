// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/base/workers.h"
#include "engine/data/dataset/dataset.h"
#include "engine/experiment/document.h"
#include "engine/experiment/document_training.h"
#include "engine/retrieval/candidate_filter.h"
#include "engine/retrieval/context_domain.h"
#include "engine/retrieval/interactions.h"
#include "engine/retrieval/list_comparison.h"
#include "engine/retrieval/model_snapshot.h"
#include "engine/retrieval/queries.h"
#include "engine/retrieval/top_k.h"

namespace parapet::retrieval {

class Interactions;

struct RecommendedItem {
  std::int64_t rank = 0;  ///< from 1
  std::int32_t item = 0;  ///< see data::ItemIndex
  std::string id, title;
  float score = 0.0f;           ///< NaN in a list that no model made
  std::int64_t popularity = 0;  ///< training rows of the item
  double popularityPercentile =
      0.0;  ///< share of candidates that are at most as popular, in [0, 1]
  /// The user has a validation or test row with it that is relevant (RecallRule), and that the model has
  /// not read.
  bool heldOutHit = false;
  bool seen = false;           ///< the user has a training row with it
  bool inHistory = false;      ///< the model has read it in the history of the query
  std::int32_t rowShared = 0;  ///< other items with its hashed row, whose score is the same
};

struct Recommendation {
  std::string user;             ///< raw id
  std::string userTitle;        ///< attributes in words, may be empty
  std::int64_t step = 0;        ///< of the checkpoint that answered
  std::int64_t candidates = 0;  ///< items that could have been listed
  std::vector<RecommendedItem> items;
  std::vector<ContextValue> context{};    ///< which the list answers; empty if the model reads none
  std::optional<QueryHistory> history{};  ///< of the query; nullopt if the model reads none
  std::vector<std::string> warnings{};    ///< what the list does not rest on
  bool fromLastRow = false;               ///< see ResolvedQuery
  bool isMostPopular = false;             ///< see UnknownUsers; scores are NaN then
};

/// The answer to a query of which nothing is known: neither its user, nor a context, nor a history.
enum class UnknownUsers {
  kRefuse,   ///< kNotFound
  kPopular,  ///< the candidates with the most training rows, ties by item; a warning says so
};

/// The items of a list, best first.
std::vector<std::int32_t> itemsOf(std::span<const RecommendedItem> items);

struct HistoryItem {
  std::int32_t item = 0;
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
  bool filteredOut = false;             ///< not among the candidates of the query
  std::vector<ContextValue> context{};  ///< of the query, as in Recommendation
};

struct SimilarItem {
  std::int32_t item = 0;
  std::string id, title;
  double cosine = 0.0;
};

/// The effect of a feature of the query on a score.
struct FeatureShare {
  std::string feature;   ///< name in the document
  std::string value;     ///< of the user or the context, as in ContextValue; "" of other features
  float without = 0.0f;  ///< score with the feature taken out (see EncoderQuery::without)
  float share = 0.0f;    ///< score − without
};

/// Why an item is listed: what each feature of the query gives to its score, the items of the
/// history whose vectors are nearest (of the history that the query has, where the model reads
/// one), and the dot product term by term.
struct Explanation {
  float score = 0.0f;
  /// Shares by feature of the query; empty if the query side reads nothing but the user.
  std::vector<FeatureShare> features{};
  float withoutAll = 0.0f;  ///< score with all of them taken out
  /// withoutAll and the shares sum to the score up to rounding: no layer mixes the features.
  bool featuresAddUp = false;
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

/// How the recall of a user is measured: as the evaluation of the run does.
struct RecallRule {
  SeenItems seen = SeenItems::kExcludeTrain;  ///< kKeep: training items are candidates
  experiment::SeenPairs pairs = experiment::SeenPairs::kKeep;
  std::optional<double> relevantFrom{};  ///< raw label of a held-out row, at least
};

struct UserSummary {
  std::int32_t row = 0;
  std::string id;
  std::string attributes;      ///< "24 · M · technician"
  std::int64_t trainRows = 0;  ///< activity
  /// recall@10 on held-out rows by Recommender::recallRule; NaN if it has none. Of a model that
  /// reads a context: the share of held-out rows, of at most 20,000 spread evenly over the data,
  /// whose item is among the best 10 in their own context.
  double recall = 0.0;
  /// See Recommender::contextSensitivity; unset where it was not measured.
  std::optional<double> sensitivity{};
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
  /// Serves the data set's id columns for users and items; `interactions` are those of the data set
  /// and the split, not null.
  Recommender(std::shared_ptr<const ModelSnapshot> model,
              std::shared_ptr<const data::Dataset> dataset,
              std::shared_ptr<const Interactions> interactions, const std::string& userColumn,
              const std::string& itemColumn, int threads = 1, const RecallRule& recall = {});
  ~Recommender();

  [[nodiscard]] const ModelSnapshot& model() const;
  [[nodiscard]] const RecallRule& recallRule() const;
  /// Items that lists may name.
  [[nodiscard]] std::int64_t candidates() const;
  [[nodiscard]] const std::shared_ptr<const Interactions>& interactions() const;
  [[nodiscard]] const data::Dataset& dataset() const;
  [[nodiscard]] const std::shared_ptr<const data::Dataset>& sharedDataset() const;
  /// The row of a user id that occurs in the data.
  [[nodiscard]] Result<std::int32_t> userRow(std::string_view userId) const;
  /// The item of an id of the catalogue.
  [[nodiscard]] Result<std::int32_t> item(std::string_view itemId) const;
  /// The contexts that a query has besides its user.
  [[nodiscard]] std::span<const ContextColumn> contexts() const;
  /// Whether it has a history, too.
  [[nodiscard]] bool readsHistory() const;
  /// The context that a query of this user has by default: as in its last training row.
  [[nodiscard]] Result<std::vector<ContextValue>> defaultContext(std::string_view userId) const;
  /// Whether a training row of the user says it. False also of a user that is not in the data.
  [[nodiscard]] bool hasTrainingRows(std::string_view userId) const;
  /// The context of an unknown user: the most frequent value of each id column, the mean of each
  /// number.
  [[nodiscard]] std::vector<ContextValue> usualContext() const;
  /// The values of each context, at most `limit`; reads their columns from end to end.
  [[nodiscard]] std::vector<ContextDomain> contextDomains(std::size_t limit) const;
  /// How much the lists of users change with the context, by user: mean of 1 − overlap@10 between
  /// the list in the user's default context and those where one context has another value. These
  /// are the 8 most frequent values of an id column, and the least, the greatest and three between
  /// them of a number. Training items are left out. NaN where there is no other value.
  ///
  /// Errors   kCancelled.
  [[nodiscard]] Result<std::vector<double>> contextSensitivity(std::span<const std::int32_t> users,
                                                               const WorkContext& context) const;
  /// Names of the attributes that the catalogue has of items.
  [[nodiscard]] const std::vector<std::string>& attributes() const;
  /// See ItemAttributes::values.
  [[nodiscard]] Result<std::vector<AttributeValue>> attributeValues(std::string_view name) const;
  /// Looks a filter up, for Query::candidates; null where it limits nothing. See
  /// ItemAttributes::find.
  [[nodiscard]] Result<std::shared_ptr<const CandidateSet>> candidatesOf(
      const CandidateFilter& filter) const;
  /// Several queries in one call, in the given order. The list of a query with a set of candidates
  /// is the list of all of them without the others; it is shorter than k, and a warning says so,
  /// where fewer are left.
  [[nodiscard]] Result<std::vector<Recommendation>> recommend(
      std::span<const Query> queries, std::int64_t k, SeenItems seen,
      UnknownUsers unknown = UnknownUsers::kRefuse) const;
  /// [queries, D], after the query tower.
  ///
  /// Errors   those of recommend() but for k; kInvalidDocument of a model whose score is no product.
  [[nodiscard]] Result<std::vector<float>> queryVectors(std::span<const Query> queries) const;
  /// Recommends to several users without a context of their own.
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
  /// One user by its id.
  [[nodiscard]] Result<UserSummary> userSummary(std::string_view userId) const;
  /// `count` different users drawn by the seed, or all if there are fewer.
  [[nodiscard]] std::vector<std::string> randomUsers(std::uint64_t seed, std::size_t count) const;
  /// Items whose id or title contains `text`.
  [[nodiscard]] std::vector<SimilarItem> findItems(std::string_view text, std::size_t limit) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parapet::retrieval
