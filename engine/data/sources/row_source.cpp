// SPDX-License-Identifier: Apache-2.0
#include "engine/data/sources/row_source.h"

#include <fmt/format.h>

#include <array>

#include "engine/base/text.h"
#include "engine/data/sources/generated_source.h"
#include "engine/data/sources/movielens_source.h"

namespace parapet::data {
namespace {

Error documentError(std::string pointer, std::string message) {
  return Error{ErrorCode::kInvalidDocument, std::move(message), std::move(pointer)};
}

// Both sources of today have the same columns.
Status checkColumns(const experiment::Dataset& spec) {
  if (spec.label.column != "rating")
    return documentError(
        "/dataset/label/column",
        fmt::format("source \"{}\" has no label column \"{}\"; accepted: \"rating\"", spec.source,
                    spec.label.column.value_or("null")));
  if (spec.weight && *spec.weight != "rating")
    return documentError(
        "/dataset/weight",
        fmt::format("source \"{}\" has no weight column \"{}\"; accepted: null, \"rating\"",
                    spec.source, *spec.weight));
  return {};
}

}  // namespace

void RowChunk::clear() {
  users.clear();
  items.clear();
  labels.clear();
  times.clear();
  weights.clear();
}

Result<std::unique_ptr<RowSource>> openSource(const experiment::Dataset& spec) {
  static const std::array<std::string, 2> kSources{"movielens", "generated"};
  if (spec.source == "movielens") {
    PARAPET_TRY(checkColumns(spec));
    return MovielensSource::open(spec);
  }
  if (spec.source == "generated") {
    PARAPET_TRY(checkColumns(spec));
    return GeneratedSource::open(spec);
  }
  return documentError("/dataset/source",
                       fmt::format("unknown source \"{}\"{}; accepted: {}", spec.source,
                                   didYouMean(spec.source, kSources), join(kSources)));
}

}  // namespace parapet::data
