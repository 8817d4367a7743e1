// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/checked_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <mutex>
#include <optional>
#include <set>

#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/base/workers.h"
#include "engine/data/dataset/manifest.h"
#include "engine/data/dataset/vocabulary.h"
#include "engine/experiment/document.h"

namespace parapet::data {
namespace {

// Collects the rules of a manifest; the first contradiction is kept.
class RuleBook {
 public:
  RuleBook(const std::filesystem::path& folder, const Manifest& manifest)
      : path_(folder / Manifest::kFileName), manifest_(manifest) {
    rules_.resize(manifest.files.size());
    for (std::size_t i = 0; i < rules_.size(); ++i) rules_[i].file = manifest.files[i];
    isRuled_.resize(rules_.size());
    if (folder.filename() != manifest.hash)
      refuse(fmt::format("is the manifest of the data set {}; the folder is named {}",
                         printable(manifest.hash), folder.filename().string()));
  }

  void refuse(std::string what) {
    if (!error_)
      error_ =
          Error{ErrorCode::kData, fmt::format("{}: {}", path_.string(), what), "", path_.string()};
  }

  // The rule of a file that the manifest must name; null if it does not.
  FileRule* require(const std::string& name, FileContent content) {
    const auto found = std::ranges::find(manifest_.files, name, &Manifest::File::name);
    if (found == manifest_.files.end()) {
      refuse(fmt::format("names no file {}", name));
      return nullptr;
    }
    const auto index = static_cast<std::size_t>(found - manifest_.files.begin());
    if (isRuled_[index]) refuse(fmt::format("has two uses of the file {}", name));
    isRuled_[index] = true;
    rules_[index].content = content;
    return &rules_[index];
  }

  // The rule of a file of `count` elements, which the manifest must name.
  FileRule* require(const std::string& name, FileContent content, std::int64_t count,
                    std::uint64_t elementBytes) {
    FileRule* rule = require(name, content);
    if (!rule) return nullptr;
    const std::uint64_t bytes = rule->file.bytes;
    if (bytes / elementBytes != static_cast<std::uint64_t>(count) || bytes % elementBytes != 0)
      refuse(fmt::format("says that {} has {} bytes; {} elements of {} bytes are expected", name,
                         bytes, count, elementBytes));
    return rule;
  }

  void addVocabularies() {
    for (const auto& vocabulary : manifest_.vocabularies) {
      if (FileRule* rule = require(vocabularyFile(vocabulary.name), FileContent::kVocabulary))
        rule->limit = vocabulary.size;
    }
  }

  void addIds(const Manifest::Column& column) {
    const auto vocabulary = sizeOf(column.vocabulary);
    if (!vocabulary)
      return refuse(fmt::format("has no vocabulary \"{}\", which the column \"{}\" uses",
                                column.vocabulary, column.name));
    std::int64_t count = manifest_.rows;
    if (column.longestBag > 0) {
      const Manifest::File* values = manifest_.file(rowsFile(column.name));
      if (!values) return refuse(fmt::format("names no file {}", rowsFile(column.name)));
      count = static_cast<std::int64_t>(values->bytes / sizeof(std::int32_t));
      if (FileRule* offsets = require(offsetsFile(column.name), FileContent::kOffsets,
                                      manifest_.rows + 1, sizeof(std::int64_t))) {
        offsets->limit = count;
        offsets->longestBag = column.longestBag;
      }
    }
    if (FileRule* rows =
            require(rowsFile(column.name), FileContent::kRows, count, sizeof(std::int32_t)))
      rows->limit = *vocabulary;
    if (manifest_.file(entriesFile(column.name)))
      if (FileRule* entries =
              require(entriesFile(column.name), FileContent::kRows, count, sizeof(std::int32_t)))
        entries->limit = *vocabulary + sharedIdsOf(column.vocabulary);
    if (manifest_.file(bagWeightsFile(column.name)))
      require(bagWeightsFile(column.name), FileContent::kValues, count, sizeof(float));
  }

