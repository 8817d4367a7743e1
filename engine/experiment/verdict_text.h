// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/document_model.h"
#include "engine/experiment/verdict.h"

namespace parapet::experiment {

/// The kind of a baseline under the loss of a run: "constant" is a mean label, and equal scores where
/// the loss compares with negatives. Beside a `metric` of another head it is the mean of that
/// head's label. All that names a baseline to a person asks this.
constexpr BaselineKind baselineKind(std::string_view baseline, LossKind loss,
                                    std::string_view metric = "val_loss") {
  const bool isOwn = metric == "val_loss" || metric == "val_score_loss";
  return baseline == "constant" && isOwn && usesNegatives(loss) ? BaselineKind::kEqualScores
                                                                : BaselineKind::kTrained;
}

/// The key ("val_…") by which a run is judged besides the loss, among those that it measured, and that is
/// shown first wherever there is one: that of its best checkpoint (`best`) unless that is a loss, else
/// headlineKey().
std::string judgingKey(const std::vector<std::string>& measured, std::string_view best);

/// The first words of a warning that tells which baseline does not stand beside a result, and why: the
/// window says so beside the verdict.
inline constexpr std::string_view kBaselineWarning = "a baseline is left out: ";

/// The first words of a stage of progress while baselines are fitted. A run that has nothing else left to
/// do goes on without them when it is stopped.
inline constexpr std::string_view kFittingStage = "fitting ";

/// The first words of a run's warning that tells of held-out rows known from training: the results
/// of such a run are flattered, and the window says so beside them.
inline constexpr std::string_view kLeakWarning = "the split leaks: ";

struct EpochSummary;

/// The name of a baseline wherever a person reads of it: "mean label", "equal scores", "most
/// popular".
std::string baselineName(std::string_view baseline, BaselineKind kind);

/// "The model is worse than EASE; not distinguishable from item-kNN (val_recall@10 -0.0045, within 3
/// paired standard errors, 0.0081); better than equal scores, ln B (val_loss -0.1962). Differences are
/// ours minus rival." The rival that the line gives for its ✗ comes first, without numbers, then the
/// others, what the model is not better than before the rest. A verdict whose reference is not finite is
/// of a rival that was not fitted: it is named as not measured, here and in the line, and has no part in
/// the outcome. "" without verdicts.
std::string sentenceOf(std::span<const BaselineVerdict> verdicts);

/// The metric that a model is judged by, in one line, and why it is not better where it is not:
/// "val_recall@10 of epoch 30 (last validated): ours 0.2655 · most popular 0.1240 · best rival EASE
/// 0.2862 · ✗ val_recall@10 worse than EASE: ours minus rival -0.0207, beyond 3 paired standard
/// errors, 0.0090". At chance the reason is what knows nothing. Where nothing is popular, the second
/// number is that of what knows nothing. `of`: the state of the model, "epoch 30 (last validated)",
/// "step 4800 (best checkpoint)". "" without verdicts.
std::string lineOf(std::span<const BaselineVerdict> verdicts, std::string_view of);

/// The line and the sentence, a line each; "" without verdicts.
std::string verdictText(std::span<const BaselineVerdict> verdicts, std::string_view of);
/// verdictText of the last validated epoch.
std::string lastVerdictText(std::span<const EpochSummary> epochs);

/// The recipe of a run that was adopted from its checkpoint, and why it has no verdict until it is
/// resumed.
inline constexpr const char* kRecoveredRecipe = "recovered";
inline constexpr const char* kNoVerdictOfRecovered =
    "No verdict: the run was adopted from a checkpoint, which keeps no baselines. `parapet-cli "
    "evaluate` measures them";

/// Both texts, the numbers of the line, outcomeOf and `of`; null without verdicts.
nlohmann::ordered_json summaryJson(std::span<const BaselineVerdict> verdicts, std::string_view of);
nlohmann::ordered_json lastSummaryJson(std::span<const EpochSummary> epochs);

}  // namespace parapet::experiment
