// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/experiment/document.h"

namespace parapet::data {

/// Who rates how much, and what is popular, as integer tables.
///
/// Users and items are ranked; rank r weighs 10⁹/(r + 10), a power law without floating point. A
/// user of n events gets his n items at equal steps along the cumulative popularity of all items,
/// from a start of his own. Where a step is shorter than a popular item's share two picks would
/// fall on the same item; the later one moves on to the next rank, so that no pair occurs twice.
class GeneratorTables {
 public:
  explicit GeneratorTables(const experiment::Generator& settings);

  struct Pick {
    std::int64_t user = 0;  ///< from 1
    std::int64_t item = 0;  ///< from 1
  };
  /// The pair of event `index`, [0, events).
  [[nodiscard]] Pick pick(std::int64_t index) const;

 private:
  void allotEvents(std::int64_t events, std::int64_t items);
  [[nodiscard]] std::int64_t itemRank(std::uint64_t position) const;

  std::int64_t events_;
  std::uint64_t seed_;
  std::int64_t stride_ = 1;                   // events are visited in steps of it, modulo events_
  std::vector<std::int64_t> firstEvent_;      // by user rank, and the end
  std::vector<std::uint64_t> itemWeightEnd_;  // cumulative popularity by item rank
  std::vector<std::int64_t> userOfRank_, itemOfRank_;
};

}  // namespace parapet::data
