// SPDX-License-Identifier: Apache-2.0
// Lists, scores, histories and recalls; recommender.cpp has the questions that people ask.
#include "engine/retrieval/recommender_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace parapet::retrieval {

using experiment::SplitPart;

namespace {

// Rows whose lists make the recall of users: more would keep a search of users waiting.
constexpr std::int64_t kMaxRecallRows = 20'000;
// Values of a number whose lists tell how sensitive a user is to it.
constexpr int kSensitivityNumbers = 5;
// Rounding of a score that is a sum over features.
constexpr double kSumTolerance = 1e-4;
// Queries whose vectors exist at a time.
constexpr std::size_t kEncodedQueries = 4096;

}  // namespace

std::vector<std::int32_t> Recommender::State::historyOf(const EncoderQuery& query) const {
  if (reader.readsHistory()) {
    std::vector<std::int32_t> read = model->querySide()->historyOf(query);
    for (std::int32_t& row : read) row = items.ofEntry(row);
    std::ranges::sort(read);
    read.erase(std::unique(read.begin(), read.end()), read.end());
    std::erase(read, 0);
    return read;
  }
  if (query.user == 0) return {};
  const auto train = interactions.items(SplitPart::kTrain, query.user);
  return {train.begin(), train.end()};
}

std::vector<float> Recommender::State::vectorsOf(std::span<const EncoderQuery> queries) const {
  const auto width = static_cast<std::size_t>(model->dim);
  std::vector<float> vectors(queries.size() * width);
  if (model->encoder) {
    model->encoder->encode(queries, vectors);
    return vectors;
  }
  for (std::size_t i = 0; i < queries.size(); ++i)
    std::copy_n(model->queries.begin() + static_cast<std::ptrdiff_t>(queries[i].user) *
                                             static_cast<std::ptrdiff_t>(width),
                width, vectors.begin() + static_cast<std::ptrdiff_t>(i * width));
  return vectors;
}

std::vector<Scored> Recommender::State::scoresOf(const EncoderQuery& query,
                                                 std::span<const std::int32_t> excluded,
                                                 const CandidateSet& among) const {
  std::vector<Scored> scored;
  for (const std::int32_t item : among.items)
    if (!std::ranges::binary_search(excluded, item)) scored.push_back({item});
  if (model->scorer) {
    std::vector<std::int32_t> rows(scored.size());
    std::ranges::transform(scored, rows.begin(),
                           [&](const Scored& of) { return items.row(of.item); });
    std::vector<float> scores(rows.size());
    model->scorer->score(query, rows, scores);
    for (std::size_t i = 0; i < scored.size(); ++i) scored[i].score = scores[i];
  } else {
    const auto q = vectorsOf({&query, 1});
    for (Scored& of : scored)
      of.score = std::inner_product(q.begin(), q.end(), candidate(of.item).begin(), 0.0f);
  }
  return scored;
}

std::vector<std::vector<Scored>> Recommender::State::scoredLists(
    std::span<const EncoderQuery> queries, std::int64_t k, SeenItems seen,
    const CandidateSet& among) const {
  std::vector<std::vector<Scored>> best;
  for (const EncoderQuery& query : queries) {
    std::vector<Scored> scored = scoresOf(query, seenBy(query.user, seen), among);
    const auto length = std::min(static_cast<std::size_t>(k), scored.size());
    std::partial_sort(scored.begin(), scored.begin() + static_cast<std::ptrdiff_t>(length),
                      scored.end(), isBetter);
    scored.resize(length);
    best.push_back(std::move(scored));
  }
  return best;
}

