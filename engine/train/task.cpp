// SPDX-License-Identifier: Apache-2.0
#include "engine/train/task.h"

#include <algorithm>
#include <numeric>

#include "engine/experiment/query_context.h"
#include "engine/train/forward_runners.h"
#include "engine/train/masked_losses.h"
#include "engine/train/negative_inputs.h"
#include "engine/train/row_losses.h"

namespace parapet::train {
namespace {

using experiment::Experiment;
using retrieval::ModelSnapshot;

/// Models of a user and an item.
class PairTask : public Task {
 public:
  explicit PairTask(ListsOf listsOf) : listsOf_(listsOf) {}

  [[nodiscard]] std::shared_ptr<const retrieval::Interactions> interactions(
      const Session& session, const data::Split& split, std::stop_token stop) const final {
    const nn::Model& model = session.model();
    return std::make_shared<const retrieval::Interactions>(
        session.dataset(), model.queryColumn, model.candidateColumn, split, std::move(stop));
  }
  [[nodiscard]] std::unique_ptr<PartLosses> losses(Session& session, const Experiment& experiment,
                                                   const data::Split& split,
                                                   experiment::SplitPart part) const final {
    return std::make_unique<RowLosses>(session, experiment, split, part, listsOf_);
  }
  [[nodiscard]] std::unique_ptr<StepInputs> stepInputs(
      Session& session, const data::RowSet& trainingRows) const final {
    const experiment::Loss& loss = session.experiment().loss;
    if (!experiment::usesNegatives(loss.kind)) return nullptr;
    const bool ofDevice = loss.negatives == experiment::NegativeScope::kDevice;
    const std::int64_t together =
        ofDevice ? session.mesh().slice(0, session.batchRows()).rows() : session.batchRows();
    return std::make_unique<NegativeInputs>(session.sharedDataset(), session.model(),
                                            session.experiment(), trainingRows, together,
                                            session.histories());
  }
  [[nodiscard]] bool hasCatalogue() const final { return listsOf_ == ListsOf::kCatalogue; }
  [[nodiscard]] std::vector<std::string> listColumns(const Experiment& experiment) const final {
    return hasCatalogue() ? experiment::contextColumns(experiment) : std::vector<std::string>{};
  }
  [[nodiscard]] std::unique_ptr<CatalogueLists> lists(Session& session,
                                                      const Experiment& experiment,
                                                      const data::Split& split,
                                                      const retrieval::Interactions* interactions,
                                                      experiment::SplitPart part) const final {
    if (!hasCatalogue()) return nullptr;
    return std::make_unique<CatalogueLists>(session, experiment, split, *interactions, part);
  }

 protected:
  static ModelSnapshot begun(const Session& session) {
    const nn::Model& model = session.model();
    const data::Dataset& dataset = session.dataset();
    ModelSnapshot snapshot;
    snapshot.queryRows = dataset.vocabularyOf(model.queryColumn).size();
    snapshot.candidateRows = dataset.vocabularyOf(model.candidateColumn).size();
    snapshot.cold = retrieval::coldItems(session.experiment(), dataset, model.candidateColumn);
    return snapshot;
  }

 private:
  const ListsOf listsOf_;
};

class RetrievalTask final : public PairTask {
 public:
  RetrievalTask() : PairTask(ListsOf::kCatalogue) {}

  [[nodiscard]] std::vector<Output> outputs(const nn::Model& model,
                                            std::int64_t batchRows) const override {
    const std::int64_t rows = snapshotRows(model.graph);
    return {{model.query, std::max(rows, batchRows)}, {model.candidate, rows}};
  }

  [[nodiscard]] Result<ModelSnapshot> snapshot(Session& session,
                                               const std::stop_token& stop) const override {
    ModelSnapshot snapshot = begun(session);
    snapshot.dim = session.model().graph.cols(session.model().query);
    const EntityInputs& inputs = session.entityInputs();
    if (inputs.contexts().empty() && !inputs.readsHistory()) {
      std::vector<std::int32_t> users(static_cast<std::size_t>(snapshot.queryRows));
      std::iota(users.begin(), users.end(), 0);
      PARAPET_ASSIGN(snapshot.queries, session.queryVectors(users, stop));
    } else {
      PARAPET_ASSIGN(snapshot.encoder, TowerEncoder::create(session));
    }
    PARAPET_ASSIGN(snapshot.candidates, session.itemVectors(stop));
    return snapshot;
  }
};

class RankingTask final : public PairTask {
 public:
  RankingTask() : PairTask(ListsOf::kRows) {}

