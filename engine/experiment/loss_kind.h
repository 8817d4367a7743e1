// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

// A table with a row for each kind of loss. Code that depends on a property of a loss asks it.
// To add a loss: an enumerator, its row, and its node in engine/nn/nodes.

namespace parapet::experiment {

enum class LossKind {
  kMse,                  ///< (s − y)²
  kBce,                  ///< of σ(s) and y in [0, 1]
  kPairwiseHinge,        ///< Σ over pairs of a group with y_i > y_j of max(0, 1 − (s_i − s_j))
  kPairwiseLogistic,     ///< log(1 + exp(−(s_i − s_j)))
  kPairwiseSoftZeroOne,  ///< 1 − σ(s_i − s_j)
  kPairwiseMse,          ///< ((y_i − y_j) − (s_i − s_j))², over all pairs
  kListMle,              ///< −log of the probability of the order by label; one value per group
  kInBatchSoftmax,       ///< cross entropy of each query's candidate among those of the batch
  kSampledSoftmax,       ///< the same among the extra negatives alone
  kBpr,                  ///< −log σ(s_own − s_j), the mean over the negatives j of the query
  kSampledBce,  ///< cross entropy of σ(own score) and 1, and of σ(s_j) and 0, extra negatives alone
  kCcl,         ///< cosine contrastive: 1 − s_own, and the mean of max(0, s_j − margin)
  kVocabularySoftmax,  ///< cross entropy of a masked token among all tokens of the vocabulary
};

/// The things that a loss compares.
enum class LossFamily {
  kRows,   ///< the score of an example with its label
  kLists,  ///< the examples of a group (batch.group_size) by their labels
  /// Each query's own candidate with negatives: other candidates that are taken for wrong ones. No
  /// label is read.
  kNegatives,
  kTokens,  ///< a masked token with all tokens of the vocabulary
};

struct LossTraits {
  LossKind kind;
  std::string_view word;  ///< in documents
  LossFamily family;
  /// Metrics of held-out rows; those of ranked lists end in "@" and have a key for every k.
  std::span<const std::string_view> metrics{};
  /// Metrics that order runs as the mean over rows of their loss does, and as that of their other
  /// error does; "": none.
  std::array<std::string_view, 2> rowErrors{};
  bool takesLogits = false;   ///< kRows: the score is the logit of a label in [0, 1], else a label
  bool countsLists = false;   ///< kLists: one value per group, else one per example
  bool meetsBatch = false;    ///< kNegatives: candidates of the batch are among them
  bool isSoftmax = false;     ///< kNegatives: over all candidates of a query, else one by one
  bool isCalibrated = false;  ///< kNegatives: the own candidate counts less, as drawing adds bias
  bool ofCosines = false;     ///< kNegatives: scores are cosines, with a margin, not a temperature

  [[nodiscard]] constexpr bool takesValues() const {
    return family == LossFamily::kRows && !takesLogits;
  }
};

inline constexpr std::array<std::string_view, 2> kValueMetrics{"rmse", "mae"};
inline constexpr std::array<std::string_view, 5> kLogitMetrics{"accuracy", "auc", "gauc", "logloss",
                                                               "ne"};
inline constexpr std::array<std::string_view, 6> kListMetrics{"ndcg@",      "dcg@",    "map@",
                                                              "precision@", "recall@", "mrr"};
inline constexpr std::array<std::string_view, 2> kTokenMetrics{"accuracy", "perplexity"};

/// In the order of the enumerators.
inline constexpr std::array kLossTraits = [] {
  using enum LossKind;
  using enum LossFamily;
  return std::to_array<LossTraits>({
      {kMse, "mse", kRows, kValueMetrics, {"rmse", "mae"}},
      {.kind = kBce,
       .word = "bce",
       .family = kRows,
       .metrics = kLogitMetrics,
       .rowErrors = {"logloss", "accuracy"},
       .takesLogits = true},
      {kPairwiseHinge, "pairwise_hinge", kLists, kListMetrics},
      {kPairwiseLogistic, "pairwise_logistic", kLists, kListMetrics},
      {kPairwiseSoftZeroOne, "pairwise_soft_zero_one", kLists, kListMetrics},
      {kPairwiseMse, "pairwise_mse", kLists, kListMetrics},
      {.kind = kListMle,
       .word = "list_mle",
       .family = kLists,
       .metrics = kListMetrics,
       .countsLists = true},
      {.kind = kInBatchSoftmax,
       .word = "in_batch_softmax",
       .family = kNegatives,
       .meetsBatch = true,
       .isSoftmax = true},
      {.kind = kSampledSoftmax, .word = "sampled_softmax", .family = kNegatives, .isSoftmax = true},
      {.kind = kBpr, .word = "bpr", .family = kNegatives, .meetsBatch = true},
      {.kind = kSampledBce, .word = "sampled_bce", .family = kNegatives, .isCalibrated = true},
      {.kind = kCcl, .word = "ccl", .family = kNegatives, .meetsBatch = true, .ofCosines = true},
      {kVocabularySoftmax,
       "vocabulary_softmax",
       kTokens,
       kTokenMetrics,
       {"token_loss", "accuracy"}},
  });
}();

constexpr const LossTraits& traitsOf(LossKind kind) {
  return kLossTraits[static_cast<std::size_t>(kind)];
}

static_assert([] {
  for (std::size_t row = 0; row < kLossTraits.size(); ++row)
    if (kLossTraits[row].kind != static_cast<LossKind>(row)) return false;
  return true;
}());

constexpr bool isRowwise(LossKind kind) {
  return traitsOf(kind).family == LossFamily::kRows;
}
constexpr bool isOfTokens(LossKind kind) {
  return traitsOf(kind).family == LossFamily::kTokens;
}
constexpr bool isListwise(LossKind kind) {
  return traitsOf(kind).family == LossFamily::kLists;
}
constexpr bool usesNegatives(LossKind kind) {
  return traitsOf(kind).family == LossFamily::kNegatives;
}

}  // namespace parapet::experiment
