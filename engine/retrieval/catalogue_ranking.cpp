// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/catalogue_ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/retrieval/baseline_lists.h"
#include "engine/retrieval/candidates.h"
#include "engine/retrieval/metrics.h"
#include "engine/retrieval/query_sums.h"

namespace parapet::retrieval {

using experiment::EvaluationUnit;
using experiment::RankingMetric;
using experiment::SplitPart;

namespace {

constexpr const char* kActivity = "activity";

/// Training rows of a user by powers of ten: 0, 1 … 9, 10 … 99, …
std::int64_t activityClass(std::int64_t rows) {
  std::int64_t result = 0;
  for (; rows > 0; rows /= 10) ++result;
  return result;
}

std::string activityName(std::int64_t of) {
  if (of == 0) return "0";
  std::int64_t first = 1;
  for (; of > 1; --of) first *= 10;
  return fmt::format("{}-{}", first, first * 10 - 1);
}

/// Expected metrics of a query whose list has its candidates, so many of them relevant, in a random
/// order.
class ExpectedList {
 public:
  ExpectedList(double candidates, double relevant)
      : candidates_(std::max(1.0, candidates)), relevant_(std::min(relevant, candidates_)) {}

  /// Takes the next rank.
  void advance() {
    const auto rank = static_cast<double>(++rank_);
    if (rank > candidates_) return;
    const double share = relevant_ / candidates_;
    gain_ += share * rankDiscount(rank_);
    // Probability that a rank before a relevant one is relevant too.
    const double before = candidates_ > 1.0 ? (relevant_ - 1.0) / (candidates_ - 1.0) : 0.0;
    precisions_ += share * (1.0 + (rank - 1.0) * before) / rank;
    const double left = candidates_ - rank + 1.0;
    const double first = missed_ * std::min(1.0, relevant_ / left);
    reciprocal_ += first / rank;
    missed_ -= first;
  }
  [[nodiscard]] double value(RankingMetric metric, double wanted,
                             std::optional<experiment::EvaluationProtocol> benchmark) const {
    const double positions = std::min(static_cast<double>(rank_), candidates_);
    const double hits = positions * relevant_ / candidates_;
    double ideal = 0.0;
    switch (metric) {
      case RankingMetric::kRecall:
        return hits / (benchmark ? std::min(wanted, static_cast<double>(rank_)) : wanted);
      case RankingMetric::kNdcg:
        if (benchmark == experiment::EvaluationProtocol::kYambdaCompat) return 1.0 - missed_;
        for (std::int64_t rank = 1; rank <= rank_ && static_cast<double>(rank) <= wanted; ++rank)
          ideal += rankDiscount(rank);
        return gain_ / ideal;
      case RankingMetric::kHit:
        return 1.0 - missed_;
      case RankingMetric::kMap:
        return precisions_ / wanted;
      case RankingMetric::kPrecision:
        return hits / positions;
      default:
        return reciprocal_;
    }
  }

