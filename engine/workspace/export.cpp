// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <set>

#include "engine/base/atomic_file.h"
#include "engine/base/files.h"
#include "engine/base/json_number.h"
#include "engine/base/quoting.h"
#include "engine/data/dataset/pending_folder.h"
#include "engine/retrieval/top_k.h"
#include "engine/workspace/event_file.h"
#include "engine/workspace/export_note.h"
#include "engine/workspace/export_tensors.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

using experiment::EpochSummary;
using experiment::StepBucket;

/// Writes the objects of a JSON array a line each, so that no more than one of them is in memory.
class JsonRows {
 public:
  explicit JsonRows(FileWriter& file) : file_(file) {}
  Status add(const nlohmann::ordered_json& row) {
    PARAPET_TRY(file_.write(isFirst_ ? "[\n" : ",\n"));
    isFirst_ = false;
    return file_.write(row.dump());
  }
  Status finish() { return file_.write(isFirst_ ? "[]\n" : "\n]\n"); }

 private:
  FileWriter& file_;
  bool isFirst_ = true;
};

/// The curves of a run are read by blocks of lines, and may be cancelled before each.
struct Curves {
  const store::RunStore& store;
  const store::RunRecord& run;
  const WorkContext& context;

  [[nodiscard]] Status beginBlock(std::int64_t first) const {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "the export was cancelled"};
    context.report("writing curves", first, 0);
    return {};
  }
};

/// Calls take(epoch) for the epochs of a run, a block in memory at a time.
template <class Take>
Status forEachEpoch(const Curves& curves, const Take& take) {
  constexpr std::int64_t kEpochsAtOnce = 256;
  for (std::int64_t after = 0;;) {
    PARAPET_TRY(curves.beginBlock(after));
    PARAPET_ASSIGN(const auto epochs, curves.store.epochs(curves.run.id, after, kEpochsAtOnce));
    if (epochs.empty()) return {};
    for (const EpochSummary& epoch : epochs) PARAPET_TRY(take(epoch));
    after = epochs.back().epoch;
  }
}

Status writeEpochsCsv(FileWriter& file, const Curves& curves) {
  std::set<std::string> names;
  PARAPET_TRY(forEachEpoch(curves, [&names](const EpochSummary& epoch) -> Status {
    for (const auto& [name, value] : epoch.metrics) names.insert(name);
    return {};
  }));
  std::string line =
      "epoch,step,loss,loss_as_displayed,learning_rate,seconds,ms_per_step,examples_per_second";
  for (const std::string& name : names) line += "," + name;
  PARAPET_TRY(file.write(line + "\n"));
  return forEachEpoch(curves, [&](const EpochSummary& epoch) {
    line = fmt::format("{},{},{},{},{},{},{},{}", epoch.epoch, epoch.step, epoch.loss,
                       epoch.lossAsDisplayed, epoch.learningRate, epoch.seconds, epoch.msPerStep,
                       epoch.examplesPerSecond);
    for (const std::string& name : names) {
      line += ",";
      for (const auto& [key, value] : epoch.metrics)
        if (key == name) line += fmt::format("{}", value);
    }
    return file.write(line + "\n");
  });
}

Status writeEpochsJson(FileWriter& file, const Curves& curves) {
  JsonRows rows(file);
  PARAPET_TRY(forEachEpoch(curves, [&rows](const EpochSummary& epoch) {
    nlohmann::ordered_json row{{"epoch", epoch.epoch},
                               {"step", epoch.step},
                               {"loss", numberOrNull(epoch.loss)},
                               {"loss_as_displayed", numberOrNull(epoch.lossAsDisplayed)},
                               {"learning_rate", numberOrNull(epoch.learningRate)},
                               {"seconds", numberOrNull(epoch.seconds)},
                               {"ms_per_step", numberOrNull(epoch.msPerStep)},
                               {"examples_per_second", numberOrNull(epoch.examplesPerSecond)}};
    for (const auto& [name, value] : epoch.metrics) row[name] = numberOrNull(value);
    return rows.add(row);
  }));
  return rows.finish();
}

