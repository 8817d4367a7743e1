// SPDX-License-Identifier: Apache-2.0
#include "engine/data/shape/vocabulary_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "engine/base/text.h"

namespace parapet::data {
namespace {

using experiment::VocabularyKind;
using SizeKind = experiment::VocabularySize::Kind;

// Rows are int32 and a size is a row more than the last one.
constexpr std::int64_t kLastDirectId = std::numeric_limits<std::int32_t>::max() - 1;
// A direct vocabulary this large must use at least every 64th row; one stray id would otherwise
// make a table of billions of rows.
constexpr std::int64_t kAlwaysAcceptedRows = 1 << 24;
constexpr std::int64_t kRowsPerDistinctId = 64;

Error documentError(std::string pointer, std::string message) {
  return Error{ErrorCode::kInvalidDocument, std::move(message), std::move(pointer)};
}

std::int64_t largestId(const IdColumn& column) {
  return *std::max_element(column.rawIds().begin(), column.rawIds().end());
}

std::int64_t resolveSize(const VocabularyPlan& plan, const IdColumn& column,
                         const Catalogue* catalogue, std::int64_t automatic) {
  switch (plan.spec.size.kind) {
    case SizeKind::kFixed:
      return plan.spec.size.fixed;
    case SizeKind::kCataloguePlusOne:
      return static_cast<std::int64_t>(catalogue ? catalogue->entries.size() : 0) + 1;
    case SizeKind::kMaxPlusOne:
      return largestId(column) + 1;
    case SizeKind::kAuto:
      break;
  }
  return automatic;
}

Status checkDensity(const VocabularyPlan& plan, std::int64_t size, std::size_t distinct) {
  if (size <=
      std::max(kAlwaysAcceptedRows, kRowsPerDistinctId * static_cast<std::int64_t>(distinct)))
    return {};
  return Error{
      ErrorCode::kData,
      fmt::format("direct vocabulary \"{}\" would have {} rows for {} distinct ids; use kind "
                  "\"compressed\"",
                  plan.spec.name, formatCount(size),
                  formatCount(static_cast<std::int64_t>(distinct))),
      plan.pointer};
}

void assignDirect(const IdColumn& column, const Catalogue* catalogue, bool wholeCatalogue,
                  BuiltVocabulary& built) {
  const auto size = static_cast<std::int64_t>(built.entries.size());
  const auto place = [&](std::int64_t id) -> Vocabulary::Entry& {
    auto& entry = built.entries[static_cast<std::size_t>(id)];
    entry.present = true;
    if (entry.rawId.empty()) entry.rawId = fmt::format("{}", id);
    return entry;
  };
  for (std::size_t n = 0; n < column.rawIds().size(); ++n) {
    place(column.rawIds()[n]).count = column.counts()[n];
    built.rowOf[n] = static_cast<std::int32_t>(column.rawIds()[n]);
  }
  if (!catalogue || !wholeCatalogue) return;
  for (const auto& entry : catalogue->entries)
    if (entry.id < size) place(entry.id);
}

// Numbers of the ids that get a row, by descending count, ties by id.
std::vector<std::size_t> frequentFirst(const IdColumn& column, std::int64_t minCount) {
  std::vector<std::size_t> order;
  for (std::size_t n = 0; n < column.rawIds().size(); ++n)
    if (column.counts()[n] >= minCount) order.push_back(n);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (column.counts()[a] != column.counts()[b]) return column.counts()[a] > column.counts()[b];
    return column.rawIds()[a] < column.rawIds()[b];
  });
  return order;
}

void assignCompressed(const IdColumn& column, const std::vector<std::size_t>& order,
                      BuiltVocabulary& built) {
  const std::size_t used = std::min(order.size(), built.entries.size() - 1);
  for (std::size_t rank = 0; rank < used; ++rank) {
    const std::size_t n = order[rank];
    auto& entry = built.entries[rank + 1];
    entry.present = true;
    entry.rawId = fmt::format("{}", column.rawIds()[n]);
    entry.count = column.counts()[n];
    built.rowOf[n] = static_cast<std::int32_t>(rank + 1);
  }
  for (std::size_t n = 0; n < built.rowOf.size(); ++n)
    if (built.rowOf[n] == 0) built.oovRows += column.counts()[n];
  built.entries.front().count = built.oovRows;
}

