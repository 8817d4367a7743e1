// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/data/shape/split.h"

namespace parapet::data {

// What the kinds of splits share; used by split*.cpp alone.

/// The parts while they are cut: one bit per row each. No row is in two.
class PartBits {
 public:
  using Words = std::vector<std::uint64_t>;
  explicit PartBits(std::int64_t rows);

  static void set(Words& words, std::int64_t row) {
    words[static_cast<std::size_t>(row >> 6)] |= std::uint64_t{1} << (row & 63);
  }
  static void clear(Words& words, std::int64_t row) {
    words[static_cast<std::size_t>(row >> 6)] &= ~(std::uint64_t{1} << (row & 63));
  }
  static bool has(const Words& words, std::int64_t row) {
    return (words[static_cast<std::size_t>(row >> 6)] >> (row & 63) & 1) != 0;
  }
  [[nodiscard]] Split take() &&;

  Words train, validation, test;
};

Error splitError(std::string pointer, std::string message);

/// Rows (or batches) that an amount stands for, of `whole`.
std::int64_t amountOf(const experiment::SplitAmount& amount, std::int64_t whole);

PartBits leaveLast(const EventColumns& events, const experiment::Split& spec);
PartBits leaveRandom(const EventColumns& events, const experiment::Split& spec, std::uint64_t seed);
PartBits cutByTime(const EventColumns& events, const experiment::Split& spec);

}  // namespace parapet::data
