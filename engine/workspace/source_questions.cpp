// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/source_questions.h"

#include <algorithm>

#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/sources/corpus_source.h"
#include "engine/experiment/experiment.h"

namespace parapet::workspace {
namespace {

constexpr std::int64_t kRowsLookedAt = 200;  // of a source, whose cells show how they hold values

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

}  // namespace parapet::workspace
