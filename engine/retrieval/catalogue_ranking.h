// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/workers.h"
#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/row_set.h"
#include "engine/experiment/document.h"
#include "engine/experiment/run_event.h"
#include "engine/retrieval/baseline_lists.h"
#include "engine/retrieval/candidates.h"
#include "engine/retrieval/interactions.h"
#include "engine/retrieval/metrics.h"
#include "engine/retrieval/query_sums.h"
#include "engine/retrieval/top_k.h"

namespace parapet::retrieval {

/// How ranking metrics are measured; the same for a model and its baselines.
struct RankingProtocol {
  std::vector<std::int64_t> k;
  SeenItems seen = SeenItems::kKeep;
  std::optional<double> relevantFrom{};  ///< raw label
  experiment::EvaluationUnit unit = experiment::EvaluationUnit::kUser;
  std::optional<std::int64_t> sample{};  ///< queries drawn by `seed`
  std::uint64_t seed = 0;
  std::vector<experiment::RankingMetric> metrics = experiment::Evaluation{}.metrics;
  experiment::SeenPairs seenPairs = experiment::SeenPairs::kKeep;
  std::vector<std::string> segments{};
  std::vector<std::string> contexts{};  ///< columns that a query has besides its user
  /// The protocol of a benchmark, kYambda or kYambdaCompat with the unit kUser: only users with
  /// training rows are queries, only items with training rows are candidates; other held-out items
  /// are relevant and never found. Metrics are those of RankingMetrics under the same name.
  std::optional<experiment::EvaluationProtocol> benchmark{};
  ColdItems cold = ColdItems::kCandidates;
  /// Order of the rows of a user; null: they have none, and no baseline asks what came before.
  std::optional<experiment::EventOrder> order{};
};

/// Rankings of the catalogue for the queries of a part of the split (see
/// experiment::EvaluationUnit): those of a model, and of baselines under the same protocol.
///
///   random        the expected values of a random order
///   most_popular  items by training rows, ties by item
///   others        see baseline_lists.h
///
/// An item is relevant or not: example weights do not enter, neither here nor in the popularity.
///
/// Memory   8 bytes per held-out row, and per user and metric of the model and of each baseline;
///          with segments as much for each of them, per user that has
///          queries. Lists exist for one block of queries at a time.
/// Thread   any; a Pass is its caller's.
class CatalogueRanking {
 public:
  /// All references must outlive it. `rows` are those of the part.
  CatalogueRanking(const data::Dataset& dataset, const std::string& userColumn,
                   const Interactions& interactions, experiment::SplitPart part, data::RowSet rows,
                   RankingProtocol protocol);

  struct Measured {
    std::vector<experiment::Metric> metrics;         ///< unprefixed keys; empty without queries
    std::vector<experiment::Metric> standardErrors;  ///< of means over queries
    std::vector<experiment::SegmentMetrics> segments;
    std::int64_t queries = 0;
    std::shared_ptr<const QuerySums> sums;      ///< by user, to compare models with each other
    const CatalogueRanking* ranking = nullptr;  ///< whose queries they are
    /// Lists whose k-th and next item have the same score, so that the hash of an id decides: by k.
    std::vector<std::int64_t> tiedLists;
  };
  /// A model minus a baseline over the same queries.
  struct FromBaseline {
    std::string baseline;
    experiment::PairedDifference difference;
  };
  /// Differences of a metric that is a mean over queries, by its index in Measured::metrics, from
  /// every baseline that is measured by now. "random", "most_popular" and, for a model with
  /// contexts, "most_popular_in_context" always are, others from the end of fitted() on.
  [[nodiscard]] std::vector<FromBaseline> differences(const QuerySums& model,
                                                      std::size_t metric) const;

  /// One query: a user, and with the unit kExample a row of the data set.
  struct RankedQuery {
    std::int32_t user = 0;
    std::int64_t row = -1;
  };
  /// All queries, drawn if so asked: by user, or by row.
  const std::vector<RankedQuery>& queries() const;

  /// Takes the queries of a model in blocks of any size and order.
  class Pass {
   public:
    /// `candidates` [., D], laid out as the index of the items says, must outlive it.
    Pass(const CatalogueRanking& of, std::span<const float> candidates, std::int64_t dim,
         Workers& workers, std::stop_token stop = {});
    /// `vectors` [queries, D]. Throws data::PassStopped once `stop` fires.
    void add(std::span<const RankedQuery> queries, std::span<const float> vectors);
    Measured finish();

   private:
    void addSegments(const RankedQuery& query, std::span<const double> values);

