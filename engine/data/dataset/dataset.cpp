// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "engine/base/file_error.h"
#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/data/dataset/checked_file.h"
#include "engine/data/dataset/manifest.h"

namespace parapet::data {
namespace {

// Columns of a set that is smaller stay mapped: reading them again would cost more than it frees.
constexpr std::uint64_t kKeptBytes = std::uint64_t{128} << 20;

// Sets of at most so many bytes are checked as a whole when they are opened; of larger ones a file
// is when it is first asked for.
constexpr std::uint64_t kCheckedAtOpenBytes = std::uint64_t{1} << 30;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// An id column: indices of its files.
struct IdFiles {
  std::size_t rows = kNone, offsets = kNone, weights = kNone, entries = kNone;
};

/// Maps the rows and entries of a vocabulary as the files have it to those of one with other rows.
struct RowMap {
  std::vector<std::int32_t> rows, entries;  // by entry of the files
  std::vector<std::int32_t> origins;        // by row: that of the files, 0 where there is none
};

}  // namespace

struct Dataset::State {
  std::filesystem::path folder;
  Manifest manifest;
  CheckedPages pages = CheckedPages::kKeep;
  std::vector<std::shared_ptr<CheckedFile>> files;
  std::vector<Vocabulary> vocabularies;
  std::vector<IdColumnInfo> columns;
  std::vector<IdFiles> ids;  // by column
  std::vector<std::string> denseColumns;
  std::vector<std::size_t> dense;    // by dense column
  std::vector<std::size_t> vectors;  // by entry of the manifest
  std::size_t labels = kNone, weights = kNone, times = kNone, microseconds = kNone, parts = kNone;
  std::string rowsKey;
  std::map<std::string, RowMap, std::less<>> maps;  // by vocabulary with other rows than its file
  mutable std::mutex mutex;                         // guards what follows, computed on first use
  std::map<std::string, ItemIndex, std::less<>> indexes;  // by vocabulary
  mutable std::map<std::string, std::vector<std::int32_t>> mappedIds;
  mutable std::map<std::string, std::vector<std::int64_t>> mappedOffsets;
  mutable std::map<std::string, std::vector<float>> mappedValues;

  [[nodiscard]] std::size_t fileOf(const std::string& name) const {
    const auto found =
        std::ranges::find(files, name, [](const auto& file) { return file->rule().file.name; });
    return found == files.end() ? kNone : static_cast<std::size_t>(found - files.begin());
  }
  // Checks files, of which the first that is damaged is the error.
  Status check(std::span<CheckedFile* const> some) const {
    for (auto& problem : checkFiles(some, KnownFiles::kSkip, pages))
      if (problem) return *problem;
    return {};
  }
  template <class T>
  [[nodiscard]] std::span<const T> elements(std::size_t index) const {
    if (index == kNone) return {};
    CheckedFile* const file = files[index].get();
    if (!file->isChecked()) {
      const Status checked = check(std::span(&file, 1));
      if (!checked) throw FileError(checked.error());
    }
    if (file->mapped().isLost()) throw FileError(file->mapped().intact().error());
    return file->mapped().as<T>();
  }
  [[nodiscard]] const MappedFile* mapped(std::size_t index) const {
    return index == kNone ? nullptr : &files[index]->mapped();
  }
  [[nodiscard]] std::size_t indexOf(std::string_view column) const {
    const auto found = std::ranges::find(columns, column, &IdColumnInfo::name);
    if (found == columns.end())
      throw InvalidArgument(fmt::format("[Dataset] unknown column \"{}\"", column));
    return static_cast<std::size_t>(found - columns.begin());
  }
  [[nodiscard]] const IdFiles& idsOf(std::string_view column) const { return ids[indexOf(column)]; }
  // Null where a vocabulary has the rows of its file.
  [[nodiscard]] const RowMap* mapOf(std::string_view vocabulary) const {
    const auto found = maps.find(vocabulary);
    return found == maps.end() ? nullptr : &found->second;
  }
  // Keeps the result of compute() under a name.
  template <class T, class Compute>
  std::span<const T> computed(std::map<std::string, std::vector<T>>& kept, const std::string& name,
                              const Compute& compute) const {
    const std::lock_guard lock(mutex);
    const auto found = kept.find(name);
    return found != kept.end() ? found->second : kept.emplace(name, compute()).first->second;
  }
  std::span<const std::int32_t> translated(const std::string& name,
                                           std::span<const std::int32_t> from,
                                           const std::vector<std::int32_t>& to) const {
    return computed<std::int32_t>(mappedIds, name, [&] {
      std::vector<std::int32_t> mapped(from.size());
      std::ranges::transform(from, mapped.begin(),
                             [&](std::int32_t id) { return to[static_cast<std::size_t>(id)]; });
      return mapped;
    });
  }
  // Rows of a matrix in the order of `origins`.
  std::span<const float> gathered(const std::string& name, std::span<const float> values,
                                  std::int64_t width,
                                  const std::vector<std::int32_t>& origins) const {
    return computed<float>(mappedValues, name, [&] {
      std::vector<float> rows;
      for (const std::int32_t origin : origins) {
        const auto row = values.subspan(static_cast<std::size_t>(origin * width),
                                        static_cast<std::size_t>(width));
        rows.insert(rows.end(), row.begin(), row.end());
      }
      return rows;
    });
  }
  EntityColumn gathered(const Manifest::Column& column, const EntityColumn& known,
                        const std::vector<std::int32_t>& origins) const;

