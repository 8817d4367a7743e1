// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/column_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/record/problem.h"
#include "engine/base/text.h"

namespace parapet::data {
namespace {

using record::documentError;

}  // namespace

ColumnRequests::ColumnRequests(const experiment::Dataset& spec, const Source& source)
    : spec_(spec), source_(source), columns_(source.columns()), names_(namesOf(columns_)) {
  for (const auto& derived : spec.derived) names_.push_back(derived.name);
}

Result<WantedColumn> ColumnRequests::want(const std::string& name, std::optional<ValueType> type,
                                          const std::string& pointer, const std::string& separator,
                                          const std::string& weights) {
  for (const auto& derived : spec_.derived)
    if (derived.name == name) return wantDerived(derived, pointer, separator);
  const auto found = std::ranges::find(columns_, name, &SourceColumn::name);
  if (found == columns_.end()) return absent(name, pointer);
  // Bad cells are a matter of the column, not of the setting that names it.
  constexpr std::string_view kName = "/from";
  const std::string column =
      pointer.ends_with(kName) ? pointer.substr(0, pointer.size() - kName.size()) : pointer;
  const ColumnRequest request{name, type.value_or(found->type), separator, weights, column};
  const auto isSame = [&](const ColumnRequest& other) {
    return other.name == name && other.type == request.type && other.separator == separator &&
           other.weightSeparator == weights;
  };
  const auto known = std::ranges::find_if(requests_, isSame);
  const auto index = static_cast<std::size_t>(known - requests_.begin());
  if (known == requests_.end()) requests_.push_back(request);
  return WantedColumn{false, index};
}

std::vector<SourceColumn> ColumnRequests::layout() const {
  std::vector<SourceColumn> layout;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    const ColumnRequest& request = requests_[i];
    const auto found = std::ranges::find(columns_, request.name, &SourceColumn::name);
    const bool isList = found->isList || !request.separator.empty();
    layout.push_back({speaksFor(i) ? request.name : std::string(), *request.type, isList});
    if (!request.weightSeparator.empty()) layout.push_back({{}, ValueType::kNumber, true});
  }
  return layout;
}

std::size_t ColumnRequests::blockColumnOf(std::size_t request) const {
  std::size_t column = request;
  for (std::size_t i = 0; i < request; ++i) column += !requests_[i].weightSeparator.empty();
  return column;
}

Error ColumnRequests::absent(const std::string& name, const std::string& pointer) const {
  const std::string because = source_.absenceOf(name);
  return documentError(pointer, because.empty()
                                    ? fmt::format("there is no column \"{}\"{}; accepted: {}", name,
                                                  didYouMean(name, names_), listed(names_))
                                    : fmt::format("there is no column \"{}\": {}; accepted: {}",
                                                  name, because, listed(names_)));
}

Result<WantedColumn> ColumnRequests::wantDerived(const experiment::Derived& derived,
                                                 const std::string& pointer,
                                                 const std::string& separator) {
  if (!separator.empty())
    return documentError(pointer,
                         fmt::format("\"{}\" is a derived column, which is no list of ids; a "
                                     "column of the source is accepted",
                                     derived.name));
  const auto known = std::ranges::find(derived_, derived.name);
  const auto index = static_cast<std::size_t>(known - derived_.begin());
  if (known != derived_.end()) return WantedColumn{true, index};
  const auto at = &derived - spec_.derived.data();
  const auto from = std::ranges::find(columns_, derived.from, &SourceColumn::name);
  if (from == columns_.end())
    return documentError(
        fmt::format("/dataset/derived/{}/from", at),
        fmt::format("the source has no column \"{}\"{}; accepted: {}", derived.from,
                    didYouMean(derived.from, namesOf(columns_)), listed(namesOf(columns_))));
  const bool whole =
      from->type == ValueType::kInteger || derived.kind != experiment::DerivedKind::kBuckets;
  const auto wanted = want(derived.from, whole ? ValueType::kInteger : ValueType::kNumber, pointer);
  if (!wanted) return wanted.error();
  derived_.push_back(derived.name);
  return WantedColumn{true, index};
}

bool ColumnRequests::speaksFor(std::size_t i) const {
  const std::string& name = requests_[i].name;
  const auto own = std::ranges::find(columns_, name, &SourceColumn::name)->type;
  const auto isPlain = [&](const ColumnRequest& request) {
    return request.name == name && request.separator.empty();
  };
  auto speaker = std::ranges::find_if(requests_, [&](const ColumnRequest& request) {
    return isPlain(request) && request.type == own;
  });
  if (speaker == requests_.end()) speaker = std::ranges::find_if(requests_, isPlain);
  return speaker - requests_.begin() == static_cast<std::ptrdiff_t>(i);
}

}  // namespace parapet::data