    const CatalogueRanking& of_;
    std::span<const float> candidates_;
    std::int64_t dim_;
    Workers& workers_;
    std::stop_token stop_;
    std::shared_ptr<QuerySums> sums_;
    RankingMetrics metrics_;
    ListingMetrics listing_;
    std::vector<std::int64_t> tiedLists_;
    std::vector<std::int32_t> scratch_;
    /// Queries of one value, in all and by user: their number, then the sums of their values.
    struct Segment {
      RankingMetrics metrics;
      std::map<std::int32_t, std::vector<double>> users{};
    };
    [[nodiscard]] experiment::SegmentMetrics finished(const std::string& name, std::int64_t value,
                                                      const Segment& segment) const;
    /// Segments by index of the segment and value.
    std::map<std::pair<std::size_t, std::int64_t>, Segment> segments_;
  };
  /// All queries at once, of a model with a vector [users, D] for each user.
  Measured measure(std::span<const float> users, std::span<const float> candidates,
                   std::int64_t dim, Workers& workers) const;
  /// "most_popular", "random" first, without metrics if there is no query; then those of fitted(),
  /// none of them without `limits`. Incomplete once `context` is cancelled: nothing more is to be
  /// asked then.
  experiment::Baselines baselines(const std::optional<FitLimits>& limits = FitLimits{},
                                  Workers* workers = nullptr,
                                  const WorkContext& context = {}) const;
  /// Baselines that cost more than a pass over the rows: none without queries. One that is not there
  /// once `context` is cancelled has no metrics.
  ///
  ///   own_items   where at least 1 % of the training rows repeat a pair of an earlier one, and
  ///               neither items nor pairs of training rows are left out
  ///   markov      where the rows of a user have an order
  ///   item_knn    neighbours and shrinkage by the ndcg at the largest k of the validation rows
  ///   ease        λ likewise
  ///   svd         its rank likewise, where EASE is left out
  ///
  /// The validation rows choose, whichever part is measured: never the rows of the test. Without
  /// validation rows a tenth of the training rows does, which is drawn by the seed, and what is
  /// tried is fitted to the rest; the chosen one is fitted to all training rows. Of a long grid
  /// every second value is tried, then what is beside the best of them.
  experiment::Baselines fitted(const FitLimits& limits, Workers* workers,
                               const WorkContext& context = {}) const;
  /// The settings that the last fitted() chose, and by which rows, a sentence each.
  [[nodiscard]] std::vector<std::string> choices() const;
  /// Says what no model can do here, a sentence each: find held-out items that are no candidates,
  /// tell items apart that share a row.
  [[nodiscard]] std::vector<std::string> limits() const;
  /// How many lists ties decide where that exceeds one in a hundred, a sentence; else empty.
  [[nodiscard]] std::vector<std::string> tied(const Measured& measured) const;
  /// The baselines that `limits` leave out and why, a sentence each.
  [[nodiscard]] std::vector<std::string> leftOut(const FitLimits& limits = {}) const;
  [[nodiscard]] const RankingProtocol& protocol() const { return protocol_; }

 private:
  struct Reference {
    std::vector<experiment::Metric> metrics;
    std::shared_ptr<const QuerySums> sums;
  };
  /// Ascending; valid until the next call with the same scratch.
  std::span<const std::int32_t> relevant(const RankedQuery& query,
                                         std::vector<std::int32_t>& scratch) const;
  [[nodiscard]] std::span<const std::int32_t> seenBy(std::int32_t user) const {
    return user == 0 ? std::span<const std::int32_t>{} : interactions_.seen(protocol_.seen, user);
  }
  [[nodiscard]] bool isSeenPair(std::int32_t user, std::int32_t item) const;
  [[nodiscard]] std::vector<RankedQuery> findUsers() const;
  [[nodiscard]] std::vector<RankedQuery> findRows() const;
  void drawSample(std::vector<RankedQuery>& queries) const;
  /// Without sums if it was cancelled.
  [[nodiscard]] Reference measureLists(const BaselineLists& lists, Workers* workers,
                                       const WorkContext& context) const;
  const Reference& popular(const WorkContext& context = {}) const;
  const Reference& popularInContext(const WorkContext& context = {}) const;
  const Reference& random() const;
  [[nodiscard]] Reference expectedOfRandom() const;
  /// Why a baseline is not fitted; "" if it is.
  [[nodiscard]] std::string whyNoKnn(const FitLimits& limits) const;
  [[nodiscard]] std::string whyNoEase(const FitLimits& limits) const;
  [[nodiscard]] std::string whyNoSvd(const FitLimits& limits) const;
  [[nodiscard]] std::int64_t pairsOfUsers() const;
  [[nodiscard]] bool repeatsPairs() const;
  /// The queries of another part of another split of the same data.
  CatalogueRanking(const CatalogueRanking& of, const Interactions& interactions,
                   experiment::SplitPart part, data::RowSet rows, RankingProtocol protocol);
  struct Choosing;
  [[nodiscard]] Choosing choosing(Workers* workers, const WorkContext& context) const;
  [[nodiscard]] RankingProtocol choosingProtocol() const;
  [[nodiscard]] std::int64_t segmentOf(const std::string& segment, const RankedQuery& query) const;
  [[nodiscard]] std::string segmentName(const std::string& segment, std::int64_t value) const;

  const data::Dataset& dataset_;
  std::span<const std::int32_t> userOfRow_;
  const Interactions& interactions_;
  const experiment::SplitPart part_;
  const data::RowSet rows_;
  const RankingProtocol protocol_;
  const std::vector<std::uint8_t> eligible_;
  const ItemSearch search_;
  // Made when they are first needed.
  MadeOnce<std::vector<RankedQuery>> queries_;
  MadeOnce<Reference> random_, popular_, popularInContext_;
  mutable std::mutex fittedMutex_;
  mutable std::map<std::string, std::shared_ptr<const QuerySums>> fitted_;
  mutable std::vector<std::string> choices_;
};

}  // namespace parapet::retrieval
