// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/row_metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/random.h"
#include "engine/base/result.h"
#include "engine/retrieval/metrics.h"

namespace parapet::retrieval {
namespace {

/// Discount of the row at an index of the ranked list, from 0.
double discountOf(std::size_t index) {
  return rankDiscount(static_cast<std::int64_t>(index) + 1);
}

}  // namespace

double ListMetrics::Weights::add(double weighted, double relevance) {
  if (!(relevance > 0.0)) return 0.0;
  sum += weighted / relevance;
  ++lists;
  return weighted / relevance;
}

void ListMetrics::Weights::merge(const Weights& other) {
  sum += other.sum;
  lists += other.lists;
}

ListMetrics::ListMetrics(Options options)
    : options_(std::move(options)), sums_(options_.ks.size()), lastNdcg_(options_.ks.size()) {
  const auto& ks = options_.ks;
  if ((!ks.empty() && ks.front() < 1) ||
      std::ranges::adjacent_find(ks, std::greater_equal{}) != ks.end())
    throw InvalidArgument(fmt::format(
        "[retrieval.ListMetrics] ks must ascend from at least 1; found {}", fmt::join(ks, ", ")));
}

void ListMetrics::add(std::int64_t list, std::span<const float> scores,
                      std::span<const float> labels, std::span<const float> weights) {
  rows_.clear();
  std::ranges::fill(lastNdcg_, ListValue{});
  const Random ties(options_.tieSeed.value_or(0), RandomPurpose::kSampling,
                    static_cast<std::uint64_t>(list));
  for (std::size_t row = 0; row < scores.size(); ++row) {
    const float weight = weights.empty() ? 1.0f : weights[row];
    if (!(labels[row] >= 0.0f) || !(weight > 0.0f)) continue;
    rows_.push_back({static_cast<double>(weight), gain(static_cast<double>(labels[row])),
                     scores[row], labels[row] >= options_.relevantFrom,
                     options_.tieSeed ? ties.bits64(row) : 0});
  }
  if (rows_.empty()) return;
  ++lists_;
  rank();
  double gains = 0.0, weightedGains = 0.0, relevant = 0.0, weightedRelevant = 0.0;
  for (const Row& row : rows_) {
    gains += row.gain;
    weightedGains += row.weight * row.gain;
    relevant += row.relevant ? 1.0 : 0.0;
    weightedRelevant += row.relevant ? row.weight : 0.0;
  }
  if (const double weight = ofRelevance_.add(weightedRelevant, relevant); weight > 0.0)
    addRelevance(weight);
  // Last: it reorders the rows.
  if (const double weight = ofGains_.add(weightedGains, gains); weight > 0.0) addGains(weight);
}

void ListMetrics::rank() {
  std::ranges::stable_sort(rows_, [](const Row& a, const Row& b) {
    return a.score != b.score ? a.score > b.score : a.tie < b.tie;
  });
}

void ListMetrics::addGains(double weight) {
  const auto upToEachK = [&](const auto& take) {
    double sum = 0.0;
    std::size_t index = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      for (; index < rows_.size() && index < static_cast<std::size_t>(options_.ks[i]); ++index)
        sum += rows_[index].weight * rows_[index].gain * discountOf(index);
      take(sums_[i], i, sum);
    }
  };
  std::vector<double> found(sums_.size());
  upToEachK([&](AtK& sums, std::size_t i, double sum) {
    sums.dcg += sum;  // over the weight, times the weight
    found[i] = sum;
  });
  std::ranges::stable_sort(rows_, std::greater{},
                           [](const Row& row) { return row.weight * row.gain; });
  upToEachK([&](AtK& sums, std::size_t i, double ideal) {
    lastNdcg_[i] = {weight, ideal > 0.0 ? found[i] / ideal : 0.0};
    sums.ndcg += weight * lastNdcg_[i].value;
  });
}

void ListMetrics::addRelevance(double weight) {
  double all = 0.0, weightedAll = 0.0;
  for (const Row& row : rows_)
    if (row.relevant) {
      all += 1.0;
      weightedAll += row.weight;
    }
  double hits = 0.0, precisions = 0.0;
  std::size_t index = 0;
  const auto take = [&] {
    const Row& row = rows_[index++];
    if (!row.relevant) return;
    hits += 1.0;
    precisions += row.weight * hits / static_cast<double>(index);
    if (hits == 1.0) mrr_ += weight / static_cast<double>(index);
  };
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const std::size_t last = std::min(rows_.size(), static_cast<std::size_t>(options_.ks[i]));
    while (index < last) take();
    sums_[i].map += weight * precisions / weightedAll;
    sums_[i].precision += weight * hits / static_cast<double>(last);
    sums_[i].recall += weight * hits / all;
  }
  // The first relevant row may rank below the last k.
  while (index < rows_.size() && hits == 0.0) take();
}

