// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/random.h"
#include "engine/data/dataset/batches.h"
#include "engine/data/dataset/dataset.h"
#include "engine/experiment/document.h"
#include "engine/nn/model.h"
#include "engine/train/entity_inputs.h"
#include "engine/train/step_inputs.h"

namespace parapet::train {

/// The inputs of a loss with negatives besides a batch: how often each item is a negative, and items
/// that are drawn for a step.
///
///   Q(j) = (n·Q_b(j) + m·Q_e(j)) / (n + m)
///
/// n other examples that a query meets in a full batch (0 for sampled_softmax), m extra negatives.
/// Q_b: share of the training rows with item j; an item without any counts as one row. Where the
/// positions of sequences are examples, n is the mean number of those of the other sequences, and
/// Q_b the share of the rows that are predicted. Q_e: uniform over the catalogue, the share of the
/// training rows, or the mean of both.
///
/// A batch with m extra negatives gets m more rows after its examples: the features of the drawn
/// items on the candidate side and those of the examples, over and over, on the query side, with
/// weight 0. Their sequences are empty, which costs less, and so are their histories unless a layer
/// normalizes the batch. What is drawn is a function of (seed,
/// key.draw) alone.
///
/// Thread   one caller at a time.
class NegativeInputs final : public StepInputs {
 public:
  /// `queriesTogether`: examples, or sequences, of a full batch that are negatives of one another.
  NegativeInputs(std::shared_ptr<const data::Dataset> dataset, const nn::Model& model,
                 const experiment::Experiment& experiment, const data::RowSet& trainingRows,
                 std::int64_t queriesTogether, Histories histories = {});

  /// log Q(j), by row of the items' vocabulary.
  [[nodiscard]] std::span<const float> itemLogQ() const { return logQ_; }
  /// The items that are drawn for a key; rows of the vocabulary.
  [[nodiscard]] std::vector<std::int32_t> draw(std::uint64_t key) const;
  /// The input with log Q and its extra negatives.
  nn::StepBatch extend(const nn::StepBatch& input, const Key& key) override;

 private:
  /// A feature of the examples and the extra rows.
  struct Column {
    std::vector<std::int32_t> ids, offsets;
    std::vector<float> weights, dense;
  };
  /// The current batch, or the next one, whose ids may be sorted ahead.
  struct Extended {
    std::vector<Column> columns;
    std::vector<data::FeatureIds> features;
    std::vector<float> labels, weights;
    std::vector<std::int32_t> lists;
  };
  void extendColumn(std::size_t index, Column& column, const data::FeatureIds& examples,
                    const data::FeatureIds& items, std::size_t rows) const;

  std::uint64_t seed_;
  experiment::ExtraNegatives extra_{.count = 0};
  std::vector<float> logQ_;
  std::vector<std::int32_t> catalogue_;
  std::vector<std::int64_t> rowsUpTo_;     ///< by item: training rows of it and of those before it
  std::vector<experiment::Tower> towers_;  ///< by column of the model
  std::vector<bool> isEmpty_;              ///< likewise: in the extra rows
  EntityInputs entities_;
  std::array<Extended, 2> extended_;
};

}  // namespace parapet::train
