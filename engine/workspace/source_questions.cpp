// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/source_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/text.h"
#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/download/known_datasets.h"
#include "engine/data/ingest/import/choose_data.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/import/detect_source.h"
#include "engine/data/ingest/import/survey.h"
#include "engine/data/ingest/sources/corpus_source.h"
#include "engine/experiment/experiment.h"

namespace parapet::workspace {
namespace {

constexpr std::int64_t kRowsLookedAt = 200;  // of a source, whose cells show how they hold values

std::vector<std::string> namesOfColumns(const experiment::Dataset& spec) {
  std::vector<std::string> names;
  for (const experiment::Column& column : spec.columns) names.push_back(column.originName());
  return names;
}

std::string wantedText(const experiment::Dataset& wanted) {
  if (wanted.source == experiment::SourceKind::kMovielens) return "a MovieLens folder or zip";
  const char* const file = wanted.source == experiment::SourceKind::kParquet ? "Parquet"
                           : wanted.source == experiment::SourceKind::kJson  ? "JSON lines"
                                                                             : "a text file";
  return fmt::format("{} with the columns {}", file, join(namesOfColumns(wanted)));
}

std::string ratingsText(std::int64_t rows, std::int64_t users, std::int64_t items) {
  return fmt::format("{} ratings of {} users and {} items", formatCount(rows), formatCount(users),
                     formatCount(items));
}

}  // namespace

Result<ChosenData> chooseData(const experiment::Dataset& now, const std::filesystem::path& path,
                              OtherColumns other, std::int64_t rows, const WorkContext& context) {
  return data::chooseData(now, path, other, rows, context, data::makeGenerator);
}

std::vector<std::string> chooseDataOf(nlohmann::json& document, const std::filesystem::path& path,
                                      OtherColumns other) {
  if (document.contains("dataset") && !document["dataset"].is_object()) return {};
  experiment::Parsed parsed = experiment::parse(document);
  const bool sound = std::ranges::none_of(parsed.findings.problems, [](const auto& problem) {
    return problem.pointer == "/dataset" || problem.pointer.starts_with("/dataset/");
  });
  document["dataset"]["path"] = path.string();
  if (!sound) return {};
  auto chosen = chooseData(parsed.experiment.dataset, path, other, kRowsLookedAt, {});
  if (!chosen || chosen->changes.empty()) return {};
  parsed.experiment.dataset = std::move(chosen->dataset);
  document["dataset"] = experiment::toJson(parsed.experiment)["dataset"];
  return std::move(chosen->changes);
}

Result<SourcePreview> previewSource(const experiment::Dataset& spec, std::int64_t rows,
                                    const WorkContext& context) {
  return data::previewSource(spec, rows, context, data::makeGenerator);
}

experiment::Findings checkSideFiles(const experiment::Dataset& spec) {
  experiment::Findings findings;
  for (const Error& error : data::checkSideFiles(spec, data::makeGenerator))
    findings.problems.push_back({error.pointer, error.message, {}});
  return findings;
}

Result<SourcePreview> previewLines(const experiment::Dataset& spec, std::int64_t rows,
                                   const WorkContext& context) {
  PARAPET_ASSIGN(const auto source, data::openLines(spec));
  return data::previewSource(*source, spec, rows, context);
}

Result<FilterCount> countLines(const experiment::Dataset& spec, std::int64_t atMost,
                               const WorkContext& context) {
  PARAPET_ASSIGN(const auto source, data::openLines(spec));
  return data::countRows(*source, spec, atMost, context);
}

Result<FilterCount> countRows(const experiment::Dataset& spec, std::int64_t atMost,
                              const WorkContext& context) {
  return data::countRows(spec, atMost, context, data::makeGenerator);
}

Status requireNamedData(const experiment::Recipe& recipe, const std::filesystem::path& path,
                        const WorkContext& context) {
  const auto known = std::ranges::find_if(data::knownDatasets(), [&](const auto& each) {
    return each.rows > 0 &&
           recipe.title.find(each.title.substr(0, each.title.find(':'))) != std::string::npos;
  });
  if (known == data::knownDatasets().end()) return {};
  PARAPET_ASSIGN(const experiment::Dataset found, data::detectSource(path));
  std::string is = "data of another kind";
  if (found.source == known->source) {
    // One row more than there should be tells enough.
    PARAPET_ASSIGN(const data::SourceSurvey seen,
                   data::surveySource(found, "user", "item", {}, known->rows + 1, context,
                                      data::makeGenerator));
    if (seen.complete && seen.rows == known->rows && seen.users == known->users &&
        seen.items == known->items)
      return {};
    is = seen.rows > known->rows ? fmt::format("more than {} ratings", formatCount(known->rows))
                                 : ratingsText(seen.rows, seen.users, seen.items);
  }
  const std::string name = known->title.substr(0, known->title.find(':'));
  return Error{.code = ErrorCode::kData,
               .message = fmt::format("{} is not {}: it holds {}, and {} has {}; figures that are "
                                      "published for {} are not those of these data",
                                      path.string(), name, is, name,
                                      ratingsText(known->rows, known->users, known->items), name),
               .pointer = "/dataset/path",
               .path = path.string()};
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
