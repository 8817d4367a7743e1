// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "engine/experiment/verdict.h"

namespace parapet::experiment {

/// "The model is worse than EASE (val_recall@10 0.2655 against 0.2862); not distinguishable from
/// item-kNN (val_recall@10 0.2655 against 0.2700: the difference, 0.0045, is less than 3 standard
/// errors, 0.0081); better than equal scores, ln B (val_loss 4.5627 against 4.7589)." What the model
/// is not better than comes first. "" without verdicts.
std::string sentenceOf(std::span<const BaselineVerdict> verdicts);

/// The metric that a model is judged by, in one line, and why it is not better where it is not:
/// "val_recall@10: ours 0.2655 · most popular 0.1240 · best rival EASE 0.2862 · ✗ 0.0207 worse than
/// EASE, more than 3 standard errors (0.0090)". Where nothing is popular, the second number is that of
/// what knows nothing: a constant, equal scores, a random order. "" without verdicts.
std::string lineOf(std::span<const BaselineVerdict> verdicts);

/// The line and the sentence, a line each; "" without verdicts.
std::string verdictText(std::span<const BaselineVerdict> verdicts);

/// Both texts, the numbers of the line and outcomeOf; null without verdicts.
nlohmann::ordered_json summaryJson(std::span<const BaselineVerdict> verdicts);

}  // namespace parapet::experiment
