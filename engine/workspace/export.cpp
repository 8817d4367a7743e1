// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "engine/base/files.h"
#include "engine/base/json_number.h"
#include "engine/base/quoting.h"
#include "engine/workspace/event_file.h"
#include "engine/workspace/export_tensors.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

std::string curvesCsv(const std::vector<experiment::EpochSummary>& epochs) {
  std::set<std::string> names;
  for (const auto& epoch : epochs)
    for (const auto& [name, value] : epoch.metrics) names.insert(name);
  std::string out =
      "epoch,step,loss,loss_as_displayed,learning_rate,seconds,ms_per_step,examples_per_second";
  for (const std::string& name : names) out += "," + name;
  out += "\n";
  for (const auto& epoch : epochs) {
    out += fmt::format("{},{},{},{},{},{},{},{}", epoch.epoch, epoch.step, epoch.loss,
                       epoch.lossAsDisplayed, epoch.learningRate, epoch.seconds, epoch.msPerStep,
                       epoch.examplesPerSecond);
    for (const std::string& name : names) {
      out += ",";
      for (const auto& [key, value] : epoch.metrics)
        if (key == name) out += fmt::format("{}", value);
    }
    out += "\n";
  }
  return out;
}

std::string curvesJson(const std::vector<experiment::EpochSummary>& epochs) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const auto& epoch : epochs) {
    nlohmann::ordered_json row{{"epoch", epoch.epoch},
                               {"step", epoch.step},
                               {"loss", numberOrNull(epoch.loss)},
                               {"loss_as_displayed", numberOrNull(epoch.lossAsDisplayed)},
                               {"learning_rate", numberOrNull(epoch.learningRate)},
                               {"seconds", numberOrNull(epoch.seconds)},
                               {"ms_per_step", numberOrNull(epoch.msPerStep)},
                               {"examples_per_second", numberOrNull(epoch.examplesPerSecond)}};
    for (const auto& [name, value] : epoch.metrics) row[name] = numberOrNull(value);
    out.push_back(std::move(row));
  }
  return out.dump(1) + "\n";
}

/// Steps as they were recorded: consecutive ones that were merged have one line.
std::string stepsCsv(const std::vector<experiment::StepBucket>& steps) {
  std::string out = "first_step,last_step,epoch,loss_min,loss_max,loss_last,seconds,non_finite\n";
  for (const experiment::StepBucket& step : steps)
    out += fmt::format("{},{},{},{},{},{},{},{}\n", step.firstStep, step.lastStep, step.epoch,
                       step.min, step.max, step.last, step.seconds, step.nonFinite);
  return out;
}

std::string stepsJson(const std::vector<experiment::StepBucket>& steps) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const experiment::StepBucket& step : steps)
    out.push_back({{"first_step", step.firstStep},
                   {"last_step", step.lastStep},
                   {"epoch", step.epoch},
                   {"loss_min", numberOrNull(step.min)},
                   {"loss_max", numberOrNull(step.max)},
                   {"loss_last", numberOrNull(step.last)},
                   {"seconds", numberOrNull(step.seconds)},
                   {"non_finite", step.nonFinite}});
  return out.dump(1) + "\n";
}

/// "curves.csv" → "curves.steps.csv"
std::filesystem::path stepsFile(const std::filesystem::path& epochsFile) {
  std::filesystem::path file = epochsFile;
  file.replace_extension();
  file += ".steps";
  file += epochsFile.extension();
  return file;
}

/// Scalars by step: those of each epoch, and the loss of the steps as "step_loss".
std::string curvesEvents(const store::RunRecord& record,
                         const std::vector<experiment::EpochSummary>& epochs,
                         const std::vector<experiment::StepBucket>& steps) {
  const double begun = static_cast<double>(record.createdMs) / 1000.0;
  EventFile file(begun);
  double seconds = 0.0;
  for (const experiment::EpochSummary& epoch : epochs) {
    if (std::isfinite(epoch.seconds)) seconds += epoch.seconds;
    const auto add = [&](std::string_view tag, double value) {
      if (!std::isnan(value)) file.add(begun + seconds, epoch.step, tag, static_cast<float>(value));
    };
    add("loss", epoch.loss);
    add("loss_as_displayed", epoch.lossAsDisplayed);
    add("learning_rate", epoch.learningRate);
    for (const auto& [name, value] : epoch.metrics) add(name, value);
  }
  for (const experiment::StepBucket& step : steps)
    if (!std::isnan(step.last))
      file.add(begun + step.seconds, step.lastStep, "step_loss", static_cast<float>(step.last));
  return file.bytes();
}

Result<Exported> exportCurves(Shared& shared, const std::string& run,
                              const ExportOptions& options) {
  PARAPET_ASSIGN(const store::RunRecord record, shared.store->find(run));
  PARAPET_ASSIGN(const auto epochs, shared.store->epochs(record.id));
  PARAPET_ASSIGN(const auto steps, shared.store->steps(record.id));
  if (options.format == "tfevents") {
    PARAPET_TRY(createFolders(options.out));
    const auto file =
        options.out / fmt::format("events.out.tfevents.{}.{}", record.createdMs / 1000, record.id);
    PARAPET_TRY(writeFileAtomically(file, curvesEvents(record, epochs, steps)));
    return Exported{{file}, std::nullopt, {}};
  }
  const bool csv = options.format == "csv";
  PARAPET_TRY(writeFileAtomically(options.out, csv ? curvesCsv(epochs) : curvesJson(epochs)));
  PARAPET_TRY(
      writeFileAtomically(stepsFile(options.out), csv ? stepsCsv(steps) : stepsJson(steps)));
  return Exported{{options.out, stepsFile(options.out)}, std::nullopt, {}};
}

