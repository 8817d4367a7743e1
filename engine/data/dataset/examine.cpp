// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/examine.h"

#include <optional>

#include "engine/data/dataset/checked_file.h"
#include "engine/data/dataset/file_rules.h"
#include "engine/data/dataset/manifest.h"
#include "engine/data/dataset/vocabulary.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

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

Status DatasetOutcome::status() const {
  for (const FileOutcome& file : files)
    if (!file.problem.empty()) return Error{ErrorCode::kData, file.problem, "", file.path.string()};
  return {};
}

DatasetOutcome examineDataset(const fs::path& folder, const WorkContext& context) {
  DatasetOutcome outcome{folder, {}};
  const auto rules = readRules(folder);
  outcome.files.push_back(
      outcomeOf(folder / Manifest::kFileName, rules.ok() ? Status{} : Status{rules.error()}));
  if (!rules) return outcome;
  for (const FileRule& rule : *rules) {
    if (context.cancelled()) break;
    context.report("checking files", std::ssize(outcome.files), std::ssize(*rules) + 1);
    outcome.files.push_back(outcomeOf(folder / rule.file.name, checkContent(folder, rule)));
  }
  return outcome;
}

}  // namespace parapet::data