  Status mapFiles();
  Status checkAtOpen(std::uint64_t maxBytes);
  Status openVocabularies();
  void assignFiles();
};

// Maps the files that the manifest names; their sizes must be as it says.
Status Dataset::State::mapFiles() {
  PARAPET_ASSIGN(std::vector<FileRule> rules, fileRules(folder, manifest));
  for (FileRule& rule : rules) {
    PARAPET_ASSIGN(auto file, CheckedFile::open(folder, std::move(rule)));
    files.push_back(std::move(file));
  }
  return {};
}

// A large set costs no more to open than its vocabularies, which are read as a whole.
Status Dataset::State::checkAtOpen(std::uint64_t maxBytes) {
  const std::uint64_t bytes = manifest.bytes();
  if (bytes >= kKeptBytes) pages = CheckedPages::kRelease;
  std::vector<CheckedFile*> some;
  for (const auto& file : files)
    if (bytes <= maxBytes || file->rule().content == FileContent::kVocabulary)
      some.push_back(file.get());
  return check(some);
}

Status Dataset::State::openVocabularies() {
  for (const auto& entry : manifest.vocabularies) {
    PARAPET_ASSIGN(Vocabulary vocabulary, Vocabulary::open(folder, entry.name, entry.size));
    vocabularies.push_back(std::move(vocabulary));
  }
  return {};
}

void Dataset::State::assignFiles() {
  for (const auto& column : manifest.columns) {
    if (column.role == Manifest::kNumberRole) {
      denseColumns.push_back(column.name);
      dense.push_back(fileOf(Manifest::denseFile(column.name)));
      continue;
    }
    columns.push_back({column.name, column.role, column.vocabulary, column.longestBag});
    IdFiles& own = ids.emplace_back();
    own.rows = fileOf(rowsFile(column.name));
    if (column.longestBag > 0) own.offsets = fileOf(offsetsFile(column.name));
    own.weights = fileOf(bagWeightsFile(column.name));
    own.entries = fileOf(entriesFile(column.name));
  }
  labels = fileOf(kLabelFile);
  weights = fileOf(kWeightFile);
  times = fileOf(kTimeFile);
  microseconds = fileOf(kMicrosecondFile);
  parts = fileOf(kPartFile);
  for (const auto& entry : manifest.vectors) vectors.push_back(fileOf(vectorsFile(entry.name)));
}

// Ids, or bags of them, in the order of `origins`.
EntityColumn Dataset::State::gathered(const Manifest::Column& column, const EntityColumn& known,
                                      const std::vector<std::int32_t>& origins) const {
  const auto idsOf = [&](std::int32_t origin) {
    const auto at = static_cast<std::size_t>(origin);
    if (known.offsets.empty()) return known.ids.subspan(at, 1);
    const BagRange bag(known.offsets, origin);
    return known.ids.subspan(static_cast<std::size_t>(bag.begin),
                             static_cast<std::size_t>(bag.end - bag.begin));
  };
  EntityColumn made = known;
  if (!known.offsets.empty())
    made.offsets = computed<std::int64_t>(mappedOffsets, column.name, [&] {
      std::vector<std::int64_t> offsets{0};
      for (const std::int32_t origin : origins)
        offsets.push_back(offsets.back() + static_cast<std::int64_t>(idsOf(origin).size()));
      return offsets;
    });
  made.ids = computed<std::int32_t>(mappedIds, column.name + " by row", [&] {
    std::vector<std::int32_t> all;
    for (const std::int32_t origin : origins) {
      const auto own = idsOf(origin);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  });
  return made;
}

Dataset::Dataset(std::unique_ptr<State> state) : state_(std::move(state)) {}
Dataset::~Dataset() = default;

Result<std::shared_ptr<const Dataset>> Dataset::open(const std::filesystem::path& folder) {
  return open(folder, kCheckedAtOpenBytes);
}

Result<std::shared_ptr<const Dataset>> Dataset::open(const std::filesystem::path& folder,
                                                     std::uint64_t checkedAtOpenBytes) {
  auto state = std::make_unique<State>();
  state->folder = folder;
  PARAPET_ASSIGN(state->manifest, Manifest::read(folder));
  PARAPET_TRY(state->mapFiles());
  PARAPET_TRY(state->checkAtOpen(checkedAtOpenBytes));
  PARAPET_TRY(state->openVocabularies());
  state->assignFiles();
  state->rowsKey = state->manifest.hash;
  return std::shared_ptr<const Dataset>(new Dataset(std::move(state)));
}

std::shared_ptr<const Dataset> Dataset::withRows(const std::vector<OtherRows>& rows) const {
  auto state = std::make_unique<State>();
  state->folder = state_->folder;
  state->manifest = state_->manifest;
  state->pages = state_->pages;
  state->files = state_->files;
  state->vocabularies = state_->vocabularies;
  state->assignFiles();
  state->rowsKey = state_->rowsKey;
  for (const OtherRows& other : rows) {
    state->rowsKey += hashHex(std::as_bytes(std::span(other.kept)));
    const Vocabulary& from = vocabulary(other.vocabulary);
    Vocabulary to = from.withRows(other.kept, other.buckets);
    RowMap& map = state->maps[other.vocabulary];
    map.rows.resize(static_cast<std::size_t>(from.entries()));
    map.entries = map.rows;
    map.origins.resize(static_cast<std::size_t>(to.size()));
    for (std::int32_t entry = 1; entry < from.entries(); ++entry) {
      if (!from.isCandidate(entry)) continue;
      const auto at = static_cast<std::size_t>(entry);
      map.entries[at] = to.entry(from.rawId(entry)).value_or(0);
      map.rows[at] = to.rowOf(map.entries[at]);
      if (map.entries[at] < to.size())
        map.origins[static_cast<std::size_t>(map.entries[at])] = entry;
    }
    *std::ranges::find(state->vocabularies, other.vocabulary, &Vocabulary::name) = std::move(to);
  }
  return std::shared_ptr<const Dataset>(new Dataset(std::move(state)));
}

bool Dataset::keepsAllIds() const {
  return state_->manifest.version > Manifest::kOldestVersion;
}

const std::string& Dataset::hash() const {
  return state_->manifest.hash;
}
const std::filesystem::path& Dataset::folder() const {
  return state_->folder;
}
const std::string& Dataset::rowsKey() const {
  return state_->rowsKey;
}
std::int64_t Dataset::rows() const {
  return state_->manifest.rows;
}

bool Dataset::hasInteractions() const {
  return state_->manifest.hasInteractions();
}

const std::vector<IdColumnInfo>& Dataset::columns() const {
  return state_->columns;
}

const IdColumnInfo* Dataset::idColumn(std::string_view name) const {
  const auto found = std::ranges::find(state_->columns, name, &IdColumnInfo::name);
  return found == state_->columns.end() ? nullptr : &*found;
}

std::span<const std::int32_t> Dataset::ids(std::string_view column) const {
  const std::size_t at = state_->indexOf(column);
  const auto rows = state_->elements<std::int32_t>(state_->ids[at].rows);
  const RowMap* map = state_->mapOf(state_->columns[at].vocabulary);
  return map ? state_->translated(std::string(column), rows, map->rows) : rows;
}
std::span<const std::int32_t> Dataset::entries(std::string_view column) const {
  const std::size_t at = state_->indexOf(column);
  const IdFiles& files = state_->ids[at];
  const auto entries =
      state_->elements<std::int32_t>(files.entries == kNone ? files.rows : files.entries);
  const RowMap* map = state_->mapOf(state_->columns[at].vocabulary);
  return map ? state_->translated(entriesFile(std::string(column)), entries, map->entries)
             : entries;
}
std::span<const std::int64_t> Dataset::bagOffsets(std::string_view column) const {
  return state_->elements<std::int64_t>(state_->idsOf(column).offsets);
}
std::span<const float> Dataset::bagWeights(std::string_view column) const {
  return state_->elements<float>(state_->idsOf(column).weights);
}

const std::vector<std::string>& Dataset::denseColumns() const {
  return state_->denseColumns;
}
bool Dataset::isDense(std::string_view column) const {
  return std::ranges::find(state_->denseColumns, column) != state_->denseColumns.end();
}
std::span<const float> Dataset::denseValues(std::string_view column) const {
  const auto found = std::ranges::find(state_->denseColumns, column);
  if (found == state_->denseColumns.end())
    throw InvalidArgument(fmt::format("[Dataset] unknown dense column \"{}\"", column));
  return state_->elements<float>(
      state_->dense[static_cast<std::size_t>(found - state_->denseColumns.begin())]);
}

std::optional<EntityColumn> Dataset::entityColumn(std::string_view column) const {
  const auto& columns = state_->manifest.columns;
  const auto found = std::ranges::find(columns, column, &Manifest::Column::name);
  if (found == columns.end())
    throw InvalidArgument(fmt::format("[Dataset] unknown column \"{}\"", column));
  if (found->entities.empty()) return std::nullopt;
  const std::size_t file = state_->fileOf(entitiesFile(found->name));
  const RowMap* of = state_->mapOf(found->entities);
  EntityColumn known{.vocabulary = found->entities, .ids = {}, .offsets = {}, .values = {}};
  if (found->role == Manifest::kNumberRole) {
    known.values = state_->elements<float>(file);
    if (of) known.values = state_->gathered(found->name, known.values, 1, of->origins);
    return known;
  }
  known.ids = state_->elements<std::int32_t>(file);
  if (found->longestBag > 0)
    known.offsets = state_->elements<std::int64_t>(state_->fileOf(entityOffsetsFile(found->name)));
  if (const RowMap* own = state_->mapOf(found->vocabulary))
    known.ids = state_->translated(entitiesFile(found->name), known.ids, own->rows);
  return of ? state_->gathered(*found, known, of->origins) : known;
}

std::span<const float> Dataset::labels() const {
  return state_->elements<float>(state_->labels);
}

double Dataset::rawLabel(float scaled) const {
  const auto& scale = state_->manifest.scale;
  if (!scale) return scaled;
  return (*scale)[0] + static_cast<double>(scaled) * ((*scale)[1] - (*scale)[0]);
}

std::span<const float> Dataset::weights() const {
  return state_->elements<float>(state_->weights);
}
std::span<const std::int64_t> Dataset::times() const {
  return state_->elements<std::int64_t>(state_->times);
}

std::span<const std::int32_t> Dataset::timeMicroseconds() const {
  return state_->elements<std::int32_t>(state_->microseconds);
}

std::span<const std::uint8_t> Dataset::parts() const {
  return state_->elements<std::uint8_t>(state_->parts);
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

const ItemIndex& Dataset::itemIndex(std::string_view column) const {
  const Vocabulary& items = vocabularyOf(column);
  const std::lock_guard lock(state_->mutex);
  return state_->indexes.try_emplace(items.name(), items).first->second;
}

DenseMatrix Dataset::vectors(std::string_view name) const {
  const auto& entries = state_->manifest.vectors;
  const auto found = std::ranges::find(entries, name, &Manifest::Vectors::name);
  if (found == entries.end())
    throw InvalidArgument(fmt::format("[Dataset] unknown vectors \"{}\"", name));
  const auto values =
      state_->elements<float>(state_->vectors[static_cast<std::size_t>(found - entries.begin())]);
  const RowMap* of = state_->mapOf(found->vocabulary);
  return {
      of ? state_->gathered(vectorsFile(found->name), values, found->width, of->origins) : values,
      found->width};
}

const std::vector<Vocabulary>& Dataset::vocabularies() const {
  return state_->vocabularies;
}
std::int64_t Dataset::quarantined() const {
  return state_->manifest.quarantined();
}

std::uint64_t Dataset::bytes() const {
  return state_->manifest.bytes();
}

void Dataset::advise(std::int64_t firstRow, std::int64_t lastRow, Advice advice) const {
  if (bytes() < kKeptBytes) return;
  const auto give = [&](std::size_t index, std::int64_t first, std::int64_t last,
                        std::size_t elementBytes) {
    if (const MappedFile* file = state_->mapped(index))
      (file->*advice)(static_cast<std::size_t>(first) * elementBytes,
                      static_cast<std::size_t>(last) * elementBytes);
  };
  for (const IdFiles& column : state_->ids) {
    std::int64_t first = firstRow, last = lastRow;
    if (column.offsets != kNone) {
      // A column that was not checked yet was not read either.
      if (!state_->files[column.offsets]->isChecked()) continue;
      const auto offsets = state_->files[column.offsets]->mapped().as<std::int64_t>();
      first = offsets[static_cast<std::size_t>(firstRow)];
      last = std::max(first, offsets[static_cast<std::size_t>(lastRow)]);
      give(column.offsets, firstRow, lastRow, sizeof(std::int64_t));
    }
    give(column.rows, first, last, sizeof(std::int32_t));
    give(column.weights, first, last, sizeof(float));
    give(column.entries, first, last, sizeof(std::int32_t));
  }
  for (const std::size_t file : state_->dense) give(file, firstRow, lastRow, sizeof(float));
  give(state_->labels, firstRow, lastRow, sizeof(float));
  give(state_->weights, firstRow, lastRow, sizeof(float));
  give(state_->times, firstRow, lastRow, sizeof(std::int64_t));
  give(state_->microseconds, firstRow, lastRow, sizeof(std::int32_t));
  give(state_->parts, firstRow, lastRow, sizeof(std::uint8_t));
}

void Dataset::release(std::int64_t firstRow, std::int64_t lastRow) const {
  advise(firstRow, lastRow, &MappedFile::release);
}

void Dataset::readAhead(std::int64_t firstRow, std::int64_t lastRow) const {
  advise(firstRow, lastRow, &MappedFile::readAhead);
}

Status Dataset::readsIntact() const {
  return MappedRange::anyLost() ? intact() : Status{};
}

Status Dataset::intact() const {
  for (const auto& file : state_->files) PARAPET_TRY(file->mapped().intact());
  for (const Vocabulary& vocabulary : state_->vocabularies) PARAPET_TRY(vocabulary.intact());
  return {};
}

Status Dataset::verify() const {
  return examineDataset(folder()).status();
}

}  // namespace parapet::data
