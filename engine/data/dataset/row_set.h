// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace parapet::data {

/// One bit per row: that of row r is bit r mod 64 of word r / 64.
using RowBits = std::vector<std::uint64_t>;

/// No bit of `rows` rows is set.
inline RowBits noRowBits(std::int64_t rows) {
  return RowBits(static_cast<std::size_t>((rows + 63) / 64));
}
inline bool hasRow(std::span<const std::uint64_t> words, std::int64_t row) {
  return (words[static_cast<std::size_t>(row >> 6)] >> (row & 63) & 1) != 0;
}
inline void setRow(RowBits& words, std::int64_t row) {
  words[static_cast<std::size_t>(row >> 6)] |= std::uint64_t{1} << (row & 63);
}
inline void clearRow(RowBits& words, std::int64_t row) {
  words[static_cast<std::size_t>(row >> 6)] &= ~(std::uint64_t{1} << (row & 63));
}

/// Rows of a data set in the order of their use; cheap to copy. A list of any order for sets that
/// fit in memory, or one bit per row of the data set, in ascending order, for those that need not.
///
/// Thread   safe to read from many.
class RowSet {
 public:
  RowSet() = default;
  explicit RowSet(std::vector<std::int64_t> rows);
  /// The rows whose bit is set; bit r of the set is bit r mod 64 of word r / 64. Ascending.
  static RowSet ofBits(std::vector<std::uint64_t> words);
  /// 0 … count − 1.
  static RowSet all(std::int64_t count);

  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// rows[i] = row at position first + i. InvalidArgument beyond the end.
  void read(std::int64_t first, std::span<std::int64_t> rows) const;
  /// The row at a position; for a few, read() is for many.
  [[nodiscard]] std::int64_t at(std::int64_t position) const;
  /// Calls visit(row) for all rows in order.
  template <class Visit>
  void forEach(const Visit& visit) const;
  /// The rows of this set, smallest first.
  [[nodiscard]] RowSet ascending() const;
  /// True of bits and of all(): in row order by construction. A list has the order it was given.
  [[nodiscard]] bool isAscending() const;
  /// The rows as bits, as ofBits() takes them, for a data set of `rows` rows. InvalidArgument for a
  /// row beyond it.
  [[nodiscard]] std::vector<std::uint64_t> bits(std::int64_t rows) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;  // null: no rows
};

template <class Visit>
void RowSet::forEach(const Visit& visit) const {
  constexpr std::int64_t kRun = 4096;
  std::int64_t rows[kRun];
  for (std::int64_t first = 0; first < size(); first += kRun) {
    const auto count = std::min(kRun, size() - first);
    const std::span<std::int64_t> run(rows, static_cast<std::size_t>(count));
    read(first, run);
    for (const std::int64_t row : run) visit(row);
  }
}

}  // namespace parapet::data
