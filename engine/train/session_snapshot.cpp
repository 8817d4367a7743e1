// SPDX-License-Identifier: Apache-2.0
// What a session computes besides its steps: vectors of users and items, and snapshots.
#include <algorithm>

#include "engine/data/dataset/event_columns.h"
#include "engine/train/session_state.h"
#include "engine/train/task.h"

namespace parapet::train {

nn::StepRunner& Session::State::runnerOf(nn::Value output) {
  const auto known = std::ranges::find(outputRunners, output, &OutputRunner::output);
  if (known != outputRunners.end()) return *known->runner;
  if (!asked.runner || asked.output != output) {
    asked.runner.reset();
    asked = {output, runner({.targets = {output}, .idsPerRow = resolved.idsPerRow})};
  }
  return *asked.runner;
}

Result<std::vector<float>> Session::State::tower(nn::Value output,
                                                 std::span<const std::int32_t> ids,
                                                 const std::stop_token& stop) {
  nn::StepRunner& runner = runnerOf(output);
  const std::int64_t width = model.graph.cols(output);
  const auto rows = static_cast<std::int64_t>(ids.size());
  std::vector<float> out(static_cast<std::size_t>(rows * width));
  std::vector<retrieval::EncoderQuery> users;
  const std::int64_t atOnce = snapshotRows(model.graph);
  for (std::int64_t begin = 0; begin < rows; begin += atOnce) {
    if (stop.stop_requested()) throw data::PassStopped();
    const std::int64_t count = std::min(atOnce, rows - begin);
    const auto some = ids.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
    nn::StepBatch input;
    input.rows = count;
    if (output == model.query) {
      users.clear();
      for (const std::int32_t user : some) users.push_back({user, {}});
      input.features = entityInputs().ofQueries(users);
    } else {
      input.features = entityInputs().ofItems(some);
    }
    PARAPET_TRY(forward(runner, output, input));
    std::copy_n(runner.output(output), count * width, out.data() + begin * width);
  }
  return out;
}

Result<std::vector<float>> Session::itemVectors(const std::stop_token& stop) {
  State& s = *state_;
  return s.tower(s.model.candidate, s.dataset->itemIndex(s.model.candidateColumn).layout(), stop);
}

Result<std::vector<float>> Session::queryVectors(std::span<const std::int32_t> users,
                                                 const std::stop_token& stop) {
  return state_->tower(state_->model.query, users, stop);
}

Result<std::span<const float>> Session::queryVectors(const data::Batch& batch) {
  State& s = *state_;
  nn::StepBatch input;
  input.rows = batch.rows;
  input.features = batch.features;
  nn::StepRunner& runner = s.runnerOf(s.model.query);
  PARAPET_TRY(s.forward(runner, s.model.query, input));
  return std::span<const float>(
      runner.output(s.model.query),
      static_cast<std::size_t>(batch.rows * s.model.graph.cols(s.model.query)));
}

EntityInputs& Session::State::entityInputs() {
  if (!entities) entities.emplace(dataset, model, experiment, history, historiesOf(history));
  return *entities;
}

void Session::useHistory(const data::RowSet& trainingRows, const std::stop_token& stop) {
  State& s = *state_;
  s.history = trainingRows;
  s.entities.reset();
  s.inputs.reset();
  s.histories.reset();
  // Made here, where a pass over all rows can be stopped; else once they are needed.
  if (stop.stop_possible())
    s.histories = makeHistories(s.experiment, *s.dataset, trainingRows, stop);
  s.fitTransforms(*this, trainingRows, stop);
  s.inputs = Task::of(s.model.kind).stepInputs(*this, trainingRows);
}

const Histories& Session::histories() {
  return state_->historiesOf(state_->history);
}

Result<std::span<const float>> Session::compute(nn::Value output, const nn::StepBatch& input) {
  nn::StepRunner& runner = state_->runnerOf(output);
  PARAPET_TRY(state_->forward(runner, output, input));
  return runner.outputRows(output);
}

const EntityInputs& Session::entityInputs() {
  return state_->entityInputs();
}

const data::RowSet& Session::history() const {
  return state_->history;
}

Result<retrieval::ModelSnapshot> Session::snapshot(const std::stop_token& stop) {
  return Task::of(state_->model.kind).snapshot(*this, stop);
}

}  // namespace parapet::train
