// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/shape/filter_sets.h"

#include <algorithm>

#include "engine/base/hash.h"

namespace parapet::data {
namespace {

constexpr std::size_t kComparedOneByOne = 6;

std::size_t slotsFor(std::size_t count) {
  return count <= kComparedOneByOne ? 0 : std::bit_ceil(count * 2);
}

}  // namespace

NumberSet::NumberSet(std::span<const std::uint64_t> numbers)
    : numbers_(numbers.begin(), numbers.end()) {
  std::sort(numbers_.begin(), numbers_.end());
  numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  slots_.resize(slotsFor(numbers_.size()));
  if (slots_.empty()) return;
  shift_ = 64 - std::countr_zero(slots_.size());
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    std::size_t slot = slotOf(numbers_[i]);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

TextSet::TextSet(std::span<const std::string> texts) {
  std::vector<std::string> sorted(texts.begin(), texts.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (std::string& text : sorted) {
    const std::uint64_t head = headOf(text);
    entries_.push_back({head, std::move(text)});
  }
  slots_.resize(slotsFor(entries_.size()));
  if (slots_.empty()) return;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t slot = slotOf(entries_[i].head, entries_[i].text);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

std::size_t TextSet::slotOf(std::uint64_t head, std::string_view text) const {
  std::uint64_t hash = head;
  if (text.size() > 16) {
    hash = hash64(text);
  } else if (text.size() > 8) {
    hash ^= std::rotl(load(text.data() + text.size() - 8, 8), 29);
  }
  hash = (hash ^ text.size()) * 0x9E3779B97F4A7C15u;
  return static_cast<std::size_t>(hash ^ hash >> 32) & (slots_.size() - 1);
}

}  // namespace parapet::data
