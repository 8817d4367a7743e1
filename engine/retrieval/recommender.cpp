// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/recommender.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "engine/base/natural_order.h"
#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/retrieval/candidates.h"
#include "engine/retrieval/interactions.h"

namespace parapet::retrieval {

using experiment::SplitPart;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kUserRecallK = 10;

double cosine(std::span<const float> a, std::span<const float> b) {
  double dot = 0.0, aa = 0.0, bb = 0.0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    dot += static_cast<double>(a[d]) * static_cast<double>(b[d]);
    aa += static_cast<double>(a[d]) * static_cast<double>(a[d]);
    bb += static_cast<double>(b[d]) * static_cast<double>(b[d]);
  }
  return aa > 0.0 && bb > 0.0 ? dot / std::sqrt(aa * bb) : 0.0;
}

// Best first, ties by row.
void sortSimilar(std::vector<SimilarItem>& items, std::size_t limit) {
  const std::size_t kept = std::min(limit, items.size());
  std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(kept), items.end(),
                    [](const SimilarItem& a, const SimilarItem& b) {
                      return a.cosine > b.cosine || (a.cosine == b.cosine && a.row < b.row);
                    });
  items.resize(kept);
}

}  // namespace

struct Recommender::State {
  State(std::shared_ptr<const ModelSnapshot> snapshot,
        std::shared_ptr<const data::Dataset> imported, std::shared_ptr<const Interactions> known,
        const std::string& userColumn, const std::string& itemColumn, int threadCount)
      : model(std::move(snapshot)),
        dataset(std::move(imported)),
        users(dataset->vocabularyOf(userColumn)),
        items(dataset->vocabularyOf(itemColumn)),
        kept(std::move(known)),
        interactions(*kept),
        eligible(candidateMask(items)),
        candidates(std::count(eligible.begin(), eligible.end(), std::uint8_t{1})),
        itemOfRow(dataset->ids(itemColumn)),
        threads(std::max(1, threadCount)) {
    for (std::int32_t row = 1; row < items.size(); ++row)
      if (eligible[static_cast<std::size_t>(row)]) sortedPopularity.push_back(popularity(row));
    std::sort(sortedPopularity.begin(), sortedPopularity.end());
  }

  std::shared_ptr<const ModelSnapshot> model;
  std::shared_ptr<const data::Dataset> dataset;
  const data::Vocabulary& users;
  const data::Vocabulary& items;
  std::shared_ptr<const Interactions> kept;
  const Interactions& interactions;
  std::vector<std::uint8_t> eligible;
  std::int64_t candidates;
  std::span<const std::int32_t> itemOfRow;
  int threads;
  std::vector<std::int64_t> sortedPopularity;
  mutable std::once_flag recallOnce;
  mutable std::vector<double> recallOfUser;  ///< by row, NaN where there is nothing held out

  std::span<const float> query(std::int64_t row) const { return vectorOf(model->queries, row); }
  std::span<const float> candidate(std::int64_t row) const {
    return vectorOf(model->candidates, row);
  }
  std::span<const float> vectorOf(const std::vector<float>& from, std::int64_t row) const {
    return std::span(from).subspan(static_cast<std::size_t>(row * model->dim),
                                   static_cast<std::size_t>(model->dim));
  }
  float score(std::int32_t user, std::int32_t item) const {
    if (model->scorer) {
      float score = 0.0f;
      model->scorer->score(user, {&item, 1}, {&score, 1});
      return score;
    }
    const auto q = query(user), c = candidate(item);
    return std::inner_product(q.begin(), q.end(), c.begin(), 0.0f);
  }
  std::int64_t popularity(std::int32_t item) const {
    return interactions.popularity()[static_cast<std::size_t>(item)];
  }
  bool heldOut(std::int32_t user, std::int32_t item) const {
    const auto in = [&](SplitPart part) {
      const auto list = interactions.items(part, user);
      return std::binary_search(list.begin(), list.end(), item);
    };
    return in(SplitPart::kValidation) || in(SplitPart::kTest);
  }
  std::string userAttributes(std::int64_t row) const {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < users.attributeNames().size(); ++i)
      if (const auto value = users.attribute(i, row); !value.empty()) parts.emplace_back(value);
    return join(parts, " · ");
  }
  std::vector<std::vector<Scored>> lists(std::span<const std::int32_t> rows, std::int64_t k,
                                         SeenItems seen) const;
  /// Scores of all candidates that are not excluded, in the order of their rows.
  std::vector<Scored> scoresOf(std::int32_t user, std::span<const std::int32_t> excluded) const;
  const std::vector<double>& userRecall() const;
  UserSummary summary(std::int32_t row) const;
  Status requireK(std::int64_t k) const;
  RecommendedItem describe(std::int32_t user, std::int64_t rank, const Scored& scored) const;
};

