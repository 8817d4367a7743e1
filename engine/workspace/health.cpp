// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/health.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/manifest.h"
#include "engine/data/dataset/checked_file.h"
#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/manifest.h"
#include "engine/store/check_database.h"
#include "engine/store/run_store.h"
#include "engine/workspace/model_folder.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamedFaults = 5;

/// The first faults in a line, and how many more there are.
std::string summary(const std::vector<std::string>& faults) {
  const std::size_t named = std::min(faults.size(), kNamedFaults);
  std::string text = join(std::span(faults).first(named), "; ");
  if (faults.size() > named) text += fmt::format("; and {} more", faults.size() - named);
  return text;
}

std::vector<fs::path> foldersIn(const fs::path& parent) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error))
    if (entry.is_directory(error)) folders.push_back(entry.path());
  std::ranges::sort(folders);
  return folders;
}

/// Renames a damaged folder so that nothing takes it for a good one. The new name, or why not.
Result<std::string> moveAside(const fs::path& folder) {
  const fs::path named =
      folder.parent_path() / (std::string(checkpoint::kAsidePrefix) + folder.filename().string());
  fs::path aside = named;
  std::error_code error;
  // Another one of the same name was damaged before.
  for (int copy = 2; fs::exists(aside, error); ++copy)
    aside = fmt::format("{}-{}", named.string(), copy);
  fs::rename(folder, aside, error);
  if (error) return ioError("rename", folder, error.value());
  return aside.string();
}

HealthCheck checkFolder(const fs::path& folder) {
  std::error_code error;
  const bool exists = fs::is_directory(folder, error);
  fs::path nearest = fs::absolute(folder, error).lexically_normal();
  while (nearest.has_relative_path() && !fs::exists(nearest, error))
    nearest = nearest.parent_path();
  Status writable;
  if (!fs::is_directory(nearest, error))
    writable = ioError("write into", nearest, ENOTDIR);
  else if (::access(nearest.c_str(), W_OK) != 0)
    writable = ioError("write into", nearest, errno);
  if (writable.ok())
    return {"workspace", true,
            folder.string() + (exists ? " can be written" : " is not there yet, and can be made")};
  return {"workspace", false, writable.error().text(),
          "Make the folder writable, or name another with --workspace DIR."};
}

constexpr const char* kRepair =
    "Run `parapet-cli doctor --repair`: it keeps what can be read, and the file as it is beside "
    "it.";

/// The database after a repair.
HealthCheck repaired(const fs::path& file, const std::string& fault) {
  const auto report = store::repairDatabase(file);
  if (!report)
    return {"database", false, fmt::format("{}; {}", fault, report.error().text()),
            "Stop all programs that use the workspace and free some space, then repair again."};
  if (report->backup.empty()) return {"database", true, "whole; another program was making it"};
  const auto now = store::checkDatabase(file);
  const bool ok = now.ok() && now->damage.empty() && now->inconsistent.empty();
  return {
      "database", ok,
      fmt::format(
          "was damaged ({}); built again with {} rows, {} of them fixed{}; as it was: {}", fault,
          formatCount(report->rowsKept), formatCount(report->rowsFixed),
          report->incomplete.empty()
              ? ""
              : "; lost are rows that could not be read, of the tables " + join(report->incomplete),
          report->backup.string()),
      ok ? "" : "Restore parapet.db from a backup."};
}

/// Databases that repairs have kept as they were.
std::vector<std::string> backupsOf(const fs::path& file) {
  std::vector<std::string> backups;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(file.parent_path(), error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(file.filename().string() + ".damaged-") && !name.ends_with("-wal") &&
        !name.ends_with("-shm") && !name.ends_with("-journal"))
      backups.push_back(name);
  }
  std::ranges::sort(backups);
  return backups;
}

Result<std::unique_ptr<store::RunStore>> openRunStore(const fs::path& folder,
                                                      HealthOptions::Action action) {
  const bool repairs = action == HealthOptions::Action::kRepair;
  return store::RunStore::open(folder / "parapet.db",
                               storeOptions(folder, {},
                                            repairs ? store::RunStore::Access::kReadWrite
                                                    : store::RunStore::Access::kReadOnly));
}

/// Runs whose document has changed get that of a checkpoint, where there is one.
void restoreDocuments(const fs::path& folder, const store::DatabaseReport& report) {
  const auto store = openRunStore(folder, HealthOptions::Action::kRepair);
  if (!store) return;
  for (const std::string& run : report.changedDocuments) (void)(*store)->restoreDocument(run);
}

/// Checks the rows of a database that can be read as a whole.
HealthCheck checkRuns(const store::DatabaseReport& report) {
  if (!report.inconsistent.empty()) return {"runs", false, summary(report.inconsistent), kRepair};
  const std::string notes = report.notes.empty() ? "" : "; " + summary(report.notes);
  if (!report.changed.empty())
    return {"runs", false,
            fmt::format("not as it was stored: {}{}", summary(report.changed), notes),
            "Restore parapet.db from a backup. A repair puts documents back that a checkpoint has, "
            "and leaves the rest as it is, marked: `parapet-cli evaluate RUN` measures again."};
  return {"runs", true, "all rows are consistent and as they were stored" + notes};
}

