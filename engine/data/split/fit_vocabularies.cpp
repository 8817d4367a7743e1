// SPDX-License-Identifier: Apache-2.0
#include "engine/data/split/fit_vocabularies.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/data/dataset/vocabulary.h"

namespace parapet::data {
namespace {

using experiment::OovKind;
using SizeKind = experiment::VocabularySize::Kind;

// Occurrences of each row of a vocabulary in the training rows, over all columns that use it.
std::vector<std::int64_t> trainingCounts(const Dataset& dataset, const std::string& vocabulary,
                                         const RowSet& training) {
  std::vector<std::int64_t> counts(
      static_cast<std::size_t>(dataset.vocabulary(vocabulary).entries()));
  for (const IdColumnInfo& column : dataset.columns()) {
    if (column.vocabulary != vocabulary) continue;
    const auto ids = dataset.ids(column.name);
    const auto offsets = dataset.bagOffsets(column.name);
    training.forEach([&](std::int64_t row) {
      const auto at = static_cast<std::size_t>(row);
      const std::size_t first = offsets.empty() ? at : static_cast<std::size_t>(offsets[at]);
      const std::size_t last = offsets.empty() ? at + 1 : static_cast<std::size_t>(offsets[at + 1]);
      for (std::size_t id = first; id < last; ++id) ++counts[static_cast<std::size_t>(ids[id])];
    });
  }
  return counts;
}

// The ids that get a row, in the order of their rows.
std::vector<std::int32_t> keptIds(const ItemIndex& order, const std::vector<std::int64_t>& counts,
                                  const experiment::Vocabulary& spec, std::int64_t buckets) {
  std::vector<std::int32_t> kept;
  for (std::int32_t item = 1; item < order.size(); ++item)
    if (const std::int32_t entry = order.entry(item);
        spec.minCount <= 1 || counts[static_cast<std::size_t>(entry)] >= spec.minCount)
      kept.push_back(entry);
  std::ranges::stable_sort(kept, std::ranges::greater{}, [&](std::int32_t entry) {
    return counts[static_cast<std::size_t>(entry)];
  });
  // A fixed size is that of the table, be there ids for all its rows or not.
  if (spec.size.kind == SizeKind::kFixed)
    kept.resize(static_cast<std::size_t>(spec.size.fixed - 1 - buckets), Vocabulary::kNoEntry);
  return kept;
}

}  // namespace

Result<std::shared_ptr<const Dataset>> fitVocabularies(std::shared_ptr<const Dataset> dataset,
                                                       const experiment::Dataset& spec,
                                                       const Split& split) {
  if (!dataset->keepsAllIds()) return dataset;
  std::vector<Dataset::OtherRows> rows;
  for (std::size_t at = 0; at < spec.vocabularies.size(); ++at) {
    const experiment::Vocabulary& own = spec.vocabularies[at];
    const auto& known = dataset->vocabularies();
    if (!own.leavesIdsOut() || std::ranges::find(known, own.name, &Vocabulary::name) == known.end())
      continue;
    const ItemIndex order(dataset->vocabulary(own.name));
    const std::int64_t buckets = own.oovKind() == OovKind::kBuckets ? own.oovBuckets : 0;
    auto kept = keptIds(order, trainingCounts(*dataset, own.name, split.train), own, buckets);
    const std::int64_t ids = order.size() - 1;
    const auto rowsOfIds = std::ssize(kept) - std::ranges::count(kept, Vocabulary::kNoEntry);
    if (own.oovKind() == OovKind::kError && rowsOfIds < ids)
      return Error{ErrorCode::kData,
                   fmt::format("vocabulary \"{}\" has {} rows for {} distinct ids, and oov is "
                               "\"error\"; a larger size, or \"auto\", is accepted",
                               own.name, std::ssize(kept) + 1, ids),
                   fmt::format("/dataset/vocabularies/{}/size", at)};
    rows.push_back({own.name, std::move(kept), buckets});
  }
  return rows.empty() ? dataset : dataset->withRows(rows);
}

}  // namespace parapet::data