/// Of a model with contexts lines of CSV end with their values, and with the names of those that
/// were given.
std::string contextFields(const std::vector<retrieval::ContextValue>& context) {
  std::string fields, given;
  for (const retrieval::ContextValue& value : context) {
    fields += "," + csvField(value.value);
    if (value.given) given += (given.empty() ? "" : " ") + value.name;
  }
  return context.empty() ? "" : fields + "," + csvField(given);
}

enum class TextFormat { kCsv, kJson };

std::string recommendationsText(const std::vector<retrieval::Recommendation>& lists,
                                TextFormat format,
                                std::span<const retrieval::ContextColumn> contexts) {
  const bool csv = format == TextFormat::kCsv;
  std::string out = "[";
  if (csv) {
    out = "user,rank,item,title,score";
    for (const retrieval::ContextColumn& column : contexts) out += "," + csvField(column.name);
    out += contexts.empty() ? "\n" : ",given\n";
  }
  for (const retrieval::Recommendation& list : lists) {
    nlohmann::ordered_json row{{"user", list.user}, {"items", nlohmann::ordered_json::array()}};
    if (!list.context.empty()) {
      row["context"] = nlohmann::ordered_json::object();
      row["given"] = nlohmann::ordered_json::array();
    }
    for (const retrieval::ContextValue& value : list.context) {
      row["context"][value.name] = value.value;
      if (value.given) row["given"].push_back(value.name);
    }
    if (list.history) row["history"] = list.history->items;
    const std::string fields = contextFields(list.context);
    for (const retrieval::RecommendedItem& item : list.items) {
      if (csv)
        out += fmt::format("{},{},{},{},{}{}\n", csvField(list.user), item.rank, csvField(item.id),
                           csvField(item.title), item.score, fields);
      else
        row["items"].push_back({{"id", item.id},
                                {"title", item.title},
                                {"score", numberOrNull(static_cast<double>(item.score))},
                                {"rank", item.rank}});
    }
    if (!csv) out += (out.size() > 1 ? ",\n" : "\n") + row.dump();
  }
  return csv ? out : out + "\n]\n";
}

}  // namespace

std::span<const char* const> exportFormats(ExportWhat what) {
  static constexpr std::array kModels{"safetensors"};
  static constexpr std::array kTensors{"safetensors", "npy"};
  static constexpr std::array kMatrices{"safetensors", "npy", "parquet", "csv"};
  static constexpr std::array kTexts{"csv", "json"};
  static constexpr std::array kCurves{"csv", "json", "tfevents"};
  switch (what) {
    case ExportWhat::kCheckpoint:
      return kTensors;
    case ExportWhat::kTables:
    case ExportWhat::kVectors:
      return kMatrices;
    case ExportWhat::kCurves:
      return kCurves;
    case ExportWhat::kModel:
      return kModels;
    case ExportWhat::kRecommendations:
      break;
  }
  return kTexts;
}

Result<Exported> Workspace::exportRun(const std::string& run, const ExportOptions& options,
                                      const WorkContext& context) {
  Shared& shared = *state_->shared;
  const auto formats = exportFormats(options.what);
  if (std::ranges::find(formats, options.format) == formats.end())
    return Error{
        ErrorCode::kInvalidDocument,
        fmt::format("format \"{}\"; accepted are {}", options.format, fmt::join(formats, ", "))};
  context.report("exporting", 0, 0);
  if (const std::filesystem::path folder = options.out.parent_path(); !folder.empty())
    PARAPET_TRY(createFolders(folder));
  switch (options.what) {
    case ExportWhat::kCheckpoint:
      return exportCheckpoint(shared, run, options);
    case ExportWhat::kTables:
      return exportTables(shared, run, options, context);
    case ExportWhat::kVectors:
      return exportVectors(shared, run, options, context);
    case ExportWhat::kCurves:
      return exportCurves(shared, run, options);
    case ExportWhat::kModel:
      return exportModel(shared, run, options);
    case ExportWhat::kRecommendations:
      break;
  }
  Exported exported;
  PARAPET_ASSIGN(const auto asked, recommender(run, options.checkpoint, &exported.warnings));
  exported.step = asked->model().step;
  exported.files = {options.out};
  std::vector<retrieval::Query> queries;
  for (const retrieval::UserSummary& user :
       asked->findUsers("", retrieval::UserOrder::kById, std::numeric_limits<std::size_t>::max()))
    for (const auto& given : options.contexts) queries.emplace_back(user.id, given);
  PARAPET_ASSIGN(const auto lists, asked->recommend(queries, options.k, options.seen));
  // A value that no row has is the same for every user: said once.
  std::set<std::string> warnings;
  for (const retrieval::Recommendation& list : lists)
    for (const std::string& warning : list.warnings)
      if (warnings.insert(warning).second && warning.starts_with("context"))
        exported.warnings.push_back(warning);
  if (context.cancelled()) return Error{ErrorCode::kCancelled, "the export was cancelled"};
  PARAPET_TRY(writeFileAtomically(
      options.out,
      recommendationsText(lists, options.format == "csv" ? TextFormat::kCsv : TextFormat::kJson,
                          asked->contexts())));
  return exported;
}

}  // namespace parapet::workspace
