// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iterator>
#include <limits>
#include <set>

#include "engine/base/atomic_file.h"
#include "engine/base/files.h"
#include "engine/base/json_number.h"
#include "engine/base/quoting.h"
#include "engine/base/text.h"
#include "engine/data/dataset/parquet/parquet_plugin.h"
#include "engine/data/dataset/pending_folder.h"
#include "engine/retrieval/top_k.h"
#include "engine/workspace/event_file.h"
#include "engine/workspace/export_note.h"
#include "engine/workspace/export_tensors.h"
#include "engine/workspace/model_folder.h"
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
  if (shared.isModel) return Exported{{options.out}, std::nullopt, {}};
  const std::filesystem::path steps = stepsFile(options.out);
  PARAPET_TRY(writeAtomically(steps, [&](FileWriter& file) {
    return csv ? writeStepsCsv(file, curves) : writeStepsJson(file, curves);
  }));
  return Exported{{options.out, steps}, std::nullopt, {}};
}

/// The lists of an export. They come by blocks of queries, so that no more than one of them is in
/// memory.
struct Lists {
  const retrieval::Recommender& recommender;
  const ExportOptions& options;
  const WorkContext& context;
  nlohmann::ordered_json& counts;  ///< lists and rows, once all have come
  std::vector<std::string>& warnings;
};

/// Calls take(lists) for each block.
Status forEachBlock(
    const Lists& lists,
    const std::function<Status(std::span<const retrieval::Recommendation> block)>& take) {
  const ExportOptions& options = lists.options;
  PARAPET_ASSIGN(const auto candidates, lists.recommender.candidatesOf(options.candidates));
  std::set<std::string> warned;
  const auto warn = [&](const std::string& warning) {
    if (warned.insert(warning).second) lists.warnings.push_back(warning);
  };
  if (candidates) std::ranges::for_each(candidates->warnings, warn);
  std::vector<retrieval::Query> queries;
  for (const retrieval::UserSummary& user : lists.recommender.findUsers(
           "", retrieval::UserOrder::kById, std::numeric_limits<std::size_t>::max()))
    for (const auto& given : options.contexts)
      queries.emplace_back(user.id, given).candidates = candidates;
  std::int64_t rows = 0, shortLists = 0;
  const auto requireNoStop = [&lists]() -> Status {
    if (lists.context.cancelled()) return Error{ErrorCode::kCancelled, "the export was cancelled"};
    return {};
  };
  constexpr auto kBlock = static_cast<std::size_t>(retrieval::kQueriesOfTopK);
  for (std::size_t first = 0; first < queries.size(); first += kBlock) {
    PARAPET_TRY(requireNoStop());
    lists.context.report("listing", static_cast<std::int64_t>(first), std::ssize(queries));
    const auto block = std::span(queries).subspan(first, std::min(kBlock, queries.size() - first));
    PARAPET_ASSIGN(const auto listed, lists.recommender.recommend(block, options.k, options.seen));
    for (const retrieval::Recommendation& list : listed) {
      rows += std::ssize(list.items);
      shortLists += std::ssize(list.items) < options.k ? 1 : 0;
      // A value that no row has is the same for every user.
      for (const std::string& warning : list.warnings)
        if (warning.starts_with("context")) warn(warning);
    }
    PARAPET_TRY(take(listed));
  }
  if (shortLists > 0)
    warn(fmt::format("{} of {} lists have fewer than {} items: no more are left",
                     formatCount(shortLists), formatCount(std::ssize(queries)), options.k));
  lists.counts = {{"lists", queries.size()}, {"rows", rows}};
  return requireNoStop();
}

/// Names of the values that were given, not taken from the user's last row.
std::vector<std::string_view> givenNames(const retrieval::Recommendation& list) {
  std::vector<std::string_view> names;
  for (const retrieval::ContextValue& value : list.context)
    if (value.given) names.push_back(value.name);
  return names;
}

/// Lines end with the values of the contexts, if the model has some, and with the names of those that
/// were given.
Status writeListsCsv(FileWriter& file, const Lists& lists) {
  FormulaCount formulas;
  std::string lines = "user,rank,item,title,score";
  const auto addCell = [&](std::string_view text) {
    formulas.look(text);
    appendCsvField(lines, text);
  };
  for (const retrieval::ContextColumn& column : lists.recommender.contexts()) {
    lines += ',';
    addCell(column.name);
  }
  lines += lists.recommender.contexts().empty() ? "\n" : ",given\n";
  PARAPET_TRY(forEachBlock(lists, [&](auto block) {
    for (const retrieval::Recommendation& list : block)
      for (const retrieval::RecommendedItem& item : list.items) {
        addCell(list.user);
        lines += fmt::format(",{},", item.rank);
        addCell(item.id);
        lines += ',';
        addCell(item.title);
        lines += fmt::format(",{}", item.score);
        for (const retrieval::ContextValue& value : list.context) {
          lines += ',';
          addCell(value.value);
        }
        if (!list.context.empty())
          lines += "," + csvField(fmt::format("{}", fmt::join(givenNames(list), " ")));
        lines += '\n';
      }
    return file.write(std::exchange(lines, {}));
  }));
  if (std::string note = formulas.note(); !note.empty()) lists.warnings.push_back(std::move(note));
  return file.write(lines);
}

