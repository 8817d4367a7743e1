// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/vocabulary_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "engine/base/files.h"

namespace parapet::data {
namespace {

template <class T>
Status writeSection(FileWriter& file, std::span<const T> values) {
  static constexpr char kZeros[8] = {};
  PARAPET_TRY(file.write(std::as_bytes(values)));
  return file.write(std::string_view(kZeros, paddedTo8(file.written()) - file.written()));
}

// One text column: where each row's bytes start, then the bytes.
Status writeTexts(FileWriter& file, const std::vector<std::uint64_t>& ends,
                  const std::string& bytes) {
  PARAPET_TRY(writeSection(file, std::span<const std::uint64_t>(ends)));
  return writeSection(file, std::span<const char>(bytes));
}

}  // namespace

VocabularyWriter::VocabularyWriter(std::vector<std::string> attributeNames)
    : attributeNames_(std::move(attributeNames)), attributes_(attributeNames_.size()) {}

void VocabularyWriter::add(const Vocabulary::Entry& entry) {
  if (counts_.empty() && entry.present && !usesRowZero_)
    throw InvalidArgument("[VocabularyWriter] row 0 is reserved and must not be present");
  if (!sharedRows_.empty())
    throw InvalidArgument("[VocabularyWriter] a row behind ids that share one");
  append(entry);
}

void VocabularyWriter::addShared(const Vocabulary::Entry& entry, std::int32_t row) {
  if (row < 0 || row >= size())
    throw InvalidArgument(
        fmt::format("[VocabularyWriter] raw id {} of row {} of {}", entry.rawId, row, size()));
  append(entry);
  sharedRows_.push_back(row);
}

std::int64_t VocabularyWriter::ids() const {
  return std::ranges::count(present_, std::uint8_t{1});
}

void VocabularyWriter::append(const Vocabulary::Entry& entry) {
  if (entry.attributes.size() != attributes_.size() && !entry.attributes.empty())
    throw InvalidArgument(fmt::format("[VocabularyWriter] raw id {} has {} attributes of {}",
                                      entry.rawId, entry.attributes.size(), attributes_.size()));
  counts_.push_back(entry.count);
  present_.push_back(entry.present ? 1 : 0);
  rawIds_.add(entry.rawId);
  titles_.add(entry.title);
  for (std::size_t a = 0; a < attributes_.size(); ++a)
    attributes_[a].add(entry.attributes.empty() ? std::string_view{} : entry.attributes[a]);
}

std::vector<std::int32_t> VocabularyWriter::entriesByRawId() const {
  std::vector<std::int32_t> entries;
  for (std::size_t entry = 0; entry < present_.size(); ++entry)
    if (present_[entry]) entries.push_back(static_cast<std::int32_t>(entry));
  const auto idOf = [&](std::int32_t entry) { return rawIds_.at(static_cast<std::size_t>(entry)); };
  std::ranges::sort(entries, {}, idOf);
  const auto twice = std::ranges::adjacent_find(entries, {}, idOf);
  if (twice != entries.end())
    throw InvalidArgument(fmt::format("[VocabularyWriter] raw id {} has two rows", idOf(*twice)));
  return entries;
}

Status VocabularyWriter::write(const std::filesystem::path& folder, const std::string& name) const {
  if (counts_.empty()) throw InvalidArgument("[VocabularyWriter] row 0 must be there");
  const std::vector<std::int32_t> sorted = entriesByRawId();
  // A vocabulary that hashes says that it has kept all its ids.
  const bool shares = hashes_ || !sharedRows_.empty();
  const std::filesystem::path path = folder / (name + ".vocab");
  PARAPET_TRY(createFolders(path.parent_path()));
  PARAPET_ASSIGN(FileWriter file, FileWriter::create(path));
  const VocabularyHeader header{.version = shares ? kSharedVocabularyVersion : kVocabularyVersion,
                                .attributes = static_cast<std::uint32_t>(attributeNames_.size()),
                                .rows = static_cast<std::uint64_t>(size()),
                                .present = sorted.size(),
                                .hashesUnknown = hashes_ ? 1u : 0u,
                                .oovBuckets = static_cast<std::uint32_t>(oovBuckets_)};
  PARAPET_TRY(writeSection(file, std::span<const VocabularyHeader>(&header, 1)));
  const std::uint64_t shared = sharedRows_.size();
  if (shares) PARAPET_TRY(writeSection(file, std::span<const std::uint64_t>(&shared, 1)));
  PARAPET_TRY(writeSection(file, std::span<const std::int64_t>(counts_)));
  PARAPET_TRY(writeSection(file, std::span<const std::uint8_t>(present_)));
  PARAPET_TRY(writeSection(file, std::span<const std::int32_t>(sorted)));
  PARAPET_TRY(writeSection(file, std::span<const std::int32_t>(sharedRows_)));
  CompactTexts names;
  for (const std::string& attribute : attributeNames_) names.add(attribute);
  for (const CompactTexts* texts : {&std::as_const(names), &rawIds_, &titles_})
    PARAPET_TRY(writeTexts(file, texts->ends, texts->bytes));
  for (const CompactTexts& texts : attributes_)
    PARAPET_TRY(writeTexts(file, texts.ends, texts.bytes));
  return file.finish();
}

}  // namespace parapet::data
