// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/shape/filter_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "engine/base/hash.h"

namespace parapet::data {
namespace {

constexpr std::size_t kComparedOneByOne = 6;

std::size_t slotsFor(std::size_t count) {
  return count <= kComparedOneByOne ? 0 : std::bit_ceil(count * 2);
}

// Results of a run, and what is read for it, stay in the first cache.
constexpr std::size_t kRunRows = 1024;

constexpr std::uint8_t kUnknown = 1;
constexpr std::uint8_t kTrue = 2;

template <class Value>
const std::vector<Value>& valuesOf(const ColumnValues& column) {
  if constexpr (std::is_same_v<Value, std::int64_t>) {
    return column.integers;
  } else if constexpr (std::is_same_v<Value, double>) {
    return column.numbers;
  } else {
    return column.texts;
  }
}

std::size_t sizeOf(const ColumnValues& column) {
  switch (column.type) {
    case ValueType::kInteger:
      return column.integers.size();
    case ValueType::kNumber:
      return column.numbers.size();
    default:
      return column.texts.size();
  }
}

}  // namespace

NumberSet::NumberSet(std::span<const std::uint64_t> numbers)
    : numbers_(numbers.begin(), numbers.end()) {
  std::sort(numbers_.begin(), numbers_.end());
  numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  slots_.resize(slotsFor(numbers_.size()));
  if (slots_.empty()) return;
  shift_ = 64 - std::countr_zero(slots_.size());
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    std::size_t slot = slotOf(numbers_[i]);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

TextSet::TextSet(std::span<const std::string> texts) {
  std::vector<std::string> sorted(texts.begin(), texts.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (std::string& text : sorted) {
    const std::uint64_t head = headOf(text);
    entries_.push_back({head, std::move(text)});
  }
  slots_.resize(slotsFor(entries_.size()));
  if (slots_.empty()) return;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t slot = slotOf(entries_[i].head, entries_[i].text);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

std::size_t TextSet::slotOf(std::uint64_t head, std::string_view text) const {
  std::uint64_t hash = head;
  if (text.size() > 16) {
    hash = hash64(text);
  } else if (text.size() > 8) {
    hash ^= std::rotl(load(text.data() + text.size() - 8, 8), 29);
  }
  hash = (hash ^ text.size()) * 0x9E3779B97F4A7C15u;
  return static_cast<std::size_t>(hash ^ hash >> 32) & (slots_.size() - 1);
}

/// Works on one run of rows after the other.
class FilterProgram::Runner {
 public:
  Runner(const FilterProgram& program, const RowBlock& block)
      : program_(program), block_(block), stack_(program.depth_ * kRunRows) {}

  /// Results of the rows from `first` on, at most kRunRows.
  const std::uint8_t* run(std::size_t first, std::size_t count) {
    first_ = first;
    count_ = count;
    top_ = 0;
    for (const Step& step : program_.steps_)
      std::visit([&](const auto& what) { apply(step, what); }, step.what);
    return results(0);
  }

 private:
  std::uint8_t* results(std::size_t level) { return stack_.data() + level * kRunRows; }
  std::uint8_t* push() { return results(top_++); }

  void apply(const Step&, const Constant& constant) { std::fill_n(push(), count_, constant.value); }

  void apply(const Step&, const Joint& joint) {
    if (joint.operation == FilterOperation::kNot) {
      std::uint8_t* out = results(top_ - 1);
      for (std::size_t i = 0; i < count_; ++i) out[i] = static_cast<std::uint8_t>(kTrue - out[i]);
      return;
    }
    --top_;
    const std::uint8_t* right = results(top_);
    std::uint8_t* out = results(top_ - 1);
    if (joint.operation == FilterOperation::kAnd) {
      for (std::size_t i = 0; i < count_; ++i) out[i] = std::min(out[i], right[i]);
    } else {
      for (std::size_t i = 0; i < count_; ++i) out[i] = std::max(out[i], right[i]);
    }
  }

  void apply(const Step& step, const IsMissing&) {
    std::uint8_t* out = push();
    std::fill_n(out, count_, std::uint8_t{0});
    markMissing(step, kTrue, out);
  }

  template <class Test>
  void apply(const Step& step, const Test& test) {
    std::uint8_t* out = push();
    const auto* values = valuesOf<typename Test::Value>(block_.columns[step.column]).data();
    for (std::size_t i = 0; i < count_; ++i)
      out[i] = static_cast<std::uint8_t>(test(values[first_ + i]) ? kTrue : 0);
    markMissing(step, kUnknown, out);
  }

  /// A number that is not one (NaN) counts as missing.
  void markMissing(const Step& step, std::uint8_t mark, std::uint8_t* out) const {
    const ColumnValues& column = block_.columns[step.column];
    if (!column.missing.empty())
      for (std::size_t i = 0; i < count_; ++i) out[i] = column.missing[first_ + i] ? mark : out[i];
    if (column.type == ValueType::kNumber)
      for (std::size_t i = 0; i < count_; ++i) {
        const double value = column.numbers[first_ + i];
        out[i] = value != value ? mark : out[i];
      }
  }

  const FilterProgram& program_;
  const RowBlock& block_;
  std::vector<std::uint8_t> stack_;
  std::size_t first_ = 0, count_ = 0, top_ = 0;
};

void FilterProgram::run(const RowBlock& block, std::uint8_t* keep) const {
  const auto rows = static_cast<std::size_t>(block.rows);
  for (const Step& step : steps_) {
    if (std::holds_alternative<Constant>(step.what) || std::holds_alternative<Joint>(step.what))
      continue;
    const bool fits = step.column < block.columns.size() &&
                      block.columns[step.column].type == step.type &&
                      sizeOf(block.columns[step.column]) >= rows;
    if (!fits)
      throw InvalidArgument(fmt::format(
          "[data.Filter] column {} of the block is not the one that the filter was bound to",
          step.column));
  }
  Runner runner(*this, block);
  for (std::size_t first = 0; first < rows; first += kRunRows) {
    const std::size_t count = std::min(kRunRows, rows - first);
    const std::uint8_t* results = runner.run(first, count);
    for (std::size_t i = 0; i < count; ++i) keep[first + i] = results[i] >> 1;
  }
}

}  // namespace parapet::data
