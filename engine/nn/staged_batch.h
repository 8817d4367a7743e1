// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/nn/step_batch.h"
#include "engine/tensor/staged_array.h"

namespace parapet::nn {

/// A feature as the ops of a device read it: the arrays of data::FeatureIds.
struct FeatureHere {
  const std::int32_t* ids = nullptr;
  const std::int32_t* offsets = nullptr;
  const float* dense = nullptr;
};

/// The rows of a batch as the ops of a device read them; see StepBatch.
struct InputHere {
  std::vector<FeatureHere> features{};
  const float* labels = nullptr;
  const float* weights = nullptr;
  const std::int32_t* lists = nullptr;
};

/// The rows of a global batch that a memory space works on, in its own memory: ids, offsets,
/// weights, labels and dense features are copied there once a step. Where there is one space only,
/// and the host can read it, nothing is copied and the views are those of the batch.
class StagedBatch {
 public:
  enum class From {
    kViews,   ///< the batch lies in this space
    kCopies,  ///< the space has memory of its own for its rows
  };
  /// A feature of the batches to come.
  struct Column {
    std::int64_t idsPerRow = 1;  ///< max. ids of an example
    bool isRead = false;         ///< by lookups or row spaces
    /// The feature whose ids its own ids name by their position in the batch; a space counts from
    /// the first that it has. −1: they are no positions.
    std::int32_t positionsOf = -1;
  };
  /// Views are taken as copies where the host cannot read the device's memory.
  StagedBatch(const tensor::Device& device, From from, std::int64_t capacityRows,
              std::vector<Column> columns);

  /// Lists and frequencies of items stay those of the batch. The result is for the host to read.
  ///
  /// Errors   InvalidArgument if a feature has fewer ids, offsets or values than the rows ask for.
  const StepBatch& stage(const StepBatch& batch, mesh::RowSlice rows);
  /// The batch that was staged ahead is that of this step now: its views may lie elsewhere.
  void resume(const StepBatch& batch);
  /// Views of the last stage(), for the host.
  [[nodiscard]] const StepBatch& input() const { return input_; }
  /// Views of the last stage(), for ops.
  [[nodiscard]] const InputHere& here() const { return here_; }

 private:
  struct Feature {
    tensor::StagedArray<std::int32_t> ids, offsets;
    tensor::StagedArray<float> weights, dense;
  };
  void stageFeature(std::size_t feature, const data::FeatureIds& from, mesh::RowSlice rows,
                    std::int32_t firstPosition);
  /// What a space takes off the positions that a feature names.
  [[nodiscard]] std::int32_t firstPosition(const StepBatch& batch, std::size_t feature,
                                           mesh::RowSlice rows) const;
  void viewBatch();
  void stageLists();
  /// A copy of `from` for the host; `here`, where it is wanted, is the one for ops.
  template <class T>
  std::span<const T> copy(tensor::StagedArray<T>& into, std::span<const T> from,
                          std::int64_t capacity, const T** here = nullptr);

  const tensor::Device device_;
  const From from_;
  const std::int64_t capacityRows_;
  const std::vector<Column> columns_;
  std::vector<Feature> features_;
  tensor::StagedArray<float> labels_, weights_;
  tensor::StagedArray<std::int32_t> lists_;
  std::vector<data::FeatureIds> views_;
  std::vector<std::int32_t> offsets_;    ///< on the host, from 0
  std::vector<std::int32_t> positions_;  ///< on the host, from 0
  StepBatch input_;
  InputHere here_;
};

}  // namespace parapet::nn
