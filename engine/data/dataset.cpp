// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset.h"

#include <fmt/format.h>

#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/data/import/manifest.h"

namespace parapet::data {
namespace {

// Columns of a set that is smaller stay mapped: reading them again would cost more than it frees.
constexpr std::uint64_t kKeptBytes = std::uint64_t{128} << 20;

Error dataError(std::string message, const std::filesystem::path& path) {
  return Error{ErrorCode::kData, std::move(message), "", path.string()};
}

// Maps a column of `rows` elements; the manifest and the file must agree on its length.
Result<MappedFile> openColumn(const std::filesystem::path& folder, const Manifest& manifest,
                              const std::string& name, std::uint64_t elementBytes) {
  const std::filesystem::path path = folder / name;
  const Manifest::File* entry = manifest.file(name);
  if (!entry)
    return dataError(fmt::format("{}: the manifest does not name it", path.string()), path);
  auto file = MappedFile::open(path);
  if (!file) return dataError(file.error().message, path);
  const std::uint64_t found = file->bytes().size();
  if (found != entry->bytes || found / elementBytes != static_cast<std::uint64_t>(manifest.rows) ||
      found % elementBytes != 0)
    return dataError(fmt::format("{} has {} bytes; {} rows of {} bytes are expected", path.string(),
                                 found, manifest.rows, elementBytes),
                     path);
  return file;
}

}  // namespace

struct Dataset::State {
  std::filesystem::path folder;
  Manifest manifest;
  std::vector<Vocabulary> vocabularies;
  std::vector<MappedFile> idColumns;  // by vocabulary
  MappedFile labels, weights, times;

  [[nodiscard]] std::size_t indexOf(std::string_view name) const {
    for (std::size_t i = 0; i < vocabularies.size(); ++i)
      if (vocabularies[i].name() == name) return i;
    throw InvalidArgument(fmt::format("[Dataset] unknown column \"{}\"", name));
  }
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
    PARAPET_ASSIGN(MappedFile ids, openColumn(folder, manifest, entry.name + ".i32", 4));
    state->idColumns.push_back(std::move(ids));
  }
  PARAPET_ASSIGN(state->labels, openColumn(folder, manifest, "label.f32", 4));
  if (manifest.file("weight.f32")) {
    PARAPET_ASSIGN(state->weights, openColumn(folder, manifest, "weight.f32", 4));
  }
  if (manifest.file("time.i64")) {
    PARAPET_ASSIGN(state->times, openColumn(folder, manifest, "time.i64", 8));
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

std::span<const std::int32_t> Dataset::ids(std::string_view column) const {
  return state_->idColumns[state_->indexOf(column)].as<std::int32_t>();
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
  return state_->vocabularies[state_->indexOf(name)];
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

void Dataset::release(std::int64_t firstRow, std::int64_t lastRow) const {
  if (bytes() < kKeptBytes) return;
  const auto release = [&](const MappedFile& file) {
    const std::size_t width = file.bytes().size() / static_cast<std::size_t>(rows());
    file.release(static_cast<std::size_t>(firstRow) * width,
                 static_cast<std::size_t>(lastRow) * width);
  };
  for (const MappedFile& column : state_->idColumns) release(column);
  release(state_->labels);
  release(state_->weights);
  release(state_->times);
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
