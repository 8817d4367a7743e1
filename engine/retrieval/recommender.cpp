// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/recommender.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/natural_order.h"
#include "engine/base/random.h"
#include "engine/retrieval/recommender_state.h"

namespace parapet::retrieval {
namespace {

// Values of a context whose lists tell how sensitive a user is to it.
constexpr std::size_t kSensitivityValues = 8;
// Users whose lists exist at a time, and after which progress is reported.
constexpr std::size_t kSensitivityUsers = 64;

double cosine(std::span<const float> a, std::span<const float> b) {
  double dot = 0.0, aa = 0.0, bb = 0.0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    dot += static_cast<double>(a[d]) * static_cast<double>(b[d]);
    aa += static_cast<double>(a[d]) * static_cast<double>(a[d]);
    bb += static_cast<double>(b[d]) * static_cast<double>(b[d]);
  }
  return aa > 0.0 && bb > 0.0 ? dot / std::sqrt(aa * bb) : 0.0;
}

// Best first, ties by item.
void sortSimilar(std::vector<SimilarItem>& items, std::size_t limit) {
  const std::size_t kept = std::min(limit, items.size());
  std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(kept), items.end(),
                    [](const SimilarItem& a, const SimilarItem& b) {
                      return a.cosine > b.cosine || (a.cosine == b.cosine && a.item < b.item);
                    });
  items.resize(kept);
}

}  // namespace

std::vector<std::int32_t> itemsOf(std::span<const RecommendedItem> items) {
  std::vector<std::int32_t> listed;
  for (const RecommendedItem& item : items) listed.push_back(item.item);
  return listed;
}

Recommender::Recommender(std::shared_ptr<const ModelSnapshot> model,
                         std::shared_ptr<const data::Dataset> dataset,
                         std::shared_ptr<const Interactions> interactions,
                         const std::string& userColumn, const std::string& itemColumn, int threads,
                         const RecallRule& recall)
    : state_(std::make_unique<State>(std::move(model), std::move(dataset), std::move(interactions),
                                     userColumn, itemColumn, threads, recall)) {
  const std::int64_t candidateRows = state_->dataset->vocabularyOf(itemColumn).size();
  if (state_->users.size() != state_->model->queryRows ||
      candidateRows != state_->model->candidateRows)
    throw InvalidArgument(
        fmt::format("[retrieval.Recommender] the model has {} × {} rows, the data set {} × {}",
                    state_->model->queryRows, state_->model->candidateRows, state_->users.size(),
                    candidateRows));
}

Recommender::~Recommender() = default;

const RecallRule& Recommender::recallRule() const {
  return state_->recall;
}

std::int64_t Recommender::candidates() const {
  return state_->candidates;
}

const ModelSnapshot& Recommender::model() const {
  return *state_->model;
}
const std::shared_ptr<const Interactions>& Recommender::interactions() const {
  return state_->kept;
}
const std::shared_ptr<const data::Dataset>& Recommender::sharedDataset() const {
  return state_->dataset;
}
const data::Dataset& Recommender::dataset() const {
  return *state_->dataset;
}

Result<std::int32_t> Recommender::userRow(std::string_view userId) const {
  return state_->reader.userRow(userId);
}

std::span<const ContextColumn> Recommender::contexts() const {
  return state_->reader.contexts();
}

bool Recommender::readsHistory() const {
  return state_->reader.readsHistory();
}

Result<std::vector<ContextValue>> Recommender::defaultContext(std::string_view userId) const {
  PARAPET_ASSIGN(ResolvedQuery resolved, state_->reader.resolve(userId));
  return std::move(resolved.context);
}

bool Recommender::hasTrainingRows(std::string_view userId) const {
  const auto row = userRow(userId);
  return row.ok() && state_->interactions.activity(*row) > 0;
}

std::vector<ContextValue> Recommender::usualContext() const {
  return state_->reader.usualContext();
}

std::vector<ContextDomain> Recommender::contextDomains(std::size_t limit) const {
  std::vector<ContextDomain> domains;
  for (const ContextColumn& column : contexts())
    domains.push_back(contextDomain(*state_->dataset, column,
                                    state_->interactions.partRows(experiment::SplitPart::kTrain),
                                    limit));
  return domains;
}