void addCatalogue(const Catalogue& catalogue, BuiltVocabulary& built) {
  built.attributeNames = catalogue.attributeNames;
  std::unordered_map<std::string, const Catalogue::Entry*> byId;
  byId.reserve(catalogue.entries.size());
  for (const auto& entry : catalogue.entries) byId.emplace(fmt::format("{}", entry.id), &entry);
  for (auto& entry : built.entries) {
    if (!entry.present) continue;
    const auto found = byId.find(entry.rawId);
    if (found == byId.end()) continue;
    entry.title = found->second->title;
    entry.attributes = found->second->attributes;
  }
}

}  // namespace

Result<VocabularyPlan> planVocabulary(const experiment::Dataset& spec, const std::string& column) {
  std::optional<VocabularyPlan> plan;
  for (std::size_t i = 0; i < spec.vocabularies.size(); ++i) {
    const auto& vocabulary = spec.vocabularies[i];
    const std::string pointer = fmt::format("/dataset/vocabularies/{}", i);
    if (vocabulary.name != "user" && vocabulary.name != "item")
      return documentError(pointer + "/name",
                           fmt::format("vocabulary \"{}\" belongs to no id column; accepted: "
                                       "\"user\", \"item\"",
                                       vocabulary.name));
    if (vocabulary.name != column) continue;
    if (plan)
      return documentError(
          pointer + "/name",
          fmt::format("vocabulary \"{}\" is there twice; once is accepted", column));
    if (vocabulary.size.kind == SizeKind::kFixed &&
        (vocabulary.size.fixed < 2 || vocabulary.size.fixed > kLastDirectId + 1))
      return documentError(
          pointer + "/size",
          fmt::format("size {}; 2 to {} is accepted", vocabulary.size.fixed, kLastDirectId + 1));
    plan = VocabularyPlan{vocabulary, pointer};
  }
  if (!plan)
    return documentError(
        "/dataset/vocabularies",
        fmt::format("column \"{0}\" has no vocabulary; one named \"{0}\" is needed", column));
  return *plan;
}

Result<IdRange> idRange(const VocabularyPlan& plan, const RowSource& source) {
  const experiment::Vocabulary& spec = plan.spec;
  const Catalogue* catalogue = source.catalogue(spec.name);
  if (spec.size.kind == SizeKind::kCataloguePlusOne && !catalogue)
    return documentError(plan.pointer + "/size",
                         fmt::format("\"catalogue+1\" needs the catalogue {}, which is missing; "
                                     "\"max+1\" or a number would be accepted",
                                     source.catalogueName(spec.name)));
  if (spec.kind == VocabularyKind::kCompressed) return IdRange{};
  IdRange range{.last = kLastDirectId,
                .zeroIsReserved = true,
                .lastBecause = "the limit of a direct vocabulary"};
  if (spec.size.kind == SizeKind::kFixed) {
    range.last = spec.size.fixed - 1;
    range.lastBecause = "the vocabulary's size is fixed";
  } else if (spec.size.kind == SizeKind::kCataloguePlusOne) {
    range.last = static_cast<std::int64_t>(catalogue->entries.size());
    range.lastBecause = "the number of catalogue entries";
  }
  return range;
}

Result<BuiltVocabulary> buildVocabulary(const VocabularyPlan& plan, const IdColumn& column,
                                        const Catalogue* catalogue) {
  BuiltVocabulary built;
  built.rowOf.assign(column.rawIds().size(), 0);
  if (plan.spec.kind == VocabularyKind::kDirect) {
    const std::int64_t size = resolveSize(plan, column, catalogue, largestId(column) + 1);
    PARAPET_TRY(checkDensity(plan, size, column.rawIds().size()));
    built.entries.resize(static_cast<std::size_t>(size));
    assignDirect(column, catalogue, plan.spec.size.kind == SizeKind::kCataloguePlusOne, built);
  } else {
    const auto order = frequentFirst(column, plan.spec.minCount);
    const std::int64_t size =
        resolveSize(plan, column, catalogue, static_cast<std::int64_t>(order.size()) + 1);
    PARAPET_TRY(checkDensity(plan, size, column.rawIds().size()));
    built.entries.resize(static_cast<std::size_t>(size));
    assignCompressed(column, order, built);
  }
  if (catalogue) addCatalogue(*catalogue, built);
  for (std::size_t row = 1; row < built.entries.size(); ++row)
    built.unusedRows += built.entries[row].count == 0;
  return built;
}

}  // namespace parapet::data