std::vector<HealthCheck> checkDatabase(const fs::path& folder, const HealthOptions& options) {
  const fs::path file = folder / "parapet.db";
  const std::string lost = lostWithDatabase(folder);
  if (!lost.empty())
    return {
        {"database", false, lost, "Put a backup of parapet.db in its place, or go on without."}};
  auto report = store::checkDatabase(file);
  const bool repairs = options.action == HealthOptions::Action::kRepair;
  if (!report) {
    const Error& error = report.error();
    if (error.code == ErrorCode::kNotFound)
      return {{"database", true, "there is none yet; the first run makes it"}};
    return {{"database", false, error.text(),
             "Make the file readable and use the newest parapet, or name another folder with "
             "--workspace DIR."}};
  }
  std::vector<HealthCheck> checks;
  if (repairs && !(report->damage.empty() && report->inconsistent.empty())) {
    checks.push_back(
        repaired(file, summary(report->damage.empty() ? report->inconsistent : report->damage)));
    if (!checks.front().ok) return checks;
    report = store::checkDatabase(file);
    if (!report) return checks;
  } else {
    const std::string backups = summary(backupsOf(file));
    checks.push_back(
        report->damage.empty()
            ? HealthCheck{"database", true,
                          fmt::format(
                              "whole, schema version {}, {} runs{}", report->version,
                              formatCount(report->runs),
                              backups.empty() ? "" : "; as it was before a repair: " + backups)}
            : HealthCheck{"database", false, "damaged: " + summary(report->damage), kRepair});
  }
  if (repairs && !report->changedDocuments.empty()) {
    restoreDocuments(folder, *report);
    report = store::checkDatabase(file);
  }
  // The rows that were read say little of a database that cannot be read as a whole.
  if (report && (report->damage.empty() || !report->inconsistent.empty()))
    checks.push_back(checkRuns(*report));
  return checks;
}

std::string faultOf(const checkpoint::Listed& listed, const std::string& runId) {
  const auto opened = checkpoint::open(listed.folder);
  if (!opened) return opened.error().text();
  const checkpoint::Manifest& manifest = opened->manifest();
  if (manifest.runId != runId)
    return fmt::format("it is a checkpoint of run {}", printable(manifest.runId));
  if (manifest.step != listed.step) return fmt::format("it is that of step {}", manifest.step);
  return "";
}

/// The fault of a checkpoint of a run, "" if it is sound; nullopt if it is gone. A run that goes on
/// removes and replaces its checkpoints while they are read.
std::optional<std::string> lastingFaultOf(const checkpoint::Listed& listed,
                                          const std::string& runId) {
  std::string fault = faultOf(listed, runId);
  if (!fault.empty()) fault = faultOf(listed, runId);
  std::error_code error;
  if (!fault.empty() && !fs::exists(listed.folder, error)) return std::nullopt;
  return fault;
}

/// Findings in a folder of things that are whole or not.
struct SetFindings {
  std::int64_t whole = 0;
  std::vector<std::string> faults, aside, gone;
  std::vector<std::string> asideBefore;  ///< by an earlier repair
};

void note(SetFindings& findings, const fs::path& folder, const std::string& fault,
          const HealthOptions& options) {
  if (fault.empty()) {
    ++findings.whole;
    return;
  }
  const std::string line = fmt::format("{}: {}", folder.string(), fault);
  if (options.action == HealthOptions::Action::kReport) return findings.faults.push_back(line);
  if (const auto moved = moveAside(folder))
    findings.aside.push_back(fmt::format("{} (now {})", line, *moved));
  else
    findings.faults.push_back(fmt::format("{}; {}", line, moved.error().text()));
}

/// `faulty`: the word for sets with a fault.
HealthCheck checkOf(const char* name, const SetFindings& findings, const std::string& whole,
                    const char* fix, const char* faulty = "damaged") {
  std::string message = whole;
  if (!findings.aside.empty()) message += "; moved aside: " + summary(findings.aside);
  if (!findings.gone.empty())
    message += "; forgotten, since they are gone: " + summary(findings.gone);
  if (!findings.asideBefore.empty())
    message += "; moved aside by an earlier repair: " + summary(findings.asideBefore);
  if (findings.faults.empty()) return {name, true, message};
  return {name, false, fmt::format("{}; {}: {}", message, faulty, summary(findings.faults)), fix};
}