std::vector<Scored> Recommender::State::scoresOf(std::int32_t user,
                                                 std::span<const std::int32_t> excluded) const {
  std::vector<std::int32_t> rows;
  for (std::int32_t row = 1; row < items.size(); ++row)
    if (eligible[static_cast<std::size_t>(row)] && !std::ranges::binary_search(excluded, row))
      rows.push_back(row);
  std::vector<float> scores(rows.size());
  if (model->scorer)
    model->scorer->score(user, rows, scores);
  else
    std::ranges::transform(rows, scores.begin(),
                           [&](std::int32_t row) { return score(user, row); });
  std::vector<Scored> scored;
  for (std::size_t i = 0; i < rows.size(); ++i) scored.push_back({rows[i], scores[i]});
  return scored;
}

std::vector<std::vector<Scored>> Recommender::State::lists(std::span<const std::int32_t> rows,
                                                           std::int64_t k, SeenItems seen) const {
  if (model->scorer) {
    std::vector<std::vector<Scored>> best;
    for (const std::int32_t row : rows) {
      std::vector<Scored> scored = scoresOf(row, interactions.seen(seen, row));
      const auto length = std::min(static_cast<std::size_t>(k), scored.size());
      std::partial_sort(scored.begin(), scored.begin() + static_cast<std::ptrdiff_t>(length),
                        scored.end(), isBetter);
      scored.resize(length);
      best.push_back(std::move(scored));
    }
    return best;
  }
  std::vector<float> vectors;
  vectors.reserve(rows.size() * static_cast<std::size_t>(model->dim));
  for (const std::int32_t row : rows) {
    const auto vector = query(row);
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  Workers workers(rows.size() > 1 || candidates > 100'000 ? threads : 1);
  return topK(
      vectors, model->candidates, model->dim, eligible, k,
      [&](std::int64_t query) {
        return interactions.seen(seen, rows[static_cast<std::size_t>(query)]);
      },
      workers);
}

const std::vector<double>& Recommender::State::userRecall() const {
  std::call_once(recallOnce, [this] {
    recallOfUser.assign(static_cast<std::size_t>(users.size()), kUnknown);
    std::vector<std::int32_t> rows;
    for (std::int32_t row = 1; row < users.size(); ++row)
      if (!interactions.items(SplitPart::kValidation, row).empty() ||
          !interactions.items(SplitPart::kTest, row).empty())
        rows.push_back(row);
    const auto found = lists(rows, std::min(kUserRecallK, candidates), SeenItems::kExcludeTrain);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto hits = std::count_if(found[i].begin(), found[i].end(), [&](const Scored& item) {
        return heldOut(rows[i], item.row);
      });
      const auto total = interactions.items(SplitPart::kValidation, rows[i]).size() +
                         interactions.items(SplitPart::kTest, rows[i]).size();
      recallOfUser[static_cast<std::size_t>(rows[i])] =
          static_cast<double>(hits) / static_cast<double>(total);
    }
  });
  return recallOfUser;
}

UserSummary Recommender::State::summary(std::int32_t row) const {
  return {row, std::string(users.rawId(row)), userAttributes(row), interactions.activity(row),
          userRecall()[static_cast<std::size_t>(row)]};
}

Status Recommender::State::requireK(std::int64_t k) const {
  if (k >= 1 && k <= candidates) return {};
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("k is {}; accepted are 1 … {} (there are {} candidate items)", k,
                           candidates, candidates)};
}

