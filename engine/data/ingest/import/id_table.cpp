// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/id_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/base/hash.h"

namespace parapet::data {
namespace {

constexpr std::int64_t kSmallIds = 1 << 24;  // 64 MiB at most, and only as far as ids reach
constexpr std::size_t kMaxIds = std::numeric_limits<std::int32_t>::max() - 1;
constexpr std::size_t kFirstSlots = 1 << 12;

// Mixes an integer so that its high bits depend on all of it (finalizer of MurmurHash3).
std::uint64_t mixed(std::int64_t id) {
  auto hash = static_cast<std::uint64_t>(id);
  hash = (hash ^ hash >> 33) * 0xFF51AFD7ED558CCDull;
  hash = (hash ^ hash >> 33) * 0xC4CEB9FE1A85EC53ull;
  return hash ^ hash >> 33;
}

bool isSmall(std::int64_t id) {
  return id >= 0 && id < kSmallIds;
}

Error tooManyIds(const std::string& name) {
  return Error{ErrorCode::kData, fmt::format("vocabulary \"{}\" has more than {} ids; leave "
                                             "some out by a filter",
                                             name, kMaxIds)};
}

}  // namespace

IdTable::IdTable(ValueType type, std::string name) : type_(type), name_(std::move(name)) {}

std::int32_t IdTable::append(std::uint64_t hash, std::int64_t integer, std::string_view text) {
  if (counts_.size() >= kMaxIds) return -1;
  counts_.push_back(0);
  if (type_ == ValueType::kInteger) {
    integers_.push_back(integer);
  } else {
    bytes_.append(text);
    ends_.push_back(bytes_.size());
  }
  hashes_.push_back(hash);
  return static_cast<std::int32_t>(counts_.size() - 1);
}

void IdTable::growSlots() {
  slots_.assign(std::max(kFirstSlots, slots_.size() * 2), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t n = 0; n < hashes_.size(); ++n) {
    if (type_ == ValueType::kInteger && isSmall(integers_[n])) continue;
    std::size_t slot = hashes_[n] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::int32_t>(n + 1);
  }
}

std::size_t IdTable::slotOf(std::uint64_t hash, std::int64_t integer, std::string_view text) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const auto n = static_cast<std::size_t>(slots_[slot] - 1);
    if (hashes_[n] == hash &&
        (type_ == ValueType::kInteger ? integers_[n] == integer : textOf(n) == text))
      break;
  }
  return slot;
}

std::int32_t IdTable::findOrAppend(std::uint64_t hash, std::int64_t integer,
                                   std::string_view text) {
  if (2 * (inSlots_ + 1) > slots_.size()) growSlots();
  const std::size_t slot = slotOf(hash, integer, text);
  if (slots_[slot] != 0) return slots_[slot] - 1;
  const std::int32_t n = append(hash, integer, text);
  if (n < 0) return n;
  slots_[slot] = n + 1;
  ++inSlots_;
  return n;
}

std::int32_t IdTable::find(std::int64_t id) const {
  if (isSmall(id))
    return static_cast<std::size_t>(id) < small_.size() ? small_[static_cast<std::size_t>(id)] - 1
                                                        : -1;
  return slots_.empty() ? -1 : slots_[slotOf(mixed(id), id, {})] - 1;
}

std::int32_t IdTable::find(std::string_view id) const {
  return slots_.empty() ? -1 : slots_[slotOf(hash64(id), 0, id)] - 1;
}

std::int32_t IdTable::addInteger(std::int64_t id) {
  if (!isSmall(id)) return findOrAppend(mixed(id), id, {});
  const auto value = static_cast<std::size_t>(id);
  if (value >= small_.size())
    small_.resize(std::min<std::size_t>(std::max(2 * small_.size(), value + 1), kSmallIds));
  if (small_[value] == 0) small_[value] = append(0, id, {}) + 1;
  return small_[value] - 1;
}

Status IdTable::add(std::span<const std::int64_t> ids, std::span<const std::uint8_t> missing,
                    std::vector<std::int32_t>& uniqueIndices) {
  const std::size_t begin = uniqueIndices.size();
  uniqueIndices.resize(begin + ids.size());
  std::int32_t* out = uniqueIndices.data() + begin;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!missing.empty() && missing[i]) {
      out[i] = -1;
      continue;
    }
    const auto value = static_cast<std::uint64_t>(ids[i]);
    const std::int32_t known = value < small_.size() ? small_[value] : 0;
    const std::int32_t n = known != 0 ? known - 1 : addInteger(ids[i]);
    if (n < 0) return tooManyIds(name_);
    ++counts_[static_cast<std::size_t>(n)];
    out[i] = n;
  }
  return {};
}

Status IdTable::add(std::span<const std::string_view> ids, std::span<const std::uint64_t> hashes,
                    std::span<const std::uint8_t> missing,
                    std::vector<std::int32_t>& uniqueIndices) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!missing.empty() && missing[i]) {
      uniqueIndices.push_back(-1);
      continue;
    }
    const std::int32_t n = findOrAppend(hashes[i], 0, ids[i]);
    if (n < 0) return tooManyIds(name_);
    ++counts_[static_cast<std::size_t>(n)];
    uniqueIndices.push_back(n);
  }
  return {};
}

std::string IdTable::text(std::size_t uniqueIndex) const {
  return type_ == ValueType::kInteger ? fmt::format("{}", integers_[uniqueIndex])
                                      : std::string(textOf(uniqueIndex));
}

bool IdTable::isBefore(std::size_t a, std::size_t b) const {
  return type_ == ValueType::kInteger ? integers_[a] < integers_[b] : textOf(a) < textOf(b);
}

}  // namespace parapet::data
