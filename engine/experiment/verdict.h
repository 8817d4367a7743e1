// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace parapet::experiment {

/// Whether a model is better than a baseline, beyond noise.
enum class Verdict {
  kBetter,
  kWorse,
  kNoDifference,  ///< the difference is within the tolerance
  kUndecided,     ///< too few held-out pairs to know the noise
};
/// "better", "worse", "no difference", "undecided": as JSON has it.
const char* verdictName(Verdict verdict);

/// A verdict in the words that a person reads.
enum class Outcome {
  kBetter,
  kNotDistinguishable,  ///< kNoDifference or kUndecided
  kWorse,
  kNothingLearned,  ///< no gain at all over what needs no model
};
/// "better", "not distinguishable", "worse", "nothing learned": as JSON has it.
const char* outcomeName(Outcome outcome);

/// The mean difference model − baseline over the same held-out examples, queries or batches.
struct PairedDifference {
  double mean = 0.0;
  double standardError = std::numeric_limits<double>::quiet_NaN();  ///< of the mean
  std::int64_t pairs = 0;
};

/// The kind of a baseline, which decides its name and how small a gain over it counts.
enum class BaselineKind {
  kTrained,  ///< of training data alone: a mean label, popularity
  /// The loss with negatives if every candidate has the same score. Of n candidates ln n, so ln B of
  /// a softmax over a batch and ln 2 of a pair, unless a correction or a mask changes it.
  kEqualScores,
};

/// A metric of a model beside that of a baseline, and what follows from the two. Everything that
/// says "better than …" says it from this: terminal, store and window.
///
///   tolerance   3 standard errors of the paired difference; of a softmax loss at least 10⁻³ of
///               that of equal scores
///   verdict     kBetter or kWorse if the difference exceeds the tolerance; kUndecided with fewer
///               than kMinPairs pairs, unless 10⁻³ of that decides it
struct BaselineVerdict {
  std::string baseline;  ///< "constant", "item_mean", "user_mean", "random", "most_popular", "ease"
  BaselineKind kind = BaselineKind::kTrained;
  std::string metric;  ///< "val_loss"; the direction follows from the key
  double model = 0.0, reference = 0.0;
  double difference = 0.0;  ///< model − reference
  double standardError = std::numeric_limits<double>::quiet_NaN();
  double tolerance = std::numeric_limits<double>::quiet_NaN();
  Verdict verdict = Verdict::kUndecided;
  /// kEqualScores: the n whose ln n `reference` is; 0 if it is none.
  std::int64_t candidates = 0;
  std::string head{};  ///< of a model with several; "" of the score
};

/// A gain over equal scores, or over another model that knows nothing, is none if it is smaller than
/// this share of their value.
inline constexpr double kEqualScoresShare = 1e-3;
/// Fewer pairs say too little about the noise of their mean.
inline constexpr std::int64_t kMinPairs = 5;

/// The one place that decides.
BaselineVerdict judge(std::string baseline, BaselineKind kind, std::string metric, double model,
                      double reference, const PairedDifference& paired);

/// The difference from the baseline in the direction in which the metric gets better.
double gainOf(const BaselineVerdict& verdict);

/// The outcome of one verdict. kNothingLearned: the rival knows nothing, and within the noise the
/// model's value is no better. A better value within the noise is
/// kNotDistinguishable: the held-out rows are too few to tell.
Outcome outcomeOf(const BaselineVerdict& verdict);

/// Whether the rival is a mean label, equal scores or a random order: what a model that has learned
/// something is better than.
bool knowsNothing(const BaselineVerdict& of);
/// Whether the model is better than no rival, and not worse than some that know nothing: whether it
/// is worse than another rival then says nothing.
bool isAtChance(std::span<const BaselineVerdict> verdicts);

/// The outcome of all verdicts. At chance: kNotDistinguishable if a gain over what knows nothing
/// exceeds one standard error, else kNothingLearned. Otherwise the worst of them;
/// kNotDistinguishable without any.
Outcome outcomeOf(std::span<const BaselineVerdict> verdicts);

/// Not known: null.
nlohmann::ordered_json toJson(const BaselineVerdict& verdict);
nlohmann::ordered_json toJson(std::span<const BaselineVerdict> verdicts);
/// Empty where `value` is not what toJson writes: older runs have none.
std::vector<BaselineVerdict> verdictsFromJson(const nlohmann::ordered_json& value);

}  // namespace parapet::experiment
