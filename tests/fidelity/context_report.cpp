// SPDX-License-Identifier: Apache-2.0
// Measures recipe `yambda-context` at its own size, or with other numbers of events, beside the same
// model without contexts and the oracles:
//
//   fidelity_context WORKSPACE [EVENTS…]
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "tests/fidelity/context_runs.h"

using namespace parapet;

namespace {

Status report(workspace::Workspace& place, std::int64_t events) {
  experiment::Experiment experiment = fidelity::contextRecipe(1);
  if (events > 0) experiment.dataset.generator->events = events;
  PARAPET_ASSIGN(const auto with, fidelity::measureContexts(place, experiment));
  PARAPET_ASSIGN(const auto without,
                 fidelity::measureContexts(place, fidelity::withoutContexts(experiment)));
  fmt::print("{} events, {} examples: hit@10 {:.4f} ± {:.4f}, {:.3f} of the oracle {:.4f}\n",
             experiment.dataset.generator->events, with.examples, with.hit, with.standardError,
             with.hit / with.inContext, with.inContext);
  fmt::print("  most popular in the context {:.4f}\n", with.popularInContext);
  fmt::print("  model without contexts {:.4f} ± {:.4f}, oracle without contexts {:.4f}\n",
             without.hit, without.standardError, without.withoutContext);
  PARAPET_ASSIGN(const auto compared, place.compare({with.runId, without.runId}, {}));
  for (const auto& metric : compared.paired)
    fmt::print("  {}: with − without {:+.4f} ± {:.4f} (paired standard error){}\n", metric.name,
               metric.difference.mean, metric.difference.standardError,
               metric.significant ? ", significant" : "");
  return {};
}

Status reportLists(workspace::Workspace& place) {
  std::vector<std::string> runs;
  for (const std::uint64_t seed : {1, 2}) {
    experiment::Experiment experiment = fidelity::contextRecipe(seed);
    experiment.dataset.generator->contextStrength = 0.0;
    PARAPET_ASSIGN(const auto measured, fidelity::measureContexts(place, experiment));
    runs.push_back(measured.runId);
  }
  PARAPET_ASSIGN(const auto lists, fidelity::compareLists(place, runs[0], runs[1], 1'000));
  fmt::print(
      "context_strength 0: lists of {} users differ by {:.3f} between contexts, {:.3f} "
      "between seeds; paired standard error {:.4f}\n",
      lists.users, lists.ofContexts, lists.ofSeeds, lists.standardError);
  return {};
}

Status run(int count, char** arguments) {
  PARAPET_ASSIGN(const auto place, workspace::Workspace::open(arguments[1]));
  if (count == 2) {
    PARAPET_TRY(report(*place, 0));
    return reportLists(*place);
  }
  for (int i = 2; i < count; ++i) {
    const auto events = parseInt(arguments[i]);
    if (!events || *events < 1) return Error{ErrorCode::kInvalidDocument, "EVENTS: a number ≥ 1"};
    PARAPET_TRY(report(*place, *events));
  }
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    fmt::print(stderr, "usage: fidelity_context WORKSPACE [EVENTS…]\n");
    return 2;
  }
  const Status done = run(count, arguments);
  if (!done) fmt::print(stderr, "error: {}\n", done.error().text());
  return done ? 0 : 1;
}