 private:
  double candidates_, relevant_;
  std::int64_t rank_ = 0;
  double gain_ = 0.0, precisions_ = 0.0, reciprocal_ = 0.0, missed_ = 1.0;
};

/// Under a benchmark only items of training rows.
std::vector<std::uint8_t> candidatesOf(const RankingProtocol& protocol,
                                       const Interactions& interactions) {
  return candidateMask(interactions, protocol.benchmark ? ColdItems::kLeftOut : protocol.cold);
}

}  // namespace

CatalogueRanking::CatalogueRanking(const data::Dataset& dataset, const std::string& userColumn,
                                   const Interactions& interactions, experiment::SplitPart part,
                                   data::RowSet rows, RankingProtocol protocol)
    : dataset_(dataset),
      userOfRow_(dataset.ids(userColumn)),
      interactions_(interactions),
      part_(part),
      rows_(std::move(rows)),
      protocol_(std::move(protocol)),
      eligible_(candidatesOf(protocol_, interactions)),
      search_(interactions.index(), eligible_) {}

CatalogueRanking::CatalogueRanking(const CatalogueRanking& of, const Interactions& interactions,
                                   experiment::SplitPart part, data::RowSet rows,
                                   RankingProtocol protocol)
    : dataset_(of.dataset_),
      userOfRow_(of.userOfRow_),
      interactions_(interactions),
      part_(part),
      rows_(std::move(rows)),
      protocol_(std::move(protocol)),
      eligible_(candidatesOf(protocol_, interactions)),
      search_(interactions.index(), eligible_) {}

bool CatalogueRanking::isSeenPair(std::int32_t user, std::int32_t item) const {
  return user > 0 && std::ranges::binary_search(interactions_.items(SplitPart::kTrain, user), item);
}

std::span<const std::int32_t> CatalogueRanking::relevant(const RankedQuery& query,
                                                         std::vector<std::int32_t>& scratch) const {
  scratch.clear();
  if (query.row >= 0) {
    scratch.push_back(interactions_.item(query.row));
    return scratch;
  }
  const auto all = interactions_.relevant(part_, query.user, protocol_.relevantFrom);
  if (protocol_.seenPairs == experiment::SeenPairs::kKeep) return all;
  std::ranges::copy_if(all, std::back_inserter(scratch),
                       [&](std::int32_t item) { return !isSeenPair(query.user, item); });
  return scratch;
}

std::vector<CatalogueRanking::RankedQuery> CatalogueRanking::findUsers() const {
  std::vector<RankedQuery> found;
  std::vector<std::int32_t> scratch;
  for (std::int32_t user = 1; user < interactions_.users(); ++user)
    if (!relevant({user, -1}, scratch).empty() &&
        !(protocol_.benchmark && interactions_.items(SplitPart::kTrain, user).empty()))
      found.push_back({user, -1});
  return found;
}

std::vector<CatalogueRanking::RankedQuery> CatalogueRanking::findRows() const {
  std::vector<RankedQuery> found;
  rows_.ascending().forEach([&](std::int64_t row) {
    const auto at = static_cast<std::size_t>(row);
    if (protocol_.relevantFrom &&
        dataset_.rawLabel(dataset_.labels()[at]) < *protocol_.relevantFrom)
      return;
    if (protocol_.seenPairs == experiment::SeenPairs::kDrop &&
        isSeenPair(userOfRow_[at], interactions_.item(row)))
      return;
    found.push_back({userOfRow_[at], row});
  });
  return found;
}

// Each query is kept with the probability that leaves exactly as many as are asked for.
void CatalogueRanking::drawSample(std::vector<RankedQuery>& queries) const {
  const auto all = queries.size();
  const auto wanted = static_cast<std::size_t>(*protocol_.sample);
  if (wanted >= all) return;
  const Random random(protocol_.seed, RandomPurpose::kSampling);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all; ++i)
    if (random.below(i, all - i) < wanted - kept) queries[kept++] = queries[i];
  queries.resize(kept);
}

const std::vector<CatalogueRanking::RankedQuery>& CatalogueRanking::queries() const {
  return queries_.get([this] {
    auto found = protocol_.unit == EvaluationUnit::kUser ? findUsers() : findRows();
    if (protocol_.sample) drawSample(found);
    return found;
  });
}

// Queries of one list in a row: lists are made side by side, and added in their order.
CatalogueRanking::Reference CatalogueRanking::measureLists(const BaselineLists& lists,
                                                           Workers* workers,
                                                           const WorkContext& context) const {
  RankingMetrics metrics(protocol_.k, protocol_.metrics, protocol_.benchmark);
  ListingMetrics listing(protocol_.k, protocol_.metrics, interactions_.popularity(), eligible_);
  auto sums = std::make_shared<QuerySums>(metrics.metricCount(), interactions_.users());
  std::vector<RankedQuery> ordered = queries();
  std::ranges::stable_sort(ordered, {}, &RankedQuery::user);
  std::vector<std::size_t> firsts;  // of each list
  for (std::size_t i = 0; i < ordered.size(); ++i)
    if (i == 0 || lists.readsRow() || ordered[i].user != ordered[i - 1].user) firsts.push_back(i);
  constexpr std::size_t kBlock = 1024;
  std::vector<std::vector<Scored>> made;
  std::vector<std::int32_t> scratch;
  for (std::size_t begin = 0; begin < firsts.size(); begin += kBlock) {
    context.report("measuring baselines", static_cast<std::int64_t>(begin), std::ssize(firsts));
    made.assign(std::min(kBlock, firsts.size() - begin), {});
    runBlocks(workers, static_cast<std::int64_t>(made.size()), [&](std::int64_t block) {
      if (context.cancelled()) return;
      const auto at = static_cast<std::size_t>(block);
      const RankedQuery& query = ordered[firsts[begin + at]];
      made[at] = lists.list(query.user, query.row, protocol_.k.back(), seenBy(query.user));
    });
    if (context.cancelled()) return {};
    for (std::size_t at = 0; at < made.size(); ++at) {
      const std::size_t next = begin + at + 1;
      const std::size_t end = next < firsts.size() ? firsts[next] : ordered.size();
      for (std::size_t i = firsts[begin + at]; i < end; ++i) {
        const std::vector<double> values = metrics.ofList(made[at], relevant(ordered[i], scratch));
        metrics.add(values);
        listing.add(made[at]);
        sums->add(ordered[i].user, values);
      }
    }
  }
  Reference reference{metrics.values(), std::move(sums)};
  std::ranges::move(listing.values(), std::back_inserter(reference.metrics));
  return reference;
}