std::vector<std::vector<Scored>> Recommender::State::lists(std::span<const EncoderQuery> queries,
                                                           std::int64_t k, SeenItems seen,
                                                           const CandidateSet& among) const {
  if (model->scorer) return scoredLists(queries, k, seen, among);
  Workers workers(queries.size() > 1 || among.items.size() > 100'000 ? threads : 1);
  std::vector<std::vector<Scored>> found;
  found.reserve(queries.size());
  for (std::size_t first = 0; first < queries.size(); first += kEncodedQueries) {
    const auto block = queries.subspan(first, std::min(kEncodedQueries, queries.size() - first));
    auto best = among.search.top(
        vectorsOf(block), model->candidates, model->dim, k,
        [&](std::int64_t query) {
          return seenBy(block[static_cast<std::size_t>(query)].user, seen);
        },
        workers);
    std::ranges::move(best, std::back_inserter(found));
  }
  return found;
}

std::vector<Scored> Recommender::State::mostPopular(std::int64_t k,
                                                    const CandidateSet& among) const {
  const auto sortedOf = [&](std::int64_t length) {
    std::vector<Scored> best;
    for (const std::int32_t item : among.items)
      best.push_back({item, std::numeric_limits<float>::quiet_NaN()});
    const auto end = best.begin() + std::min<std::int64_t>(length, std::ssize(best));
    std::partial_sort(best.begin(), end, best.end(), [&](const Scored& a, const Scored& b) {
      return popularity(a.item) > popularity(b.item) ||
             (popularity(a.item) == popularity(b.item) && a.item < b.item);
    });
    best.erase(end, best.end());
    return best;
  };
  if (&among != &all) return sortedOf(k);
  const std::vector<Scored>& sorted = popular.get([&] { return sortedOf(candidates); });
  return {sorted.begin(), sorted.begin() + std::min<std::int64_t>(k, std::ssize(sorted))};
}

std::int64_t Recommender::State::candidatesFor(std::int32_t user, SeenItems seen,
                                               const CandidateSet& among) const {
  return std::ssize(among.items) -
         std::ranges::count_if(seenBy(user, seen), [&](std::int32_t item) {
           return among.eligible[static_cast<std::size_t>(item)] != 0;
         });
}

void Recommender::State::warnOfFilter(const CandidateSet& among, std::int64_t k,
                                      Recommendation& answer) {
  std::ranges::copy(among.warnings, std::back_inserter(answer.warnings));
  const std::int64_t left = answer.candidates;
  if (left == 0 && !among.items.empty())
    answer.warnings.push_back(
        fmt::format("no item can be listed: the user has had all of the {} that are left",
                    formatCount(std::ssize(among.items))));
  if (left > 0 && left < k)
    answer.warnings.push_back(
        fmt::format("the list has {} of the {} items asked for: no more are "
                    "left",
                    formatCount(left), formatCount(k)));
}

ResolvedQuery Recommender::State::unknownQuery(const Query& query) {
  ResolvedQuery found;
  found.warnings.push_back(
      fmt::format("user \"{}\" is not in the data: most popular items", printable(query.user)));
  return found;
}

std::vector<EncoderQuery> Recommender::State::otherContexts(
    const EncoderQuery& query, std::span<const ContextDomain> domains) const {
  std::vector<EncoderQuery> others;
  const auto add = [&](std::size_t context, ContextCell cell) {
    if (query.context[context] == cell) return;
    others.push_back(query);
    others.back().context[context] = cell;
  };
  for (std::size_t i = 0; i < domains.size(); ++i) {
    if (!domains[i].isNumeric) {
      const data::Vocabulary& vocabulary = dataset->vocabularyOf(domains[i].name);
      for (const ContextOption& option : domains[i].values)
        add(i, {vocabulary.row(option.value).value_or(0), 0.0f});
    } else if (domains[i].max > domains[i].min) {
      const double part = (domains[i].max - domains[i].min) / (kSensitivityNumbers - 1);
      for (int at = 0; at < kSensitivityNumbers; ++at)
        add(i, {0, static_cast<float>(domains[i].min + part * at)});
    }
  }
  return others;
}

void Recommender::State::splitByFeature(Explanation& explanation, const ResolvedQuery& query,
                                        const Query& asked, std::int32_t item) const {
  const QuerySide* side = model->querySide();
  if (!side || side->features().empty()) return;
  EncoderQuery changed = query.encoder;
  double sum = 0.0, size = 0.0;
  for (std::size_t i = 0; i < side->features().size(); ++i) {
    const QueryFeature& feature = side->features()[i];
    FeatureShare share{.feature = feature.name, .value = {}};
    const auto context = std::ranges::find(query.context, feature.column, &ContextValue::name);
    if (context != query.context.end()) share.value = context->value;
    if (feature.column == userColumn) share.value = asked.user;
    changed.without = std::uint64_t{1} << i;
    share.without = score(changed, item);
    share.share = explanation.score - share.without;
    sum += static_cast<double>(share.share);
    size += std::abs(static_cast<double>(share.share));
    explanation.features.push_back(std::move(share));
  }
  changed.without = ~std::uint64_t{0};
  explanation.withoutAll = score(changed, item);
  const auto whole = static_cast<double>(explanation.score);
  explanation.featuresAddUp = std::abs(static_cast<double>(explanation.withoutAll) + sum - whole) <=
                              kSumTolerance * std::max({size, std::abs(whole), 1e-3});
}

std::vector<std::int32_t> Recommender::State::relevantOf(std::int32_t user) const {
  const auto validation = interactions.relevant(SplitPart::kValidation, user, recall.relevantFrom);
  const auto test = interactions.relevant(SplitPart::kTest, user, recall.relevantFrom);
  std::vector<std::int32_t> wanted;
  std::ranges::set_union(validation, test, std::back_inserter(wanted));
  const auto known = interactions.items(SplitPart::kTrain, user);
  if (recall.pairs == experiment::SeenPairs::kDrop)
    std::erase_if(wanted,
                  [&](std::int32_t item) { return std::ranges::binary_search(known, item); });
  return wanted;
}

bool Recommender::State::asksForItem(std::int64_t row) const {
  const SplitPart part = interactions.partOf(row);
  const auto at = static_cast<std::size_t>(row);
  const std::int32_t user = userOfRow[at];
  if ((part != SplitPart::kValidation && part != SplitPart::kTest) || user <= 0) return false;
  if (recall.relevantFrom && dataset->rawLabel(dataset->labels()[at]) < *recall.relevantFrom)
    return false;
  return recall.pairs == experiment::SeenPairs::kKeep ||
         !std::ranges::binary_search(interactions.items(SplitPart::kTrain, user),
                                     interactions.item(row));
}

void Recommender::State::recallByUser(std::vector<double>& recallOfRow) const {
  std::vector<EncoderQuery> queries;
  std::vector<std::vector<std::int32_t>> wanted;
  for (std::int32_t row = 1; row < users.size(); ++row)
    if (auto relevant = relevantOf(row); !relevant.empty()) {
      queries.push_back({row, {}});
      wanted.push_back(std::move(relevant));
    }
  const auto found = lists(queries, std::min(kUserRecallK, candidates), recall.seen, all);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto hits = std::count_if(found[i].begin(), found[i].end(), [&](const Scored& item) {
      return std::ranges::binary_search(wanted[i], item.item);
    });
    recallOfRow[static_cast<std::size_t>(queries[i].user)] =
        static_cast<double>(hits) / static_cast<double>(wanted[i].size());
  }
}

