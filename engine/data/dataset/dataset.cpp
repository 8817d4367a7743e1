// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/dataset.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/data/dataset/manifest.h"

namespace parapet::data {
namespace {

// Columns of a set that is smaller stay mapped: reading them again would cost more than it frees.
constexpr std::uint64_t kKeptBytes = std::uint64_t{128} << 20;

Error dataError(std::string message, const std::filesystem::path& path) {
  return Error{ErrorCode::kData, std::move(message), "", path.string()};
}

// Maps a file of the data set that the manifest names; both must agree on its length.
Result<MappedFile> openFile(const std::filesystem::path& folder, const Manifest& manifest,
                            const std::string& name) {
  const std::filesystem::path path = folder / name;
  const Manifest::File* entry = manifest.file(name);
  if (!entry)
    return dataError(fmt::format("{}: the manifest does not name it", path.string()), path);
  auto file = MappedFile::open(path);
  if (!file) return dataError(file.error().message, path);
  if (const std::uint64_t found = file->bytes().size(); found != entry->bytes)
    return dataError(
        fmt::format("{} has {} bytes; {} are expected", path.string(), found, entry->bytes), path);
  return file;
}

// Maps a column of `count` elements.
Result<MappedFile> openColumn(const std::filesystem::path& folder, const Manifest& manifest,
                              const std::string& name, std::int64_t count,
                              std::uint64_t elementBytes) {
  PARAPET_ASSIGN(MappedFile file, openFile(folder, manifest, name));
  const std::uint64_t found = file.bytes().size();
  if (found / elementBytes != static_cast<std::uint64_t>(count) || found % elementBytes != 0)
    return dataError(fmt::format("{} has {} bytes; {} elements of {} bytes are expected",
                                 (folder / name).string(), found, count, elementBytes),
                     folder / name);
  return file;
}

// An id column with what belongs to it.
struct IdFiles {
  MappedFile ids, offsets, weights;
};

Result<IdFiles> openIds(const std::filesystem::path& folder, const Manifest& manifest,
                        const Manifest::Column& column) {
  IdFiles files;
  std::int64_t count = manifest.rows;
  if (column.longestBag > 0) {
    const std::string name = column.name + ".offsets.i64";
    PARAPET_ASSIGN(files.offsets, openColumn(folder, manifest, name, manifest.rows + 1, 8));
    const auto offsets = files.offsets.as<std::int64_t>();
    if (offsets.front() != 0 || !std::ranges::is_sorted(offsets))
      return dataError(fmt::format("{}/{} does not ascend from 0", folder.string(), name),
                       folder / name);
    count = offsets.back();
  }
  PARAPET_ASSIGN(files.ids, openColumn(folder, manifest, column.name + ".i32", count, 4));
  if (manifest.file(column.name + ".weights.f32")) {
    PARAPET_ASSIGN(files.weights,
                   openColumn(folder, manifest, column.name + ".weights.f32", count, 4));
  }
  return files;
}

}  // namespace

struct Dataset::State {
  std::filesystem::path folder;
  Manifest manifest;
  std::vector<Vocabulary> vocabularies;
  std::vector<IdColumnInfo> columns;
  std::vector<IdFiles> ids;  // by column
  std::vector<std::string> numberColumns;
  std::vector<MappedFile> numbers;  // by column of numbers
  std::vector<MappedFile> vectors;  // by entry of the manifest
  MappedFile labels, weights, times;

