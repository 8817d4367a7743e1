// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/candidate_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/text.h"

namespace parapet::retrieval {
namespace {

constexpr std::string_view kTitle = "title";

std::vector<std::int32_t> listedOf(std::span<const std::uint8_t> eligible) {
  std::vector<std::int32_t> items;
  for (std::size_t item = 0; item < eligible.size(); ++item)
    if (eligible[item]) items.push_back(static_cast<std::int32_t>(item));
  return items;
}

/// Ids of a request that are of no use, and the first of them.
struct Unusable {
  std::int64_t count = 0;
  std::string first{};

  void add(const std::string& id) {
    if (count++ == 0) first = printable(id);
  }
  void warn(std::string_view of, std::string_view why, std::vector<std::string>& warnings) const {
    if (count > 0)
      warnings.push_back(count == 1 ? fmt::format("{}: id \"{}\" is {}", of, first, why)
                                    : fmt::format("{}: {} ids are {}, the first of them \"{}\"", of,
                                                  formatCount(count), why, first));
  }
};

std::span<const std::int32_t> bagOf(const data::EntityColumn& column, std::int64_t row) {
  const data::BagRange bag(column.offsets, row);
  return column.ids.subspan(static_cast<std::size_t>(bag.begin),
                            static_cast<std::size_t>(bag.end - bag.begin));
}

/// genres "Comedy" or "Drama"
std::string textOf(const AttributeCondition& condition) {
  std::vector<std::string> values;
  for (const std::string& value : condition.values)
    values.push_back("\"" + printable(value) + "\"");
  return fmt::format("{} {}", printable(condition.name), join(values, " or "));
}

}  // namespace

CandidateSet::CandidateSet(const data::ItemIndex& index, std::vector<std::uint8_t> listed)
    : eligible(std::move(listed)), items(listedOf(eligible)), search(index, eligible) {}

ItemAttributes::ItemAttributes(const data::Dataset& dataset, const data::Vocabulary& vocabulary,
                               const data::ItemIndex& index, std::span<const std::uint8_t> eligible)
    : dataset_(dataset), vocabulary_(vocabulary), index_(index), eligible_(eligible) {
  const auto add = [this](std::string_view name) {
    if (std::ranges::find(names_, name) != names_.end()) return false;
    names_.emplace_back(name);
    return true;
  };
  for (std::int32_t item = 1; item < index.size() && names_.empty(); ++item)
    if (!index.title(item).empty()) add(kTitle);
  for (const std::string& name : vocabulary.attributeNames()) add(name);
  const auto addColumn = [&](const std::string& name) {
    const auto known = dataset.entityColumn(name);
    if (known && known->vocabulary == vocabulary.name() && add(name)) columns_.push_back(name);
  };
  for (const data::IdColumnInfo& column : dataset.columns()) addColumn(column.name);
  for (const std::string& column : dataset.denseColumns()) addColumn(column);
  for (const std::string& name : names_) indices_.try_emplace(name);
}

Result<const ItemAttributes::Index*> ItemAttributes::indexOf(std::string_view name) const {
  const auto found = indices_.find(name);
  if (found == indices_.end())
    return Error{ErrorCode::kInvalidDocument,
                 names_.empty()
                     ? fmt::format("attribute \"{}\": the catalogue has no attributes of items",
                                   printable(name))
                     : fmt::format("attribute \"{}\" is unknown{}; accepted: {}", printable(name),
                                   didYouMean(name, names_), join(names_))};
  return &found->second.get([&] { return makeIndex(name); });
}

ItemAttributes::Index ItemAttributes::makeIndex(std::string_view name) const {
  Index index;
  if (std::ranges::find(columns_, name) != columns_.end()) {
    addColumn(name, index);
    return index;
  }
  const auto add = [&](std::string_view value, std::int32_t item, bool isWhole) {
    if (value.empty()) return;
    Having& having = index.byValue[value];
    having.isWhole = having.items.empty() ? isWhole : having.isWhole && isWhole;
    if (having.items.empty() || having.items.back() != item) having.items.push_back(item);
  };
  for (std::int32_t item = 1; item < index_.size(); ++item) {
    if (!eligible_[static_cast<std::size_t>(item)]) continue;
    if (name == kTitle) add(index_.title(item), item, false);
    for (std::size_t i = 0; i < vocabulary_.attributeNames().size(); ++i) {
      if (vocabulary_.attributeNames()[i] != name) continue;
      const std::string_view text = vocabulary_.attribute(i, index_.entry(item));
      const bool hasParts = text.find('|') != std::string_view::npos;
      add(text, item, hasParts);
      if (!hasParts) continue;
      for (const std::string_view part : splitFields(text, '|')) add(trim(part), item, false);
    }
  }
  return index;
}

void ItemAttributes::addColumn(std::string_view name, Index& index) const {
  const data::EntityColumn column = *dataset_.entityColumn(name);
  const data::Vocabulary* values = column.values.empty() ? &dataset_.vocabularyOf(name) : nullptr;
  const auto add = [&](std::string_view value, std::int32_t item) {
    std::vector<std::int32_t>& items = index.byValue[value].items;
    if (items.empty() || items.back() != item) items.push_back(item);
  };
  for (std::int32_t item = 1; item < index_.size(); ++item) {
    const std::int32_t row = index_.row(item);
    if (!eligible_[static_cast<std::size_t>(item)] || index_.entry(item) != row) continue;
    const auto at = static_cast<std::size_t>(row);
    if (!values) {
      if (!std::isfinite(column.values[at])) continue;
      const std::string text = fmt::format("{}", column.values[at]);
      if (const auto known = index.byValue.find(text); known != index.byValue.end())
        add(known->first, item);
      else
        add(index.numbers.emplace_back(text), item);
      continue;
    }
    const auto ids = column.offsets.empty() ? column.ids.subspan(at, 1) : bagOf(column, row);
    for (const std::int32_t id : ids)
      if (const auto value = values->rawId(id); !value.empty()) add(value, item);
  }
}

Result<std::vector<AttributeValue>> ItemAttributes::values(std::string_view name) const {
  PARAPET_ASSIGN(const Index* index, indexOf(name));
  std::vector<AttributeValue> values;
  for (const auto& [value, having] : index->byValue)
    if (!having.isWhole) values.push_back({std::string(value), std::ssize(having.items)});
  std::ranges::sort(values, [](const AttributeValue& a, const AttributeValue& b) {
    return a.items > b.items || (a.items == b.items && a.value < b.value);
  });
  return values;
}

Result<std::shared_ptr<const CandidateSet>> ItemAttributes::find(
    const CandidateFilter& filter) const {
  std::vector<std::string> warnings;
  std::vector<std::uint8_t> listed(eligible_.begin(), eligible_.end());
  std::string empty;  // why nothing is left
  const auto noteIfEmpty = [&](const auto& why) {
    if (empty.empty() && std::ranges::find(listed, std::uint8_t{1}) == listed.end()) empty = why();
  };
  // Marks the items of ids as listed or not.
  const auto mark = [&](const std::vector<std::string>& ids, std::string_view of, std::uint8_t as) {
    Unusable unknown, never;
    for (const std::string& id : ids) {
      const auto item = index_.find(id);
      if (!item || !index_.hasRow(*item))
        unknown.add(id);
      else if (eligible_[static_cast<std::size_t>(*item)])
        listed[static_cast<std::size_t>(*item)] = as;
      else
        never.add(id);
    }
    unknown.warn(of, "not in the catalogue", warnings);
    // An exclusion of an item that cannot be listed changes nothing.
    if (as != 0) never.warn(of, "without a training row, which the model cannot list", warnings);
  };
  if (filter.items) {
    std::ranges::fill(listed, std::uint8_t{0});
    mark(*filter.items, "items", 1);
    noteIfEmpty([&] {
      return filter.items->empty() ? std::string("\"items\" is empty")
                                   : std::string("none of \"items\" can be listed");
    });
  }
  for (const AttributeCondition& condition : filter.where) {
    PARAPET_ASSIGN(const Index* index, indexOf(condition.name));
    std::vector<std::uint8_t> having(listed.size());
    for (const std::string& value : condition.values) {
      auto found = index->byValue.find(value);
      // A number may be written in other ways.
      if (const auto number = parseDouble(value); !index->numbers.empty() && number)
        found = index->byValue.find(fmt::format("{}", static_cast<float>(*number)));
      if (found == index->byValue.end()) {
        if (condition.values.size() > 1)
          warnings.push_back(
              fmt::format("where: no item has {}", textOf({condition.name, {value}})));
        continue;
      }
      for (const std::int32_t item : found->second.items)
        having[static_cast<std::size_t>(item)] = 1;
    }
    std::ranges::transform(listed, having, listed.begin(),
                           [](auto a, auto b) { return static_cast<std::uint8_t>(a & b); });
    noteIfEmpty([&] {
      return fmt::format("none of the items {}has {}",
                         &condition == filter.where.data() && !filter.items ? "" : "left ",
                         textOf(condition));
    });
  }
  if (!filter.exclude.empty()) {
    mark(filter.exclude, "exclude", 0);
    noteIfEmpty([] { return std::string("\"exclude\" leaves none"); });
  }
  if (!empty.empty()) warnings.push_back("no item can be listed: " + empty);
  auto set = std::make_shared<CandidateSet>(index_, std::move(listed));
  set->warnings = std::move(warnings);
  return std::shared_ptr<const CandidateSet>(std::move(set));
}

}  // namespace parapet::retrieval
