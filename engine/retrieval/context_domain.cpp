// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/context_domain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "engine/base/text.h"

namespace parapet::retrieval {
namespace {

// Fewer values are told apart better in a list than on a scale.
constexpr std::int64_t kMinScale = 6;

void readNumbers(const data::Dataset& dataset, ContextDomain& domain) {
  domain.min = std::numeric_limits<double>::infinity();
  domain.max = -domain.min;
  bool integers = true;
  for (const float number : dataset.denseValues(domain.name)) {
    const auto value = static_cast<double>(number);
    domain.min = std::min(domain.min, value);
    domain.max = std::max(domain.max, value);
    integers = integers && value == std::floor(value);
  }
  if (domain.min > domain.max) domain.min = domain.max = 0.0;
  domain.step = integers ? 1.0 : 0.0;
  domain.isScale = true;
}

/// Whether all values are integers, each of a range once.
void findScale(ContextDomain& domain) {
  if (domain.distinct < kMinScale ||
      domain.distinct != static_cast<std::int64_t>(domain.values.size()))
    return;
  double min = std::numeric_limits<double>::infinity(), max = -min;
  for (const ContextOption& option : domain.values) {
    const std::optional<double> number = parseDouble(option.value);
    // "07" and "7" are two ids.
    if (!number || *number != std::floor(*number) || std::abs(*number) > 1e9 ||
        std::to_string(static_cast<std::int64_t>(*number)) != option.value)
      return;
    min = std::min(min, *number);
    max = std::max(max, *number);
  }
  if (max - min + 1.0 != static_cast<double>(domain.distinct)) return;
  domain.min = min;
  domain.max = max;
  domain.step = 1.0;
  domain.isScale = true;
}

// The words of derived columns, as time passes. Known by the words, not by the name of a column: a
// data set may bring such a column of its own.
constexpr std::array<std::string_view, 4> kTimesOfDay{"night", "morning", "afternoon", "evening"};
constexpr std::array<std::string_view, 7> kWeekdays{"monday", "tuesday",  "wednesday", "thursday",
                                                    "friday", "saturday", "sunday"};

/// Puts words of a known order in that order, and on a scale of their positions.
void findOrder(ContextDomain& domain, std::span<const std::string_view> order) {
  const auto positionOf = [&](const ContextOption& option) {
    return std::ranges::find(order, std::string_view(option.value)) - order.begin();
  };
  const auto count = static_cast<std::int64_t>(domain.values.size());
  const auto unknown = static_cast<std::ptrdiff_t>(order.size());
  if (count < 2 || domain.distinct != count ||
      std::ranges::any_of(domain.values,
                          [&](const auto& option) { return positionOf(option) == unknown; }))
    return;
  std::ranges::sort(domain.values, {}, positionOf);
  domain.min = 0.0;
  domain.max = static_cast<double>(count - 1);
  domain.step = 1.0;
  domain.isScale = true;
}

}  // namespace

ContextDomain contextDomain(const data::Dataset& dataset, const ContextColumn& column,
                            const data::RowSet& training, std::size_t limit) {
  ContextDomain domain;
  domain.name = column.name;
  domain.isNumeric = column.isNumeric;
  if (column.isNumeric) {
    readNumbers(dataset, domain);
    return domain;
  }
  const data::Vocabulary& vocabulary = dataset.vocabularyOf(column.name);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(vocabulary.size()));
  const auto ids = dataset.ids(column.name);
  training.forEach([&](std::int64_t row) {
    ++counts[static_cast<std::size_t>(ids[static_cast<std::size_t>(row)])];
  });
  const auto countOf = [&](std::int32_t row) { return counts[static_cast<std::size_t>(row)]; };
  std::vector<std::int32_t> rows;
  for (std::int32_t row = 0; row < vocabulary.size(); ++row)
    if (!vocabulary.rawId(row).empty()) rows.push_back(row);
  domain.distinct = static_cast<std::int64_t>(rows.size());
  const auto listed = rows.begin() + static_cast<std::ptrdiff_t>(std::min(limit, rows.size()));
  std::partial_sort(rows.begin(), listed, rows.end(), [&](std::int32_t a, std::int32_t b) {
    return countOf(a) > countOf(b) || (countOf(a) == countOf(b) && a < b);
  });
  rows.erase(listed, rows.end());
  for (const std::int32_t row : rows)
    domain.values.push_back(
        {std::string(vocabulary.rawId(row)), std::string(vocabulary.title(row)), countOf(row)});
  findScale(domain);
  findOrder(domain, kTimesOfDay);
  findOrder(domain, kWeekdays);
  return domain;
}

}  // namespace parapet::retrieval