Status writeListsJson(FileWriter& file, const Lists& lists) {
  JsonRows rows(file);
  const Status written = forEachBlock(lists, [&rows](auto block) -> Status {
    for (const retrieval::Recommendation& list : block) {
      nlohmann::ordered_json row{{"user", list.user}, {"items", nlohmann::ordered_json::array()}};
      for (const retrieval::ContextValue& value : list.context)
        row["context"][value.name] = value.value;
      if (!list.context.empty()) row["given"] = givenNames(list);
      if (list.history) row["history"] = list.history->items;
      for (const retrieval::RecommendedItem& item : list.items)
        row["items"].push_back({{"id", item.id},
                                {"title", item.title},
                                {"score", numberOrNull(static_cast<double>(item.score))},
                                {"rank", item.rank}});
      PARAPET_TRY(rows.add(row));
    }
    return {};
  });
  return written.ok() ? rows.finish() : written;
}

/// Columns as those of the CSV file: user, item, title and values of contexts as text, rank int64,
/// score float, `given` a list of text. A title or value that is not known is null.
Status writeListsParquet(const std::filesystem::path& path, const Lists& lists) {
  using enum data::ParquetType;
  const auto contexts = lists.recommender.contexts();
  std::vector<data::ParquetColumn> columns{{"user", kText},
                                           {"rank", kInt64},
                                           {"item", kText},
                                           {"title", kText, false, /*isNullable=*/true},
                                           {"score", kFloat}};
  for (const retrieval::ContextColumn& column : contexts)
    columns.push_back({column.name, kText, false, /*isNullable=*/true});
  if (!contexts.empty()) columns.push_back({"given", kText, /*isList=*/true});
  PARAPET_ASSIGN(auto writer, data::ParquetWriter::create(path, columns));
  PARAPET_TRY(forEachBlock(lists, [&](auto block) {
    data::RowBlock rows;
    rows.columns.resize(columns.size());
    for (data::ColumnValues& column : rows.columns) column.type = data::ValueType::kText;
    data::ColumnValues &ranks = rows.columns[1], &scores = rows.columns[4];
    ranks.type = data::ValueType::kInteger;
    scores.type = data::ValueType::kNumber;
    data::ColumnValues& given = rows.columns.back();
    if (!contexts.empty()) given.offsets.assign(1, 0);
    const auto addText = [&](std::size_t column, std::string_view text) {
      rows.columns[column].texts.push_back(text);
      if (columns[column].isNullable) rows.columns[column].missing.push_back(text.empty());
    };
    for (const retrieval::Recommendation& list : block)
      for (const retrieval::RecommendedItem& item : list.items) {
        ++rows.rows;
        addText(0, list.user);
        ranks.integers.push_back(item.rank);
        addText(2, item.id);
        addText(3, item.title);
        scores.numbers.push_back(static_cast<double>(item.score));
        for (std::size_t i = 0; i < contexts.size(); ++i) addText(5 + i, list.context[i].value);
        if (contexts.empty()) continue;
        std::ranges::copy(givenNames(list), std::back_inserter(given.texts));
        given.offsets.push_back(static_cast<std::int32_t>(given.texts.size()));
      }
    return writer.write(rows);
  }));
  return writer.finish();
}