  // A catalogue knows of the rows of another vocabulary ids, bags of them, or numbers.
  void addEntities(const Manifest::Column& column) {
    if (column.entities.empty()) return;
    const auto entities = sizeOf(column.entities);
    if (!entities)
      return refuse(fmt::format("has no vocabulary \"{}\", which the column \"{}\" describes",
                                column.entities, column.name));
    const std::string name = entitiesFile(column.name);
    if (column.role == Manifest::kNumberRole) {
      require(name, FileContent::kValues, *entities, sizeof(float));
      return;
    }
    const auto vocabulary = sizeOf(column.vocabulary);
    const Manifest::File* values = manifest_.file(name);
    if (!vocabulary || !values) return refuse(fmt::format("names no file {}", name));
    std::int64_t count = *entities;
    if (column.longestBag > 0) {
      count = static_cast<std::int64_t>(values->bytes / sizeof(std::int32_t));
      if (FileRule* offsets = require(entityOffsetsFile(column.name), FileContent::kOffsets,
                                      *entities + 1, sizeof(std::int64_t))) {
        offsets->limit = count;
        offsets->longestBag = column.longestBag;
      }
    }
    if (FileRule* rows = require(name, FileContent::kRows, count, sizeof(std::int32_t)))
      rows->limit = *vocabulary;
  }

  void addValues() {
    // Texts have no labels; rows of users and items always do.
    if (manifest_.hasInteractions() || manifest_.file(kLabelFile))
      require(kLabelFile, FileContent::kValues, manifest_.rows, sizeof(float));
    if (manifest_.file(kWeightFile))
      require(kWeightFile, FileContent::kValues, manifest_.rows, sizeof(float));
    if (manifest_.file(kTimeFile))
      require(kTimeFile, FileContent::kValues, manifest_.rows, sizeof(std::int64_t));
    if (manifest_.file(kMicrosecondFile))
      require(kMicrosecondFile, FileContent::kValues, manifest_.rows, sizeof(std::int32_t));
    if (manifest_.file(kPartFile))
      if (FileRule* parts =
              require(kPartFile, FileContent::kParts, manifest_.rows, sizeof(std::uint8_t)))
        parts->limit = static_cast<std::int64_t>(experiment::SplitPart::kUnused);
    for (const auto& column : manifest_.columns)
      if (column.role == Manifest::kNumberRole)
        require(Manifest::denseFile(column.name), FileContent::kValues, manifest_.rows,
                sizeof(float));
  }

  void addVectors() {
    for (const auto& vectors : manifest_.vectors) {
      const auto rows = sizeOf(vectors.vocabulary);
      // A vocabulary has at most 2^31 rows, so the product below stays in range.
      constexpr std::int64_t kMaxWidth = std::int64_t{1} << 28;
      if (!rows || vectors.width < 1 || vectors.width > kMaxWidth)
        refuse(fmt::format("has vectors \"{}\" of width {} for the vocabulary \"{}\"", vectors.name,
                           vectors.width, vectors.vocabulary));
      else
        require(vectorsFile(vectors.name), FileContent::kValues, *rows * vectors.width,
                sizeof(float));
    }
  }

  void checkBlocks() {
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const Manifest::File& file = rules_[i].file;
      if (!isRuled_[i]) refuse(fmt::format("names the file {}, which no column uses", file.name));
      const std::uint64_t blocks = blockCount(file.bytes);
      if (file.blocks.size() != blocks)
        refuse(fmt::format("has {} hashes of {}; {}, one per block, are expected",
                           file.blocks.size(), file.name, blocks));
    }
  }

  Result<std::vector<FileRule>> finish() {
    if (error_) return *error_;
    return std::move(rules_);
  }

