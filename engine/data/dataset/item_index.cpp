// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/item_index.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/hash.h"

namespace parapet::data {

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