Result<Exported> exportRecommendations(Workspace& workspace, const std::string& run,
                                       const ExportOptions& options, const WorkContext& context) {
  Exported exported;
  PARAPET_ASSIGN(const auto asked,
                 workspace.recommender(run, options.checkpoint, &exported.warnings, context));
  exported.step = asked->model().step;
  nlohmann::ordered_json counts;
  const Lists lists{*asked, options, context, counts, exported.warnings};
  if (options.format == "parquet")
    PARAPET_TRY(writeListsParquet(options.out, lists));
  else
    PARAPET_TRY(writeAtomically(options.out, [&](FileWriter& file) {
      return options.format == "csv" ? writeListsCsv(file, lists) : writeListsJson(file, lists);
    }));
  const bool all = options.seen == retrieval::SeenItems::kExcludeAll;
  const retrieval::CandidateFilter& filter = options.candidates;
  nlohmann::ordered_json manifest{{"format", "parapet-recommendations"},
                                  {"version", 1},
                                  {"run", asked->model().runId},
                                  {"step", asked->model().step},
                                  {"file", options.out.filename().string()},
                                  {"k", options.k},
                                  {"exclude_seen", nullptr},
                                  {"items", nullptr},
                                  {"exclude", filter.exclude},
                                  {"where", nlohmann::ordered_json::array()}};
  if (options.seen != retrieval::SeenItems::kKeep) manifest["exclude_seen"] = all ? "all" : "train";
  if (filter.items) manifest["items"] = *filter.items;
  for (const auto& [name, values] : filter.where)
    manifest["where"].push_back({{"name", name}, {"values", values}});
  manifest.update(counts);
  std::filesystem::path path = options.out;
  path += ".manifest.json";
  PARAPET_TRY(writeFileAtomically(path, manifest.dump(1) + "\n"));
  exported.files = {options.out, path};
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
      return options.queries.empty() ? exportVectors(shared, run, options, context)
                                     : exportQueryVectors(workspace, run, options, context);
    case ExportWhat::kCurves:
      return exportCurves(shared, run, options, context);
    case ExportWhat::kModel:
      return options.format == "folder" ? writeModelFolder(shared, run, options, context)
                                        : exportModel(shared, run, options, context);
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

/// A model folder is replaced as a whole; what else is there stays.
Status requireReplaceable(const std::filesystem::path& out) {
  std::error_code error;
  if (!std::filesystem::exists(out, error) || std::filesystem::is_empty(out, error)) return {};
  const bool isModel = isModelFolder(out);
  const auto added = isModel ? addedFile(out) : std::nullopt;
  if (isModel && !added) return {};
  return Error{
      ErrorCode::kIo,
      fmt::format("{} is there already, and {}; accepted: a new or an empty folder, or a "
                  "model to replace",
                  out.string(),
                  added ? fmt::format("holds {}, which is no part of the model", added->string())
                        : "is no model"),
      {},
      out.string()};
}

/// Files of an export must not come between those of a model.
Status requireNoModel(const std::filesystem::path& out) {
  for (const std::filesystem::path& folder : {out, out.parent_path()})
    if (!folder.empty() && isModelFolder(folder))
      return Error{ErrorCode::kIo,
                   fmt::format("{} is a model; accepted: another folder", folder.string()),
                   {},
                   folder.string()};
  return {};
}

/// Gives a folder the name of another one, which is then where the first was. Where the file system
/// can exchange two names there is no moment without one.
Status takePlaceOf(const std::filesystem::path& made, const std::filesystem::path& target) {
  std::error_code error;
  std::filesystem::path aside = made;
  aside += ".old";
  if (!std::filesystem::exists(target, error)) {
    std::filesystem::rename(made, target, error);
  } else if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0) {
    std::filesystem::rename(target, aside, error);
    if (!error) std::filesystem::rename(made, target, error);
    if (std::error_code ignored; error) std::filesystem::rename(aside, target, ignored);
  }
  if (error) return writeError("replace", target, error.value());
  return syncFolder(target.has_parent_path() ? target.parent_path() : ".");
}

}  // namespace

std::span<const char* const> exportFormats(ExportWhat what) {
  static constexpr std::array kModels{"folder", "safetensors"};
  static constexpr std::array kTensors{"safetensors", "npy"};
  static constexpr std::array kMatrices{"safetensors", "npy", "parquet", "csv"};
  static constexpr std::array kLists{"csv", "json", "parquet"};
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
  return kLists;
}

Result<Exported> Workspace::exportRun(const std::string& run, const ExportOptions& asked,
                                      const WorkContext& context) {
  Shared& shared = *state_->shared;
  const auto formats = exportFormats(asked.what);
  ExportOptions options = asked;
  if (options.format.empty()) options.format = formats.front();
  if (std::ranges::find(formats, options.format) == formats.end())
    return Error{
        ErrorCode::kInvalidDocument,
        fmt::format("format \"{}\"; accepted are {}", options.format, fmt::join(formats, ", "))};
  context.report("exporting", 0, 0);
  if (context.cancelled()) return Error{ErrorCode::kCancelled, "the export was cancelled"};
  PARAPET_TRY(shared.store->find(run));
  if (options.format == "parquet") {
    PARAPET_TRY(data::requireParquet());
  }
  const bool isModel = options.what == ExportWhat::kModel && options.format == "folder";
  if (std::error_code error; std::filesystem::is_symlink(options.out, error))
    options.out = std::filesystem::weakly_canonical(options.out, error);
  PARAPET_TRY(isModel ? requireReplaceable(options.out) : requireNoModel(options.out));
  if (shared.isModel && options.seen == retrieval::SeenItems::kExcludeAll)
    return shared.readOnlyBecause->wrap("items of held-out rows are not known");
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
  if (isModel)
    PARAPET_TRY(takePlaceOf(inside.out, pending.target()));
  else
    PARAPET_TRY(moveInto(pending.path(), parent.empty() ? std::filesystem::path(".") : parent));
  for (std::filesystem::path& file : exported->files)
    file = parent / file.lexically_relative(pending.path());
  return exported;
}

}  // namespace parapet::workspace
