// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/manifest.h"

namespace parapet::checkpoint {

struct Checkpoint::State {
  std::filesystem::path folder;
  Manifest manifest;
  MappedFile file;
  std::vector<TensorView> tensors;
};

namespace {

namespace fs = std::filesystem;

Error damaged(const fs::path& path, std::string_view what) {
  return Error{ErrorCode::kData, fmt::format("{}: {}", path.string(), what), {}, path.string()};
}

/// A file that should be there and is not is damage to the checkpoint, not a wrong question.
Result<MappedFile> mapPart(const fs::path& path) {
  auto file = MappedFile::open(path);
  if (!file.ok() && file.error().code == ErrorCode::kNotFound) return damaged(path, "is missing");
  return file;
}

Status verifyBlocks(const fs::path& path, std::span<const std::byte> bytes,
                    const TensorFile& expected, const std::stop_token& stop) {
  if (bytes.size() != expected.bytes)
    return damaged(path,
                   fmt::format("has {} bytes, {} were written", bytes.size(), expected.bytes));
  BlockHashes hasher;
  for (std::size_t first = 0; first < bytes.size(); first += kBlockBytes) {
    if (stop.stop_requested())
      return Error{ErrorCode::kCancelled, "a checkpoint was not verified to its end"};
    hasher.update(bytes.subspan(first, std::min(kBlockBytes, bytes.size() - first)));
  }
  const std::vector<std::string> found = hasher.finish();
  if (found.size() != expected.blockHashes.size())
    return damaged(path, fmt::format("has {} blocks, the manifest lists {}", found.size(),
                                     expected.blockHashes.size()));
  const auto [bad, good] = std::ranges::mismatch(found, expected.blockHashes);
  if (bad != found.end())
    return damaged(path, fmt::format("block {} of {} (1 MiB each) does not match its hash",
                                     bad - found.begin() + 1, found.size()));
  return {};
}

bool sameTensors(const std::vector<TensorView>& left, const std::vector<TensorView>& right) {
  return std::ranges::is_permutation(left, right, [](const TensorView& a, const TensorView& b) {
    return a.name == b.name && a.type == b.type && a.shape == b.shape;
  });
}

}  // namespace

const Manifest& Checkpoint::manifest() const {
  return state_->manifest;
}
const fs::path& Checkpoint::folder() const {
  return state_->folder;
}
const std::vector<TensorView>& Checkpoint::tensors() const {
  return state_->tensors;
}
std::uint64_t Checkpoint::bytes() const {
  return state_->file.bytes().size();
}

Status Checkpoint::intact() const {
  return state_->file.intact();
}

const TensorView* Checkpoint::find(std::string_view name) const {
  const auto found = std::ranges::find(state_->tensors, name, &TensorView::name);
  return found == state_->tensors.end() ? nullptr : &*found;
}

Result<Checkpoint> open(const fs::path& checkpointFolder, const std::stop_token& stop) {
  std::error_code ignored;
  if (!fs::exists(checkpointFolder, ignored))
    return Error{ErrorCode::kNotFound,
                 fmt::format("checkpoint {} does not exist", checkpointFolder.string()),
                 {},
                 checkpointFolder.string()};
  const fs::path manifestPath = checkpointFolder / kManifestFile;
  const fs::path tensorPath = checkpointFolder / kTensorFile;
  PARAPET_ASSIGN(const MappedFile manifestFile, mapPart(manifestPath));
  auto parsed = parseManifest(manifestFile.text());
  if (!parsed.ok()) return damaged(manifestPath, parsed.error().message);

  auto state = std::make_shared<Checkpoint::State>();
  PARAPET_ASSIGN(state->file, mapPart(tensorPath));
  PARAPET_TRY(verifyBlocks(tensorPath, state->file.bytes(), parsed->file, stop));
  auto tensors = parseSafetensors(state->file.bytes());
  if (!tensors.ok()) return damaged(tensorPath, tensors.error().message);
  if (!sameTensors(*tensors, parsed->file.tensors))
    return damaged(tensorPath, "holds other tensors than the manifest lists");
  const auto named = stepOfName(checkpointFolder.filename().string());
  if (named && *named != parsed->manifest.step)
    return damaged(manifestPath,
                   fmt::format("is the manifest of step {}; the folder is named after step {}",
                               parsed->manifest.step, *named));
  state->folder = checkpointFolder;
  state->manifest = std::move(parsed->manifest);
  state->tensors = std::move(*tensors);
  return Checkpoint(std::move(state));
}

namespace {

Result<Checkpoint> openAs(const fs::path& checkpointFolder, const std::string& runId,
                          const std::stop_token& stop) {
  PARAPET_ASSIGN(Checkpoint checkpoint, open(checkpointFolder, stop));
  const std::string& found = checkpoint.manifest().runId;
  if (found != runId)
    return damaged(checkpointFolder / kManifestFile,
                   fmt::format("is the manifest of a checkpoint of run {}; run {} is expected",
                               printable(found), runId));
  return checkpoint;
}

Result<Opened> openStep(const std::vector<Listed>& committed, const std::string& runId,
                        std::int64_t step, const std::stop_token& stop) {
  std::vector<std::string> steps;
  for (const Listed& listed : committed) {
    if (listed.step == step) {
      PARAPET_ASSIGN(Checkpoint checkpoint, openAs(listed.folder, runId, stop));
      return Opened{std::move(checkpoint), {}};
    }
    steps.push_back(fmt::format("{}", listed.step));
  }
  return Error{ErrorCode::kNotFound,
               fmt::format("run {} has no checkpoint of step {}; there are: {}", runId, step,
                           steps.empty() ? "none" : join(steps))};
}

/// Later checkpoints that a repair has moved aside, since nothing else says that there were any.
std::vector<std::string> asideAfter(const fs::path& folder, std::int64_t step) {
  std::vector<std::string> warnings;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kAsidePrefix)) continue;
    const auto aside = stepOfName(std::string_view(name).substr(kAsidePrefix.size()));
    if (aside && *aside > step)
      warnings.push_back(
          fmt::format("the checkpoint of step {} was damaged, and a repair moved it aside ({}). "
                      "The checkpoint of "
                      "step {} is used instead; {} steps are lost",
                      *aside, entry->path().string(), step, *aside - step));
  }
  std::ranges::sort(warnings);
  return warnings;
}

}  // namespace