  [[nodiscard]] std::vector<Output> outputs(const nn::Model&, std::int64_t) const override {
    return {};
  }

  [[nodiscard]] Result<ModelSnapshot> snapshot(Session& session,
                                               const std::stop_token&) const override {
    ModelSnapshot snapshot = begun(session);
    PARAPET_ASSIGN(snapshot.scorer, RankingScorer::create(session));
    addItemVectors(snapshot, session);
    return snapshot;
  }

 private:
  // Items with similar embeddings are similar to the model.
  static void addItemVectors(ModelSnapshot& snapshot, Session& session) {
    const nn::Model& model = session.model();
    for (const nn::Lookup& lookup : model.graph.lookups()) {
      if (model.columns[static_cast<std::size_t>(lookup.feature)] != model.candidateColumn)
        continue;
      const nn::Parameter& table = session.parameters()[static_cast<std::size_t>(lookup.table)];
      snapshot.dim = table.spec.cols;
      std::vector<float> byRow(static_cast<std::size_t>(table.size()));
      session.gatherRows(table, -1, byRow);
      const auto width = static_cast<std::ptrdiff_t>(snapshot.dim);
      for (const std::int32_t row : session.dataset().itemIndex(model.candidateColumn).layout()) {
        const auto first = byRow.begin() + row * width;
        snapshot.candidates.insert(snapshot.candidates.end(), first, first + width);
      }
      return;
    }
  }
};

/// Models of texts.
class MaskedLmTask final : public Task {
 public:
  [[nodiscard]] std::vector<Output> outputs(const nn::Model& model, std::int64_t) const override {
    return {{model.hidden, 1}};
  }
  // The loss of a line does not depend on those beside it, and passes of so many positions keep
  // all threads busy.
  [[nodiscard]] std::int64_t evaluationRows(const nn::Model& model,
                                            std::int64_t batchRows) const override {
    constexpr std::int64_t kPositions = 2048;
    const std::int64_t length = model.graph.longestSequence();
    return std::min(batchRows, std::max<std::int64_t>(1, kPositions / length));
  }
  [[nodiscard]] std::unique_ptr<StepInputs> stepInputs(Session& session,
                                                       const data::RowSet&) const override {
    return std::make_unique<MaskedInputs>(session.dataset(), session.experiment(),
                                          session.batchRows());
  }
  [[nodiscard]] bool hasCatalogue() const override { return false; }
  [[nodiscard]] std::vector<std::string> listColumns(const Experiment&) const override {
    return {};
  }
  [[nodiscard]] std::shared_ptr<const retrieval::Interactions> interactions(
      const Session&, const data::Split&, std::stop_token) const override {
    return nullptr;
  }
  [[nodiscard]] std::unique_ptr<PartLosses> losses(Session& session, const Experiment&,
                                                   const data::Split& split,
                                                   experiment::SplitPart part) const override {
    return std::make_unique<MaskedLosses>(session, split, part);
  }
  [[nodiscard]] std::unique_ptr<CatalogueLists> lists(Session&, const Experiment&,
                                                      const data::Split&,
                                                      const retrieval::Interactions*,
                                                      experiment::SplitPart) const override {
    return nullptr;
  }
  [[nodiscard]] Result<ModelSnapshot> snapshot(Session&, const std::stop_token&) const override {
    return Error{ErrorCode::kInvalidDocument,
                 "a masked language model predicts tokens of texts; it recommends nothing"};
  }
};

}  // namespace

std::vector<nn::Value> evaluatedValues(const nn::Model& model) {
  std::vector<nn::Value> values;
  for (const nn::Model::Head& head : model.heads)
    for (const nn::Value value : {head.lossValue, head.prediction})
      if (value >= 0) values.push_back(value);
  return values;
}

const Task& Task::of(experiment::ModelKind kind) {
  static const RetrievalTask retrieval;
  static const RankingTask ranking;
  static const MaskedLmTask maskedLm;
  switch (kind) {
    case experiment::ModelKind::kRetrieval:
      return retrieval;
    case experiment::ModelKind::kRanking:
      return ranking;
    case experiment::ModelKind::kMaskedLm:
      return maskedLm;
  }
  return ranking;
}

}  // namespace parapet::train
