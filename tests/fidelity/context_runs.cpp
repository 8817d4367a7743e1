// SPDX-License-Identifier: Apache-2.0
#include "tests/fidelity/context_runs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "engine/retrieval/query_sums.h"
#include "tests/data/generate/event_oracle.h"

namespace parapet::fidelity {
namespace {

constexpr std::int64_t kTop = 10;

double figureOf(const std::vector<experiment::Metric>& metrics, const std::string& key) {
  for (const auto& [name, value] : metrics)
    if (name == key) return value;
  throw InternalError("no metric " + key);
}

std::int64_t numberOf(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The oracles' hit rates, averaged over the rows of a part.
void averageOracles(const experiment::Experiment& experiment, const data::Dataset& dataset,
                    const data::RowSet& rows, ContextFigures& figures) {
  const data::EventGenerator events(experiment.dataset.generator.value());
  const data::EventOracle oracle(events);
  const auto users = dataset.ids("uid"), organic = dataset.ids("is_organic");
  const auto& userNames = dataset.vocabularyOf("uid");
  const auto& organicNames = dataset.vocabularyOf("is_organic");
  std::map<std::pair<std::int64_t, int>, double> inContext;
  std::map<std::int64_t, double> without;
  rows.forEach([&](std::int64_t row) {
    const auto at = static_cast<std::size_t>(row);
    const std::int64_t uid = numberOf(userNames.rawId(users[at]));
    const int context = data::EventGenerator::contextOf(organicNames.rawId(organic[at]) == "1",
                                                        dataset.times()[at]);
    const auto in = inContext.try_emplace({uid, context});
    if (in.second) in.first->second = oracle.hitRateIn(context, uid, kTop);
    const auto out = without.try_emplace(uid);
    if (out.second) out.first->second = oracle.hitRateWithoutContext(uid, kTop);
    figures.inContext += in.first->second;
    figures.withoutContext += out.first->second;
    ++figures.examples;
  });
  figures.inContext /= static_cast<double>(figures.examples);
  figures.withoutContext /= static_cast<double>(figures.examples);
}

double differenceOf(const retrieval::Recommendation& one, const retrieval::Recommendation& other) {
  const auto items = retrieval::itemsOf(one.items), others = retrieval::itemsOf(other.items);
  const auto common = std::ranges::count_if(
      items, [&](std::int32_t item) { return std::ranges::find(others, item) != others.end(); });
  return 1.0 - static_cast<double>(common) / static_cast<double>(kTop);
}

}  // namespace

experiment::Experiment contextRecipe(std::uint64_t seed) {
  const auto recipe = experiment::findRecipe("yambda-context").value();
  experiment::Experiment experiment =
      experiment::parse(experiment::parseJson(recipe.text).value()).experiment;
  experiment.training.seed = seed;
  return experiment;
}

experiment::Experiment withoutContexts(experiment::Experiment experiment) {
  const auto isContext = [](const std::string& name) {
    return name == "is_organic" || name == "time_of_day";
  };
  std::erase_if(experiment.features,
                [&](const auto& feature) { return isContext(feature.column); });
  std::erase_if(experiment.tables, [&](const auto& table) { return isContext(table.name); });
  return experiment;
}

Result<ContextFigures> measureContexts(workspace::Workspace& place,
                                       const experiment::Experiment& experiment) {
  workspace::RunOptions options;
  options.recipe = experiment.name;
  PARAPET_ASSIGN(const auto run, place.start(experiment, std::move(options)));
  const workspace::RunOutcome outcome = run->wait();
  if (outcome.error) return *outcome.error;
  workspace::EvaluateOptions test;
  test.part = experiment::SplitPart::kTest;
  PARAPET_ASSIGN(const workspace::Evaluation found, place.evaluate(outcome.runId, test, {}));
  ContextFigures figures;
  figures.runId = outcome.runId;
  figures.hit = figureOf(found.metrics, "hit@10");
  figures.standardError = figureOf(found.standardErrors, "hit@10");
  for (const auto& [name, metrics] : found.baselines)
    if (name == "most_popular_in_context") figures.popularInContext = figureOf(metrics, "hit@10");
  averageOracles(experiment, *run->dataset(), run->split()->test, figures);
  if (figures.examples != found.queries)
    return Error{ErrorCode::kData, "the oracle has other examples than the evaluation"};
  return figures;
}

Result<ListDifferences> compareLists(workspace::Workspace& place, const std::string& run,
                                     const std::string& runOfAnotherSeed, std::size_t users) {
  PARAPET_ASSIGN(const auto one, place.recommender(run, {}));
  PARAPET_ASSIGN(const auto other, place.recommender(runOfAnotherSeed, {}));
  std::vector<retrieval::Query> here, there;
  for (const std::string& user : one->randomUsers(1, users)) {
    here.push_back({user, {{"is_organic", "1"}, {"time_of_day", "morning"}}});
    there.push_back({user, {{"is_organic", "0"}, {"time_of_day", "evening"}}});
  }
  const auto listsOf = [](const auto& recommender, const std::vector<retrieval::Query>& queries) {
    return recommender->recommend(queries, kTop, retrieval::SeenItems::kKeep);
  };
  PARAPET_ASSIGN(const auto lists, listsOf(one, here));
  PARAPET_ASSIGN(const auto elsewhere, listsOf(one, there));
  PARAPET_ASSIGN(const auto otherSeed, listsOf(other, here));
  ListDifferences differences{.users = std::ssize(lists)};
  retrieval::PairedSums pairs;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const double ofContexts = differenceOf(lists[i], elsewhere[i]);
    const double ofSeeds = differenceOf(lists[i], otherSeed[i]);
    differences.ofContexts += ofContexts / static_cast<double>(lists.size());
    differences.ofSeeds += ofSeeds / static_cast<double>(lists.size());
    pairs.add(ofContexts - ofSeeds, 1.0);
  }
  differences.standardError = pairs.result().standardError;
  return differences;
}

}  // namespace parapet::fidelity
