// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/workers.h"
#include "engine/data/dataset/dataset.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/device_mesh.h"
#include "engine/nn/model.h"
#include "engine/nn/step_runner.h"
#include "engine/retrieval/query_encoder.h"
#include "engine/train/entity_inputs.h"

namespace parapet::train {

class Session;

/// The values that a forward pass computes.
enum class ForwardOutput {
  kQuery,  ///< the vector of a query
  kScore,  ///< the score of a pair
};

/// A copy of the weights that an output of a model reads, on one logical device, and runners that
/// compute it: one for each thread that computes at the same time, made when it is first needed
/// and kept. A runner computes in its thread alone: an answer takes a few milliseconds. The copy of a
/// table has a row of zeros behind its own, for features that are taken out.
///
/// Thread   any.
class ForwardRunners {
 public:
  /// Copies the weights that the output reads. `capacityRows`: of a pass; of sequences as many
  /// positions.
  static Result<std::unique_ptr<ForwardRunners>> create(Session& session, ForwardOutput output,
                                                        std::int64_t capacityRows);
  ~ForwardRunners();

  struct Runner;
  /// A runner that is the caller's alone until it is destroyed.
  class Lease {
   public:
    Lease(ForwardRunners& runners, std::unique_ptr<Runner> runner);
    ~Lease();
    Lease(Lease&&) = delete;
    /// Features of the next pass.
    [[nodiscard]] EntityInputs& inputs();
    /// The output, [rows, width], valid until the next pass.
    std::span<const float> forward(std::span<const data::FeatureIds> features, std::int64_t rows);

   private:
    ForwardRunners& runners_;
    std::unique_ptr<Runner> runner_;
  };
  Lease take();

  [[nodiscard]] const EntityInputs& inputs() const { return inputs_; }
  [[nodiscard]] std::int64_t width() const { return model_.graph.cols(output_); }
  [[nodiscard]] std::int64_t capacityRows() const { return capacityRows_; }
  /// Plans that exist.
  [[nodiscard]] std::size_t runners() const;

 private:
  ForwardRunners(nn::Model model, mesh::DeviceMesh mesh, EntityInputs inputs,
                 std::vector<std::int64_t> idsPerRow, ForwardOutput output,
                 std::int64_t capacityRows);
  Status copyWeights(Session& session);

  nn::Model model_;
  mesh::DeviceMesh mesh_;
  EntityInputs inputs_;
  std::vector<std::int64_t> idsPerRow_;
  nn::Value output_;
  std::int64_t capacityRows_;
  std::vector<nn::Parameter> parameters_;
  mutable std::mutex mutex_;  ///< guards the unused runners, and how many there are
  std::vector<std::unique_ptr<Runner>> idle_;
  std::size_t made_ = 0;
};

/// A copy of a model behind an encoder or a scorer: what its query side reads is what its runners
/// read. `Side` is retrieval::QueryEncoder or retrieval::PairScorer.
///
/// Thread   any.
template <class Side>
class PlannedSide : public Side {
 public:
  [[nodiscard]] std::span<const retrieval::ContextColumn> contexts() const override {
    return runners_->inputs().contexts();
  }
  [[nodiscard]] std::vector<retrieval::ContextCell> lastContext(std::int32_t user) const override {
    return runners_->inputs().lastContext(user);
  }
  [[nodiscard]] std::span<const retrieval::QueryFeature> features() const override {
    return runners_->inputs().features();
  }
  [[nodiscard]] bool readsHistory() const override { return runners_->inputs().readsHistory(); }
  [[nodiscard]] std::vector<std::int32_t> historyOf(
      const retrieval::EncoderQuery& query) const override {
    return runners_->inputs().historyOf(query);
  }
  [[nodiscard]] const ForwardRunners& runners() const { return *runners_; }

 protected:
  explicit PlannedSide(std::unique_ptr<ForwardRunners> runners) : runners_(std::move(runners)) {}
  [[nodiscard]] ForwardRunners::Lease lease() const { return runners_->take(); }

 private:
  std::unique_ptr<ForwardRunners> runners_;
};

/// A copy of a trained model that scores queries with items, independent of further training.
///
/// Thread   score() from any thread; calls compute side by side.
class RankingScorer final : public PlannedSide<retrieval::PairScorer> {
 public:
  static Result<std::shared_ptr<const RankingScorer>> create(Session& session);

  void score(const retrieval::EncoderQuery& query, std::span<const std::int32_t> items,
             std::span<float> scores) const override;

 private:
  explicit RankingScorer(std::unique_ptr<ForwardRunners> runners)
      : PlannedSide(std::move(runners)) {}
};

/// A copy of the query tower of a retrieval model, independent of further training.
///
/// Thread   encode() from any thread; calls compute side by side.
class TowerEncoder final : public PlannedSide<retrieval::QueryEncoder> {
 public:
  static Result<std::shared_ptr<const TowerEncoder>> create(Session& session);

  void encode(std::span<const retrieval::EncoderQuery> queries,
              std::span<float> vectors) const override;

 private:
  explicit TowerEncoder(std::unique_ptr<ForwardRunners> runners)
      : PlannedSide(std::move(runners)) {}
};

}  // namespace parapet::train
