// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/data/generate/event_generator.h"

namespace parapet::data {

/// What the best model of generated events would reach; what lies between the two hit rates is what
/// knowing the context is worth.
class EventOracle {
 public:
  /// `events` must outlive it.
  explicit EventOracle(const EventGenerator& events) : events_(events) {}

  /// Share of a user's listens in a context that are of one of the k items that are likeliest there.
  [[nodiscard]] double hitRateIn(int context, std::int64_t uid, std::int64_t k) const;
  /// Share of a user's listens that are of one of the k items that are likeliest in their context.
  [[nodiscard]] double hitRateInContext(std::int64_t uid, std::int64_t k) const;
  /// The same for the k items that are likeliest over all contexts together.
  [[nodiscard]] double hitRateWithoutContext(std::int64_t uid, std::int64_t k) const;

 private:
  const EventGenerator& events_;
};

}  // namespace parapet::data