RecommendedItem Recommender::State::describe(std::int32_t user, std::int64_t rank,
                                             const Scored& scored) const {
  const auto atMost =
      std::upper_bound(sortedPopularity.begin(), sortedPopularity.end(), popularity(scored.row)) -
      sortedPopularity.begin();
  const auto seen = interactions.items(SplitPart::kTrain, user);
  return {rank,
          scored.row,
          std::string(items.rawId(scored.row)),
          std::string(items.title(scored.row)),
          scored.score,
          popularity(scored.row),
          static_cast<double>(atMost) / static_cast<double>(std::max<std::int64_t>(1, candidates)),
          heldOut(user, scored.row),
          std::binary_search(seen.begin(), seen.end(), scored.row)};
}

Recommender::Recommender(std::shared_ptr<const ModelSnapshot> model,
                         std::shared_ptr<const data::Dataset> dataset,
                         std::shared_ptr<const Interactions> interactions,
                         const std::string& userColumn, const std::string& itemColumn, int threads)
    : state_(std::make_unique<State>(std::move(model), std::move(dataset), std::move(interactions),
                                     userColumn, itemColumn, threads)) {
  if (state_->users.size() != state_->model->queryRows ||
      state_->items.size() != state_->model->candidateRows)
    throw InvalidArgument(
        fmt::format("[retrieval.Recommender] the model has {} × {} rows, the data set {} × {}",
                    state_->model->queryRows, state_->model->candidateRows, state_->users.size(),
                    state_->items.size()));
}

Recommender::~Recommender() = default;

const ModelSnapshot& Recommender::model() const {
  return *state_->model;
}
const data::Dataset& Recommender::dataset() const {
  return *state_->dataset;
}

Result<std::int32_t> Recommender::userRow(std::string_view userId) const {
  if (const auto row = state_->users.row(userId); row && *row > 0) return *row;
  constexpr std::size_t kNamed = 3;
  std::int64_t count = 0;
  std::vector<std::string> named;
  for (std::int64_t row = 1; row < state_->users.size(); ++row) {
    if (!state_->users.isCandidate(row)) continue;
    ++count;
    if (named.size() < kNamed) named.push_back(printable(state_->users.rawId(row)));
  }
  return Error{ErrorCode::kNotFound,
               fmt::format("user \"{}\" is not in the data; there are {} users, for example {}; "
                           "exported recommendations list them all",
                           printable(userId), formatCount(count), join(named))};
}

Result<std::int32_t> Recommender::itemRow(std::string_view itemId) const {
  if (const auto row = state_->items.row(itemId); row && state_->items.isCandidate(*row))
    return *row;
  return Error{ErrorCode::kNotFound, fmt::format("item \"{}\" is not in the catalogue of {} items",
                                                 printable(itemId), state_->candidates)};
}

Result<std::vector<Recommendation>> Recommender::recommend(std::span<const std::string> users,
                                                           std::int64_t k, SeenItems seen) const {
  PARAPET_TRY(state_->requireK(k));
  std::vector<std::int32_t> rows;
  for (const std::string& user : users) {
    PARAPET_ASSIGN(const std::int32_t row, userRow(user));
    rows.push_back(row);
  }
  const auto lists = state_->lists(rows, k, seen);
  std::vector<Recommendation> answers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto left = state_->interactions.seen(seen, rows[i]);
    Recommendation answer{users[i],
                          state_->userAttributes(rows[i]),
                          state_->model->step,
                          state_->candidates - static_cast<std::int64_t>(left.size()),
                          {}};
    for (std::size_t at = 0; at < lists[i].size(); ++at)
      answer.items.push_back(
          state_->describe(rows[i], static_cast<std::int64_t>(at) + 1, lists[i][at]));
    answers.push_back(std::move(answer));
  }
  return answers;
}

Result<std::vector<HistoryItem>> Recommender::history(std::string_view userId) const {
  PARAPET_ASSIGN(const std::int32_t user, userRow(userId));
  std::vector<HistoryItem> out;
  for (const std::int64_t row : state_->interactions.rows(user)) {
    const auto at = static_cast<std::size_t>(row);
    const std::int32_t item = state_->itemOfRow[at];
    out.push_back({item, std::string(state_->items.rawId(item)),
                   std::string(state_->items.title(item)),
                   state_->dataset->rawLabel(state_->dataset->labels()[at]),
                   state_->dataset->times().empty() ? 0 : state_->dataset->times()[at],
                   state_->interactions.partOf(row)});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const HistoryItem& a, const HistoryItem& b) { return a.time > b.time; });
  return out;
}

