// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/data/dataset/row_bits.h"
#include "engine/data/split/split.h"

namespace parapet::data {

// What the kinds of splits share; used by split*.cpp alone.

/// The parts while they are cut: one bit per row each. No row is in two.
class PartBits {
 public:
  explicit PartBits(std::int64_t rows);
  [[nodiscard]] Split take() &&;

  RowBits train, validation, test;
};

/// Rows (or batches) that an amount stands for, of `whole`.
std::int64_t amountOf(const experiment::SplitAmount& amount, std::int64_t whole);

PartBits leaveLast(const EventColumns& events, const experiment::Split& spec);
PartBits leaveRandom(const EventColumns& events, const experiment::Split& spec, std::uint64_t seed);
PartBits cutByTime(const EventColumns& events, const experiment::Split& spec);
PartBits partsAsGiven(const EventColumns& events);
/// A part that the document counts on and that has no row.
///
/// Errors   InvalidDocument at the setting that names it.
Status requireGivenParts(const PartBits& parts, const experiment::Split& spec);

}  // namespace parapet::data