/// Recorded checkpoints whose folders are gone, and which ones answer in their place. A run that goes on
/// removes its own.
void noteGone(const fs::path& folder, const HealthOptions& options, SetFindings& findings) {
  if (store::isEmptyDatabase(folder / "parapet.db")) return;
  const bool repairs = options.action == HealthOptions::Action::kRepair;
  const auto store = openRunStore(folder, options.action);
  if (!store) return;  // the check of the database says why
  const auto runs = (*store)->runs({.trashed = store::RunFilter::Trashed::kInclude});
  for (const store::RunRecord& run : runs ? *runs : std::vector<store::RunRecord>()) {
    auto rows = (*store)->checkpoints(run.id);
    if (!rows || !experiment::isTerminal(run.state)) continue;
    std::string gone, best = "none";
    std::erase_if(*rows, [&](const store::CheckpointRecord& row) {
      const bool isGone = row.isGone(folder);
      if (!isGone && row.best) best = fmt::format("that of step {}", row.step);
      if (isGone) gone += fmt::format(" {}{}", row.step, row.best ? " (best)" : "");
      return isGone;
    });
    if (gone.empty()) continue;
    const bool dropped = repairs && (*store)->replaceCheckpoints(run.id, *rows).ok();
    (dropped ? findings.gone : findings.faults)
        .push_back(fmt::format(
            "checkpoints of run {} at step{}; its last is now {}, its best {}", run.id, gone,
            rows->empty() ? "none" : fmt::format("that of step {}", rows->back().step), best));
  }
}

HealthCheck checkCheckpoints(const fs::path& folder, const HealthOptions& options,
                             const WorkContext& context) {
  SetFindings findings;
  std::uint64_t bytes = 0;
  for (const fs::path& run : foldersIn(folder / "checkpoints")) {
    for (const fs::path& each : foldersIn(run))
      if (each.filename().string().starts_with(checkpoint::kAsidePrefix))
        findings.asideBefore.push_back(each.string());
    for (const checkpoint::Listed& listed : checkpoint::list(run)) {
      if (context.cancelled())
        return {"checkpoints", false, "the check was cancelled", "Run it again."};
      context.report("checking checkpoints", findings.whole, 0);
      const auto fault = lastingFaultOf(listed, run.filename().string());
      if (!fault) continue;
      note(findings, listed.folder, *fault, options);
      std::error_code error;
      for (const auto& file : fs::directory_iterator(listed.folder, error))
        if (const auto size = file.file_size(error); !error) bytes += size;
    }
  }
  noteGone(folder, options, findings);
  return checkOf(
      "checkpoints", findings,
      fmt::format("{} whole, {}", formatCount(findings.whole), formatBytes(bytes)),
      "Run `parapet-cli doctor --repair` to move the damaged ones aside and to forget those "
      "that are gone; an older one of the same run takes their place.",
      "damaged or gone");
}

/// The fault of a data set; "" if there is none. One that an older program wrote is imported anew
/// by the next run.
std::string faultOf(const fs::path& folder, HealthOptions::Depth depth,
                    const WorkContext& context) {
  const auto manifest = data::Manifest::read(folder);
  if (!manifest && manifest.error().code == ErrorCode::kNotFound) return "";
  if (depth == HealthOptions::Depth::kQuick) {
    const auto opened = data::Dataset::open(folder);
    return opened.ok() ? "" : opened.error().text();
  }
  std::vector<std::string> problems;
  for (const data::FileOutcome& file : data::examineDataset(folder, context).files)
    if (!file.problem.empty()) problems.push_back(file.problem);
  return summary(problems);
}

HealthCheck checkDatasets(const fs::path& folder, const HealthOptions& options,
                          const WorkContext& context) {
  const HealthCheck cancelled{"data sets", false, "the check was cancelled", "Run it again."};
  SetFindings findings;
  for (const fs::path& dataset : foldersIn(folder / "datasets")) {
    const std::string name = dataset.filename().string();
    if (name.starts_with(checkpoint::kAsidePrefix)) {
      findings.asideBefore.push_back(dataset.string());
      continue;
    }
    if (name.find(".tmp-") != std::string::npos) continue;  // an import in another program
    if (context.cancelled()) return cancelled;
    context.report("checking data sets", findings.whole, 0);
    const std::string fault = faultOf(dataset, options.depth, context);
    if (context.cancelled()) return cancelled;  // in the middle of its files
    note(findings, dataset, fault, options);
  }
  const bool deep = options.depth == HealthOptions::Depth::kDeep;
  return checkOf(
      "data sets", findings,
      fmt::format("{} {}", formatCount(findings.whole),
                  deep ? "whole, every hash compared"
                       : "whole; of those of more than 1 GiB, --deep compares every hash"),
      "Run `parapet-cli doctor --deep --repair` to move the damaged ones aside; the next run "
      "imports them again.");
}

}  // namespace

std::vector<HealthCheck> checkHealth(const fs::path& folder, const HealthOptions& options,
                                     const WorkContext& context) {
  if (isModelFolder(folder)) {
    const Status whole = checkModelFolder(folder, FileCheck::kHashes, context);
    return {{"model", whole.ok(), whole.ok() ? "whole, every hash compared" : whole.error().text(),
             whole.ok() ? "" : "Export it again from its run."}};
  }
  std::vector<HealthCheck> checks{checkFolder(folder)};
  // One that is not there yet is made by the first run: there is nothing to check.
  if (std::error_code error; !fs::exists(folder, error) && checks.front().ok) return checks;
  context.report("checking the database", 0, 0);
  for (HealthCheck& check : checkDatabase(folder, options)) checks.push_back(std::move(check));
  checks.push_back(checkCheckpoints(folder, options, context));
  checks.push_back(checkDatasets(folder, options, context));
  return checks;
}

}  // namespace parapet::workspace
