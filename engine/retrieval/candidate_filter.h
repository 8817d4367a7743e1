// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/dataset.h"
#include "engine/retrieval/interactions.h"
#include "engine/retrieval/top_k.h"

namespace parapet::retrieval {

/// An attribute of the catalogue that a listed item has with one of these values.
struct AttributeCondition {
  std::string name;
  std::vector<std::string> values;
  bool operator==(const AttributeCondition&) const = default;
};

/// The candidates that a request wants listed, by raw ids and attributes. An item that is both in
/// `items` and excluded is left out.
struct CandidateFilter {
  std::optional<std::vector<std::string>> items{};  ///< only these; nullopt: all
  std::vector<std::string> exclude{};
  std::vector<AttributeCondition> where{};  ///< all hold
  [[nodiscard]] bool limits() const { return items || !exclude.empty() || !where.empty(); }
  bool operator==(const CandidateFilter&) const = default;
};

/// A filter that was looked up, for any number of queries to the recommender that made it.
struct CandidateSet {
  /// `index` must outlive it; `listed` is by item.
  CandidateSet(const data::ItemIndex& index, std::vector<std::uint8_t> listed);
  CandidateSet(const CandidateSet&) = delete;
  CandidateSet& operator=(const CandidateSet&) = delete;

  const std::vector<std::uint8_t> eligible;  ///< by item
  std::vector<std::int32_t> items;           ///< that may be listed, ascending
  ItemSearch search;                         ///< among them
  std::vector<std::string> warnings;         ///< ids that are unknown, and why none is left
};

/// A value of an attribute, and how many candidates have it.
struct AttributeValue {
  std::string value;
  std::int64_t items = 0;
  bool operator==(const AttributeValue&) const = default;
};

/// Attributes of candidates: title, those of the catalogue, and columns that a model reads from it. A
/// text with | between its parts, and a bag, have each part as a value; such a text is a value as a
/// whole, too. An item that shares the row of another one has no value of a column.
///
/// Memory   of each attribute that was asked for, 4 bytes per item and value.
/// Thread   safe; an attribute is indexed when it is first asked for.
class ItemAttributes {
 public:
  /// All must outlive it. `eligible` is by item, `vocabulary` that of the items.
  ItemAttributes(const data::Dataset& dataset, const data::Vocabulary& vocabulary,
                 const data::ItemIndex& index, std::span<const std::uint8_t> eligible);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Values by descending number of candidates, then by text; wholes of texts with parts are none.
  ///
  /// Errors   kInvalidDocument for an unknown name, with those that there are.
  [[nodiscard]] Result<std::vector<AttributeValue>> values(std::string_view name) const;
  /// Looks a filter up. Ids that are not in the catalogue are counted in a warning, and so are items
  /// that cannot be recommended; where nothing is left, a warning says by which part.
  ///
  /// Errors   kInvalidDocument for an unknown attribute, with those that there are.
  [[nodiscard]] Result<std::shared_ptr<const CandidateSet>> find(
      const CandidateFilter& filter) const;

 private:
  struct Having {
    std::vector<std::int32_t> items;  ///< ascending, once each
    bool isWhole = false;             ///< of texts with parts
  };
  struct Index {
    std::unordered_map<std::string_view, Having> byValue;
    std::deque<std::string> numbers;  ///< texts of values that are no text
  };
  [[nodiscard]] Result<const Index*> indexOf(std::string_view name) const;
  [[nodiscard]] Index makeIndex(std::string_view name) const;
  void addColumn(std::string_view name, Index& index) const;

  const data::Dataset& dataset_;
  const data::Vocabulary& vocabulary_;
  const data::ItemIndex& index_;
  std::span<const std::uint8_t> eligible_;
  std::vector<std::string> names_;
  std::vector<std::string> columns_;  ///< names that are columns of the data set
  std::map<std::string, MadeOnce<Index>, std::less<>> indices_;
};

}  // namespace parapet::retrieval