const CatalogueRanking::Reference& CatalogueRanking::popular(const WorkContext& context) const {
  return popular_.get([&] {
    return measureLists(*mostPopular(interactions_.popularity(), eligible_), nullptr, context);
  });
}

const CatalogueRanking::Reference& CatalogueRanking::popularInContext(
    const WorkContext& context) const {
  return popularInContext_.get([&] {
    return measureLists(
        *mostPopularInContext(dataset_, protocol_.contexts, interactions_, eligible_, context),
        nullptr, context);
  });
}

CatalogueRanking::Pass::Pass(const CatalogueRanking& of, std::span<const float> candidates,
                             std::int64_t dim, Workers& workers, std::stop_token stop)
    : of_(of),
      candidates_(candidates),
      dim_(dim),
      workers_(workers),
      stop_(std::move(stop)),
      metrics_(of.protocol_.k, of.protocol_.metrics, of.protocol_.benchmark),
      listing_(of.protocol_.k, of.protocol_.metrics, of.interactions_.popularity(), of.eligible_),
      tiedLists_(of.protocol_.k.size()) {
  sums_ = std::make_shared<QuerySums>(metrics_.metricCount(), of.interactions_.users());
}

void CatalogueRanking::Pass::addSegments(const RankedQuery& query, std::span<const double> values) {
  for (std::size_t i = 0; i < of_.protocol_.segments.size(); ++i) {
    const std::pair key{i, of_.segmentOf(of_.protocol_.segments[i], query)};
    auto segment = segments_.find(key);
    if (segment == segments_.end())
      segment = segments_
                    .try_emplace(key, Segment{RankingMetrics(of_.protocol_.k, of_.protocol_.metrics,
                                                             of_.protocol_.benchmark)})
                    .first;
    segment->second.metrics.add(values);
    std::vector<double>& sums = segment->second.users[query.user];
    sums.resize(values.size() + 1);
    sums[0] += 1.0;
    for (std::size_t metric = 0; metric < values.size(); ++metric)
      sums[metric + 1] += values[metric];
  }
}

experiment::SegmentMetrics CatalogueRanking::Pass::finished(const std::string& name,
                                                            std::int64_t value,
                                                            const Segment& segment) const {
  experiment::SegmentMetrics found{
      name, of_.segmentName(name, value), segment.metrics.queries(), segment.metrics.values(), {}};
  for (std::size_t metric = 0; metric < found.metrics.size(); ++metric) {
    // Standard errors are computed as in QuerySums.
    PairedSums pairs;
    for (const auto& [user, sums] : segment.users) pairs.add(sums[metric + 1], sums[0]);
    found.standardErrors.emplace_back(found.metrics[metric].first, pairs.result().standardError);
  }
  return found;
}

void CatalogueRanking::Pass::add(std::span<const RankedQuery> queries,
                                 std::span<const float> vectors) {
  // One item more than is measured shows whether ties decide who is listed.
  const auto lists = of_.search_.top(
      vectors, candidates_, dim_, of_.protocol_.k.back() + 1,
      [&](std::int64_t query) { return of_.seenBy(queries[static_cast<std::size_t>(query)].user); },
      workers_, stop_);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::vector<double> values =
        metrics_.ofList(lists[i], of_.relevant(queries[i], scratch_));
    metrics_.add(values);
    listing_.add(lists[i]);
    sums_->add(queries[i].user, values);
    addSegments(queries[i], values);
    for (std::size_t at = 0; at < tiedLists_.size(); ++at) {
      const auto k = static_cast<std::size_t>(of_.protocol_.k[at]);
      tiedLists_[at] += lists[i].size() > k && lists[i][k - 1].score == lists[i][k].score;
    }
  }
}