Result<ItemRank> Recommender::rankOf(std::string_view userId, std::string_view itemId,
                                     std::int64_t k, SeenItems seen) const {
  PARAPET_ASSIGN(const std::int32_t user, userRow(userId));
  PARAPET_ASSIGN(const std::int32_t item, itemRow(itemId));
  PARAPET_TRY(state_->requireK(k));
  const auto excluded = state_->interactions.seen(seen, user);
  ItemRank found;
  found.score = state_->score(user, item);
  found.excluded = std::binary_search(excluded.begin(), excluded.end(), item);
  found.rank = 1;
  std::vector<float> scores;
  for (const Scored& other : state_->scoresOf(user, excluded)) {
    scores.push_back(other.score);
    if (other.row != item && isBetter(other, {item, found.score})) ++found.rank;
  }
  found.candidates = static_cast<std::int64_t>(scores.size());
  if (scores.empty()) return found;
  const auto kth = std::min(k, found.candidates) - 1;
  std::nth_element(scores.begin(), scores.begin() + kth, scores.end(), std::greater<>{});
  found.kthScore = scores[static_cast<std::size_t>(kth)];
  found.gapToKth = found.score - found.kthScore;
  return found;
}

Result<std::vector<SimilarItem>> Recommender::similarItems(std::string_view itemId,
                                                           std::int64_t k) const {
  PARAPET_ASSIGN(const std::int32_t item, itemRow(itemId));
  PARAPET_TRY(state_->requireK(k));
  std::vector<SimilarItem> out;
  for (std::int32_t row = 1; row < state_->items.size(); ++row)
    if (row != item && state_->eligible[static_cast<std::size_t>(row)])
      out.push_back({row, std::string(state_->items.rawId(row)),
                     std::string(state_->items.title(row)),
                     cosine(state_->candidate(item), state_->candidate(row))});
  sortSimilar(out, static_cast<std::size_t>(k));
  return out;
}

Result<Explanation> Recommender::explain(std::string_view userId, std::string_view itemId,
                                         std::int64_t nearest) const {
  PARAPET_ASSIGN(const std::int32_t user, userRow(userId));
  PARAPET_ASSIGN(const std::int32_t item, itemRow(itemId));
  Explanation explanation;
  explanation.score = state_->score(user, item);
  const auto c = state_->candidate(item);
  if (!state_->model->scorer) {
    const auto q = state_->query(user);
    for (std::size_t d = 0; d < q.size(); ++d) explanation.terms.push_back(q[d] * c[d]);
  }
  for (const std::int32_t row : state_->interactions.items(SplitPart::kTrain, user))
    if (row != item)
      explanation.nearestHistory.push_back({row, std::string(state_->items.rawId(row)),
                                            std::string(state_->items.title(row)),
                                            cosine(c, state_->candidate(row))});
  sortSimilar(explanation.nearestHistory,
              static_cast<std::size_t>(std::max<std::int64_t>(0, nearest)));
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

UserSummary Recommender::randomUser(std::uint64_t seed, std::uint64_t draw) const {
  std::vector<std::int32_t> rows;
  for (std::int32_t row = 1; row < state_->users.size(); ++row)
    if (state_->users.isCandidate(row)) rows.push_back(row);
  if (rows.empty()) throw InternalError("[retrieval.randomUser] the data set has no users");
  const Random random(seed, RandomPurpose::kSampling);
  return state_->summary(rows[random.below(draw, rows.size())]);
}

std::vector<SimilarItem> Recommender::findItems(std::string_view text, std::size_t limit) const {
  std::vector<SimilarItem> out;
  for (const std::int32_t row : state_->items.search(text, limit))
    if (state_->items.isCandidate(row))
      out.push_back(
          {row, std::string(state_->items.rawId(row)), std::string(state_->items.title(row)), 0.0});
  return out;
}

}  // namespace parapet::retrieval
