// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/experiment/run_event.h"
#include "engine/retrieval/prediction_metrics.h"

namespace parapet::retrieval {

/// Metrics of lists whose rows are ranked by their scores, as sums and counts, so that parts merge
/// exactly. Rows with a label below 0 or a weight that is not above 0 are ignored; a list without
/// other rows does not count. Of a list with the labels y_r and weights w_r at rank r, from 1:
///
///   dcg@k        Σ_{r ≤ k} w_r·g_r / log2(r + 1) over the weight of the list, g = 2^y − 1
///   ndcg@k       the same sum over that of the rows ordered by w·g; 0 if that is 0 (see
///                rankDiscount())
///   map@k        Σ_{r ≤ k} w_r·rel_r·(relevant among the first r)/r over Σ w·rel of the list
///   precision@k  relevant rows among the first k over min(k, rows of the list)
///   recall@k     relevant rows among the first k over all relevant rows
///   mrr          1 over the rank of the first relevant row; 0 if there is none
///
/// A row is relevant, rel = 1, from a label of `relevantFrom` on. Over the lists they are means
/// weighted by Σ w·rel / Σ rel (dcg, ndcg: g instead of rel); a list where Σ rel is 0 counts
/// with the mean weight of the others, and its values are 0. Where it is 0 in every list, nothing
/// could be found, and there is no such metric.
///
/// Source   keras-rs, keras_rs.metrics, which takes that mean over a batch and relevantFrom = 1.
/// Thread   not shared; merge() afterwards.
class ListMetrics {
 public:
  struct Options {
    std::vector<std::int64_t> ks;  ///< ascending, each ≥ 1
    float relevantFrom = 1.0f;
    /// Ties are in the order of the rows, or with a seed in a random order by list and row.
    std::optional<std::uint64_t> tieSeed{};
  };
  /// InvalidArgument unless the ks ascend from at least 1.
  explicit ListMetrics(Options options);
  /// The rows of one list. `weights` empty: all 1. `list` identifies it in the random order of
  /// ties.
  void add(std::int64_t list, std::span<const float> scores, std::span<const float> labels,
           std::span<const float> weights);
  /// InvalidArgument if the other has other ks.
  void merge(const ListMetrics& other);
  [[nodiscard]] std::int64_t lists() const { return lists_; }
  /// Result of one list: its weight in the means, 0 without a relevant row, and a metric.
  struct ListValue {
    double weight = 0.0, value = 0.0;
  };
  /// ndcg@k of the list that was added last, by k.
  [[nodiscard]] std::span<const ListValue> lastNdcg() const { return lastNdcg_; }
  /// "ndcg@10", …, "mrr"; without those for which no list has a relevant row.
  [[nodiscard]] std::vector<experiment::Metric> values() const;

 private:
  struct Row {
    double weight, gain;
    float score;
    bool relevant;
    std::uint64_t tie;
  };
  /// Weights of the lists with a relevant row.
  struct Weights {
    double sum = 0.0;
    std::int64_t lists = 0;
    /// The weight of the list, or 0.
    double add(double weighted, double relevance);
    void merge(const Weights& other);
  };
  struct AtK {
    double dcg = 0.0, ndcg = 0.0, map = 0.0, precision = 0.0, recall = 0.0;
  };
  void rank();
  void addGains(double weight);
  void addRelevance(double weight);
  [[nodiscard]] double mean(double sum, const Weights& weights) const;

  Options options_;
  std::vector<AtK> sums_;  ///< by k; each list's values times its weight
  double mrr_ = 0.0;
  Weights ofGains_, ofRelevance_;
  std::int64_t lists_ = 0;
  std::vector<Row> rows_;  ///< of the list that is being added, ranked
  std::vector<ListValue> lastNdcg_;
};

/// The metrics of rows that form a list per group.
std::vector<experiment::Metric> listMetrics(const PredictionBlock& rows,
                                            const ListMetrics::Options& options);

/// The metrics that go with a loss, from rows that come in blocks:
///
///   mse                rmse, mae: sums, no row is kept
///   bce                those of classificationMetrics
///   listwise losses    those of ListMetrics, a list per group
///   in-batch softmax   none: it has no labels
///
/// Thread   not shared.
class RowMetrics {
 public:
  RowMetrics(const experiment::Loss& loss, ListMetrics::Options lists);
  void add(const PredictionBlock& block);
  /// Unprefixed keys; a metric without a value is omitted.
  [[nodiscard]] std::vector<experiment::Metric> values() const;
  /// The loss of all rows, before its weight; nullopt unless it is a mean over rows.
  [[nodiscard]] std::optional<double> loss() const;

 private:
  [[nodiscard]] const experiment::LossTraits& traits() const {
    return experiment::traitsOf(loss_.kind);
  }

  experiment::Loss loss_;
  ListMetrics::Options lists_;
  PredictionErrors errors_;  ///< values
  Predictions rows_;         ///< logits and listwise losses
  std::int64_t count_ = 0;
};

}  // namespace parapet::retrieval