Result<std::vector<double>> Recommender::contextSensitivity(std::span<const std::int32_t> users,
                                                            const WorkContext& context) const {
  std::vector<double> found;
  if (contexts().empty()) return std::vector<double>(users.size(), kUnknown);
  const std::vector<ContextDomain> domains = contextDomains(kSensitivityValues);
  const std::int64_t k = std::min(kUserRecallK, state_->candidates);
  const auto total = static_cast<std::int64_t>(users.size());
  for (std::size_t first = 0; first < users.size(); first += kSensitivityUsers) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "cancelled"};
    context.report("comparing contexts", static_cast<std::int64_t>(first), total);
    std::vector<EncoderQuery> queries;
    std::vector<std::size_t> ends;
    for (const std::int32_t user :
         users.subspan(first, std::min(kSensitivityUsers, users.size() - first))) {
      const EncoderQuery own{.user = user,
                             .context = state_->model->querySide()->lastContext(user)};
      queries.push_back(own);
      std::ranges::move(state_->otherContexts(own, domains), std::back_inserter(queries));
      ends.push_back(queries.size());
    }
    const auto lists = state_->lists(queries, k, SeenItems::kExcludeTrain, state_->all);
    const auto itemsOfList = [&](std::size_t list) {
      std::vector<std::int32_t> listed;
      for (const Scored& scored : lists[list]) listed.push_back(scored.item);
      return listed;
    };
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      const std::vector<std::int32_t> own = itemsOfList(begin);
      double changed = 0.0;
      for (std::size_t other = begin + 1; other < end; ++other)
        changed += 1.0 - overlap(own, itemsOfList(other)).share;
      found.push_back(end - begin > 1 ? changed / static_cast<double>(end - begin - 1) : kUnknown);
      begin = end;
    }
  }
  context.report("comparing contexts", total, total);
  return found;
}

const std::vector<std::string>& Recommender::attributes() const {
  return state_->attributes.names();
}

Result<std::vector<AttributeValue>> Recommender::attributeValues(std::string_view name) const {
  return state_->attributes.values(name);
}

Result<std::shared_ptr<const CandidateSet>> Recommender::candidatesOf(
    const CandidateFilter& filter) const {
  if (!filter.limits()) return std::shared_ptr<const CandidateSet>();
  return state_->attributes.find(filter);
}

Result<std::int32_t> Recommender::item(std::string_view itemId) const {
  if (const auto found = state_->items.find(itemId); found && state_->items.hasRow(*found))
    return *found;
  return Error{ErrorCode::kNotFound, fmt::format("item \"{}\" is not in the catalogue of {} items",
                                                 printable(itemId), state_->candidates)};
}

Result<std::vector<float>> Recommender::queryVectors(std::span<const Query> queries) const {
  if (state_->model->scorer)
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("run {} is a ranking model, which has no vectors of queries",
                             state_->model->runId)};
  std::vector<EncoderQuery> resolved;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    auto each = state_->reader.resolve(queries[i]);
    if (!each) return each.error().wrap(fmt::format("query {} of {}", i + 1, queries.size()));
    resolved.push_back(std::move(each->encoder));
  }
  return state_->vectorsOf(resolved);
}

Result<std::vector<Recommendation>> Recommender::recommend(std::span<const std::string> users,
                                                           std::int64_t k, SeenItems seen) const {
  const std::vector<Query> queries(users.begin(), users.end());
  return recommend(queries, k, seen);
}

Result<std::vector<Recommendation>> Recommender::recommend(std::span<const Query> queries,
                                                           std::int64_t k, SeenItems seen,
                                                           UnknownUsers unknown) const {
  PARAPET_TRY(state_->requireK(k));
  std::vector<ResolvedQuery> resolved;
  std::vector<EncoderQuery> encoded;
  std::vector<std::vector<Scored>> lists;
  const auto isPopular = [&](const Query& query) {
    return unknown == UnknownUsers::kPopular && state_->reader.isOfUnknown(query);
  };
  for (const Query& query : queries) {
    if (state_->among(query).eligible.size() != state_->all.eligible.size())
      throw InvalidArgument("[retrieval.Recommender] the candidates are those of another one");
    if (isPopular(query)) {
      resolved.push_back(state_->unknownQuery(query));
    } else {
      PARAPET_ASSIGN(ResolvedQuery found, state_->reader.resolve(query));
      resolved.push_back(std::move(found));
    }
    encoded.push_back(resolved.back().encoder);
  }
  // Queries that follow each other and have the same candidates are answered together.
  for (std::size_t first = 0, end = 0; first < queries.size(); first = end) {
    const CandidateSet& among = state_->among(queries[first]);
    if (isPopular(queries[end++])) {
      lists.push_back(state_->mostPopular(k, among));
      continue;
    }
    while (end < queries.size() && &state_->among(queries[end]) == &among &&
           !isPopular(queries[end]))
      ++end;
    std::ranges::move(state_->lists(std::span(encoded).subspan(first, end - first), k, seen, among),
                      std::back_inserter(lists));
  }
  std::vector<Recommendation> answers;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::int32_t user = encoded[i].user;
    const CandidateSet& among = state_->among(queries[i]);
    const bool popular = isPopular(queries[i]);
    const std::vector<std::int32_t> read = state_->reader.readsHistory() && !popular
                                               ? state_->historyOf(encoded[i])
                                               : std::vector<std::int32_t>{};
    Recommendation answer{queries[i].user,
                          state_->userAttributes(user),
                          state_->model->step,
                          state_->candidatesFor(user, seen, among),
                          {},
                          std::move(resolved[i].context),
                          std::move(resolved[i].history),
                          std::move(resolved[i].warnings),
                          resolved[i].fromLastRow,
                          popular};
    if (&among != &state_->all) State::warnOfFilter(among, k, answer);
    for (std::size_t at = 0; at < lists[i].size(); ++at)
      answer.items.push_back(
          state_->describe(user, read, static_cast<std::int64_t>(at) + 1, lists[i][at]));
    answers.push_back(std::move(answer));
  }
  PARAPET_TRY(state_->dataset->readsIntact());
  return answers;
}

