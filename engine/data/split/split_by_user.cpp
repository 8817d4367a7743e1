// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/base/random.h"
#include "engine/data/split/split_kinds.h"

namespace parapet::data {
namespace {

/// A row with what its user's rows are ordered by.
template <class Key>
struct Keyed {
  Key key;
  std::int64_t row;
  bool operator<(const Keyed& other) const {
    return key != other.key ? key < other.key : row < other.row;
  }
};

// The rows of every user with the largest keys are test, those before them validation.
template <class Key, class KeyOf>
PartBits leave(const EventColumns& events, const experiment::Split& spec, const KeyOf& keyOf) {
  PartBits parts(events.rows);
  for (std::int64_t row = 0; row < events.rows; ++row) setRow(parts.train, row);
  const auto move = [&](RowBits& part, const Keyed<Key>& of) {
    clearRow(parts.train, of.row);
    setRow(part, of.row);
  };
  const UserGroups users(events.userEntries, events.userEntryCount, events.onConsumed);
  users.forEach<Keyed<Key>>(
      [&](std::int64_t row) {
        return Keyed<Key>{keyOf(row), row};
      },
      [&](std::int32_t user, std::span<Keyed<Key>> rows) {
        if (user == 0) return;  // out of the vocabulary: no single user
        const auto count = static_cast<std::int64_t>(rows.size());
        const std::int64_t tests = std::min(amountOf(spec.test, count), count - 1);
        const std::int64_t held = std::min(tests + amountOf(spec.validation, count), count - 1);
        std::nth_element(rows.begin(), rows.end() - held, rows.end());
        std::nth_element(rows.end() - held, rows.end() - tests, rows.end());
        for (auto at = rows.end() - held; at != rows.end() - tests; ++at)
          move(parts.validation, *at);
        for (auto at = rows.end() - tests; at != rows.end(); ++at) move(parts.test, *at);
      });
  return parts;
}

}  // namespace

PartBits leaveLast(const EventColumns& events, const experiment::Split& spec) {
  return leave<std::int64_t>(
      events, spec, [&](std::int64_t row) { return events.times[static_cast<std::size_t>(row)]; });
}

PartBits leaveRandom(const EventColumns& events, const experiment::Split& spec,
                     std::uint64_t seed) {
  const Random random(seed, RandomPurpose::kSplit);
  return leave<std::uint64_t>(events, spec, [&](std::int64_t row) {
    return random.bits64(static_cast<std::uint64_t>(row));
  });
}

}  // namespace parapet::data
