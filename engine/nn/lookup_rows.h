// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "engine/data/dataset/batches.h"
#include "engine/nn/plan_layout.h"

namespace parapet::nn {

/// Statistics of the ids of a feature over the steps so far.
struct FeatureCounts {
  std::int64_t rows = 0;       ///< examples
  std::int64_t ids = 0;        ///< that the data had
  std::int64_t truncated = 0;  ///< left out because an example had more than the feature's maximum
  std::int64_t oov = 0;        ///< unknown to the vocabulary: of row 0 or a bucket
  std::int64_t empty = 0;      ///< examples without an id
  void add(const FeatureCounts& other);
};

/// The ids of one lookup in a step as the graph uses them: bags truncated to the longest that is
/// allowed, with the factor of each id by combiner and weight. One id per example is passed
/// through. All memory is taken at construction.
class LookupRows {
 public:
  LookupRows(const PlanLayout& layout, const Lookup& lookup, const tensor::Device& device,
             PlanPurpose purpose);

  /// Errors   InvalidArgument if ids, offsets or weights are not as many as the rows ask for, or
  ///          more than the capacity.
  void prepare(const tensor::Launch& launch, const data::FeatureIds& feature, std::int64_t rows);

  /// All values of the batch, one bag after the other.
  [[nodiscard]] std::span<const std::int32_t> ids() const { return ids_; }
  /// [rows + 1] into ids(), from 0; null: one id per example.
  [[nodiscard]] const std::int32_t* offsets() const { return offsets_; }
  /// Factor of each value; null: 1.
  [[nodiscard]] const float* scales() const { return scales_; }
  /// Example of each value; null: the index of the value itself. Of training plans only.
  [[nodiscard]] const std::int32_t* rowOfValue() const { return rowOfValue_; }
  /// First and last value, exclusive, of the examples [begin, end).
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> valueRange(std::int64_t begin,
                                                                 std::int64_t end) const;
  /// Of the last step.
  [[nodiscard]] const FeatureCounts& counts() const { return counts_; }
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  void requireBags(const data::FeatureIds& feature, std::int64_t rows) const;
  void truncate(const data::FeatureIds& feature, std::int64_t rows);

  const Lookup lookup_;
  const std::int64_t capacity_;
  const bool bag_;
  tensor::Buffer<float> scaleBuffer_, weightBuffer_;
  tensor::Buffer<std::int32_t> rowBuffer_, idBuffer_, offsetBuffer_;
  std::span<const std::int32_t> ids_;
  const std::int32_t* offsets_ = nullptr;
  const std::int32_t* rowOfValue_ = nullptr;
  const float* scales_ = nullptr;
  FeatureCounts counts_;
};

}  // namespace parapet::nn
