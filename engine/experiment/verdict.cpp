// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/base/json_number.h"
#include "engine/experiment/metric_key.h"

namespace parapet::experiment {
namespace {

constexpr double kStandardErrors = 3.0;

constexpr std::array kVerdicts{Verdict::kBetter, Verdict::kWorse, Verdict::kNoDifference,
                               Verdict::kUndecided};

double figureAt(const nlohmann::ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return numberOrNan(found == object.end() ? nlohmann::ordered_json() : *found);
}

std::string textAt(const nlohmann::ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A rival that was not fitted has no value.
bool isMeasured(const BaselineVerdict& of) {
  return std::isfinite(of.reference);
}

std::optional<Verdict> verdictFromName(std::string_view name) {
  for (const Verdict verdict : kVerdicts)
    if (name == verdictName(verdict)) return verdict;
  return std::nullopt;
}

}  // namespace

const char* verdictName(Verdict verdict) {
  constexpr std::array kNames{"better", "worse", "no difference", "undecided"};
  return kNames[static_cast<std::size_t>(verdict)];
}

const char* outcomeName(Outcome outcome) {
  constexpr std::array kNames{"better", "not distinguishable", "worse", "nothing learned"};
  return kNames[static_cast<std::size_t>(outcome)];
}

BaselineVerdict judge(std::string baseline, BaselineKind kind, std::string metric, double model,
                      double reference, const PairedDifference& paired) {
  BaselineVerdict of{std::move(baseline), kind, std::move(metric), model, reference,
                     model - reference};
  if (!std::isfinite(of.difference)) return of;
  const double least =
      kind == BaselineKind::kEqualScores ? kEqualScoresShare * std::abs(reference) : 0.0;
  if (paired.pairs >= kMinPairs && std::isfinite(paired.standardError)) {
    of.standardError = paired.standardError;
    of.tolerance = std::max(least, kStandardErrors * paired.standardError);
  } else if (kind == BaselineKind::kEqualScores && std::abs(of.difference) <= least) {
    of.tolerance = least;  // whatever the noise is
  } else {
    return of;
  }
  const double gain = gainOf(of);
  of.verdict = gain > of.tolerance    ? Verdict::kBetter
               : gain < -of.tolerance ? Verdict::kWorse
                                      : Verdict::kNoDifference;
  return of;
}

double gainOf(const BaselineVerdict& of) {
  return smallerIsBetter(of.metric) ? -of.difference : of.difference;
}

Outcome outcomeOf(const BaselineVerdict& of) {
  if (of.verdict == Verdict::kBetter) return Outcome::kBetter;
  if (of.verdict == Verdict::kWorse) return Outcome::kWorse;
  return knowsNothing(of) && gainOf(of) <= kEqualScoresShare * std::abs(of.reference)
             ? Outcome::kNothingLearned
             : Outcome::kNotDistinguishable;
}

bool knowsNothing(const BaselineVerdict& of) {
  return of.baseline == "constant" || of.baseline == "random";
}

bool isAtChance(std::span<const BaselineVerdict> verdicts) {
  return std::ranges::none_of(verdicts,
                              [](const auto& of) { return of.verdict == Verdict::kBetter; }) &&
         std::ranges::any_of(verdicts, [](const auto& of) {
           return knowsNothing(of) && of.verdict != Verdict::kWorse;
         });
}

Outcome outcomeOf(std::span<const BaselineVerdict> verdicts) {
  const auto speaksForIt = [](const BaselineVerdict& of) {
    return knowsNothing(of) && outcomeOf(of) == Outcome::kNotDistinguishable &&
           !(gainOf(of) <= of.standardError);
  };
  if (isAtChance(verdicts))
    return std::ranges::any_of(verdicts, speaksForIt) ? Outcome::kNotDistinguishable
                                                      : Outcome::kNothingLearned;
  const auto isOf = [](Verdict verdict) {
    return [verdict](const BaselineVerdict& of) { return of.verdict == verdict; };
  };
  if (std::ranges::any_of(verdicts, isOf(Verdict::kWorse))) return Outcome::kWorse;
  const bool anyBetter = std::ranges::any_of(verdicts, isOf(Verdict::kBetter));
  return anyBetter && std::ranges::all_of(verdicts,
                                          [](const auto& of) {
                                            return of.verdict == Verdict::kBetter ||
                                                   !isMeasured(of);
                                          })
             ? Outcome::kBetter
             : Outcome::kNotDistinguishable;
}

nlohmann::ordered_json toJson(const BaselineVerdict& of) {
  return {{"baseline", of.baseline},
          {"equal_scores", of.kind == BaselineKind::kEqualScores},
          {"candidates",
           of.candidates > 0 ? nlohmann::ordered_json(of.candidates) : nlohmann::ordered_json()},
          {"metric", of.metric},
          {"model", numberOrNull<nlohmann::ordered_json>(of.model)},
          {"reference", numberOrNull<nlohmann::ordered_json>(of.reference)},
          {"difference", numberOrNull<nlohmann::ordered_json>(of.difference)},
          {"standard_error", numberOrNull<nlohmann::ordered_json>(of.standardError)},
          {"tolerance", numberOrNull<nlohmann::ordered_json>(of.tolerance)},
          {"verdict", verdictName(of.verdict)},
          {"outcome", isMeasured(of) ? outcomeName(outcomeOf(of)) : "not measured"},
          {"head", of.head.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(of.head)}};
}

nlohmann::ordered_json toJson(std::span<const BaselineVerdict> verdicts) {
  auto all = nlohmann::ordered_json::array();
  for (const BaselineVerdict& of : verdicts) all.push_back(toJson(of));
  return all;
}

std::vector<BaselineVerdict> verdictsFromJson(const nlohmann::ordered_json& value) {
  std::vector<BaselineVerdict> verdicts;
  if (!value.is_array()) return verdicts;
  for (const auto& entry : value) {
    if (!entry.is_object()) continue;
    const auto verdict = verdictFromName(textAt(entry, "verdict"));
    if (!verdict) continue;
    const auto equalScores = entry.find("equal_scores");
    const bool hasNegatives = equalScores != entry.end() && *equalScores == true;
    const double candidates = figureAt(entry, "candidates");
    verdicts.push_back({textAt(entry, "baseline"),
                        hasNegatives ? BaselineKind::kEqualScores : BaselineKind::kTrained,
                        textAt(entry, "metric"), figureAt(entry, "model"),
                        figureAt(entry, "reference"), figureAt(entry, "difference"),
                        figureAt(entry, "standard_error"), figureAt(entry, "tolerance"), *verdict,
                        candidates >= 2.0 && candidates < 1e15 ? std::llround(candidates) : 0,
                        textAt(entry, "head")});
  }
  return verdicts;
}

}  // namespace parapet::experiment
