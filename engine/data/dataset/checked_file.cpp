// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/checked_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <mutex>
#include <set>

#include "engine/base/hash.h"
#include "engine/base/workers.h"

namespace parapet::data {
namespace {

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

// What is wrong with the elements of a slice; "" if nothing is.
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

// What is wrong with a block of a file; "" if nothing is.
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

}  // namespace

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

}  // namespace parapet::data
