// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/row_cache.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine/base/index.h"
#include "engine/tensor/ops/ops.h"

namespace parapet::nn {
namespace {

constexpr std::int64_t kFloatBytes = sizeof(float), kIdBytes = sizeof(std::int32_t);

std::int64_t colsOf(std::span<const RowCache::Array> arrays) {
  return std::accumulate(
      arrays.begin(), arrays.end(), std::int64_t{0},
      [](std::int64_t sum, const RowCache::Array& array) { return sum + array.cols; });
}

std::int64_t blockRows(std::int64_t places) {
  return std::min(places, RowCache::kBlockRows);
}

}  // namespace

RowCache::RowCache(const tensor::Device& device, std::int64_t rows, std::int64_t places,
                   std::vector<Array> arrays)
    : device_(device),
      recent_(rows, places),
      arrays_(std::move(arrays)),
      changed_(static_cast<std::size_t>(places)),
      blockPlaces_(device, blockRows(places)),
      blockHere_(device, blockRows(places) * colsOf(arrays_)),
      blockOnHost_(tensor::hostFor(device), blockHere_.size()) {
  for (const Array& array : arrays_)
    tables_.emplace_back(tensor::hostFor(device), rows * array.cols);
  leaving_.reserve(changed_.size());
  coming_.reserve(changed_.size());
}

// First those that are here, so that none of them makes room for another.
void RowCache::bring(std::span<const std::int32_t> rows, Use use, std::int32_t* places) {
  leaving_.clear();
  coming_.clear();
  CacheCounts counts;
  const bool trains = use == Use::kTrains;
  for (const std::int32_t row : rows)
    if (const std::int32_t place = recent_.find(row); place != RecentRows::kNone)
      if (recent_.use(place)) counts.add({1, 1});
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const std::int32_t row = rows[n];
    if (recent_.find(row) == RecentRows::kNone) {
      take(row);
      counts.add({1, 0});
    }
    places[n] = recent_.find(row);
    if (trains) changed_[at(places[n])] = true;
  }
  copyBack(leaving_);
  copyHere(coming_);
  if (trains) counts_.add(counts);
}

void RowCache::take(std::int32_t row) {
  const RecentRows::Taken taken = recent_.take(row);
  const bool wasChanged = changed_[at(taken.place)];
  changed_[at(taken.place)] = false;
  if (taken.left != RecentRows::kNone && wasChanged) leaving_.push_back({taken.place, taken.left});
  coming_.push_back({taken.place, row});
}

template <class Body>
void RowCache::forBlocksOf(std::span<const Move> rows, const Body& body) {
  const auto most = static_cast<std::size_t>(blockPlaces_.size());
  while (!rows.empty()) {
    const auto block = rows.first(std::min(most, rows.size()));
    for (std::size_t i = 0; i < block.size(); ++i) blockPlaces_.data()[i] = block[i].place;
    blockPlaces_.upload(static_cast<std::int64_t>(block.size()));
    body(block, std::span{blockPlaces_.here(), block.size()});
    rows = rows.subspan(block.size());
  }
}

void RowCache::copyBack(std::span<const Move> rows) {
  forBlocksOf(rows, [this](std::span<const Move> block, std::span<const std::int32_t> places) {
    const auto count = static_cast<std::int64_t>(block.size());
    std::int64_t offset = 0;
    for (const Array& array : arrays_) {
      tensor::run({&device_, nullptr}, PpGatherRows{.table = array.here,
                                                    .tableRows = recent_.places(),
                                                    .width = array.cols,
                                                    .rows = places.data(),
                                                    .count = std::ssize(places),
                                                    .out = blockHere_.data() + offset});
      offset += count * array.cols;
    }
    device_.copyOut(blockOnHost_.data(), blockHere_.data(),
                    static_cast<std::uint64_t>(offset * kFloatBytes));
    const float* from = blockOnHost_.data();
    for (std::size_t array = 0; array < arrays_.size(); ++array)
      for (const Move& move : block) {
        const std::int64_t cols = arrays_[array].cols;
        std::copy_n(from, cols, tables_[array].data() + move.row * cols);
        from += cols;
      }
  });
}

void RowCache::copyHere(std::span<const Move> rows) {
  forBlocksOf(rows, [this](std::span<const Move> block, std::span<const std::int32_t> places) {
    float* into = blockOnHost_.data();
    for (std::size_t array = 0; array < arrays_.size(); ++array)
      for (const Move& move : block) {
        const std::int64_t cols = arrays_[array].cols;
        into = std::copy_n(tables_[array].data() + move.row * cols, cols, into);
      }
    device_.copyIn(blockHere_.data(), blockOnHost_.data(),
                   static_cast<std::uint64_t>((into - blockOnHost_.data()) * kFloatBytes));
    const float* from = blockHere_.data();
    for (const Array& array : arrays_) {
      tensor::run({&device_, nullptr}, PpReplaceRows{.outRows = recent_.places(),
                                                     .width = array.cols,
                                                     .rows = places.data(),
                                                     .count = std::ssize(places),
                                                     .in = from,
                                                     .out = array.here});
      from += static_cast<std::int64_t>(block.size()) * array.cols;
    }
  });
}

void RowCache::writeBack() {
  leaving_.clear();
  for (std::int32_t place = 0; place < static_cast<std::int32_t>(changed_.size()); ++place)
    if (changed_[at(place)]) leaving_.push_back({place, recent_.rowIn(place)});
  copyBack(leaving_);
  std::fill(changed_.begin(), changed_.end(), false);
}

tensor::Buffer<float>& RowCache::table(std::size_t array) {
  writeBack();
  return tables_[array];
}

void RowCache::forget() {
  recent_.clear();
  std::fill(changed_.begin(), changed_.end(), false);
}

std::uint64_t RowCache::bytes() const {
  std::int64_t rows = 0, cols = 0;
  std::uint64_t total = 0;
  for (std::size_t array = 0; array < arrays_.size(); ++array) {
    total += tables_[array].bytes();
    rows = tables_[array].size() / arrays_[array].cols;
    cols += arrays_[array].cols;
  }
  return total + static_cast<std::uint64_t>(hostScratchFor(rows, places(), cols) +
                                            deviceBytesFor(places(), cols));
}

// Counts the maps from rows to cache slots and back, the lists of moves, and a block on its way.
std::int64_t RowCache::hostScratchFor(std::int64_t rows, std::int64_t places,
                                      std::int64_t colsOfAll) {
  constexpr std::int64_t kMoves = 2 * sizeof(Move);
  return RecentRows::bytesFor(rows, places) + places * kMoves +
         blockRows(places) * (colsOfAll * kFloatBytes + kIdBytes);
}

std::int64_t RowCache::deviceBytesFor(std::int64_t places, std::int64_t colsOfAll) {
  return blockRows(places) * (colsOfAll * kFloatBytes + kIdBytes);
}

}  // namespace parapet::nn
