// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

// A table with a row for each kind of model, for documents. train::Task is what a run does for it.

namespace parapet::experiment {

enum class ModelKind {
  kRetrieval,  ///< two towers; the score of a pair compares their outputs
  kRanking,    ///< one network over all features; its last layer is the score
  kMaskedLm,   ///< an encoder of texts, which predicts masked tokens
};

struct ModelTraits {
  ModelKind kind;
  std::string_view word;  ///< in documents
  /// Why settings of lists do nothing; null: they do something.
  const char* whyWithoutLists = nullptr;
  bool hasTowers = false;   ///< of queries and candidates: lists of the catalogue are measured
  bool scoresRows = false;  ///< reads all of a row at once, and is evaluated on rows
  bool readsText = false;   ///< the tokens of lines, and is evaluated on masked ones
};

/// In the order of the enumerators.
inline constexpr std::array kModelTraits = std::to_array<ModelTraits>({
    {.kind = ModelKind::kRetrieval, .word = "retrieval", .hasTowers = true},
    {.kind = ModelKind::kRanking,
     .word = "ranking",
     .whyWithoutLists =
         "not used: a ranking model is evaluated on rows, not on lists of the catalogue",
     .scoresRows = true},
    {.kind = ModelKind::kMaskedLm,
     .word = "masked_lm",
     .whyWithoutLists =
         "not used: a masked language model is evaluated on masked tokens, not on lists",
     .readsText = true},
});

constexpr const ModelTraits& traitsOf(ModelKind kind) {
  return kModelTraits[static_cast<std::size_t>(kind)];
}

static_assert([] {
  for (std::size_t row = 0; row < kModelTraits.size(); ++row)
    if (kModelTraits[row].kind != static_cast<ModelKind>(row)) return false;
  return true;
}());

constexpr bool hasTowers(ModelKind kind) {
  return traitsOf(kind).hasTowers;
}
constexpr bool scoresRows(ModelKind kind) {
  return traitsOf(kind).scoresRows;
}
constexpr bool readsText(ModelKind kind) {
  return traitsOf(kind).readsText;
}
/// For the message of a loss that compares labels, and there are none.
constexpr const char* acceptedWithoutLabels(ModelKind kind) {
  return hasTowers(kind)
             ? "a column of labels, or the loss \"in_batch_softmax\""
             : "a column of labels, or model kind \"retrieval\" with the loss \"sampled_softmax\"";
}

}  // namespace parapet::experiment