 private:
  [[nodiscard]] std::optional<std::int64_t> sizeOf(const std::string& vocabulary) const {
    const auto found =
        std::ranges::find(manifest_.vocabularies, vocabulary, &Manifest::Vocabulary::name);
    if (found == manifest_.vocabularies.end()) return std::nullopt;
    return found->size;
  }

  [[nodiscard]] std::int64_t sharedIdsOf(const std::string& vocabulary) const {
    return std::ranges::find(manifest_.vocabularies, vocabulary, &Manifest::Vocabulary::name)
        ->sharedIds;
  }

  std::filesystem::path path_;
  const Manifest& manifest_;
  std::vector<FileRule> rules_;
  std::vector<bool> isRuled_;
  std::optional<Error> error_;
};

// Elements are checked while the bytes that were just hashed are still in the processor's cache.
constexpr std::size_t kSliceBytes = std::size_t{256} << 10;
// Less is checked faster than a thread starts.
constexpr std::uint64_t kMinParallelBytes = std::uint64_t{8} << 20;

Error damaged(const std::filesystem::path& path, std::string_view what) {
  return Error{ErrorCode::kData, fmt::format("{} {}", path.string(), what), "", path.string()};
}

// Files that this process has found sound, by identity.
class SoundFiles {
 public:
  static SoundFiles& instance() {
    static SoundFiles files;
    return files;
  }
  [[nodiscard]] bool holds(const std::string& identity) {
    const std::lock_guard lock(mutex_);
    return !identity.empty() && identities_.contains(identity);
  }
  void add(const std::string& identity) {
    if (identity.empty()) return;
    const std::lock_guard lock(mutex_);
    identities_.insert(identity);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> identities_;
};

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Tells the bytes of a file, and what is asked of them, from others. "" where that cannot be told:
// a file that was written within the resolution of its times may be written again unseen.
std::string identityOf(const std::filesystem::path& path, const FileRule& rule) {
  struct stat info {};
  timespec now{};
  if (::stat(path.c_str(), &info) != 0 || ::clock_gettime(CLOCK_REALTIME, &now) != 0) return {};
  const std::int64_t written = nanoseconds(info.st_mtim), changed = nanoseconds(info.st_ctim);
  const bool hasWholeSeconds = info.st_mtim.tv_nsec == 0 && info.st_ctim.tv_nsec == 0;
  const std::int64_t resolution = hasWholeSeconds ? 3'000'000'000 : 50'000'000;
  if (nanoseconds(now) - std::max(written, changed) < resolution) return {};
  Hasher rules;
  for (const std::string& hash : rule.file.blocks) rules.update(hash);
  return fmt::format("{}|{}:{}|{}|{}|{}|{}|{}|{}|{}", path.string(), info.st_dev, info.st_ino,
                     info.st_size, written, changed, rules.hex(), static_cast<int>(rule.content),
                     rule.limit, rule.longestBag);
}

// The fault of the elements of a slice; "" if there is none.
std::string wrongRow(std::span<const std::byte> slice, std::size_t first, const FileRule& rule) {
  const std::span rows(reinterpret_cast<const std::uint32_t*>(slice.data()),
                       slice.size() / sizeof(std::uint32_t));
  // A negative row is a large one here.
  std::uint32_t largest = 0;
  for (const std::uint32_t row : rows) largest = std::max(largest, row);
  const auto limit = static_cast<std::uint64_t>(rule.limit);
  if (rows.empty() || largest < limit) return {};
  const auto wrong = std::ranges::find_if(rows, [&](std::uint32_t row) { return row >= limit; });
  return fmt::format("has row {} at element {}; rows 0 to {} of the vocabulary are accepted",
                     static_cast<std::int32_t>(*wrong),
                     first / sizeof(std::uint32_t) + static_cast<std::size_t>(wrong - rows.begin()),
                     rule.limit - 1);
}

std::string wrongPart(std::span<const std::byte> slice, std::size_t first, const FileRule& rule) {
  const auto wrong = std::ranges::find_if(slice, [&](std::byte part) {
    return static_cast<std::int64_t>(std::to_integer<std::uint8_t>(part)) >= rule.limit;
  });
  if (wrong == slice.end()) return {};
  return fmt::format("has part {} at element {}; parts 0 to {} of a split are accepted",
                     std::to_integer<int>(*wrong),
                     first + static_cast<std::size_t>(wrong - slice.begin()), rule.limit - 1);
}

std::string wrongOffset(std::span<const std::byte> file, std::size_t first, std::size_t bytes,
                        const FileRule& rule) {
  const std::span offsets(reinterpret_cast<const std::int64_t*>(file.data()),
                          file.size() / sizeof(std::int64_t));
  const std::size_t end = (first + bytes) / sizeof(std::int64_t);
  for (std::size_t i = first / sizeof(std::int64_t); i < end; ++i) {
    const std::int64_t from = i == 0 ? 0 : offsets[i - 1], to = offsets[i];
    const bool isLast = i + 1 == offsets.size();
    if (i == 0 && to != 0) return fmt::format("begins with offset {}; 0 is accepted", to);
    if (from < 0 || to < from || to > rule.limit || to - from > rule.longestBag)
      return fmt::format(
          "has offset {} after {} at element {}; ascending offsets up to {}, in steps of at most "
          "{}, are accepted",
          to, from, i, rule.limit, rule.longestBag);
    if (isLast && to != rule.limit)
      return fmt::format("ends with offset {}; {}, the values of the column, is accepted", to,
                         rule.limit);
  }
  return {};
}

// The fault of a block of a file; "" if there is none.
std::string checkBlock(const MappedFile& file, const FileRule& rule, std::size_t block) {
  const std::span<const std::byte> bytes = file.bytes();
  const std::size_t begin = block * Manifest::kBlockBytes;
  const std::size_t end = std::min(bytes.size(), begin + Manifest::kBlockBytes);
  std::string wrong;
  Hasher hasher;
  for (std::size_t first = begin; first < end; first += kSliceBytes) {
    const std::size_t count = std::min(kSliceBytes, end - first);
    const auto slice = bytes.subspan(first, count);
    hasher.update(slice);
    if (!wrong.empty()) continue;
    if (rule.content == FileContent::kRows) wrong = wrongRow(slice, first, rule);
    if (rule.content == FileContent::kParts) wrong = wrongPart(slice, first, rule);
    if (rule.content == FileContent::kOffsets) wrong = wrongOffset(bytes, first, count, rule);
  }
  const std::string hash = hasher.hex();
  if (hash == rule.file.blocks[block]) return wrong;
  return fmt::format("is damaged: block {} of {} has the hash {}; the manifest expects {}{}{}",
                     block + 1, rule.file.blocks.size(), hash, rule.file.blocks[block],
                     wrong.empty() ? "" : ". It ", wrong);
}

namespace fs = std::filesystem;

FileOutcome outcomeOf(const fs::path& path, const Status& status) {
  std::error_code ignored;
  const std::uint64_t bytes = fs::file_size(path, ignored);
  return {path, ignored ? 0 : bytes, status.ok() ? "" : status.error().text()};
}

// The reader of a vocabulary finds damage that sizes and ranges do not show.
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

std::string rowsFile(const std::string& column) {
  return column + ".i32";
}
std::string entriesFile(const std::string& column) {
  return column + ".entries.i32";
}
std::string offsetsFile(const std::string& column) {
  return column + ".offsets.i64";
}
std::string bagWeightsFile(const std::string& column) {
  return column + ".weights.f32";
}
std::string entitiesFile(const std::string& column) {
  return column + ".entities";
}
std::string entityOffsetsFile(const std::string& column) {
  return column + ".entity_offsets";
}
std::string vocabularyFile(const std::string& vocabulary) {
  return vocabulary + ".vocab";
}
std::string vectorsFile(const std::string& vectors) {
  return vectors + ".vec.f32";
}

Result<std::vector<FileRule>> fileRules(const std::filesystem::path& folder,
                                        const Manifest& manifest) {
  RuleBook book(folder, manifest);
  book.addVocabularies();
  for (const auto& column : manifest.columns)
    if (column.role != Manifest::kNumberRole) book.addIds(column);
  for (const auto& column : manifest.columns) book.addEntities(column);
  book.addValues();
  book.addVectors();
  book.checkBlocks();
  return book.finish();
}

Result<std::unique_ptr<CheckedFile>> CheckedFile::open(const std::filesystem::path& folder,
                                                       FileRule rule) {
  std::filesystem::path path = folder / rule.file.name;  // before the rule is moved
  std::unique_ptr<CheckedFile> file(new CheckedFile(std::move(path), std::move(rule)));
  // Before the bytes are mapped: a file that is replaced in between is then another one.
  file->identity_ = identityOf(file->path_, file->rule_);
  auto mapped = MappedFile::open(file->path_);
  if (!mapped.ok() && mapped.error().code == ErrorCode::kNotFound)
    return damaged(file->path_, "is missing; the manifest names it");
  if (!mapped) return mapped.error();
  file->mapped_ = std::move(mapped).value();
  if (const std::uint64_t found = file->mapped_.bytes().size(); found != file->rule_.file.bytes)
    return damaged(file->path_, fmt::format("has {} bytes; the manifest expects {}", found,
                                            file->rule_.file.bytes));
  return file;
}

/// One call of checkFiles: every block of every file is a task.
class FileCheck {
 public:
  FileCheck(std::span<CheckedFile* const> files, KnownFiles known, CheckedPages pages)
      : files_(files), pages_(pages), problems_(files.size()) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (known == KnownFiles::kSkip &&
          (files[i]->isChecked() || SoundFiles::instance().holds(files[i]->identity_)))
        continue;
      bytes_ += files[i]->rule_.file.bytes;
      for (std::size_t block = 0; block < files[i]->rule_.file.blocks.size(); ++block)
        tasks_.push_back({i, block, {}});
    }
  }