CatalogueRanking::Measured CatalogueRanking::Pass::finish() {
  Measured measured;
  measured.queries = metrics_.queries();
  if (measured.queries == 0) return measured;
  measured.metrics = metrics_.values();
  for (std::size_t i = 0; i < metrics_.metricCount(); ++i)
    measured.standardErrors.emplace_back(measured.metrics[i].first, sums_->mean(i).standardError);
  std::ranges::move(listing_.values(), std::back_inserter(measured.metrics));
  for (const auto& [key, segment] : segments_)
    measured.segments.push_back(finished(of_.protocol_.segments[key.first], key.second, segment));
  measured.sums = sums_;
  measured.ranking = &of_;
  measured.tiedLists = tiedLists_;
  return measured;
}

std::vector<CatalogueRanking::FromBaseline> CatalogueRanking::differences(
    const QuerySums& model, std::size_t metric) const {
  std::vector<FromBaseline> found;
  const auto add = [&](const std::string& name, const std::shared_ptr<const QuerySums>& baseline) {
    if (baseline) found.push_back({name, model.difference(*baseline, metric)});
  };
  add("random", random().sums);
  add("most_popular", popular().sums);
  if (!protocol_.contexts.empty()) add("most_popular_in_context", popularInContext().sums);
  const std::lock_guard lock(fittedMutex_);
  for (const auto& [name, sums] : fitted_) add(name, sums);
  return found;
}

CatalogueRanking::Measured CatalogueRanking::measure(std::span<const float> users,
                                                     std::span<const float> candidates,
                                                     std::int64_t dim, Workers& workers) const {
  // Vectors and lists of so many exist at a time.
  constexpr auto kBlock = static_cast<std::size_t>(kQueriesOfTopK);
  Pass pass(*this, candidates, dim, workers);
  const std::span<const RankedQuery> all = queries();
  std::vector<float> vectors;
  for (std::size_t first = 0; first < all.size(); first += kBlock) {
    const auto block = all.subspan(first, std::min(kBlock, all.size() - first));
    vectors.clear();
    for (const RankedQuery& query : block) {
      const auto vector =
          users.subspan(static_cast<std::size_t>(query.user * dim), static_cast<std::size_t>(dim));
      vectors.insert(vectors.end(), vector.begin(), vector.end());
    }
    pass.add(block, vectors);
  }
  return pass.finish();
}

const CatalogueRanking::Reference& CatalogueRanking::random() const {
  return random_.get([this] { return expectedOfRandom(); });
}

CatalogueRanking::Reference CatalogueRanking::expectedOfRandom() const {
  RankingMetrics metrics(protocol_.k, protocol_.metrics, protocol_.benchmark);
  auto sums = std::make_shared<QuerySums>(metrics.metricCount(), interactions_.users());
  const auto total = static_cast<double>(std::ranges::count(eligible_, 1));
  std::vector<std::int32_t> scratch;
  for (const RankedQuery& query : queries()) {
    const auto seen = seenBy(query.user);
    const auto wanted = relevant(query, scratch);
    const auto isCandidate = [&](std::int32_t item) {
      return eligible_[static_cast<std::size_t>(item)] != 0;
    };
    const auto reachable = std::ranges::count_if(wanted, [&](std::int32_t item) {
      return isCandidate(item) && !std::ranges::binary_search(seen, item);
    });
    ExpectedList list(total - static_cast<double>(std::ranges::count_if(seen, isCandidate)),
                      static_cast<double>(reachable));
    std::vector<double> values;
    std::int64_t rank = 0;
    for (const std::int64_t k : protocol_.k) {
      for (; rank < k; ++rank) list.advance();
      for (const RankingMetric metric : protocol_.metrics)
        if (traitsOf(metric).scope == experiment::MetricScope::kFirstK)
          values.push_back(
              list.value(metric, static_cast<double>(wanted.size()), protocol_.benchmark));
    }
    if (std::ranges::count(protocol_.metrics, RankingMetric::kMrr) > 0)
      values.push_back(list.value(RankingMetric::kMrr, static_cast<double>(wanted.size()), {}));
    metrics.add(values);
    sums->add(query.user, values);
  }
  return {metrics.values(), std::move(sums)};
}