Result<std::vector<HistoryItem>> Recommender::history(std::string_view userId) const {
  PARAPET_ASSIGN(const std::int32_t user, userRow(userId));
  const data::EventColumns events(*state_->dataset);
  std::vector<std::int64_t> rows = state_->interactions.rows(user);
  if (!events.times.empty())
    std::ranges::stable_sort(rows, std::greater(), [&](auto row) { return events.tickOf(row); });
  std::vector<HistoryItem> out;
  for (const std::int64_t row : rows) {
    const auto at = static_cast<std::size_t>(row);
    const std::int32_t item = state_->interactions.item(row);
    out.push_back({item, std::string(state_->items.id(item)),
                   std::string(state_->items.title(item)),
                   state_->dataset->rawLabel(state_->dataset->labels()[at]),
                   events.times.empty() ? 0 : events.times[at], state_->interactions.partOf(row)});
  }
  PARAPET_TRY(state_->dataset->readsIntact());
  return out;
}

Result<ItemRank> Recommender::rankOf(const Query& query, std::string_view itemId, std::int64_t k,
                                     SeenItems seen) const {
  PARAPET_ASSIGN(ResolvedQuery resolved, state_->reader.resolve(query));
  PARAPET_ASSIGN(const std::int32_t item, this->item(itemId));
  PARAPET_TRY(state_->requireK(k));
  const auto excluded = state_->seenBy(resolved.encoder.user, seen);
  const CandidateSet& among = state_->among(query);
  ItemRank found;
  found.context = std::move(resolved.context);
  found.score = state_->score(resolved.encoder, item);
  found.excluded = std::binary_search(excluded.begin(), excluded.end(), item);
  found.filteredOut = &among != &state_->all && !among.eligible[static_cast<std::size_t>(item)];
  found.rank = 1;
  std::vector<float> scores;
  for (const Scored& other : state_->scoresOf(resolved.encoder, excluded, among)) {
    scores.push_back(other.score);
    if (other.item != item && isBetter(other, {item, found.score})) ++found.rank;
  }
  found.candidates = static_cast<std::int64_t>(scores.size());
  if (scores.empty()) return found;
  const auto kth = std::min(k, found.candidates) - 1;
  std::nth_element(scores.begin(), scores.begin() + kth, scores.end(), std::greater<>{});
  found.kthScore = scores[static_cast<std::size_t>(kth)];
  found.gapToKth = found.score - found.kthScore;
  PARAPET_TRY(state_->dataset->readsIntact());
  return found;
}

Result<std::vector<SimilarItem>> Recommender::similarItems(std::string_view itemId,
                                                           std::int64_t k) const {
  PARAPET_ASSIGN(const std::int32_t item, this->item(itemId));
  PARAPET_TRY(state_->requireK(k));
  std::vector<SimilarItem> out;
  for (const std::int32_t other : state_->all.items)
    if (other != item)
      out.push_back({other, std::string(state_->items.id(other)),
                     std::string(state_->items.title(other)),
                     cosine(state_->candidate(item), state_->candidate(other))});
  sortSimilar(out, static_cast<std::size_t>(k));
  PARAPET_TRY(state_->dataset->readsIntact());
  return out;
}

