// SPDX-License-Identifier: Apache-2.0
// Two runs over the same held-out queries.
#include <fmt/format.h>

#include <cmath>

#include "engine/experiment/query_context.h"
#include "engine/train/evaluator.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

using RankedLists = retrieval::CatalogueRanking::Measured;

constexpr double kSignificantErrors = 3.0;

Error different(std::string why) {
  return Error{ErrorCode::kNotFound, std::move(why)};
}

Result<RankedLists> rankHeldOut(OpenedRun& opened, const experiment::Experiment& protocol,
                                const WorkContext& context) {
  experiment::Experiment experiment = opened.experiment;
  experiment.evaluation = protocol.evaluation;
  experiment.training.seed = protocol.training.seed;  // of samples
  const nn::Model& model = opened.session->model();
  const retrieval::Interactions interactions(*opened.dataset, model.queryColumn,
                                             model.candidateColumn, opened.split);
  train::Evaluator evaluator(*opened.session, experiment, opened.split, interactions,
                             experiment::SplitPart::kValidation);
  return evaluator.rankCatalogue(context.stop);
}

}  // namespace

Result<std::vector<Comparison::PairedMetric>> compareHeldOut(Shared& shared,
                                                             const std::string& first,
                                                             const std::string& second,
                                                             const WorkContext& context) {
  PARAPET_ASSIGN(OpenedRun a, openRun(shared, first, {}, 0));
  PARAPET_ASSIGN(OpenedRun b, openRun(shared, second, {}, 0));
  for (const OpenedRun* run : {&a, &b})
    if (run->experiment.model.kind != experiment::ModelKind::kRetrieval)
      return different(
          fmt::format("run {} is a ranking model, without lists of the catalogue", run->record.id));
  if (a.dataset->hash() != b.dataset->hash()) return different("the data sets differ");
  if (a.split.validation.empty()) return different("there are no validation rows");
  const std::int64_t rows = a.dataset->rows();
  if (a.split.validation.bits(rows) != b.split.validation.bits(rows) ||
      a.split.train.bits(rows) != b.split.train.bits(rows))
    return different("the splits differ");
  // The protocol is that of the first run; of a model in a context rows are queries for both.
  experiment::Experiment protocol = a.experiment;
  protocol.evaluation.segments.clear();
  for (const OpenedRun* run : {&a, &b})
    if (experiment::evaluationUnit(run->experiment) == experiment::EvaluationUnit::kExample) {
      protocol.evaluation.unit = experiment::EvaluationUnit::kExample;
      protocol.evaluation.protocol.reset();  // asks for users
    }
  PARAPET_ASSIGN(const RankedLists ofA, rankHeldOut(a, protocol, context));
  PARAPET_ASSIGN(const RankedLists ofB, rankHeldOut(b, protocol, context));
  if (context.cancelled()) return Error{ErrorCode::kCancelled, "the comparison was cancelled"};
  if (!ofA.sums || !ofB.sums || !ofA.sums->hasQueriesOf(*ofB.sums))
    return different("they have no held-out queries in common");
  std::vector<Comparison::PairedMetric> paired;
  for (std::size_t i = 0; i < ofA.standardErrors.size(); ++i) {
    const experiment::PairedDifference of = ofA.sums->difference(*ofB.sums, i);
    paired.push_back({ofA.standardErrors[i].first, of,
                      of.pairs >= experiment::kMinPairs &&
                          std::abs(of.mean) > kSignificantErrors * of.standardError});
  }
  return paired;
}

}  // namespace parapet::workspace
