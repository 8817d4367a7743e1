// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/document.h"

namespace parapet::experiment {

/// Number of the rules by which metrics are measured. Values of different rules are not ranked against
/// each other; a run and each of its epochs keep the number that its metrics were measured by.
///
///   1   ties by the row of the vocabulary, whose order is that of counts over all rows, held-out ones
///       included; a hashed row counts as one item; candidates are all rows of the catalogue
///   2   ties by a hash of the raw id; a hashed row counts as the items that share it; candidates of
///       models that know items by id alone, and of baselines, are the items with a training row
inline constexpr int kMetricRules = 2;

/// Keys of a validation that can be watched: those that this model and its losses measure and that
/// are better the smaller or the larger they are. "val_loss" first; those of a head begin with its
/// name: "val_rating_rmse".
///
///   mse               rmse, mae
///   bce               accuracy, auc, gauc, logloss, ne
///   listwise losses   ndcg@k, dcg@k, map@k, precision@k, recall@k, mrr: groups of a user's rows
///   retrieval models  those of evaluation.metrics, unless training never measures the catalogue
///   several heads     score_loss and the loss of each head
std::vector<std::string> validationKeys(const Experiment& experiment);

/// The key ("val_…") by which a run is judged besides the loss, among those that it measured:
/// recall@10, or at the first k, for retrieval; auc, rmse or ndcg@10 for ranking. "" if none.
std::string headlineKey(const std::vector<std::string>& measured);

/// Whether a key is that of a loss, or of what grows with it: "val_loss", "rating_loss",
/// "val_perplexity". Losses of two models compare only where lossScale() is the same.
bool isLossKey(std::string_view metric);

/// Whether a metric is a count, which is shown as a whole number: "masked_hits".
bool isCountKey(std::string_view metric);

/// Errors and losses are better when small, and so are the popularity and the inequality (Gini) of
/// what is listed; other ranking metrics when large. Any prefix and the
/// suffix "_as_displayed" are accepted.
bool smallerIsBetter(std::string_view metric);

/// The settings that decide the scale of a loss, as a text: the losses of two documents can be compared
/// if their texts are equal.
///
///   always            the losses of all heads, labels, weights of examples; of texts what is masked
///   with negatives    also the batch, whose candidates they are: equal scores lose ln B
///   listwise          also the length of a group
///   reduction "sum"   also the batch
std::string lossScale(const Experiment& experiment);

/// The settings that decide which rows a metric is measured on, and how, as a text: without seeds,
/// which repeat a measurement. Values of two documents can be compared if their texts are equal.
std::string measuredRows(const Experiment& experiment, std::string_view metric);

/// Says that the errors of predicted labels are those of scaled labels, and by what they differ from those
/// in units of the label column; "" where labels are not scaled, or none is predicted.
std::string scaledErrorsNote(const Experiment& experiment);

/// The settings (JSON pointers) among these that change lossScale(); all of them if none is known to.
std::vector<std::string> scalingSettings(const std::vector<std::string>& pointers);

}  // namespace parapet::experiment
