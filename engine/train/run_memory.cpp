// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run_memory.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "engine/data/split/split.h"
#include "engine/retrieval/catalogue_ranking.h"
#include "engine/retrieval/top_k.h"
#include "engine/train/entity_inputs.h"
#include "engine/train/later_lists.h"
#include "engine/train/task.h"

namespace parapet::train {
namespace {

using experiment::Experiment;

/// The queries of the validation part by the protocol of the experiment.
std::int64_t validationQueries(const Experiment& experiment, const nn::Model& model,
                               const data::Dataset& dataset, const data::Split& split) {
  const retrieval::Interactions interactions(dataset, model.queryColumn, model.candidateColumn,
                                             split);
  const retrieval::CatalogueRanking ranking(
      dataset, model.queryColumn, interactions, experiment::SplitPart::kValidation,
      split.validation, rankingProtocol(experiment, dataset, interactions, model.candidateColumn));
  return static_cast<std::int64_t>(ranking.queries().size());
}

bool measuresLists(const Experiment& experiment, const nn::Model& model) {
  return Task::of(model.kind).hasCatalogue() &&
         experiment.evaluation.catalogue != experiment::CatalogueTime::kNever &&
         experiment.training.validateEvery > 0;
}

std::int64_t vectorBytes(const Experiment& experiment, const nn::Model& model,
                         const data::Dataset& dataset, const data::Split& split) {
  const std::int64_t queries = validationQueries(experiment, model, dataset, split);
  if (queries == 0) return 0;
  const std::int64_t row = model.graph.cols(model.query) * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t items = dataset.vocabularyOf(model.candidateColumn).size() * row;
  // Larger ones are measured while training waits, a block of queries at a time.
  const std::int64_t all = items + queries * row;
  return all <= LaterLists::kMaxBytes
             ? all
             : items + std::min(queries, std::int64_t{retrieval::kQueriesOfTopK}) * row;
}

std::int64_t historyBytes(const Experiment& experiment, const data::Dataset& dataset,
                          const data::RowSet& trainingRows) {
  std::set<const data::UserHistory*> counted;  // features may share an index
  std::uint64_t bytes = 0;
  for (const auto& [column, of] : makeHistories(experiment, dataset, trainingRows))
    if (counted.insert(of.history.get()).second) bytes += of.history->bytes();
  return static_cast<std::int64_t>(bytes);
}

}  // namespace

Result<RunMemory> runMemory(const Experiment& experiment, const ResolvedModel& resolved,
                            const data::Dataset* dataset) {
  const nn::Model& model = *resolved.model;
  RunMemory memory;
  memory.evaluationBuffers = std::accumulate(resolved.evaluationBytes.begin(),
                                             resolved.evaluationBytes.end(), std::int64_t{0});
  const bool hasLists = measuresLists(experiment, model);
  const bool hasHistories = std::ranges::any_of(
      experiment.features, [](const auto& of) { return of.history.has_value(); });
  if (!dataset) {
    if (hasLists) memory.catalogueVectors.reset();
    if (hasHistories) memory.histories.reset();
    return memory;
  }
  if (!hasLists && !hasHistories) return memory;
  PARAPET_ASSIGN(const data::Split split,
                 data::makeSplit(*dataset, experiment, resolved.batchRows));
  if (hasLists) memory.catalogueVectors = vectorBytes(experiment, model, *dataset, split);
  if (hasHistories) memory.histories = historyBytes(experiment, *dataset, split.train);
  return memory;
}

}  // namespace parapet::train