  [[nodiscard]] std::size_t indexOf(std::string_view column) const {
    const auto found = std::ranges::find(columns, column, &IdColumnInfo::name);
    if (found == columns.end())
      throw InvalidArgument(fmt::format("[Dataset] unknown column \"{}\"", column));
    return static_cast<std::size_t>(found - columns.begin());
  }
  [[nodiscard]] const IdFiles& idsOf(std::string_view column) const { return ids[indexOf(column)]; }
};

Dataset::Dataset(std::unique_ptr<State> state) : state_(std::move(state)) {}
Dataset::~Dataset() = default;

Result<std::shared_ptr<const Dataset>> Dataset::open(const std::filesystem::path& folder) {
  auto state = std::make_unique<State>();
  state->folder = folder;
  PARAPET_ASSIGN(state->manifest, Manifest::read(folder));
  const Manifest& manifest = state->manifest;
  for (const auto& entry : manifest.vocabularies) {
    PARAPET_ASSIGN(Vocabulary vocabulary, Vocabulary::open(folder, entry.name));
    if (vocabulary.size() != entry.size)
      return dataError(fmt::format("{}/{}.vocab has {} rows; the manifest says {}", folder.string(),
                                   entry.name, vocabulary.size(), entry.size),
                       folder / (entry.name + ".vocab"));
    state->vocabularies.push_back(std::move(vocabulary));
  }
  for (const auto& column : manifest.columns) {
    if (column.role == Manifest::kNumberRole) {
      PARAPET_ASSIGN(MappedFile file,
                     openColumn(folder, manifest, Manifest::numberFile(column.name), manifest.rows,
                                sizeof(float)));
      state->numberColumns.push_back(column.name);
      state->numbers.push_back(std::move(file));
      continue;
    }
    const auto vocabulary =
        std::ranges::find(manifest.vocabularies, column.vocabulary, &Manifest::Vocabulary::name);
    if (vocabulary == manifest.vocabularies.end())
      return dataError(fmt::format("{}: column \"{}\" has no vocabulary \"{}\"", folder.string(),
                                   column.name, column.vocabulary),
                       folder / Manifest::kFileName);
    PARAPET_ASSIGN(IdFiles files, openIds(folder, manifest, column));
    state->columns.push_back({column.name, column.role, column.vocabulary, column.longestBag});
    state->ids.push_back(std::move(files));
  }
  const std::int64_t rows = manifest.rows;
  PARAPET_ASSIGN(state->labels, openColumn(folder, manifest, "label.f32", rows, 4));
  if (manifest.file("weight.f32")) {
    PARAPET_ASSIGN(state->weights, openColumn(folder, manifest, "weight.f32", rows, 4));
  }
  if (manifest.file("time.i64")) {
    PARAPET_ASSIGN(state->times, openColumn(folder, manifest, "time.i64", rows, 8));
  }
  for (const auto& vectors : manifest.vectors) {
    PARAPET_ASSIGN(MappedFile file, openFile(folder, manifest, vectors.name + ".vec.f32"));
    state->vectors.push_back(std::move(file));
  }
  return std::shared_ptr<const Dataset>(new Dataset(std::move(state)));
}

const std::string& Dataset::hash() const {
  return state_->manifest.hash;
}
const std::filesystem::path& Dataset::folder() const {
  return state_->folder;
}
std::int64_t Dataset::rows() const {
  return state_->manifest.rows;
}

const std::vector<IdColumnInfo>& Dataset::columns() const {
  return state_->columns;
}

const IdColumnInfo* Dataset::idColumn(std::string_view name) const {
  const auto found = std::ranges::find(state_->columns, name, &IdColumnInfo::name);
  return found == state_->columns.end() ? nullptr : &*found;
}

std::span<const std::int32_t> Dataset::ids(std::string_view column) const {
  return state_->idsOf(column).ids.as<std::int32_t>();
}
std::span<const std::int64_t> Dataset::bagOffsets(std::string_view column) const {
  return state_->idsOf(column).offsets.as<std::int64_t>();
}
std::span<const float> Dataset::bagWeights(std::string_view column) const {
  return state_->idsOf(column).weights.as<float>();
}

const std::vector<std::string>& Dataset::numberColumns() const {
  return state_->numberColumns;
}
bool Dataset::hasNumbers(std::string_view column) const {
  return std::ranges::find(state_->numberColumns, column) != state_->numberColumns.end();
}
std::span<const float> Dataset::numbers(std::string_view column) const {
  const auto found = std::ranges::find(state_->numberColumns, column);
  if (found == state_->numberColumns.end())
    throw InvalidArgument(fmt::format("[Dataset] unknown column of numbers \"{}\"", column));
  return state_->numbers[static_cast<std::size_t>(found - state_->numberColumns.begin())]
      .as<float>();
}

std::span<const float> Dataset::labels() const {
  return state_->labels.as<float>();
}

double Dataset::rawLabel(float scaled) const {
  const auto& scale = state_->manifest.scale;
  if (!scale) return scaled;
  return (*scale)[0] + static_cast<double>(scaled) * ((*scale)[1] - (*scale)[0]);
}

std::span<const float> Dataset::weights() const {
  return state_->weights.as<float>();
}
std::span<const std::int64_t> Dataset::times() const {
  return state_->times.as<std::int64_t>();
}

const Vocabulary& Dataset::vocabulary(std::string_view name) const {
  const auto found = std::ranges::find_if(
      state_->vocabularies, [&](const Vocabulary& candidate) { return candidate.name() == name; });
  if (found == state_->vocabularies.end())
    throw InvalidArgument(fmt::format("[Dataset] unknown vocabulary \"{}\"", name));
  return *found;
}

const Vocabulary& Dataset::vocabularyOf(std::string_view column) const {
  return vocabulary(state_->columns[state_->indexOf(column)].vocabulary);
}

DenseMatrix Dataset::vectors(std::string_view name) const {
  const auto& entries = state_->manifest.vectors;
  const auto found = std::ranges::find(entries, name, &Manifest::Vectors::name);
  if (found == entries.end())
    throw InvalidArgument(fmt::format("[Dataset] unknown vectors \"{}\"", name));
  return {state_->vectors[static_cast<std::size_t>(found - entries.begin())].as<float>(),
          found->width};
}

const std::vector<Vocabulary>& Dataset::vocabularies() const {
  return state_->vocabularies;
}
std::int64_t Dataset::quarantined() const {
  return state_->manifest.quarantined();
}

std::uint64_t Dataset::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& file : state_->manifest.files) sum += file.bytes;
  return sum;
}