Result<Opened> openOfRun(const fs::path& folder, const std::string& runId,
                         std::optional<std::int64_t> step, const std::stop_token& stop) {
  const std::vector<Listed> committed = list(folder);
  if (step) return openStep(committed, runId, *step, stop);
  std::vector<std::pair<std::int64_t, Error>> bad;
  for (auto listed = committed.rbegin(); listed != committed.rend(); ++listed) {
    auto checkpoint = openAs(listed->folder, runId, stop);
    if (!checkpoint.ok()) {
      if (checkpoint.error().code == ErrorCode::kCancelled) return checkpoint.error();
      bad.emplace_back(listed->step, checkpoint.error());
      continue;
    }
    std::vector<std::string> warnings = asideAfter(folder, listed->step);
    for (const auto& [badStep, error] : bad)
      warnings.push_back(fmt::format(
          "the checkpoint of step {} is not used: {}. The checkpoint of step {} is used instead; "
          "{} steps are lost",
          badStep, error.text(), listed->step, badStep - listed->step));
    return Opened{std::move(*checkpoint), std::move(warnings)};
  }
  if (bad.empty())
    return Error{ErrorCode::kNotFound,
                 fmt::format("{} holds no checkpoint", folder.string()),
                 {},
                 folder.string()};
  std::vector<std::string> reasons;
  for (const auto& [badStep, error] : bad)
    reasons.push_back(fmt::format("step {}: {}", badStep, error.text()));
  return damaged(folder, fmt::format("no checkpoint of the run verifies: {}", join(reasons, "; ")));
}

}  // namespace parapet::checkpoint