Result<Explanation> Recommender::explain(const Query& query, std::string_view itemId,
                                         std::int64_t nearest) const {
  PARAPET_ASSIGN(ResolvedQuery resolved, state_->reader.resolve(query));
  PARAPET_ASSIGN(const std::int32_t item, this->item(itemId));
  Explanation explanation;
  explanation.context = resolved.context;
  explanation.score = state_->score(resolved.encoder, item);
  const auto c = state_->candidate(item);
  if (!state_->model->scorer) {
    const auto q = state_->vectorsOf({&resolved.encoder, 1});
    for (std::size_t d = 0; d < q.size(); ++d) explanation.terms.push_back(q[d] * c[d]);
  }
  state_->splitByFeature(explanation, resolved, query, item);
  for (const std::int32_t had : state_->historyOf(resolved.encoder))
    if (had != item)
      explanation.nearestHistory.push_back({had, std::string(state_->items.id(had)),
                                            std::string(state_->items.title(had)),
                                            cosine(c, state_->candidate(had))});
  sortSimilar(explanation.nearestHistory,
              static_cast<std::size_t>(std::max<std::int64_t>(0, nearest)));
  PARAPET_TRY(state_->dataset->readsIntact());
  return explanation;
}

std::vector<UserSummary> Recommender::findUsers(std::string_view text, UserOrder order,
                                                std::size_t limit) const {
  std::vector<std::int32_t> rows;
  const std::string needle = toLowerAscii(text);
  for (std::int32_t row = 1; row < state_->users.size(); ++row) {
    if (!state_->users.isCandidate(row)) continue;
    if (needle.empty() ||
        toLowerAscii(state_->users.rawId(row)).find(needle) != std::string::npos ||
        toLowerAscii(state_->userAttributes(row)).find(needle) != std::string::npos)
      rows.push_back(row);
  }
  const auto sortBy = [&](const auto& before) {
    std::stable_sort(rows.begin(), rows.end(), before);
  };
  const Interactions& of = state_->interactions;
  if (order == UserOrder::kById) {
    // Only what is listed is put in order: a search over all users is asked at every key.
    const auto listed = rows.begin() + static_cast<std::ptrdiff_t>(std::min(limit, rows.size()));
    std::partial_sort(rows.begin(), listed, rows.end(), [&](std::int32_t a, std::int32_t b) {
      return naturalLess(state_->users.rawId(a), state_->users.rawId(b));
    });
  }
  if (order == UserOrder::kActivityDescending)
    sortBy([&](std::int32_t a, std::int32_t b) { return of.activity(a) > of.activity(b); });
  if (order == UserOrder::kActivityAscending)
    sortBy([&](std::int32_t a, std::int32_t b) { return of.activity(a) < of.activity(b); });
  if (order == UserOrder::kWorst) {
    // Users without held-out rows have no recall; they come last.
    const auto key = [&](std::int32_t row) {
      const double recall = state_->userRecall()[static_cast<std::size_t>(row)];
      return std::isnan(recall) ? 2.0 : recall;
    };
    sortBy([&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
  }
  if (rows.size() > limit) rows.resize(limit);
  std::vector<UserSummary> out;
  for (const std::int32_t row : rows) out.push_back(state_->summary(row));
  return out;
}

Result<UserSummary> Recommender::userSummary(std::string_view userId) const {
  PARAPET_ASSIGN(const std::int32_t row, userRow(userId));
  return state_->summary(row);
}

std::vector<std::string> Recommender::randomUsers(std::uint64_t seed, std::size_t count) const {
  std::vector<std::int32_t> rows;
  for (std::int32_t row = 1; row < state_->users.size(); ++row)
    if (state_->users.isCandidate(row)) rows.push_back(row);
  const Random random(seed, RandomPurpose::kSampling);
  std::vector<std::string> drawn;
  for (std::size_t i = 0; i < std::min(count, rows.size()); ++i) {
    std::swap(rows[i], rows[i + random.below(i, rows.size() - i)]);
    drawn.emplace_back(state_->users.rawId(rows[i]));
  }
  return drawn;
}

std::vector<SimilarItem> Recommender::findItems(std::string_view text, std::size_t limit) const {
  std::vector<SimilarItem> out;
  for (const std::int32_t item : state_->items.search(text, limit))
    if (state_->items.hasRow(item))
      out.push_back(
          {item, std::string(state_->items.id(item)), std::string(state_->items.title(item)), 0.0});
  return out;
}

}  // namespace parapet::retrieval
