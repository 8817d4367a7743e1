// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/data/dataset/vocabulary_format.h"

namespace parapet::data {
namespace {

// A text column inside the mapped file.
struct TextColumn {
  std::span<const std::uint64_t> offsets;
  std::string_view bytes;
  [[nodiscard]] std::string_view at(std::size_t row) const {
    return bytes.substr(offsets[row], offsets[row + 1] - offsets[row]);
  }
};

// Takes sections off the front of a mapped file; a section that is not all there fails the walk.
class SectionWalk {
 public:
  explicit SectionWalk(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
  std::span<const T> take(std::uint64_t count) {
    if (failed_ || count > rest_.size() / sizeof(T)) {
      failed_ = true;
      return {};
    }
    const std::span<const T> values(reinterpret_cast<const T*>(rest_.data()), count);
    rest_ = rest_.subspan(std::min<std::size_t>(paddedTo8(count * sizeof(T)), rest_.size()));
    return values;
  }

  TextColumn takeColumn(std::uint64_t rows) {
    TextColumn column{.offsets = take<std::uint64_t>(rows + 1), .bytes = {}};
    if (failed_ || column.offsets.front() != 0 ||
        !std::is_sorted(column.offsets.begin(), column.offsets.end())) {
      failed_ = true;
      return column;
    }
    const auto bytes = take<char>(column.offsets.back());
    column.bytes = {bytes.data(), bytes.size()};
    return column;
  }

  [[nodiscard]] bool complete() const { return !failed_ && rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  bool failed_ = false;
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool containsIgnoringCase(std::string_view text, std::string_view lowered) {
  const auto same = [](char a, char b) { return lower(a) == b; };
  return std::search(text.begin(), text.end(), lowered.begin(), lowered.end(), same) != text.end();
}

}  // namespace

struct Vocabulary::State {
  std::string name;
  bool hashesUnknown = false;
  std::int64_t oovBuckets = 0;
  MappedFile file;
  std::span<const std::int64_t> counts;
  std::span<const std::uint8_t> present;
  std::span<const std::int32_t> sorted;
  std::vector<std::string> attributeNames;
  TextColumn rawIds, titles;
  std::vector<TextColumn> attributes;

  // The row as an index, or InvalidArgument.
  [[nodiscard]] std::size_t checked(std::int64_t row) const {
    if (row < 0 || static_cast<std::size_t>(row) >= counts.size())
      throw InvalidArgument(
          fmt::format("[Vocabulary] row {} of {}: {} rows are there", row, name, counts.size()));
    return static_cast<std::size_t>(row);
  }
};

Result<Vocabulary> Vocabulary::open(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path path = folder / (name + ".vocab");
  const auto damaged = [&](std::string_view what) {
    return Error{ErrorCode::kData, fmt::format("vocabulary {}: {}", path.string(), what), "",
                 path.string()};
  };
  auto state = std::make_shared<State>();
  state->name = name;
  auto file = MappedFile::open(path);
  if (!file) return damaged(file.error().message);
  state->file = std::move(file).value();

  SectionWalk walk(state->file.bytes());
  const auto headers = walk.take<VocabularyHeader>(1);
  if (headers.empty() || headers[0].magic != kVocabularyMagic)
    return damaged("is no vocabulary file, or is cut off");
  const VocabularyHeader& header = headers[0];
  if (header.version != kVocabularyVersion)
    return damaged(
        fmt::format("has version {}; version {} is accepted", header.version, kVocabularyVersion));
  if (header.rows < 1 || header.rows > std::numeric_limits<std::int32_t>::max() ||
      header.present > header.rows || header.attributes > state->file.bytes().size() ||
      header.hashesUnknown > 1 || (header.hashesUnknown == 1 && header.rows < 2) ||
      header.oovBuckets >= header.rows)
    return damaged("has a damaged header");
  state->hashesUnknown = header.hashesUnknown == 1;
  state->oovBuckets = header.oovBuckets;
  state->counts = walk.take<std::int64_t>(header.rows);
  state->present = walk.take<std::uint8_t>(header.rows);
  state->sorted = walk.take<std::int32_t>(header.present);
  const TextColumn names = walk.takeColumn(header.attributes);
  state->rawIds = walk.takeColumn(header.rows);
  state->titles = walk.takeColumn(header.rows);
  for (std::uint32_t a = 0; a < header.attributes; ++a)
    state->attributes.push_back(walk.takeColumn(header.rows));
  if (!walk.complete()) return damaged("is cut off or damaged");
  // Row 0 has an id in vocabularies of contexts alone; elsewhere no id may name it.
  const auto inRange = [&](std::int32_t row) {
    return row >= 0 && static_cast<std::uint64_t>(row) < header.rows &&
           (row > 0 || !state->rawIds.at(0).empty());
  };
  if (!std::all_of(state->sorted.begin(), state->sorted.end(), inRange))
    return damaged("names rows that it has not");
  for (std::uint32_t a = 0; a < header.attributes; ++a)
    state->attributeNames.emplace_back(names.at(a));
  return Vocabulary(std::move(state));
}

Result<Vocabulary> Vocabulary::open(const std::filesystem::path& folder, const std::string& name,
                                    std::int64_t size) {
  PARAPET_ASSIGN(Vocabulary vocabulary, open(folder, name));
  if (vocabulary.size() == size) return vocabulary;
  const std::string path = (folder / (name + ".vocab")).string();
  return Error{ErrorCode::kData,
               fmt::format("vocabulary {}: has {} rows; the manifest of the data set says {}", path,
                           vocabulary.size(), size),
               "", path};
}

const std::string& Vocabulary::name() const {
  return state_->name;
}

std::int64_t Vocabulary::size() const {
  return static_cast<std::int64_t>(state_->counts.size());
}

std::int64_t Vocabulary::oovBuckets() const {
  return state_->oovBuckets;
}

std::optional<std::int32_t> Vocabulary::row(std::string_view rawId) const {
  const auto idOf = [&](std::int32_t row) {
    return state_->rawIds.at(static_cast<std::size_t>(row));
  };
  const auto found = std::lower_bound(
      state_->sorted.begin(), state_->sorted.end(), rawId,
      [&](std::int32_t row, std::string_view wanted) { return idOf(row) < wanted; });
  if (found != state_->sorted.end() && idOf(*found) == rawId) return *found;
  if (state_->hashesUnknown) return hashedRow(hash64(rawId), size());
  if (state_->oovBuckets > 0) return bucketRow(hash64(rawId), size(), state_->oovBuckets);
  return std::nullopt;
}

std::string_view Vocabulary::rawId(std::int64_t row) const {
  return state_->rawIds.at(state_->checked(row));
}

std::string_view Vocabulary::title(std::int64_t row) const {
  return state_->titles.at(state_->checked(row));
}

bool Vocabulary::isCandidate(std::int64_t row) const {
  return row != 0 && state_->present[state_->checked(row)] != 0;
}

std::int64_t Vocabulary::count(std::int64_t row) const {
  return state_->counts[state_->checked(row)];
}

const std::vector<std::string>& Vocabulary::attributeNames() const {
  return state_->attributeNames;
}

std::string_view Vocabulary::attribute(std::size_t attributeIndex, std::int64_t row) const {
  if (attributeIndex >= state_->attributes.size())
    throw InvalidArgument(fmt::format("[Vocabulary] attribute {} of {}: {} are there",
                                      attributeIndex, name(), state_->attributes.size()));
  return state_->attributes[attributeIndex].at(state_->checked(row));
}

std::vector<std::int32_t> Vocabulary::search(std::string_view text, std::size_t limit) const {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
  std::vector<std::int32_t> rows;
  for (std::size_t row = 1; row < state_->counts.size() && rows.size() < limit; ++row)
    if (state_->present[row] && (containsIgnoringCase(state_->rawIds.at(row), lowered) ||
                                 containsIgnoringCase(state_->titles.at(row), lowered)))
      rows.push_back(static_cast<std::int32_t>(row));
  return rows;
}

}  // namespace parapet::data
