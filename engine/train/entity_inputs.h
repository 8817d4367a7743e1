// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/data/dataset/batches.h"
#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/entity_features.h"
#include "engine/experiment/document.h"
#include "engine/nn/model.h"

namespace parapet::train {

/// Features of a user and an item that need not occur together in the data: their ids, and the
/// values of other columns in the last training row of the user (features of the query side) or of
/// the item (those of the candidate side).
class EntityInputs {
 public:
  /// `trainingRows` are used only if the model reads more than the two ids.
  EntityInputs(std::shared_ptr<const data::Dataset> dataset, const nn::Model& model,
               const experiment::Experiment& experiment, const data::RowSet& trainingRows);

  /// An id column whose value is given instead: the context of a recommendation.
  struct Given {
    std::string column;
    std::int32_t row;  ///< of its vocabulary
  };

  /// Features of the pairs (users[b], items[b]), vocabulary rows; an empty side reads row 0.
  /// Views are valid until the next call.
  std::span<const data::FeatureIds> of(std::span<const std::int32_t> users,
                                       std::span<const std::int32_t> items,
                                       std::span<const Given> given = {});

 private:
  enum class Kind { kUserId, kItemId, kIds, kBags, kNumeric };
  struct Column {
    std::string name;
    Kind kind;
    bool ofUser;
    std::vector<std::int32_t> ids, offsets;
    std::vector<float> weights, numeric;
  };
  void fill(Column& column, std::span<const std::int32_t> entities, std::size_t rows) const;
  [[nodiscard]] std::int64_t rowOf(const Column& column, std::span<const std::int32_t> entities,
                                   std::size_t exampleIndex) const;

  std::shared_ptr<const data::Dataset> dataset_;
  data::EntityFeatures users_, items_;
  std::vector<Column> columns_;  // by feature of the graph
  std::vector<data::FeatureIds> views_;
};

}  // namespace parapet::train