// A list in a context that no held-out row has, or with a later history, would say nothing about
// the user.
void Recommender::State::recallByRow(std::vector<double>& recallOfRow) const {
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < dataset->rows(); ++row)
    if (asksForItem(row)) rows.push_back(row);
  const std::int64_t stride =
      (static_cast<std::int64_t>(rows.size()) + kMaxRecallRows - 1) / kMaxRecallRows;
  std::vector<EncoderQuery> queries;
  std::vector<std::int32_t> wanted;
  for (std::size_t i = 0; i < rows.size(); i += static_cast<std::size_t>(stride)) {
    const auto at = static_cast<std::size_t>(rows[i]);
    queries.push_back(reader.queryOf(userOfRow[at], rows[i]));
    wanted.push_back(interactions.item(rows[i]));
  }
  const auto found = lists(queries, std::min(kUserRecallK, candidates), recall.seen, all);
  std::vector<std::int64_t> hits(recallOfRow.size()), counts(recallOfRow.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto user = static_cast<std::size_t>(queries[i].user);
    ++counts[user];
    hits[user] += std::ranges::count(found[i], wanted[i], &Scored::item);
  }
  for (std::size_t user = 1; user < counts.size(); ++user)
    if (counts[user] > 0)
      recallOfRow[user] = static_cast<double>(hits[user]) / static_cast<double>(counts[user]);
}

const std::vector<double>& Recommender::State::userRecall() const {
  return recallOfUser.get([this] {
    std::vector<double> recallOfRow(static_cast<std::size_t>(users.size()), kUnknown);
    if (reader.contexts().empty() && !reader.readsHistory())
      recallByUser(recallOfRow);
    else
      recallByRow(recallOfRow);
    return recallOfRow;
  });
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

RecommendedItem Recommender::State::describe(std::int32_t user, std::span<const std::int32_t> read,
                                             std::int64_t rank, const Scored& scored) const {
  const auto atMost =
      std::upper_bound(sortedPopularity.begin(), sortedPopularity.end(), popularity(scored.item)) -
      sortedPopularity.begin();
  const auto seen =
      user == 0 ? std::span<const std::int32_t>{} : interactions.items(SplitPart::kTrain, user);
  const bool inHistory = std::ranges::binary_search(read, scored.item);
  return {rank,
          scored.item,
          std::string(items.id(scored.item)),
          std::string(items.title(scored.item)),
          scored.score,
          popularity(scored.item),
          static_cast<double>(atMost) / static_cast<double>(std::max<std::int64_t>(1, candidates)),
          !inHistory && heldOut(user, scored.item),
          std::binary_search(seen.begin(), seen.end(), scored.item),
          inHistory,
          rowShared(scored.item)};
}

}  // namespace parapet::retrieval
