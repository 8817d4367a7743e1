// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/recipe_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/text.h"
#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/choose_data.h"
#include "engine/data/ingest/import/detect_corpus.h"
#include "engine/data/ingest/import/suggest.h"

namespace parapet::workspace {
namespace {

std::vector<std::string> namesOfColumns(const experiment::Dataset& spec) {
  std::vector<std::string> names;
  for (const experiment::Column& column : spec.columns) names.push_back(column.originName());
  return names;
}

std::string wantedText(const experiment::Dataset& wanted) {
  if (wanted.source == experiment::SourceKind::kMovielens) return "a MovieLens folder or zip";
  const char* file = wanted.source == experiment::SourceKind::kParquet ? "Parquet" : "a text file";
  return fmt::format("{} with the columns {}", file, join(namesOfColumns(wanted)));
}

}  // namespace

Status requireKindOfData(const experiment::Dataset& wanted, const std::filesystem::path& path) {
  return data::requireKindOfData(wanted, path);
}

Status requireDataOf(const experiment::Dataset& wanted, const std::filesystem::path& path) {
  PARAPET_TRY(data::requireKindOfData(wanted, path));
  if (wanted.isText()) return {};
  PARAPET_ASSIGN(const experiment::Dataset found, data::detectSource(path));
  bool fits = found.source == wanted.source;
  if (fits && wanted.source != experiment::SourceKind::kMovielens) {
    // Columns that are not there are suggested anew.
    const auto chosen =
        data::chooseData(wanted, path, data::OtherColumns::kSuggest, 1, {}, data::makeGenerator);
    fits = chosen && namesOfColumns(chosen->dataset) == namesOfColumns(wanted);
  }
  if (fits) return {};
  return Error{.code = ErrorCode::kData,
               .message = fmt::format("{} is not what the recipe reads; accepted: {}. Opened by "
                                      "itself it gets an experiment of its own",
                                      path.string(), wantedText(wanted)),
               .pointer = "/dataset/path",
               .path = path.string()};
}

}  // namespace parapet::workspace
