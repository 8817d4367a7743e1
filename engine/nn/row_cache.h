// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/nn/recent_rows.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/staged_array.h"

namespace parapet::nn {

/// Distinct rows that training steps have used of a table, and how many of them were in the cache.
struct CacheCounts {
  std::int64_t rows = 0, hits = 0;
  void add(const CacheCounts& other) {
    rows += other.rows;
    hits += other.hits;
  }
};

/// Of a table that lies in the host's memory, the rows that a device with memory of its own works on:
/// those that steps used last, with their optimizer slots. Before a step its rows are brought there;
/// the rows that make room for them go back if a step has changed them. What the ops of the step see
/// is a smaller table, whose rows are places.
///
/// Memory   all of it is taken at construction; rows move in blocks of kBlockRows.
/// Order    which rows are where changes no bit of them.
/// Errors   DeviceFailure if the device refuses a copy. A row that was on its way back then has the
///          value of the last writeBack().
class RowCache {
 public:
  static constexpr std::int64_t kBlockRows = 4096;

  /// An array of the table as the device holds it, [places, cols].
  struct Array {
    float* here;
    std::int64_t cols;
  };
  /// `arrays`: the weight, then its slots.
  RowCache(const tensor::Device& device, std::int64_t rows, std::int64_t places,
           std::vector<Array> arrays);

  [[nodiscard]] std::int64_t places() const { return recent_.places(); }

  enum class Use {
    kReads,   ///< of a forward pass
    kTrains,  ///< the step changes the rows, and counts
  };
  void beginStep() { recent_.beginStep(); }
  /// Brings rows of the table here; places[n], on the host, is where row rows[n] lies during the step.
  /// The two may be the same array.
  ///
  /// Errors   InvalidArgument if the rows of the step are more than the places.
  void bring(std::span<const std::int32_t> rows, Use use, std::int32_t* places);

  /// An array of the whole table on the host, [rows, cols], as steps have left it: changed rows are
  /// copied back first. After writing there the cache is to forget what it has.
  [[nodiscard]] tensor::Buffer<float>& table(std::size_t array);
  void forget();

  /// Since the last call.
  [[nodiscard]] CacheCounts takeCounts() { return std::exchange(counts_, {}); }
  /// On the device and on the host.
  [[nodiscard]] std::uint64_t bytes() const;
  /// What it takes of the host's memory besides the table, before it exists.
  [[nodiscard]] static std::int64_t hostScratchFor(std::int64_t rows, std::int64_t places,
                                                   std::int64_t colsOfAll);
  /// What it takes of the device's besides the arrays.
  [[nodiscard]] static std::int64_t deviceBytesFor(std::int64_t places, std::int64_t colsOfAll);

 private:
  struct Move {
    std::int32_t place, row;
  };
  void take(std::int32_t row);
  void writeBack();
  void copyBack(std::span<const Move> rows);
  void copyHere(std::span<const Move> rows);
  template <class Body>
  void forBlocksOf(std::span<const Move> rows, const Body& body);

  const tensor::Device device_;
  RecentRows recent_;
  const std::vector<Array> arrays_;
  std::vector<tensor::Buffer<float>> tables_;  ///< by array, on the host
  std::vector<bool> changed_;                  ///< by place, since it was copied
  std::vector<Move> leaving_, coming_;
  CacheCounts counts_;
  // A block on its way: rows of all arrays, one array after the other.
  tensor::StagedArray<std::int32_t> blockPlaces_;
  tensor::Buffer<float> blockHere_, blockOnHost_;
};

}  // namespace parapet::nn
