// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/base/json_number.h"
#include "engine/base/text.h"
#include "engine/experiment/metric_key.h"

namespace parapet::experiment {
namespace {

constexpr double kStandardErrors = 3.0;

constexpr std::array kVerdicts{Verdict::kBetter, Verdict::kWorse, Verdict::kNoDifference,
                               Verdict::kUndecided};

std::string phraseOf(const BaselineVerdict& of) {
  if (of.kind == BaselineKind::kEqualScores)
    return of.candidates == 0   ? "equal scores"
           : of.candidates == 2 ? "equal scores, ln 2"
                                : "equal scores, ln B";
  if (of.baseline == "constant") return "always predicting the mean";
  if (of.baseline == "item_mean") return "predicting the mean of the item";
  if (of.baseline == "user_mean") return "predicting the mean of the user";
  if (of.baseline == "most_frequent") return "always predicting the most frequent piece";
  if (of.baseline == "left_neighbour") return "predicting a piece by its left neighbour";
  if (of.baseline == "most_popular") return "recommending the most popular items";
  if (of.baseline == "most_popular_in_context")
    return "recommending what is popular in the context";
  if (of.baseline == "random") return "a random order";
  return of.baseline;
}

/// What a model that has learned something is better than.
bool isUntrained(const BaselineVerdict& of) {
  return of.baseline == "constant" || of.baseline == "random";
}

const char* relationOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kBetter:
      return "better than";
    case Verdict::kWorse:
      return "worse than";
    case Verdict::kNoDifference:
      return "no better than";
    case Verdict::kUndecided:
      return "not proven to differ from";
  }
  return "";
}

std::string clauseOf(const BaselineVerdict& of) {
  return fmt::format("{} {} ({} {:.4f} against {:.4f})", relationOf(of.verdict), phraseOf(of),
                     of.metric, of.model, of.reference);
}

double figureAt(const nlohmann::ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return numberOrNan(found == object.end() ? nlohmann::ordered_json() : *found);
}

std::string textAt(const nlohmann::ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<Verdict> verdictFromName(std::string_view name) {
  for (const Verdict verdict : kVerdicts)
    if (name == verdictName(verdict)) return verdict;
  return std::nullopt;
}

}  // namespace

const char* verdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kBetter:
      return "better";
    case Verdict::kWorse:
      return "worse";
    case Verdict::kNoDifference:
      return "no difference";
    case Verdict::kUndecided:
      return "undecided";
  }
  return "";
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
  const double gain = smallerIsBetter(of.metric) ? -of.difference : of.difference;
  of.verdict = gain > of.tolerance    ? Verdict::kBetter
               : gain < -of.tolerance ? Verdict::kWorse
                                      : Verdict::kNoDifference;
  return of;
}

std::string sentenceOf(std::span<const BaselineVerdict> verdicts) {
  if (verdicts.empty()) return {};
  const auto any = [&](const auto& holds) { return std::ranges::any_of(verdicts, holds); };
  const bool nothing =
      any([](const BaselineVerdict& of) {
        return isUntrained(of) && of.verdict == Verdict::kNoDifference;
      }) &&
      !any([](const BaselineVerdict& of) { return of.verdict == Verdict::kBetter; });
  std::vector<std::string> clauses;
  for (const BaselineVerdict& of : verdicts) clauses.push_back(clauseOf(of));
  return (nothing ? "The model has learned nothing: it is " : "The model is ") +
         join(clauses, " and ") + ".";
}

Verdict overall(std::span<const BaselineVerdict> verdicts) {
  const auto has = [&](Verdict verdict) {
    return std::ranges::find(verdicts, verdict, &BaselineVerdict::verdict) != verdicts.end();
  };
  for (const Verdict verdict : {Verdict::kWorse, Verdict::kNoDifference, Verdict::kUndecided})
    if (has(verdict)) return verdict;
  return verdicts.empty() ? Verdict::kUndecided : Verdict::kBetter;
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
          {"verdict", verdictName(of.verdict)}};
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
                        candidates >= 2.0 && candidates < 1e15 ? std::llround(candidates) : 0});
  }
  return verdicts;
}

}  // namespace parapet::experiment
