// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/data/split/split.h"
#include "engine/experiment/document.h"
#include "engine/nn/model.h"
#include "engine/retrieval/interactions.h"
#include "engine/retrieval/model_snapshot.h"
#include "engine/train/catalogue_lists.h"
#include "engine/train/part_losses.h"
#include "engine/train/session.h"
#include "engine/train/step_inputs.h"

namespace parapet::train {

/// The values that an evaluation computes: the losses of a model, and the predictions of those that
/// have some.
std::vector<nn::Value> evaluatedValues(const nn::Model& model);

/// The parts of a run that differ between kinds of models: what is computed besides the steps, how
/// a part of the split is measured, and what can be asked of a trained model. There is one of each
/// kind, without a state.
///
/// Thread   any.
class Task {
 public:
  static const Task& of(experiment::ModelKind kind);
  virtual ~Task() = default;

  /// An output that is computed by a plan of its own, for up to so many rows at a time.
  struct Output {
    nn::Value value;
    std::int64_t capacityRows;
  };
  /// `batchRows`: of a global batch.
  [[nodiscard]] virtual std::vector<Output> outputs(const nn::Model& model,
                                                    std::int64_t batchRows) const = 0;
  /// Most rows of a pass of Session::evaluate().
  [[nodiscard]] virtual std::int64_t evaluationRows(const nn::Model&,
                                                    std::int64_t batchRows) const {
    return batchRows;
  }
  /// The inputs of steps besides their batches; null: none.
  [[nodiscard]] virtual std::unique_ptr<StepInputs> stepInputs(
      Session& session, const data::RowSet& trainingRows) const = 0;
  /// Whether lists of the catalogue are measured.
  [[nodiscard]] virtual bool hasCatalogue() const = 0;
  /// Columns of the data set that a list of the catalogue depends on besides its user: it is
  /// measured in the values of its row. The model reads them, so that they are among those of its
  /// features.
  [[nodiscard]] virtual std::vector<std::string> listColumns(
      const experiment::Experiment& experiment) const = 0;

  /// Items of the users, which lists, snapshots and baselines share; null where there are none.
  [[nodiscard]] virtual std::shared_ptr<const retrieval::Interactions> interactions(
      const Session& session, const data::Split& split, std::stop_token stop = {}) const = 0;
  /// Losses of a part with rows.
  [[nodiscard]] virtual std::unique_ptr<PartLosses> losses(Session& session,
                                                           const experiment::Experiment& experiment,
                                                           const data::Split& split,
                                                           experiment::SplitPart part) const = 0;
  /// Null without a catalogue.
  [[nodiscard]] virtual std::unique_ptr<CatalogueLists> lists(
      Session& session, const experiment::Experiment& experiment, const data::Split& split,
      const retrieval::Interactions* interactions, experiment::SplitPart part) const = 0;
  /// A copy of the model that can be asked for lists.
  ///
  /// Errors   those of the forward passes; kInvalidDocument of a model that has no lists. Throws
  ///          data::PassStopped once `stop` fires.
  [[nodiscard]] virtual Result<retrieval::ModelSnapshot> snapshot(
      Session& session, const std::stop_token& stop) const = 0;
};

}  // namespace parapet::train
