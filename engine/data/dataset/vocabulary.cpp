// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/data/dataset/vocabulary_writer.h"

namespace parapet::data {
namespace {

// A text column inside the mapped file.
struct TextColumn {
  std::span<const std::uint64_t> offsets;
  std::string_view bytes;
  [[nodiscard]] std::string_view at(std::size_t row) const {
    // A lost page reads as zeros.
    const std::uint64_t begin = offsets[row], end = std::max(begin, offsets[row + 1]);
    return bytes.substr(begin, end - begin);
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
  bool hashesUnknown = false, lostSharedIds = false;
  std::int64_t oovBuckets = 0;
  MappedFile file;
  std::int64_t rows = 0;
  std::span<const std::int64_t> counts;  // by entry, as what follows
  std::span<const std::uint8_t> present;
  std::span<const std::int32_t> sorted;
  std::span<const std::int32_t> sharedRows;  // of the entries behind the rows
  std::vector<std::string> attributeNames;
  TextColumn rawIds, titles;
  std::vector<TextColumn> attributes;
  // A vocabulary with other rows than its file knows where each entry lies in the texts, kNoEntry
  // for one without an id, and what the spans above are views of.
  std::shared_ptr<const State> origin;
  std::vector<std::int32_t> texts;
  std::vector<std::int64_t> ownCounts;
  std::vector<std::uint8_t> ownPresent;
  std::vector<std::int32_t> ownSorted, ownSharedRows;

  [[nodiscard]] std::string_view textOf(const TextColumn& column, std::size_t entry) const {
    if (texts.empty()) return column.at(entry);
    return texts[entry] == kNoEntry ? std::string_view{}
                                    : column.at(static_cast<std::size_t>(texts[entry]));
  }

  // The entry as an index, or InvalidArgument.
  [[nodiscard]] std::size_t checked(std::int64_t entry) const {
    if (entry < 0 || static_cast<std::size_t>(entry) >= counts.size())
      throw InvalidArgument(fmt::format("[Vocabulary] entry {} of {}: {} entries are there", entry,
                                        name, counts.size()));
    return static_cast<std::size_t>(entry);
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
  const bool shares = header.version == kSharedVocabularyVersion;
  if (header.version != kVocabularyVersion && !shares)
    return damaged(fmt::format("has version {}; versions {} and {} are accepted", header.version,
                               kVocabularyVersion, kSharedVocabularyVersion));
  const auto shared = walk.take<std::uint64_t>(shares ? 1 : 0);
  constexpr std::uint64_t kMaxEntries = std::numeric_limits<std::int32_t>::max();
  const std::uint64_t entries = header.rows + (shared.empty() ? 0 : shared[0]);
  if (shares == shared.empty() || header.rows < 1 || header.rows > kMaxEntries ||
      entries < header.rows || entries > kMaxEntries || header.present > entries ||
      header.attributes > state->file.bytes().size() || header.hashesUnknown > 1 ||
      (header.hashesUnknown == 1 && header.rows < 2) || header.oovBuckets >= header.rows)
    return damaged("has a damaged header");
  state->hashesUnknown = header.hashesUnknown == 1;
  state->oovBuckets = header.oovBuckets;
  state->lostSharedIds = state->hashesUnknown && !shares;
  state->rows = static_cast<std::int64_t>(header.rows);
  state->counts = walk.take<std::int64_t>(entries);
  state->present = walk.take<std::uint8_t>(entries);
  state->sorted = walk.take<std::int32_t>(header.present);
  state->sharedRows = walk.take<std::int32_t>(entries - header.rows);
  const TextColumn names = walk.takeColumn(header.attributes);
  state->rawIds = walk.takeColumn(entries);
  state->titles = walk.takeColumn(entries);
  for (std::uint32_t a = 0; a < header.attributes; ++a)
    state->attributes.push_back(walk.takeColumn(entries));
  if (!walk.complete()) return damaged("is cut off or damaged");
  // Row 0 has an id in vocabularies of contexts alone; elsewhere no id may name it.
  const auto inRange = [&](std::int32_t entry) {
    return entry >= 0 && static_cast<std::uint64_t>(entry) < entries &&
           (entry > 0 || !state->rawIds.at(0).empty());
  };
  const auto isRow = [&](std::int32_t row) { return row >= 0 && row < state->rows; };
  if (!std::ranges::all_of(state->sorted, inRange) ||
      !std::ranges::all_of(state->sharedRows, isRow))
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

Vocabulary Vocabulary::withRows(std::span<const std::int32_t> kept, std::int64_t buckets) const {
  auto made = std::make_shared<State>();
  State& state = *made;
  state.name = state_->name;
  state.oovBuckets = buckets;
  state.origin = state_->origin ? state_->origin : state_;
  state.attributeNames = state_->attributeNames;
  state.rawIds = state_->rawIds;
  state.titles = state_->titles;
  state.attributes = state_->attributes;
  state.rows = 1 + static_cast<std::int64_t>(kept.size()) + buckets;
  std::vector<bool> isKept(static_cast<std::size_t>(entries()));
  const auto add = [&](std::int32_t entry) {
    const bool isId = entry != kNoEntry;
    const auto at = static_cast<std::size_t>(isId ? entry : 0);
    state.texts.push_back(isId && !state_->texts.empty() ? state_->texts[at] : entry);
    state.ownCounts.push_back(isId ? state_->counts[at] : 0);
    state.ownPresent.push_back(isId ? 1 : 0);
    if (isId) isKept[at] = true;
  };
  add(kNoEntry);
  for (const std::int32_t entry : kept) add(entry);
  for (std::int64_t bucket = 0; bucket < buckets; ++bucket) add(kNoEntry);
  state.ownCounts[0] = state_->counts[0];
  for (std::int32_t entry = 1; entry < entries(); ++entry) {
    if (isKept[static_cast<std::size_t>(entry)] || !isCandidate(entry)) continue;
    const std::int32_t row = buckets > 0 ? bucketRow(hash64(rawId(entry)), state.rows, buckets) : 0;
    add(entry);
    state.ownSharedRows.push_back(row);
    state.ownCounts[static_cast<std::size_t>(row)] += count(entry);
  }
  for (std::size_t entry = 0; entry < state.texts.size(); ++entry)
    if (state.ownPresent[entry] != 0) state.ownSorted.push_back(static_cast<std::int32_t>(entry));
  std::ranges::sort(state.ownSorted, {}, [&](std::int32_t entry) {
    return state.textOf(state.rawIds, static_cast<std::size_t>(entry));
  });
  state.counts = state.ownCounts;
  state.present = state.ownPresent;
  state.sorted = state.ownSorted;
  state.sharedRows = state.ownSharedRows;
  return Vocabulary(std::move(made));
}

const std::string& Vocabulary::name() const {
  return state_->name;
}

std::int64_t Vocabulary::size() const {
  return state_->rows;
}

std::int64_t Vocabulary::entries() const {
  return static_cast<std::int64_t>(state_->counts.size());
}

std::int32_t Vocabulary::rowOf(std::int64_t entry) const {
  const std::size_t at = state_->checked(entry);
  const auto rows = static_cast<std::size_t>(state_->rows);
  return at < rows ? static_cast<std::int32_t>(entry) : state_->sharedRows[at - rows];
}

std::string Vocabulary::collisionText(const std::string& name, std::int64_t shared,
                                      std::int64_t ids) {
  return fmt::format(
      "{} of the {} ids of vocabulary \"{}\" collide: each shares a row with another id, and a "
      "model "
      "cannot tell them apart; a larger size, or kind \"compressed\", has more rows",
      formatCount(shared), formatCount(ids), name);
}

std::string Vocabulary::collisionText() const {
  if (!state_->hashesUnknown || entries() == size()) return {};
  return collisionText(name(), entries() - size(), std::ssize(state_->sorted));
}

bool Vocabulary::lostSharedIds() const {
  return state_->lostSharedIds;
}

Status Vocabulary::intact() const {
  return (state_->origin ? *state_->origin : *state_).file.intact();
}

std::int64_t Vocabulary::oovBuckets() const {
  return state_->oovBuckets;
}

std::optional<std::int32_t> Vocabulary::entry(std::string_view rawId) const {
  const auto idOf = [&](std::int32_t entry) {
    return state_->textOf(state_->rawIds, static_cast<std::size_t>(entry));
  };
  const auto found = std::ranges::lower_bound(state_->sorted, rawId, {}, idOf);
  if (found != state_->sorted.end() && idOf(*found) == rawId) return *found;
  return std::nullopt;
}

std::optional<std::int32_t> Vocabulary::row(std::string_view rawId) const {
  if (const auto found = entry(rawId)) return rowOf(*found);
  if (state_->hashesUnknown) return hashedRow(hash64(rawId), size());
  if (state_->oovBuckets > 0) return bucketRow(hash64(rawId), size(), state_->oovBuckets);
  return std::nullopt;
}

std::string_view Vocabulary::rawId(std::int64_t entry) const {
  return state_->textOf(state_->rawIds, state_->checked(entry));
}

std::string_view Vocabulary::title(std::int64_t entry) const {
  return state_->textOf(state_->titles, state_->checked(entry));
}

bool Vocabulary::isCandidate(std::int64_t entry) const {
  return entry != 0 && state_->present[state_->checked(entry)] != 0;
}

std::int64_t Vocabulary::count(std::int64_t entry) const {
  return state_->counts[state_->checked(entry)];
}

const std::vector<std::string>& Vocabulary::attributeNames() const {
  return state_->attributeNames;
}

std::string_view Vocabulary::attribute(std::size_t attributeIndex, std::int64_t entry) const {
  if (attributeIndex >= state_->attributes.size())
    throw InvalidArgument(fmt::format("[Vocabulary] attribute {} of {}: {} are there",
                                      attributeIndex, name(), state_->attributes.size()));
  return state_->textOf(state_->attributes[attributeIndex], state_->checked(entry));
}

std::vector<std::int32_t> Vocabulary::search(std::string_view text, std::size_t limit) const {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
  std::vector<std::int32_t> entries;
  for (std::size_t entry = 1; entry < state_->counts.size() && entries.size() < limit; ++entry)
    if (state_->present[entry] &&
        (containsIgnoringCase(state_->textOf(state_->rawIds, entry), lowered) ||
         containsIgnoringCase(state_->textOf(state_->titles, entry), lowered)))
      entries.push_back(static_cast<std::int32_t>(entry));
  return entries;
}

ItemIndex::ItemIndex(const Vocabulary& vocabulary)
    : vocabulary_(vocabulary),
      sharesRows_(vocabulary.entries() > vocabulary.size()),
      items_(static_cast<std::size_t>(vocabulary.entries())) {
  std::vector<std::pair<std::uint64_t, std::int32_t>> hashed;  // hash of the id, entry
  for (std::int32_t entry = 1; entry < vocabulary.entries(); ++entry)
    if (vocabulary.isCandidate(entry)) hashed.emplace_back(hash64(vocabulary.rawId(entry)), entry);
  std::ranges::sort(hashed, [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first
                              : vocabulary.rawId(a.second) < vocabulary.rawId(b.second);
  });
  entries_.reserve(hashed.size() + 1);
  entries_.push_back(0);
  for (const auto& [hash, entry] : hashed) {
    items_[static_cast<std::size_t>(entry)] = size();
    entries_.push_back(entry);
  }
}

std::optional<std::int32_t> ItemIndex::find(std::string_view rawId) const {
  const auto known = vocabulary_.entry(rawId);
  if (!known || ofEntry(*known) == 0) return std::nullopt;
  return ofEntry(*known);
}

std::vector<std::int32_t> ItemIndex::search(std::string_view text, std::size_t limit) const {
  std::vector<std::int32_t> found = vocabulary_.search(text, limit);
  for (std::int32_t& entry : found) entry = ofEntry(entry);
  return found;
}

std::vector<std::int32_t> ItemIndex::layout() const {
  if (!sharesRows_) return entries_;
  std::vector<std::int32_t> rows(static_cast<std::size_t>(vocabulary_.size()));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

}  // namespace parapet::data
