// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/document.h"

namespace parapet::experiment {

/// Keys of a validation that can be watched: those that this model and its losses measure and that
/// are better the smaller or the larger they are. "val_loss" first; those of a head begin with its
/// name: "val_rating_rmse".
///
///   mse               rmse, mae
///   bce               accuracy, auc, gauc, logloss, ne
///   over lists        ndcg@k, dcg@k, map@k, precision@k, recall@k, mrr: rows of a user
///   retrieval models  recall@k, ndcg@k, hit@k, mrr: the catalogue
///   several heads     score_loss and the loss of each head
std::vector<std::string> validationKeys(const Experiment& experiment);

/// Of the keys that a run measured ("val_…") the one it is judged by besides the loss: recall@10,
/// or at the first k, of retrieval; auc, rmse or ndcg@10 of rankings. "" if there is none.
std::string headlineKey(const std::vector<std::string>& measured);

/// Errors and losses are better when small, ranking metrics when large. Any prefix, and
/// "_as_displayed" behind.
bool smallerIsBetter(std::string_view metric);

}  // namespace parapet::experiment
