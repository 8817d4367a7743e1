// SPDX-License-Identifier: Apache-2.0
// Snapshots of a session: vectors of users and items, or a scorer of pairs.
#include <algorithm>
#include <numeric>

#include "engine/train/ranking_scorer.h"
#include "engine/train/session_state.h"

namespace parapet::train {

Result<std::vector<float>> Session::State::tower(nn::StepPlan& plan, nn::Value output,
                                                 std::int64_t rows) {
  const std::int64_t width = model.graph.cols(output);
  std::vector<float> out(static_cast<std::size_t>(rows * width));
  std::vector<std::int32_t> some;
  const bool users = output == model.query;
  for (std::int64_t begin = 0; begin < rows; begin += kSnapshotRows) {
    const std::int64_t count = std::min(kSnapshotRows, rows - begin);
    some.resize(static_cast<std::size_t>(count));
    std::iota(some.begin(), some.end(), static_cast<std::int32_t>(begin));
    nn::StepInput input;
    input.rows = count;
    input.features = users ? entityInputs().of(some, {}) : entityInputs().of({}, some);
    PARAPET_TRY(plan.forward(input));
    std::copy_n(plan.output(output), count * width, out.data() + begin * width);
  }
  return out;
}

EntityInputs& Session::State::entityInputs() {
  if (!entities) entities.emplace(dataset, model, experiment, history);
  return *entities;
}

void Session::useHistory(const data::RowSet& trainingRows) {
  State& s = *state_;
  s.history = trainingRows;
  s.entities.reset();
  s.negatives.reset();
  const experiment::Loss& loss = s.experiment.loss;
  if (!experiment::usesNegatives(loss.kind)) return;
  const bool ofDevice = loss.negatives == experiment::NegativeScope::kDevice;
  s.negatives.emplace(s.dataset, s.model, s.experiment, trainingRows,
                      ofDevice ? s.mesh.slice(0, s.batchRows).rows() : s.batchRows);
}

const data::RowSet& Session::history() const {
  return state_->history;
}

// Items with similar embeddings are similar to the model.
void Session::State::addItemVectors(retrieval::ModelSnapshot& snapshot) const {
  for (const nn::Lookup& lookup : model.graph.lookups()) {
    if (model.columns[static_cast<std::size_t>(lookup.feature)] != model.candidateColumn) continue;
    const nn::Parameter& table = parameters[static_cast<std::size_t>(lookup.table)];
    snapshot.dim = table.spec.cols;
    snapshot.candidates.resize(static_cast<std::size_t>(table.size()));
    nn::gatherRows(table, -1, snapshot.candidates);
    return;
  }
}

Result<retrieval::ModelSnapshot> Session::snapshot() {
  State& s = *state_;
  retrieval::ModelSnapshot snapshot;
  snapshot.queryRows = s.dataset->vocabularyOf(s.model.queryColumn).size();
  snapshot.candidateRows = s.dataset->vocabularyOf(s.model.candidateColumn).size();
  if (s.model.kind == experiment::ModelKind::kRanking) {
    PARAPET_ASSIGN(snapshot.scorer,
                   RankingScorer::create(s.experiment, s.dataset, s.history, s.parameters));
    s.addItemVectors(snapshot);
    return snapshot;
  }
  snapshot.dim = s.model.graph.cols(s.model.query);
  PARAPET_ASSIGN(snapshot.queries, s.tower(*s.queryPlan, s.model.query, snapshot.queryRows));
  PARAPET_ASSIGN(snapshot.candidates,
                 s.tower(*s.candidatePlan, s.model.candidate, snapshot.candidateRows));
  return snapshot;
}

}  // namespace parapet::train
