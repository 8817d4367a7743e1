// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/examine.h"

#include <algorithm>
#include <optional>

#include "engine/data/dataset/checked_file.h"
#include "engine/data/dataset/file_rules.h"
#include "engine/data/dataset/manifest.h"
#include "engine/data/dataset/vocabulary.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

// Folders of unfinished imports carry this after the name of the data set.
constexpr std::string_view kPendingMark = ".tmp-";

FileOutcome outcomeOf(const fs::path& path, const Status& status) {
  std::error_code ignored;
  const std::uint64_t bytes = fs::file_size(path, ignored);
  return {path, ignored ? 0 : bytes, status.ok() ? "" : status.error().text()};
}

// What only the reader of a vocabulary can tell.
Status checkVocabulary(const fs::path& folder, const FileRule& rule) {
  const std::string name = fs::path(rule.file.name).replace_extension().string();
  PARAPET_ASSIGN(const Vocabulary vocabulary, Vocabulary::open(folder, name, rule.limit));
  return {};
}

Status checkContent(const fs::path& folder, FileRule rule) {
  PARAPET_ASSIGN(const auto file, CheckedFile::open(folder, rule));
  CheckedFile* const files[] = {file.get()};
  if (auto problem = checkFiles(files, KnownFiles::kCheck, CheckedPages::kRelease).front())
    return *problem;
  if (rule.content == FileContent::kVocabulary) return checkVocabulary(folder, rule);
  return {};
}

Result<std::vector<FileRule>> readRules(const fs::path& folder) {
  PARAPET_ASSIGN(const Manifest manifest, Manifest::read(folder));
  return fileRules(folder, manifest);
}

}  // namespace

bool DatasetOutcome::isSound() const {
  return std::ranges::all_of(files, &std::string::empty, &FileOutcome::problem);
}

Status DatasetOutcome::status() const {
  for (const FileOutcome& file : files)
    if (!file.problem.empty()) return Error{ErrorCode::kData, file.problem, "", file.path.string()};
  return {};
}

DatasetOutcome examineDataset(const fs::path& folder) {
  DatasetOutcome outcome{folder, {}};
  const auto rules = readRules(folder);
  outcome.files.push_back(
      outcomeOf(folder / Manifest::kFileName, rules.ok() ? Status{} : Status{rules.error()}));
  if (!rules) return outcome;
  for (const FileRule& rule : *rules)
    outcome.files.push_back(outcomeOf(folder / rule.file.name, checkContent(folder, rule)));
  return outcome;
}

std::vector<DatasetOutcome> examineDatasets(const fs::path& datasetsFolder,
                                            const WorkContext& context) {
  std::vector<fs::path> folders;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(datasetsFolder, missing))
    if (entry.is_directory() &&
        entry.path().filename().string().find(kPendingMark) == std::string::npos)
      folders.push_back(entry.path());
  std::ranges::sort(folders);
  std::vector<DatasetOutcome> outcomes;
  for (const fs::path& folder : folders) {
    if (context.cancelled()) break;
    context.report("checking data sets", static_cast<std::int64_t>(outcomes.size()),
                   static_cast<std::int64_t>(folders.size()));
    outcomes.push_back(examineDataset(folder));
  }
  return outcomes;
}

}  // namespace parapet::data
