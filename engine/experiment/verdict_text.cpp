// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/verdict_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "engine/base/json_number.h"
#include "engine/base/text.h"
#include "engine/experiment/metric_key.h"
#include "engine/experiment/run_event.h"

namespace parapet::experiment {
namespace {

struct BaselineNames {
  const char* baseline;
  const char* name;    ///< in a line
  const char* phrase;  ///< in a sentence
};

constexpr const char* kEqualScores = "equal scores";
constexpr std::array kBaselineNames{
    BaselineNames{"constant", "mean label", "always predicting the mean label"},
    BaselineNames{"item_mean", "mean of the item", "predicting the mean of the item"},
    BaselineNames{"user_mean", "mean of the user", "predicting the mean of the user"},
    BaselineNames{"biases", "biases", "predicting by the biases of the user and the item"},
    BaselineNames{"most_frequent", "most frequent token",
                  "always predicting the most frequent token"},
    BaselineNames{"left_neighbour", "left neighbour", "predicting a token by its left neighbour"},
    BaselineNames{"most_popular", "most popular", "recommending the most popular items"},
    BaselineNames{"most_popular_in_context", "popular in the context",
                  "recommending what is popular in the context"},
    BaselineNames{"own_items", "own items", "repeating the most frequent items of the user"},
    BaselineNames{"markov", "Markov chain", "a Markov chain of the last item"},
    BaselineNames{"item_knn", "item-kNN", "item-kNN"},
    BaselineNames{"ease", "EASE", "EASE"},
    BaselineNames{"svd", "truncated SVD", "a truncated SVD"},
    BaselineNames{"random", "random order", "a random order"},
};

std::string named(std::string_view baseline, const char* BaselineNames::*as) {
  const auto found = std::ranges::find(kBaselineNames, baseline, &BaselineNames::baseline);
  return std::string(found == kBaselineNames.end() ? baseline : (*found).*as);
}

std::string withHead(const BaselineVerdict& of, std::string name) {
  return of.head.empty() ? name : fmt::format("{} of {}", name, of.head);
}

std::string phraseOf(const BaselineVerdict& of) {
  if (of.kind == BaselineKind::kEqualScores)
    return of.candidates == 0   ? "equal scores"
           : of.candidates == 2 ? "equal scores, ln 2"
                                : "equal scores, ln B";
  return withHead(of, named(of.baseline, &BaselineNames::phrase));
}

std::string nameOf(const BaselineVerdict& of) {
  return of.kind == BaselineKind::kEqualScores ? kEqualScores
                                               : withHead(of, baselineName(of.baseline, of.kind));
}

/// Four digits behind the point; large numbers have four in all.
std::string shown(double value) {
  return std::abs(value) < 1e6 ? fmt::format("{:.4f}", value) : fmt::format("{:.4g}", value);
}
std::string shownDifference(double value) {
  return (value < 0.0 ? "" : "+") + shown(value);
}

/// The noise that a difference is within or beyond.
std::string noiseOf(const BaselineVerdict& of, Outcome said) {
  const bool within = said != Outcome::kWorse;
  if (!std::isfinite(of.tolerance)) return ", and too few held-out pairs to know the noise";
  if (within && !(of.tolerance <= 3.0 * of.standardError))
    return ", less than a thousandth of the rival's";
  return fmt::format(", {} 3 paired standard errors, {}", within ? "within" : "beyond",
                     shown(3.0 * of.standardError));
}

std::string clauseOf(const BaselineVerdict& of, Outcome said) {
  return fmt::format("{} ({} {}{})", phraseOf(of), of.metric, shownDifference(of.difference),
                     said == Outcome::kNotDistinguishable ? noiseOf(of, said) : std::string());
}

/// The outcome of a verdict within the sentence: only all verdicts together say "nothing learned".
Outcome saidOf(const BaselineVerdict& of, Outcome all) {
  const Outcome outcome = outcomeOf(of);
  return outcome == Outcome::kNothingLearned && all != outcome ? Outcome::kNotDistinguishable
                                                               : outcome;
}

const char* relationOf(Outcome outcome) {
  constexpr std::array kNames{"better than", "not distinguishable from", "worse than",
                              "no better than"};
  return kNames[static_cast<std::size_t>(outcome)];
}

/// The verdicts of the metric by which the model is judged, in one line.
struct Headline {
  std::string metric;
  double model = 0.0;
  const BaselineVerdict* first = nullptr;     ///< popular, or what knows nothing
  const BaselineVerdict* best = nullptr;      ///< of all rivals
  const BaselineVerdict* blocking = nullptr;  ///< the worst of all verdicts; null if each is better
};

/// The worst verdict, and among equally bad ones that of the better rival. Where nothing is better,
/// what knows nothing comes first.
const BaselineVerdict* blockingOf(std::span<const BaselineVerdict> verdicts, Outcome all,
                                  const std::string& metric) {
  const BaselineVerdict* found = nullptr;
  const bool anyBetter =
      std::ranges::any_of(verdicts, [](const auto& of) { return of.verdict == Verdict::kBetter; });
  const auto rank = [&](const BaselineVerdict& of) {
    const Outcome said = saidOf(of, all);
    return std::array{!anyBetter && knowsNothing(of), said == all, said == Outcome::kWorse,
                      of.metric == metric};
  };
  for (const BaselineVerdict& of : verdicts) {
    if (of.verdict == Verdict::kBetter) continue;
    if (!found || rank(of) > rank(*found) ||
        (rank(of) == rank(*found) && of.metric == found->metric && gainOf(of) < gainOf(*found)))
      found = &of;
  }
  return found;
}

Headline headlineOf(std::span<const BaselineVerdict> verdicts) {
  const auto popular =
      std::ranges::find(verdicts, std::string_view("most_popular"), &BaselineVerdict::baseline);
  const BaselineVerdict& first = popular == verdicts.end() ? verdicts.front() : *popular;
  Headline line{first.metric, first.model, &first, &first, nullptr};
  for (const BaselineVerdict& of : verdicts)
    if (of.metric == line.metric && gainOf(of) < gainOf(*line.best)) line.best = &of;
  line.blocking = blockingOf(verdicts, outcomeOf(verdicts), line.metric);
  return line;
}

/// Verdicts on the rivals that were measured, and on those that were not.
struct Parted {
  std::vector<BaselineVerdict> measured{}, missing{};
  [[nodiscard]] std::string missingNames() const {
    std::vector<std::string> names;
    for (const BaselineVerdict& of : missing) names.push_back(nameOf(of));
    return join(names);
  }
};

Parted parted(std::span<const BaselineVerdict> verdicts) {
  Parted found;
  for (const BaselineVerdict& of : verdicts)
    (std::isfinite(of.reference) ? found.measured : found.missing).push_back(of);
  return found;
}

std::string reasonOf(const Headline& line, Outcome all, bool allMeasured) {
  if (!line.blocking)
    return fmt::format("✓ better than each{} by more than 3 paired standard errors",
                       allMeasured ? "" : " that was measured");
  const BaselineVerdict& of = *line.blocking;
  const Outcome said = saidOf(of, all);
  return fmt::format("✗ {}{} {} {}: ours minus rival {}{}",
                     all == Outcome::kNothingLearned ? "nothing learned: " : "", of.metric,
                     relationOf(said), nameOf(of), shownDifference(of.difference),
                     noiseOf(of, said));
}

}  // namespace

std::string baselineName(std::string_view baseline, BaselineKind kind) {
  return kind == BaselineKind::kEqualScores ? kEqualScores : named(baseline, &BaselineNames::name);
}

std::string judgingKey(const std::vector<std::string>& measured, std::string_view best) {
  const bool isOwn = !isLossKey(best) && std::ranges::find(measured, best) != measured.end();
  return isOwn ? std::string(best) : headlineKey(measured);
}

std::string sentenceOf(std::span<const BaselineVerdict> given) {
  const Parted parts = parted(given);
  const auto& [verdicts, missing] = parts;
  if (verdicts.empty()) return {};
  const Outcome all = outcomeOf(verdicts);
  const BaselineVerdict* const blocking = headlineOf(verdicts).blocking;
  std::array order{Outcome::kNothingLearned, Outcome::kWorse, Outcome::kNotDistinguishable,
                   Outcome::kBetter};
  std::ranges::stable_partition(
      order, [&](Outcome said) { return blocking && said == saidOf(*blocking, all); });
  std::vector<std::string> groups;
  for (const Outcome said : order) {
    std::vector<std::string> clauses;
    for (const BaselineVerdict& of : verdicts)
      if (&of != blocking && saidOf(of, all) == said) clauses.push_back(clauseOf(of, said));
    if (blocking && said == order.front()) clauses.insert(clauses.begin(), phraseOf(*blocking));
    if (clauses.empty()) continue;
    const std::string last = std::move(clauses.back());
    clauses.pop_back();
    groups.push_back(fmt::format("{} {}{}{}", relationOf(said), join(clauses, ", "),
                                 clauses.empty() ? "" : " and ", last));
  }
  return fmt::format(
      "The model {}{}.{}{}",
      all == Outcome::kNothingLearned ? "has learned nothing: it is " : "is ", join(groups, "; "),
      blocking && verdicts.size() == 1 ? "" : " Differences are ours minus rival.",
      missing.empty() ? "" : fmt::format(" Not measured: {}.", parts.missingNames()));
}

std::string lineOf(std::span<const BaselineVerdict> given, std::string_view of) {
  const Parted parts = parted(given);
  const auto& [verdicts, missing] = parts;
  if (verdicts.empty()) return {};
  const Headline line = headlineOf(verdicts);
  const std::string best =
      line.best == line.first
          ? fmt::format(", the best rival{}", missing.empty() ? "" : " measured")
          : fmt::format(" · best rival {} {}", nameOf(*line.best), shown(line.best->reference));
  return fmt::format("{} of {}: ours {} · {} {}{}{} · {}", line.metric, of, shown(line.model),
                     nameOf(*line.first), shown(line.first->reference), best,
                     missing.empty() ? "" : " · not measured: " + parts.missingNames(),
                     reasonOf(line, outcomeOf(verdicts), missing.empty()));
}

std::string verdictText(std::span<const BaselineVerdict> verdicts, std::string_view of) {
  return verdicts.empty() ? std::string()
                          : fmt::format("{}\n{}", lineOf(verdicts, of), sentenceOf(verdicts));
}

nlohmann::ordered_json summaryJson(std::span<const BaselineVerdict> given, std::string_view of) {
  using Json = nlohmann::ordered_json;
  const Parted parts = parted(given);
  const auto& [verdicts, missing] = parts;
  if (verdicts.empty()) return nullptr;
  const Headline line = headlineOf(verdicts);
  const Json popular =
      line.first->baseline == "most_popular" ? numberOrNull<Json>(line.first->reference) : Json();
  auto notMeasured = Json::array();
  for (const BaselineVerdict& each : missing) notMeasured.push_back(each.baseline);
  return {{"outcome", outcomeName(outcomeOf(verdicts))},
          {"of", of},
          {"metric", line.metric},
          {"model", numberOrNull<Json>(line.model)},
          {"most_popular", popular},
          {"best_rival",
           {{"baseline", line.best->baseline},
            {"value", numberOrNull<Json>(line.best->reference)},
            {"difference", numberOrNull<Json>(line.best->difference)},
            {"three_standard_errors", numberOrNull<Json>(3.0 * line.best->standardError)},
            {"outcome", outcomeName(outcomeOf(*line.best))}}},
          {"not_measured", std::move(notMeasured)},
          {"line", lineOf(given, of)},
          {"sentence", sentenceOf(given)}};
}

namespace {

/// Calls `tell` with the verdicts of the last validated epoch and its name; without one with none.
auto ofLastValidated(std::span<const EpochSummary> epochs, auto tell) {
  for (auto epoch = epochs.rbegin(); epoch != epochs.rend(); ++epoch)
    if (!epoch->verdicts.empty())
      return tell(epoch->verdicts, fmt::format("epoch {} (last validated)", epoch->epoch));
  return tell({}, {});
}

}  // namespace

std::string lastVerdictText(std::span<const EpochSummary> epochs) {
  return ofLastValidated(epochs, verdictText);
}

nlohmann::ordered_json lastSummaryJson(std::span<const EpochSummary> epochs) {
  return ofLastValidated(epochs, summaryJson);
}

}  // namespace parapet::experiment