void ListMetrics::merge(const ListMetrics& other) {
  if (other.options_.ks != options_.ks)
    throw InvalidArgument("[retrieval.ListMetrics] merge of different ks");
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    sums_[i].dcg += other.sums_[i].dcg;
    sums_[i].ndcg += other.sums_[i].ndcg;
    sums_[i].map += other.sums_[i].map;
    sums_[i].precision += other.sums_[i].precision;
    sums_[i].recall += other.sums_[i].recall;
  }
  mrr_ += other.mrr_;
  ofGains_.merge(other.ofGains_);
  ofRelevance_.merge(other.ofRelevance_);
  lists_ += other.lists_;
}

// Lists without weight count with the mean weight:
// Σ w·m / (Σw + (lists − n)·Σw/n) = Σ w·m / Σw · n/lists.
double ListMetrics::mean(double sum, const Weights& weights) const {
  return sum / weights.sum * static_cast<double>(weights.lists) / static_cast<double>(lists_);
}

std::vector<experiment::Metric> ListMetrics::values() const {
  std::vector<experiment::Metric> out;
  const auto add = [&](std::string key, double sum, const Weights& weights) {
    if (weights.sum > 0.0) out.emplace_back(std::move(key), mean(sum, weights));
  };
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const std::int64_t k = options_.ks[i];
    add(fmt::format("ndcg@{}", k), sums_[i].ndcg, ofGains_);
    add(fmt::format("dcg@{}", k), sums_[i].dcg, ofGains_);
    add(fmt::format("map@{}", k), sums_[i].map, ofRelevance_);
    add(fmt::format("precision@{}", k), sums_[i].precision, ofRelevance_);
    add(fmt::format("recall@{}", k), sums_[i].recall, ofRelevance_);
  }
  add("mrr", mrr_, ofRelevance_);
  return out;
}

std::vector<experiment::Metric> listMetrics(const PredictionBlock& rows,
                                            const ListMetrics::Options& options) {
  ListMetrics metrics(options);
  const std::vector<std::size_t> order = rowsByGroup(rows);
  std::vector<float> scores, labels, weights;
  for (std::size_t first = 0; first < order.size();) {
    const std::int32_t group = rows.group[order[first]];
    scores.clear();
    labels.clear();
    weights.clear();
    std::size_t at = first;
    for (; at < order.size() && rows.group[order[at]] == group; ++at) {
      scores.push_back(rows.prediction[order[at]]);
      labels.push_back(rows.label[order[at]]);
      if (!rows.weight.empty()) weights.push_back(rows.weight[order[at]]);
    }
    metrics.add(group, scores, labels, weights);
    first = at;
  }
  return metrics.values();
}

using experiment::Reduction;

RowMetrics::RowMetrics(const experiment::Loss& loss, ListMetrics::Options lists)
    : loss_(loss), lists_(std::move(lists)) {}

void RowMetrics::add(const PredictionBlock& block) {
  count_ += static_cast<std::int64_t>(block.size());
  if (traits().takesValues())
    errors_.add(block);
  else if (!experiment::usesNegatives(loss_.kind))
    rows_.add(block);
}

std::vector<experiment::Metric> RowMetrics::values() const {
  if (traits().takesValues()) return errors_.values();
  if (traits().takesLogits) return classificationMetrics(rows_.all());
  return experiment::isListwise(loss_.kind) ? listMetrics(rows_.all(), lists_)
                                            : std::vector<experiment::Metric>{};
}

std::optional<double> RowMetrics::loss() const {
  if (!experiment::isRowwise(loss_.kind) || loss_.reduction == Reduction::kSum || count_ == 0)
    return std::nullopt;
  const RowLoss sums =
      traits().takesLogits ? logLossOf(rows_.all()) : RowLoss{errors_.squared, errors_.weight};
  const double denominator =
      loss_.reduction == Reduction::kMean ? static_cast<double>(count_) : sums.weight;
  // Rows that all weigh nothing have no loss, however many they are.
  return denominator > 0.0 && sums.weight > 0.0 ? std::optional(sums.sum / denominator)
                                                : std::nullopt;
}

}  // namespace parapet::retrieval
