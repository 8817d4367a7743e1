// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "engine/base/files.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/manifest.h"
#include "engine/checkpoint/safetensors.h"

// A commit writes everything into a temporary folder, makes it durable, and then changes one name.
// The name is the commit: what has it is whole, what lacks it is rubbish that the next start
// removes.
namespace parapet::checkpoint {
namespace {

namespace fs = std::filesystem;

/// Removes its folder unless the commit took it over.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(fs::path path) : path_(std::move(path)) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Status removeTree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) return ioError("remove", path, error.value());
  return {};
}

Status renameFolder(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return ioError("commit", to, errno);
  return {};
}

Result<TensorFile> writeTensorFile(const fs::path& path, std::span<const TensorView> tensors,
                                   std::int64_t step) {
  const SafetensorsPlan plan =
      planSafetensors(tensors, {{"format", "parapet"}, {"step", fmt::format("{}", step)}});
  PARAPET_ASSIGN(FileWriter writer, FileWriter::create(path));
  BlockHashes hashes;
  const auto append = [&](std::span<const std::byte> bytes) -> Status {
    hashes.update(bytes);
    return writer.write(bytes);
  };
  TensorFile file;
  PARAPET_TRY(append(std::as_bytes(std::span(plan.header))));
  for (const TensorView* tensor : plan.order) {
    PARAPET_TRY(append(tensor->bytes));
    file.tensors.push_back({tensor->name, tensor->type, tensor->shape, {}});
  }
  PARAPET_TRY(writer.finish());
  file.bytes = writer.written();
  file.blockHashes = hashes.finish();
  return file;
}

Status writeManifestFile(const fs::path& path, const Manifest& manifest, const TensorFile& file) {
  PARAPET_ASSIGN(FileWriter writer, FileWriter::create(path));
  PARAPET_TRY(writer.write(manifestText(manifest, file)));
  return writer.finish();
}

/// Gives `temporary` the name `committed`, which another checkpoint may have. Where the file system
/// can exchange two names there is no moment without one; elsewhere the old one is moved aside and
/// removeTemporaries() brings it back should we die before the new one has its name.
Status takeName(const fs::path& temporary, const fs::path& committed, std::int64_t step) {
  std::error_code ignored;
  if (!fs::exists(committed, ignored)) return renameFolder(temporary, committed);
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, committed.c_str(), RENAME_EXCHANGE) == 0)
    return {};
  const fs::path aside = committed.parent_path() / folderName(step, kReplacedSuffix);
  PARAPET_TRY(removeTree(aside));
  PARAPET_TRY(renameFolder(committed, aside));
  if (Status renamed = renameFolder(temporary, committed); !renamed.ok()) {
    fs::rename(aside, committed, ignored);
    return renamed;
  }
  PARAPET_TRY(syncFolder(committed.parent_path()));
  return removeTree(aside);
}

}  // namespace

Result<fs::path> write(const fs::path& folder, const Manifest& manifest,
                       std::span<const TensorView> tensors) {
  if (manifest.step < 0)
    throw InvalidArgument(fmt::format("checkpoint: step {} is negative", manifest.step));
  PARAPET_TRY(createFolders(folder));
  const fs::path committed = folder / folderName(manifest.step);
  const TemporaryFolder temporary(folder / folderName(manifest.step, kTemporarySuffix));
  PARAPET_TRY(removeTree(temporary.path()));
  PARAPET_TRY(createFolders(temporary.path()));
  PARAPET_ASSIGN(const TensorFile file,
                 writeTensorFile(temporary.path() / kTensorFile, tensors, manifest.step));
  PARAPET_TRY(writeManifestFile(temporary.path() / kManifestFile, manifest, file));
  PARAPET_TRY(syncFolder(temporary.path()));
  PARAPET_TRY(takeName(temporary.path(), committed, manifest.step));
  PARAPET_TRY(syncFolder(folder));
  return committed;
}

std::vector<Listed> list(const fs::path& folder) {
  std::vector<Listed> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const auto step = stepOfName(entry->path().filename().string());
    if (step && entry->is_directory(ignored)) found.push_back({*step, entry->path()});
  }
  std::ranges::sort(found, {}, &Listed::step);
  return found;
}

int removeTemporaries(const fs::path& folder) {
  std::vector<fs::path> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    names.push_back(entry->path());

  int removed = 0;
  for (const fs::path& path : names) {
    const std::string name = path.filename().string();
    if (const auto step = stepOfName(name, kReplacedSuffix)) {
      const fs::path committed = folder / folderName(*step);
      if (!fs::exists(committed, error)) fs::rename(path, committed, error);
    } else if (!stepOfName(name, kTemporarySuffix)) {
      continue;
    }
    if (fs::remove_all(path, error) > 0 && !error) ++removed;
  }
  return removed;
}

Status remove(const fs::path& checkpointFolder) {
  const auto step = stepOfName(checkpointFolder.filename().string());
  if (!step)
    throw InvalidArgument(
        fmt::format("checkpoint: {} is not the folder of a checkpoint", checkpointFolder.string()));
  // Renamed first: a crash half-way through must not leave something that looks committed.
  const fs::path temporary = checkpointFolder.parent_path() / folderName(*step, kTemporarySuffix);
  PARAPET_TRY(removeTree(temporary));
  if (::rename(checkpointFolder.c_str(), temporary.c_str()) != 0)
    return ioError("remove", checkpointFolder, errno);
  return removeTree(temporary);
}

}  // namespace parapet::checkpoint
