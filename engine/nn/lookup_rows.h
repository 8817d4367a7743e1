// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "engine/data/dataset/batches.h"
#include "engine/nn/parameters.h"
#include "engine/nn/program.h"
#include "engine/nn/row_cache.h"
#include "engine/tensor/staged_array.h"

namespace parapet::nn {

/// Statistics of the ids of a feature over the steps so far.
struct FeatureCounts {
  std::int64_t rows = 0;       ///< examples
  std::int64_t ids = 0;        ///< ids in the data
  std::int64_t truncated = 0;  ///< left out because an example had more than the feature's maximum
  std::int64_t oov = 0;        ///< unknown to the vocabulary: of row 0 or a bucket
  std::int64_t empty = 0;      ///< examples without an id

  static constexpr std::size_t kNumbers = 5;
  /// As numbers that add up over spaces, and back.
  [[nodiscard]] std::array<double, kNumbers> numbers() const {
    return {static_cast<double>(rows), static_cast<double>(ids), static_cast<double>(truncated),
            static_cast<double>(oov), static_cast<double>(empty)};
  }
  static FeatureCounts of(std::span<const double, kNumbers> numbers) {
    const auto count = [&](std::size_t i) { return static_cast<std::int64_t>(numbers[i]); };
    return {count(0), count(1), count(2), count(3), count(4)};
  }
};

/// The ids of one lookup in a step as the graph uses them: bags truncated to the longest that is
/// allowed, with the factor of each id by combiner and weight; sequences truncated alike, without
/// factors. One id per example is passed through. All memory is taken at construction.
class LookupRows {
 public:
  /// `index`: of the lookup in the graph.
  LookupRows(const Program& program, std::size_t index, const Graph& graph,
             const tensor::Device& device);

  /// The ids of a lookup, as the host or as ops read them.
  struct Arrays {
    const std::int32_t* ids = nullptr;         ///< all values of the batch, one bag after the other
    const std::int32_t* offsets = nullptr;     ///< [rows + 1] into ids; null: one id per example
    const float* scales = nullptr;             ///< factor of each value; null: 1
    const std::int32_t* rowOfValue = nullptr;  ///< example of each value, of training plans only;
                                               ///< null: the index of the value itself
  };
  /// `here`: the same feature for ops. Works on the host, and brings what it made to the device.
  ///
  /// Errors   InvalidArgument if ids, offsets or weights are not as many as the rows ask for, or
  ///          more than the capacity; on a device whose ops cannot check it, if an id is not in the
  ///          table.
  void prepare(const data::FeatureIds& feature, const std::int32_t* idsHere,
               const std::int32_t* offsetsHere, std::int64_t rows);

  /// Brings the rows into the cache of the table, after prepare(): from then on ids are cache
  /// slots.
  void bring(RowCache& cache, RowCache::Use use);

  [[nodiscard]] const Arrays& host() const { return host_; }
  [[nodiscard]] const Arrays& here() const { return here_; }
  [[nodiscard]] std::span<const std::int32_t> ids() const {
    return {host_.ids, static_cast<std::size_t>(values_)};
  }
  /// First and last value, exclusive, of the examples [begin, end).
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> valueRange(std::int64_t begin,
                                                                 std::int64_t end) const;
  /// Counts of the last step.
  [[nodiscard]] const FeatureCounts& counts() const { return counts_; }

 private:
  void requireBags(const data::FeatureIds& feature, std::int64_t rows) const;
  void truncate(const data::FeatureIds& feature, std::int64_t rows);
  /// Offsets of a feature that comes with one id per example.
  void countOff(std::int64_t rows);
  void scaleBags(const float* weights, std::int64_t rows);

  void prepareBags(const data::FeatureIds& feature, const std::int32_t* offsetsHere,
                   std::int64_t rows);
  void requireInTable() const;

  const Lookup lookup_;
  const tensor::Device device_;
  const std::int64_t capacity_, tableRows_;
  const bool bag_;
  tensor::StagedArray<float> scaleMemory_;
  tensor::Buffer<float> weightMemory_;
  tensor::StagedArray<std::int32_t> rowMemory_, idMemory_, offsetMemory_, placeMemory_;
  std::int64_t values_ = 0;
  Arrays host_, here_;
  FeatureCounts counts_;
};

}  // namespace parapet::nn