/// Calls take(step) for the steps as they were recorded, a block in memory at a time: a long run has
/// millions. Consecutive ones that were merged are one.
template <class Take>
Status forEachStep(const Curves& curves, const Take& take) {
  constexpr std::int64_t kStepsAtOnce = 1 << 16;
  for (std::int64_t after = 0;;) {
    PARAPET_TRY(curves.beginBlock(after));
    PARAPET_ASSIGN(const std::vector<StepBucket> steps,
                   curves.store.steps(curves.run.id, after, kStepsAtOnce));
    if (steps.empty()) return {};
    for (const StepBucket& step : steps) PARAPET_TRY(take(step));
    after = steps.back().lastStep;
  }
}

Status writeStepsCsv(FileWriter& file, const Curves& curves) {
  PARAPET_TRY(
      file.write("first_step,last_step,epoch,loss_min,loss_max,loss_last,seconds,non_finite\n"));
  return forEachStep(curves, [&file](const StepBucket& step) {
    return file.write(fmt::format("{},{},{},{},{},{},{},{}\n", step.firstStep, step.lastStep,
                                  step.epoch, step.min, step.max, step.last, step.seconds,
                                  step.nonFinite));
  });
}

Status writeStepsJson(FileWriter& file, const Curves& curves) {
  JsonRows rows(file);
  PARAPET_TRY(forEachStep(curves, [&rows](const StepBucket& step) {
    return rows.add({{"first_step", step.firstStep},
                     {"last_step", step.lastStep},
                     {"epoch", step.epoch},
                     {"loss_min", numberOrNull(step.min)},
                     {"loss_max", numberOrNull(step.max)},
                     {"loss_last", numberOrNull(step.last)},
                     {"seconds", numberOrNull(step.seconds)},
                     {"non_finite", step.nonFinite}});
  }));
  return rows.finish();
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
Status writeEvents(FileWriter& out, const Curves& curves) {
  const double begun = static_cast<double>(curves.run.createdMs) / 1000.0;
  EventFile file(begun);
  double seconds = 0.0;
  PARAPET_TRY(forEachEpoch(curves, [&](const EpochSummary& epoch) {
    if (std::isfinite(epoch.seconds)) seconds += epoch.seconds;
    const auto add = [&](std::string_view tag, double value) {
      if (!std::isnan(value)) file.add(begun + seconds, epoch.step, tag, static_cast<float>(value));
    };
    add("loss", epoch.loss);
    add("loss_as_displayed", epoch.lossAsDisplayed);
    add("learning_rate", epoch.learningRate);
    for (const auto& [name, value] : epoch.metrics) add(name, value);
    return out.write(file.take());
  }));
  PARAPET_TRY(forEachStep(curves, [&](const StepBucket& step) {
    if (!std::isnan(step.last))
      file.add(begun + step.seconds, step.lastStep, "step_loss", static_cast<float>(step.last));
    return out.write(file.take());
  }));
  return out.write(file.take());
}

Result<Exported> exportCurves(Shared& shared, const std::string& run, const ExportOptions& options,
                              const WorkContext& context) {
  PARAPET_ASSIGN(const store::RunRecord record, shared.store->find(run));
  const Curves curves{*shared.store, record, context};
  if (options.format == "tfevents") {
    PARAPET_TRY(createFolders(options.out));
    const auto path =
        options.out / fmt::format("events.out.tfevents.{}.{}", record.createdMs / 1000, record.id);
    PARAPET_TRY(writeAtomically(path, [&](FileWriter& file) { return writeEvents(file, curves); }));
    return Exported{{path}, std::nullopt, {}};
  }
  const bool csv = options.format == "csv";
  PARAPET_TRY(writeAtomically(options.out, [&](FileWriter& file) {
    return csv ? writeEpochsCsv(file, curves) : writeEpochsJson(file, curves);
  }));
  const std::filesystem::path steps = stepsFile(options.out);
  PARAPET_TRY(writeAtomically(steps, [&](FileWriter& file) {
    return csv ? writeStepsCsv(file, curves) : writeStepsJson(file, curves);
  }));
  return Exported{{options.out, steps}, std::nullopt, {}};
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

Result<Exported> exportRecommendations(Workspace& workspace, const std::string& run,
                                       const ExportOptions& options, const WorkContext& context) {
  Exported exported;
  PARAPET_ASSIGN(const auto asked,
                 workspace.recommender(run, options.checkpoint, &exported.warnings, context));
  exported.step = asked->model().step;
  exported.files = {options.out};
  std::vector<retrieval::Query> queries;
  for (const retrieval::UserSummary& user :
       asked->findUsers("", retrieval::UserOrder::kById, std::numeric_limits<std::size_t>::max()))
    for (const auto& given : options.contexts) queries.emplace_back(user.id, given);
  std::vector<retrieval::Recommendation> lists;
  constexpr auto kBlock = static_cast<std::size_t>(retrieval::kQueriesOfTopK);
  for (std::size_t first = 0; first < queries.size(); first += kBlock) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "the export was cancelled"};
    context.report("listing", static_cast<std::int64_t>(first), std::ssize(queries));
    const auto block = std::span(queries).subspan(first, std::min(kBlock, queries.size() - first));
    PARAPET_ASSIGN(auto listed, asked->recommend(block, options.k, options.seen));
    std::ranges::move(listed, std::back_inserter(lists));
  }
  // A value that no row has is the same for every user: said once.
  std::set<std::string> warnings;
  for (const retrieval::Recommendation& list : lists)
    for (const std::string& warning : list.warnings)
      if (warnings.insert(warning).second && warning.starts_with("context"))
        exported.warnings.push_back(warning);
  if (context.cancelled()) return Error{ErrorCode::kCancelled, "the export was cancelled"};
  const TextFormat format = options.format == "csv" ? TextFormat::kCsv : TextFormat::kJson;
  const std::string text = recommendationsText(lists, format, asked->contexts());
  if (format == TextFormat::kCsv)
    if (std::string note = parapet::formulaNote(text); !note.empty())
      exported.warnings.push_back(std::move(note));
  PARAPET_TRY(writeFileAtomically(options.out, text));
  return exported;
}

