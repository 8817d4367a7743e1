// SPDX-License-Identifier: Apache-2.0
// A run as one file that another workspace takes: its record and curves, checkpoints and data set.
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/data/dataset/pending_folder.h"
#include "engine/data/ingest/sources/packed_files.h"
#include "engine/train/build_id.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "parapet-run";
constexpr int kVersion = 1;
constexpr const char* kManifest = "manifest.json";
constexpr const char* kRun = "run.db";

void addFolder(const fs::path& workspace, const fs::path& folder,
               std::vector<data::ZipInput>& files) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_regular_file())
      files.push_back({entry->path().lexically_relative(workspace).string(), entry->path()});
}

/// The run that an archive says it holds.
Result<std::string> runOf(const fs::path& path, const fs::path& unpacked) {
  const auto refused = [&](const std::string& found) {
    return Error{ErrorCode::kData,
                 fmt::format("{}: {}; accepted is an archive that `runs export` wrote",
                             path.string(), found),
                 {},
                 path.string()};
  };
  const auto text = readFile(unpacked / kManifest);
  const Json manifest = Json::parse(text ? *text : std::string(), nullptr, false);
  if (!manifest.is_object() || manifest.value("format", Json()) != kFormat ||
      !manifest.value("run", Json()).is_string())
    return refused("is no archive of a run");
  const Json version = manifest.value("version", Json());
  if (!version.is_number_integer() || version.get<std::int64_t>() > kVersion)
    return refused(fmt::format("has version {}, and {} is the newest that is known", version.dump(),
                               kVersion));
  return manifest.at("run").get<std::string>();
}

Status unpack(const data::ZipArchive& archive, const fs::path& into, const WorkContext& context) {
  std::int64_t all = 0, done = 0;
  for (const auto& member : archive.members()) all += static_cast<std::int64_t>(member.bytes);
  std::vector<char> block(1 << 20);
  for (const auto& member : archive.members()) {
    PARAPET_TRY(createFolders((into / member.name).parent_path()));
    PARAPET_ASSIGN(const auto bytes, archive.read(member));
    PARAPET_ASSIGN(FileWriter file, FileWriter::create(into / member.name));
    for (;;) {
      if (context.cancelled()) return Error{ErrorCode::kCancelled, "the import was cancelled"};
      context.report("unpacking", done, all);
      PARAPET_ASSIGN(const std::size_t count, bytes->read(block));
      if (count == 0) break;
      PARAPET_TRY(file.write(std::as_bytes(std::span(block).first(count))));
      done += static_cast<std::int64_t>(count);
    }
    PARAPET_TRY(file.finish());
  }
  return {};
}

Status checkDataset(const fs::path& folder) {
  const auto opened = data::Dataset::open(folder);
  return opened ? Status{} : Status{opened.error()};
}

Status checkCheckpoints(const fs::path& folder) {
  for (const auto& listed : checkpoint::list(folder))
    if (const auto opened = checkpoint::open(listed.folder); !opened) return opened.error();
  return {};
}

/// Whether what was unpacked can be used, before any of it is moved.
Status checkUnpacked(const fs::path& folder, const std::string& run) {
  std::error_code error;
  for (const auto& dataset : fs::directory_iterator(folder / "datasets", error))
    PARAPET_TRY(checkDataset(dataset.path()));
  return checkCheckpoints(folder / "checkpoints" / run);
}

/// A data set that is there already has the same content: its name is the hash of it.
Status moveFolders(const fs::path& from, const fs::path& into) {
  PARAPET_TRY(createFolders(into));
  std::error_code error, ignored;
  for (const auto& entry : fs::directory_iterator(from, ignored)) {
    const fs::path target = into / entry.path().filename();
    if (fs::exists(target, error)) continue;
    fs::rename(entry.path(), target, error);
    if (error) return writeError("create", target, error.value());
  }
  return syncFolder(into);
}

}  // namespace

Status Workspace::exportArchive(const std::string& run, const fs::path& out,
                                const WorkContext& context) {
  Shared& shared = *state_->shared;
  PARAPET_ASSIGN(const store::RunRecord record, shared.store->find(run));
  if (shared.isModel)
    return shared.readOnlyBecause->wrap("a model lacks the held-out rows of its run");
  if (!experiment::isTerminal(record.state))
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("run {} is {}; accepted is a run that has ended", record.id,
                             experiment::runStateName(record.state))};
  // No archive is written that cannot be unpacked.
  context.report("checking", 0, 0);
  const fs::path dataset = shared.datasetsFolder() / record.dataset;
  if (!record.dataset.empty() && fs::exists(dataset)) PARAPET_TRY(checkDataset(dataset));
  PARAPET_TRY(checkCheckpoints(shared.checkpointFolder(record.id)));
  PARAPET_ASSIGN(const data::PendingFolder pending, data::PendingFolder::create(out));
  PARAPET_TRY(
      shared.store->copyRun(record.id, pending.path() / kRun, store::RunStore::StepLosses::kKeep));
  const Json manifest{{"format", kFormat}, {"version", kVersion}, {"program", train::version()},
                      {"run", record.id},  {"name", record.name}, {"dataset", record.dataset}};
  PARAPET_TRY(writeFileAtomically(pending.path() / kManifest, manifest.dump(1) + "\n"));
  std::vector<data::ZipInput> files{{kManifest, pending.path() / kManifest},
                                    {kRun, pending.path() / kRun}};
  for (const checkpoint::Listed& listed : checkpoint::list(shared.checkpointFolder(record.id)))
    addFolder(shared.folder, listed.folder, files);
  if (!record.dataset.empty()) addFolder(shared.folder, dataset, files);
  const fs::path archive = pending.path() / "archive";
  PARAPET_TRY(data::writeZip(archive, files, context));
  std::error_code error;
  fs::rename(archive, pending.target(), error);
  if (error) return writeError("create", pending.target(), error.value());
  return syncFolder(pending.target().has_parent_path() ? pending.target().parent_path() : ".");
}

Result<std::string> Workspace::importArchive(const fs::path& path, const WorkContext& context) {
  Shared& shared = *state_->shared;
  PARAPET_TRY(shared.requireWritable("no run can be imported"));
  PARAPET_ASSIGN(const data::ZipArchive archive, data::ZipArchive::open(path));
  PARAPET_ASSIGN(const data::PendingFolder pending,
                 data::PendingFolder::create(shared.folder / "import"));
  PARAPET_TRY(unpack(archive, pending.path(), context));
  PARAPET_ASSIGN(const std::string run, runOf(path, pending.path()));
  if (const auto known = shared.store->find(run); known && known->id == run)
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("run {} is in this workspace already", run)};
  context.report("checking", 0, 0);
  if (const Status whole = checkUnpacked(pending.path(), run); !whole.ok()) {
    Error error = whole.error();
    const std::string temporary = pending.path().string() + "/";
    for (std::size_t at; (at = error.message.find(temporary)) != std::string::npos;)
      error.message.erase(at, temporary.size());
    error.path = path.string();
    return error.wrap(fmt::format("{} is damaged", path.string()));
  }
  PARAPET_TRY(moveFolders(pending.path() / "datasets", shared.datasetsFolder()));
  PARAPET_TRY(moveFolders(pending.path() / "checkpoints", shared.folder / "checkpoints"));
  auto taken = shared.store->takeRun(pending.path() / kRun);
  if (!taken || *taken != run) {
    std::error_code ignored;
    fs::remove_all(shared.checkpointFolder(run), ignored);
  }
  return taken;
}

}  // namespace parapet::workspace