experiment::Baselines CatalogueRanking::baselines(const std::optional<FitLimits>& limits,
                                                  Workers* workers,
                                                  const WorkContext& context) const {
  experiment::Baselines baselines{{"most_popular", {}}, {"random", {}}};
  if (context.cancelled() || queries().empty()) return baselines;
  // A stage that comes twice would fall back.
  const auto reportedAs = [&context](std::string_view stage) -> WorkContext {
    return {[&context, stage](std::string_view, std::int64_t done, std::int64_t total) {
              context.report(stage, done, total);
            },
            context.stop};
  };
  baselines[0].second = popular(reportedAs("measuring most popular")).metrics;
  baselines[1].second = random().metrics;
  if (!protocol_.contexts.empty())
    baselines.emplace_back(
        "most_popular_in_context",
        popularInContext(reportedAs("measuring popular in the context")).metrics);
  if (limits) std::ranges::move(fitted(*limits, workers, context), std::back_inserter(baselines));
  return baselines;
}

std::vector<std::string> CatalogueRanking::limits() const {
  std::vector<std::string> sentences;
  std::int64_t wanted = 0, cold = 0, unknown = 0;
  std::vector<std::int32_t> scratch;
  for (const RankedQuery& query : queries())
    for (const std::int32_t item : relevant(query, scratch)) {
      const auto at = static_cast<std::size_t>(item);
      ++wanted;
      if (eligible_[at] == 0) ++(interactions_.popularity()[at] > 0 ? unknown : cold);
    }
  const auto missed = [&](std::int64_t count, const char* why) {
    if (count > 0)
      sentences.push_back(
          fmt::format("{:.3g} % of the held-out items ({} of {}) are no candidates, for {}: every "
                      "list misses them, that of a baseline too",
                      100.0 * static_cast<double>(count) / static_cast<double>(wanted),
                      formatCount(count), formatCount(wanted), why));
  };
  missed(cold, "no training row has them");
  missed(unknown, "min_count or size leaves their ids out of the vocabulary");
  const data::ItemIndex& index = interactions_.index();
  if (!index.sharesRows()) return sentences;
  std::vector<std::int32_t> rows;
  for (std::int32_t item = 1; item < index.size(); ++item)
    if (eligible_[static_cast<std::size_t>(item)]) rows.push_back(index.row(item));
  std::ranges::sort(rows);
  std::int64_t alone = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    alone += (i == 0 || rows[i - 1] != rows[i]) && (i + 1 == rows.size() || rows[i + 1] != rows[i]);
  if (const std::int64_t sharing = std::ssize(rows) - alone; sharing > 0)
    sentences.push_back(fmt::format(
        "{} of the {} candidates share a row with another item: the model gives them equal scores",
        formatCount(sharing), formatCount(std::ssize(rows))));
  return sentences;
}

std::vector<std::string> CatalogueRanking::tied(const Measured& measured) const {
  constexpr double kMinShare = 0.01;
  const auto most = std::ranges::max_element(measured.tiedLists);
  if (most == measured.tiedLists.end() || measured.queries == 0) return {};
  const double share = static_cast<double>(*most) / static_cast<double>(measured.queries);
  if (share <= kMinShare) return {};
  return {fmt::format(
      "ties decide {:.3g} % of the lists of {} items: the next item has the same score as the last "
      "one, and a hash of the id tells which is listed",
      100.0 * share, protocol_.k[static_cast<std::size_t>(most - measured.tiedLists.begin())])};
}

std::int64_t CatalogueRanking::segmentOf(const std::string& segment,
                                         const RankedQuery& query) const {
  if (segment == kActivity)
    return activityClass(query.user == 0 ? 0 : interactions_.activity(query.user));
  return query.row < 0 ? query.user : dataset_.ids(segment)[static_cast<std::size_t>(query.row)];
}

std::string CatalogueRanking::segmentName(const std::string& segment, std::int64_t value) const {
  if (segment == kActivity) return activityName(value);
  return std::string(dataset_.vocabularyOf(segment).rawId(value));
}

}  // namespace parapet::retrieval