Result<Exported> exportInto(Workspace& workspace, Shared& shared, const std::string& run,
                            const ExportOptions& options, const WorkContext& context) {
  switch (options.what) {
    case ExportWhat::kCheckpoint:
      return exportCheckpoint(shared, run, options, context);
    case ExportWhat::kTables:
      return exportTables(shared, run, options, context);
    case ExportWhat::kVectors:
      return exportVectors(shared, run, options, context);
    case ExportWhat::kCurves:
      return exportCurves(shared, run, options, context);
    case ExportWhat::kModel:
      return exportModel(shared, run, options, context);
    case ExportWhat::kRecommendations:
      break;
  }
  return exportRecommendations(workspace, run, options, context);
}

/// Puts what an export has written in place of what was there; files of the same folders that are not
/// replaced stay.
Status moveInto(const std::filesystem::path& from, const std::filesystem::path& into) {
  namespace fs = std::filesystem;
  for (const auto& entry : fs::directory_iterator(from)) {
    const fs::path target = into / entry.path().filename();
    std::error_code ignored;
    if (entry.is_directory(ignored) && fs::is_directory(target, ignored)) {
      PARAPET_TRY(moveInto(entry.path(), target));
    } else if (std::rename(entry.path().c_str(), target.c_str()) != 0) {
      return writeError("replace", target, errno);
    }
  }
  return syncFolder(into);
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
  if (context.cancelled()) return Error{ErrorCode::kCancelled, "the export was cancelled"};
  PARAPET_TRY(shared.store->find(run));
  // All is written beside the target first, so that an export that is killed leaves nothing there.
  PARAPET_ASSIGN(const data::PendingFolder pending, data::PendingFolder::create(options.out));
  const ExportNote note(shared.folder, pending.path());
  ExportOptions inside = options;
  inside.out = pending.path() / pending.target().filename();
  const std::filesystem::path parent = pending.target().parent_path();
  Result<Exported> exported = exportInto(*this, shared, run, inside, context);
  if (!exported) {
    Error error = exported.error();
    const std::string temporary = inside.out.string(), target = pending.target().string();
    for (std::string* text : {&error.message, &error.path})
      if (const std::size_t at = text->find(temporary); at != std::string::npos)
        text->replace(at, temporary.size(), target);
    return error;
  }
  PARAPET_TRY(moveInto(pending.path(), parent.empty() ? std::filesystem::path(".") : parent));
  for (std::filesystem::path& file : exported->files)
    file = parent / file.lexically_relative(pending.path());
  return exported;
}

}  // namespace parapet::workspace
