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

/// Cache of a table that lies in the host's memory: the rows that a device with memory of its own
/// works on, with their optimizer slots. It keeps the rows that steps used last. Before a step its
/// rows are brought to the device; the rows that make room for them are copied back if a step has
/// changed them. Ops of the step see a smaller table, whose rows are the cache slots.
///
/// Memory   all of it is taken at construction; rows move in blocks of kBlockRows.
/// Order    the slot of a row changes no bit of it.
/// Errors   DeviceFailure if the device refuses a copy. A row that was being copied back then has
/// the
/// value of the last writeBack().
class RowCache {
 public:
  static constexpr std::int64_t kBlockRows = 4096;

  /// An array of the table as the device holds it, [cache slots, cols].
  struct Array {
    float* here;
    std::int64_t cols;
  };
  /// `places`: the number of cache slots. `arrays`: the weight, then its optimizer slots.
  RowCache(const tensor::Device& device, std::int64_t rows, std::int64_t places,
           std::vector<Array> arrays);

  [[nodiscard]] std::int64_t places() const { return recent_.places(); }

  enum class Use {
    kReads,   ///< of a forward pass
    kTrains,  ///< the step changes the rows, and counts
  };
  void beginStep() { recent_.beginStep(); }
  /// Brings rows of the table to the device; places[n], on the host, is the cache slot of row
  /// rows[n] during the step. `rows` and `places` may be the same array.
  ///
  /// Errors   InvalidArgument if the step has more rows than the cache has slots.
  void bring(std::span<const std::int32_t> rows, Use use, std::int32_t* places);

  /// An array of the whole table on the host, [rows, cols], as steps have left it: changed rows are
  /// copied back first. After writing there the cache is to forget what it has.
  [[nodiscard]] tensor::Buffer<float>& table(std::size_t array);
  void forget();

  /// Counts since the last call.
  [[nodiscard]] CacheCounts takeCounts() { return std::exchange(counts_, {}); }
  /// Bytes on the device and on the host.
  [[nodiscard]] std::uint64_t bytes() const;
  /// Bytes of the host's memory besides the table, before the cache exists.
  [[nodiscard]] static std::int64_t hostScratchFor(std::int64_t rows, std::int64_t places,
                                                   std::int64_t colsOfAll);
  /// Bytes of the device's memory besides the arrays, before the cache exists.
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
  std::vector<bool> changed_;                  ///< by cache slot, since it was copied
  std::vector<Move> leaving_, coming_;
  CacheCounts counts_;
  // A block on its way: rows of all arrays, one array after the other.
  tensor::StagedArray<std::int32_t> blockPlaces_;
  tensor::Buffer<float> blockHere_, blockOnHost_;
};

}  // namespace parapet::nn