  std::vector<std::optional<Error>> run() {
    const auto count = static_cast<std::int64_t>(tasks_.size());
    const auto check = [this](std::int64_t index) {
      runTask(tasks_[static_cast<std::size_t>(index)]);
    };
    if (bytes_ < kMinParallelBytes || count < 2) {
      runBlocks(nullptr, count, check);
    } else {
      Workers workers(static_cast<int>(std::min<std::int64_t>(Workers::available(), count)));
      workers.parallelFor(count, check);
    }
    for (const Task& task : tasks_)
      if (!task.wrong.empty() && !problems_[task.file])
        problems_[task.file] = damaged(files_[task.file]->path_, task.wrong);
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (problems_[i]) continue;
      SoundFiles::instance().add(files_[i]->identity_);
      files_[i]->isChecked_.store(true, std::memory_order_release);
    }
    return std::move(problems_);
  }

 private:
  struct Task {
    std::size_t file;
    std::size_t block;
    std::string wrong;
  };
  void runTask(Task& task) const {
    const CheckedFile& file = *files_[task.file];
    task.wrong = checkBlock(file.mapped_, file.rule_, task.block);
    if (pages_ == CheckedPages::kRelease)
      file.mapped_.release(task.block * Manifest::kBlockBytes,
                           (task.block + 1) * Manifest::kBlockBytes);
  }

  std::span<CheckedFile* const> files_;
  CheckedPages pages_;
  std::uint64_t bytes_ = 0;
  std::vector<Task> tasks_;
  std::vector<std::optional<Error>> problems_;
};

std::vector<std::optional<Error>> checkFiles(std::span<CheckedFile* const> files, KnownFiles known,
                                             CheckedPages pages) {
  return FileCheck(files, known, pages).run();
}

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
