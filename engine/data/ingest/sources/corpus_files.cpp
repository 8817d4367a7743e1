// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/corpus_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/file_collection.h"
#include "engine/data/ingest/sources/side_file.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;
using experiment::SplitPart;

constexpr std::array kParts{SplitPart::kTrain, SplitPart::kValidation, SplitPart::kTest};
constexpr const char* kAccepted =
    "wiki.{train,valid,test}.tokens, wiki.{train,valid,test}.raw or {train,valid,test}.txt";

// What the files of a part may be called.
std::vector<std::string> namesOf(SplitPart part) {
  const std::string word = part == SplitPart::kTrain        ? "train"
                           : part == SplitPart::kValidation ? "valid"
                                                            : "test";
  return {"wiki." + word + ".tokens", "wiki." + word + ".raw", word + ".txt"};
}

Result<std::vector<CorpusFile>> namedFiles(const experiment::Dataset& spec) {
  const experiment::Split& split = spec.split;
  std::vector<CorpusFile> files;
  for (const auto& [part, named] : {std::pair{SplitPart::kTrain, &split.trainFile},
                                    {SplitPart::kValidation, &split.validationFile},
                                    {SplitPart::kTest, &split.testFile}}) {
    if (!*named) continue;
    auto found = findSideFile(spec, **named);
    if (!found) {
      Error error = found.error();
      error.pointer = fmt::format("/dataset/split/{}", experiment::splitPartName(part));
      return error;
    }
    files.push_back({*found, **named, part});
  }
  return files;
}

// The file of a part in a folder: the first name that is there, packed where it is only packed.
std::optional<CorpusFile> fileOfPart(const fs::path& folder, SplitPart part,
                                     std::vector<std::string>& warnings) {
  std::error_code ignored;
  for (const std::string& name : namesOf(part)) {
    const std::string packed = name + ".gz";
    const bool isPacked = fs::is_regular_file(folder / packed, ignored);
    if (fs::is_regular_file(folder / name, ignored)) {
      if (isPacked)
        warnings.push_back(fmt::format("{} is read, not {}, which lies beside it", name, packed));
      return CorpusFile{(folder / name).string(), name, part};
    }
    if (isPacked) return CorpusFile{(folder / packed).string(), packed, part};
  }
  return std::nullopt;
}

Result<CorpusFiles> filesOfFolder(const fs::path& folder) {
  CorpusFiles corpus;
  for (const SplitPart part : kParts)
    if (auto file = fileOfPart(folder, part, corpus.warnings))
      corpus.files.push_back(std::move(*file));
  if (corpus.files.empty())
    return Error{ErrorCode::kData,
                 fmt::format("{} has none of the files of a corpus; accepted: {}, each also as "
                             ".gz, or the path of one file",
                             folder.string(), kAccepted),
                 "/dataset/path", folder.string()};
  return corpus;
}

Result<std::vector<CorpusFile>> filesOfArchive(const fs::path& path) {
  PARAPET_ASSIGN(const FileCollection collection, FileCollection::open(path));
  std::vector<CorpusFile> files;
  for (const SplitPart part : kParts)
    for (const std::string& name : namesOf(part)) {
      if (!collection.has(name)) continue;
      files.push_back({collection.pathOf(name), name, part, 0, path.string()});
      break;
    }
  if (files.empty())
    return Error{ErrorCode::kData,
                 fmt::format("{} holds none of the files of a corpus; accepted: {}", path.string(),
                             kAccepted),
                 "/dataset/path", path.string()};
  return files;
}

Result<std::int64_t> countLines(const CorpusFile& file) {
  PARAPET_ASSIGN(const auto input, openCorpusFile(file));
  std::int64_t lines = 0;
  Source::Piece piece;
  for (;;) {
    PARAPET_ASSIGN(const bool more, input->next(piece));
    if (!more) return lines;
    lines += piece.longLineBytes > 0 ? 1 : std::ranges::count(piece.text, '\n');
    if (piece.longLineBytes == 0 && !piece.text.ends_with('\n')) ++lines;
  }
}

// The first lines of the file that would validate, or of the only one, train.
Status giveTrainingLines(CorpusFiles& corpus, const std::string& where) {
  auto found = std::ranges::find(corpus.files, SplitPart::kValidation, &CorpusFile::part);
  if (found == corpus.files.end() && corpus.files.size() == 1 && !corpus.files[0].part)
    found = corpus.files.begin();
  if (found == corpus.files.end())
    return Error{ErrorCode::kData,
                 fmt::format("{} has a file of test lines alone; a file of training or of "
                             "validation lines is needed: {}",
                             where, kAccepted),
                 "/dataset/path", where};
  found->part = SplitPart::kValidation;
  PARAPET_ASSIGN(const std::int64_t lines, countLines(*found));
  found->trainingLines = std::max<std::int64_t>(1, lines * 9 / 10);
  corpus.warnings.push_back(
      fmt::format("there is no file of training lines: the first 90 % of {} ({} of {} lines) train "
                  "and the others validate",
                  found->name, formatCount(found->trainingLines), formatCount(lines)));
  return {};
}

}  // namespace

Result<std::unique_ptr<TextInput>> openCorpusFile(const CorpusFile& file) {
  if (file.archive.empty()) return openTextFile(file.path);
  PARAPET_ASSIGN(const FileCollection collection, FileCollection::open(file.archive));
  return collection.openText(file.name);
}

Result<CorpusFiles> findCorpus(const experiment::Dataset& spec) {
  const bool byFiles = spec.split.kind == experiment::SplitKind::kFiles;
  CorpusFiles corpus;
  if (byFiles && spec.split.trainFile) {
    PARAPET_ASSIGN(corpus.files, namedFiles(spec));
    return corpus;
  }
  if (!spec.path || spec.path->empty())
    return Error{ErrorCode::kInvalidDocument,
                 "source \"text\" needs the path of its data; set it in the document or pass "
                 "`--data PATH`",
                 "/dataset/path"};
  PARAPET_TRY(requireFileOrFolder(*spec.path, "/dataset/path"));
  const fs::path path(*spec.path);
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    PARAPET_ASSIGN(corpus, filesOfFolder(path));
  } else if (ZipArchive::isZip(path)) {
    PARAPET_ASSIGN(corpus.files, filesOfArchive(path));
  } else {
    corpus.files.push_back({path.string(), path.filename().string()});
  }
  if (!byFiles) {
    for (CorpusFile& file : corpus.files) file.part.reset();
    return corpus;
  }
  if (corpus.files.front().part != SplitPart::kTrain)
    PARAPET_TRY(giveTrainingLines(corpus, path.string()));
  return corpus;
}

}  // namespace parapet::data
