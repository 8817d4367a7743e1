// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/data/shape/split.h"
#include "engine/retrieval/recommender.h"

namespace parapet::retrieval {

/// Who touched what, by part of the split: lists of item rows per user row, compressed.
class Interactions {
 public:
  Interactions(const data::Dataset& dataset, const std::string& userColumn,
               const std::string& itemColumn, const data::Split& split);

  /// Ascending distinct items of the user's rows in a part.
  [[nodiscard]] std::span<const std::int32_t> items(Part part, std::int32_t user) const;
  /// Ascending distinct items of all imported rows of the user.
  [[nodiscard]] std::span<const std::int32_t> allItems(std::int32_t user) const;
  /// Rows of the data set that belong to the user, in data order.
  [[nodiscard]] std::span<const std::int64_t> rows(std::int32_t user) const;
  [[nodiscard]] Part partOf(std::int64_t row) const {
    return partOfRow_[static_cast<std::size_t>(row)];
  }
  /// Training rows of each item.
  [[nodiscard]] std::span<const std::int64_t> popularity() const { return popularity_; }
  /// Training rows of each user.
  [[nodiscard]] std::int64_t activity(std::int32_t user) const {
    return activity_[static_cast<std::size_t>(user)];
  }
  [[nodiscard]] std::int32_t users() const { return static_cast<std::int32_t>(activity_.size()); }

  /// Ascending distinct items of the user's rows in `part` whose label is at least `from` (raw).
  [[nodiscard]] std::vector<std::int32_t> relevant(Part part, std::int32_t user,
                                                   std::optional<double> from) const;

 private:
  struct Lists {
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> values;
    [[nodiscard]] std::span<const std::int32_t> of(std::int32_t user) const;
  };
  template <class Keep>
  [[nodiscard]] Lists collect(const Keep& keep) const;

  const data::Dataset& dataset_;
  std::span<const std::int32_t> itemOfRow_;
  std::vector<Part> partOfRow_;
  std::vector<std::int64_t> rowOffsets_, rowsByUser_;
  Lists all_, byPart_[4];
  std::vector<std::int64_t> popularity_, activity_;
};

}  // namespace parapet::retrieval
