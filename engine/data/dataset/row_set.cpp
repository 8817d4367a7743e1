// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/row_set.h"

#include <fmt/format.h>

#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/base/result.h"

namespace parapet::data {
namespace {

constexpr std::int64_t kWordBits = 64;
// Words between two entries of the directory: it costs an eighth of the bits, and a position is
// found by looking at no more than so many words.
constexpr std::int64_t kWordsPerEntry = 8;

}  // namespace

struct RowSet::State {
  std::int64_t size = 0;
  std::vector<std::int64_t> list;
  std::vector<std::uint64_t> words;
  std::vector<std::int64_t> before;  ///< rows in front of every kWordsPerEntry-th word
  bool isList = false;

  void readBits(std::int64_t first, std::span<std::int64_t> rows) const;
};

// The directory leads to the words that hold the first position; from there bits are taken off one
// by one.
void RowSet::State::readBits(std::int64_t first, std::span<std::int64_t> rows) const {
  const auto entry = std::upper_bound(before.begin(), before.end(), first) - before.begin() - 1;
  std::int64_t skip = first - before[static_cast<std::size_t>(entry)];
  auto word = static_cast<std::size_t>(entry * kWordsPerEntry);
  for (; skip >= std::popcount(words[word]); ++word) skip -= std::popcount(words[word]);
  std::uint64_t left = words[word];
  for (; skip > 0; --skip) left &= left - 1;
  for (std::int64_t& row : rows) {
    while (left == 0) left = words[++word];
    row = static_cast<std::int64_t>(word) * kWordBits + std::countr_zero(left);
    left &= left - 1;
  }
}

RowSet::RowSet(std::vector<std::int64_t> rows) {
  auto state = std::make_shared<State>();
  state->size = static_cast<std::int64_t>(rows.size());
  state->list = std::move(rows);
  state->isList = true;
  state_ = std::move(state);
}

RowSet RowSet::ofBits(std::vector<std::uint64_t> words) {
  auto state = std::make_shared<State>();
  state->words = std::move(words);
  state->before.reserve(state->words.size() / kWordsPerEntry + 1);
  for (std::size_t word = 0; word < state->words.size(); ++word) {
    if (word % kWordsPerEntry == 0) state->before.push_back(state->size);
    state->size += std::popcount(state->words[word]);
  }
  RowSet set;
  set.state_ = std::move(state);
  return set;
}

RowSet RowSet::all(std::int64_t count) {
  auto state = std::make_shared<State>();
  state->size = count;
  RowSet set;
  set.state_ = std::move(state);
  return set;
}

std::int64_t RowSet::size() const {
  return state_ ? state_->size : 0;
}

void RowSet::read(std::int64_t first, std::span<std::int64_t> rows) const {
  const auto count = static_cast<std::int64_t>(rows.size());
  if (first < 0 || first > size() || count > size() - first)
    throw InvalidArgument(
        fmt::format("[RowSet.read] {} rows from {}; there are {}", count, first, size()));
  if (count == 0) return;
  if (state_->isList)
    std::copy_n(state_->list.begin() + first, count, rows.begin());
  else if (state_->words.empty())
    std::iota(rows.begin(), rows.end(), first);
  else
    state_->readBits(first, rows);
}

std::int64_t RowSet::at(std::int64_t position) const {
  std::int64_t row = 0;
  read(position, {&row, 1});
  return row;
}

RowSet RowSet::ascending() const {
  if (isAscending()) return *this;
  std::vector<std::int64_t> rows = state_->list;
  std::sort(rows.begin(), rows.end());
  return RowSet(std::move(rows));
}

bool RowSet::isAscending() const {
  return !state_ || !state_->isList;
}

std::vector<std::uint64_t> RowSet::bits(std::int64_t rows) const {
  const auto words = static_cast<std::size_t>((rows + kWordBits - 1) / kWordBits);
  if (state_ && state_->words.size() == words) return state_->words;
  std::vector<std::uint64_t> bits(words);
  forEach([&](std::int64_t row) {
    if (row < 0 || row >= rows)
      throw InvalidArgument(fmt::format("[RowSet.bits] row {}; the data set has {}", row, rows));
    bits[static_cast<std::size_t>(row / kWordBits)] |= std::uint64_t{1} << (row % kWordBits);
  });
  return bits;
}

}  // namespace parapet::data