void Dataset::advise(std::int64_t firstRow, std::int64_t lastRow, Advice advice) const {
  if (bytes() < kKeptBytes) return;
  const auto give = [&](const MappedFile& file, std::int64_t first, std::int64_t last,
                        std::size_t elementBytes) {
    (file.*advice)(static_cast<std::size_t>(first) * elementBytes,
                   static_cast<std::size_t>(last) * elementBytes);
  };
  for (const IdFiles& column : state_->ids) {
    std::int64_t first = firstRow, last = lastRow;
    if (const auto offsets = column.offsets.as<std::int64_t>(); !offsets.empty()) {
      first = offsets[static_cast<std::size_t>(firstRow)];
      last = offsets[static_cast<std::size_t>(lastRow)];
      give(column.offsets, firstRow, lastRow, sizeof(std::int64_t));
    }
    give(column.ids, first, last, sizeof(std::int32_t));
    give(column.weights, first, last, sizeof(float));
  }
  for (const MappedFile& numbers : state_->numbers) give(numbers, firstRow, lastRow, sizeof(float));
  give(state_->labels, firstRow, lastRow, sizeof(float));
  give(state_->weights, firstRow, lastRow, sizeof(float));
  give(state_->times, firstRow, lastRow, sizeof(std::int64_t));
}

void Dataset::release(std::int64_t firstRow, std::int64_t lastRow) const {
  advise(firstRow, lastRow, &MappedFile::release);
}

void Dataset::readAhead(std::int64_t firstRow, std::int64_t lastRow) const {
  advise(firstRow, lastRow, &MappedFile::readAhead);
}

Status Dataset::verify() const {
  for (const auto& entry : state_->manifest.files) {
    const std::filesystem::path path = state_->folder / entry.name;
    auto file = MappedFile::open(path);
    if (!file) return dataError(file.error().message, path);
    if (hashHex(file->bytes()) != entry.hash)
      return dataError(fmt::format("{} has changed since it was imported", path.string()), path);
  }
  return {};
}

}  // namespace parapet::data
