// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "engine/base/text.h"
#include "engine/retrieval/candidate_filter.h"
#include "engine/retrieval/candidates.h"
#include "engine/retrieval/interactions.h"
#include "engine/retrieval/recommender.h"
#include "engine/retrieval/top_k.h"

namespace parapet::retrieval {

/// Value of what was not measured.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
/// Length of the lists whose recall, and whose change with a context, users are ordered by.
inline constexpr std::int64_t kUserRecallK = 10;

/// A model with its data set, and what every question to it is made of; shared by the source files
/// of the recommender.
struct Recommender::State {
  State(std::shared_ptr<const ModelSnapshot> snapshot,
        std::shared_ptr<const data::Dataset> imported, std::shared_ptr<const Interactions> known,
        const std::string& queryColumn, const std::string& itemColumn, int threadCount,
        const RecallRule& recallRule)
      : model(std::move(snapshot)),
        dataset(std::move(imported)),
        users(dataset->vocabularyOf(queryColumn)),
        items(dataset->itemIndex(itemColumn)),
        kept(std::move(known)),
        interactions(*kept),
        reader(*dataset, users, dataset->vocabularyOf(itemColumn), interactions,
               model->querySide()),
        userColumn(queryColumn),
        all(items, candidateMask(interactions, model->cold)),
        attributes(*dataset, dataset->vocabularyOf(itemColumn), items, all.eligible),
        candidates(std::ssize(all.items)),
        userOfRow(dataset->ids(queryColumn)),
        threads(std::max(1, threadCount)),
        recall(recallRule) {
    for (const std::int32_t item : all.items) sortedPopularity.push_back(popularity(item));
    std::sort(sortedPopularity.begin(), sortedPopularity.end());
    if (!items.sharesRows()) return;
    itemsOfRow.resize(static_cast<std::size_t>(dataset->vocabularyOf(itemColumn).size()));
    for (std::int32_t item = 1; item < items.size(); ++item)
      ++itemsOfRow[static_cast<std::size_t>(items.row(item))];
  }

  std::shared_ptr<const ModelSnapshot> model;
  std::shared_ptr<const data::Dataset> dataset;
  const data::Vocabulary& users;
  const data::ItemIndex& items;
  std::shared_ptr<const Interactions> kept;
  const Interactions& interactions;
  QueryReader reader;
  std::string userColumn;
  CandidateSet all;  ///< the candidates of queries without a filter
  ItemAttributes attributes;
  std::int64_t candidates;
  std::span<const std::int32_t> userOfRow;
  int threads;
  RecallRule recall;
  std::vector<std::int64_t> sortedPopularity;
  std::vector<std::int32_t> itemsOfRow;        ///< how many; empty where each has its own
  MadeOnce<std::vector<double>> recallOfUser;  ///< by row, NaN where there is nothing held out
  MadeOnce<std::vector<Scored>> popular;       ///< the candidates, the most popular first

  /// The candidates that the list of a query may name.
  const CandidateSet& among(const Query& query) const {
    return query.candidates ? *query.candidates : all;
  }
  /// The vector of an item, [D].
  std::span<const float> candidate(std::int32_t item) const {
    const auto width = static_cast<std::size_t>(model->dim);
    return std::span(model->candidates)
        .subspan(static_cast<std::size_t>(items.vectorOf(item)) * width, width);
  }
  /// [queries, D]
  std::vector<float> vectorsOf(std::span<const EncoderQuery> queries) const;
  float score(const EncoderQuery& query, std::int32_t item) const {
    if (model->scorer) {
      float score = 0.0f;
      const std::int32_t row = items.row(item);
      model->scorer->score(query, {&row, 1}, {&score, 1});
      return score;
    }
    const auto q = vectorsOf({&query, 1});
    const auto c = candidate(item);
    return std::inner_product(q.begin(), q.end(), c.begin(), 0.0f);
  }
  /// Items left out of the list of a user; an unknown user has seen nothing.
  std::span<const std::int32_t> seenBy(std::int32_t user, SeenItems seen) const {
    return user == 0 ? std::span<const std::int32_t>{} : interactions.seen(seen, user);
  }
  /// How many others have the row of an item.
  std::int32_t rowShared(std::int32_t item) const {
    return itemsOfRow.empty() ? 0 : itemsOfRow[static_cast<std::size_t>(items.row(item))] - 1;
  }
  std::int64_t popularity(std::int32_t item) const {
    return interactions.popularity()[static_cast<std::size_t>(item)];
  }
  bool heldOut(std::int32_t user, std::int32_t item) const {
    if (user == 0) return false;
    const auto in = [&](experiment::SplitPart part) {
      const auto list = interactions.relevant(part, user, recall.relevantFrom);
      return std::binary_search(list.begin(), list.end(), item);
    };
    return in(experiment::SplitPart::kValidation) || in(experiment::SplitPart::kTest);
  }
  std::string userAttributes(std::int64_t row) const {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < users.attributeNames().size(); ++i)
      if (const auto value = users.attribute(i, row); !value.empty()) parts.emplace_back(value);
    return join(parts, " · ");
  }
  /// The different items that a query has had, ascending: those that the model reads, or the
  /// training rows of the user if it reads none. An unknown user has none. A model reads rows:
  /// where items share one, the item of the row is named.
  std::vector<std::int32_t> historyOf(const EncoderQuery& query) const;
  /// `among`: candidates that the lists may name.
  std::vector<std::vector<Scored>> lists(std::span<const EncoderQuery> queries, std::int64_t k,
                                         SeenItems seen, const CandidateSet& among) const;
  std::vector<std::vector<Scored>> scoredLists(std::span<const EncoderQuery> queries,
                                               std::int64_t k, SeenItems seen,
                                               const CandidateSet& among) const;
  /// Scores of those candidates that are not excluded, in the order of the items.
  std::vector<Scored> scoresOf(const EncoderQuery& query, std::span<const std::int32_t> excluded,
                               const CandidateSet& among) const;
  /// The candidates with the most training rows, without scores.
  std::vector<Scored> mostPopular(std::int64_t k, const CandidateSet& among) const;
  /// Candidates that the list of a user may name.
  std::int64_t candidatesFor(std::int32_t user, SeenItems seen, const CandidateSet& among) const;
  /// Says what a filter left out, and that it leaves fewer than `k`.
  static void warnOfFilter(const CandidateSet& among, std::int64_t k, Recommendation& answer);
  /// A query of an unknown user, whose list no context has a part in.
  static ResolvedQuery unknownQuery(const Query& query);
  /// Queries that differ from `query` in one value of one context.
  std::vector<EncoderQuery> otherContexts(const EncoderQuery& query,
                                          std::span<const ContextDomain> domains) const;
  void splitByFeature(Explanation& explanation, const ResolvedQuery& query, const Query& asked,
                      std::int32_t item) const;
  /// Held-out items of a user that a list should have, ascending.
  [[nodiscard]] std::vector<std::int32_t> relevantOf(std::int32_t user) const;
  /// Whether a held-out row asks for its item.
  [[nodiscard]] bool asksForItem(std::int64_t row) const;
  void recallByUser(std::vector<double>& recallOfRow) const;
  void recallByRow(std::vector<double>& recallOfRow) const;
  const std::vector<double>& userRecall() const;
  UserSummary summary(std::int32_t row) const;
  Status requireK(std::int64_t k) const;
  /// `read`: items that the model has read for this list, ascending.
  RecommendedItem describe(std::int32_t user, std::span<const std::int32_t> read, std::int64_t rank,
                           const Scored& scored) const;
};

}  // namespace parapet::retrieval
