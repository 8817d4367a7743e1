// SPDX-License-Identifier: Apache-2.0
#include "engine/data/split/leakage.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "engine/data/dataset/row_set.h"

namespace parapet::data {
namespace {

constexpr std::uint8_t kTrain = 1, kHeld[2] = {2, 4};  // bits of the parts a row is in

/// A row of a user. Items that share a row are two: none of them tells of the other.
struct Event {
  std::int64_t time;
  std::int32_t item;  ///< its entry
  std::uint8_t parts;
};

bool isHeld(const Event& event) {
  return (event.parts & ~kTrain) != 0;
}

/// Counts user by user.
class LeakCounter {
 public:
  LeakCounter(const EventColumns& events, const Split& split)
      : events_(events),
        hasTimes_(!events.times.empty()),
        train_(split.train.bits(events.rows)),
        held_{split.validation.bits(events.rows), split.test.bits(events.rows)},
        stamps_(static_cast<std::size_t>(events.itemEntryCount)) {
    report_.rows = events.rows;
    report_.trainRows = split.train.size();
    report_.held[0].rows = split.validation.size();
    report_.held[1].rows = split.test.size();
  }

  LeakageReport count(const Split& split) {
    UserGroups(events_.userEntries, events_.userEntryCount, events_.onConsumed)
        .forEach<Event>([&](std::int64_t row) { return eventOf(row); },
                        [&](std::int32_t user, std::span<Event> of) { countUser(user, of); });
    countColdItems(split);
    if (hasTimes_) countAfterHeld(split);
    return report_;
  }

 private:
  [[nodiscard]] Event eventOf(std::int64_t row) const {
    const auto at = static_cast<std::size_t>(row);
    std::uint8_t parts = hasRow(train_, row) ? kTrain : 0;
    for (std::size_t p = 0; p < 2; ++p)
      if (hasRow(held_[p], row)) parts |= kHeld[p];
    return {hasTimes_ ? events_.tickOf(row) : 0, events_.itemEntries[at], parts};
  }

  // fn(held, event) for the parts for evaluation that an event is in.
  template <class Visit>
  void forHeld(const Event& event, const Visit& visit) {
    for (std::size_t p = 0; p < 2; ++p)
      if (event.parts & kHeld[p]) visit(report_.held[p]);
  }

  void countUser(std::int32_t user, std::span<Event> of) {
    std::int64_t lastTrain = std::numeric_limits<std::int64_t>::min();
    std::int64_t firstHeld = std::numeric_limits<std::int64_t>::max();
    bool known = false;
    for (const Event& event : of) {
      if (event.parts & kTrain) {
        lastTrain = std::max(lastTrain, event.time);
        known = user != 0;
      }
      if (isHeld(event)) firstHeld = std::min(firstHeld, event.time);
    }
    firstHeld_ = std::min(firstHeld_, firstHeld);
    for (const Event& event : of) {
      if (user != 0 && hasTimes_ && (event.parts & kTrain) && event.time > firstHeld)
        ++report_.afterHeldOfUser;
      forHeld(event, [&](LeakageReport::Held& held) {
        held.shared += (event.parts & kTrain) != 0;
        held.coldUsers += !known;
        held.beforeTrain += known && hasTimes_ && event.time < lastTrain;
      });
    }
    if (user == 0) return;
    of = repeatsOf(user, of);
    std::sort(of.begin(), of.end(), [](const Event& a, const Event& b) {
      return a.item != b.item ? a.item < b.item : a.time < b.time;
    });
    for (auto first = of.begin(); first != of.end();) {
      const auto last = std::find_if(first, of.end(),
                                     [&](const Event& event) { return event.item != first->item; });
      countPair({first, last});
      first = last;
    }
  }

  // Rows whose item the user has more than once: the only ones that have to be compared. An item
  // carries the stamp of the user it was last met with, and another one from the second time on.
  std::span<Event> repeatsOf(std::int32_t user, std::span<Event> of) {
    const std::int32_t once = user, again = -1 - user;  // users count from 1
    for (const Event& event : of) {
      std::int32_t& stamp = stamps_[static_cast<std::size_t>(event.item)];
      const bool repeats = event.item != 0 && (stamp == once || stamp == again);
      report_.repeatedPairs += repeats;
      stamp = repeats ? again : once;
    }
    const auto end = std::partition(of.begin(), of.end(), [&](const Event& event) {
      return stamps_[static_cast<std::size_t>(event.item)] == again;
    });
    return of.first(static_cast<std::size_t>(end - of.begin()));
  }

  // Rows of one user and item, by time.
  void countPair(std::span<const Event> of) {
    const auto trains = [](std::span<const Event> rows) {
      return std::count_if(rows.begin(), rows.end(),
                           [](const Event& event) { return (event.parts & kTrain) != 0; });
    };
    // A row is no other row's pair, even if it is in both parts.
    const auto others = [](std::int64_t count, const Event& event) {
      return count > (event.parts & kTrain ? 1 : 0);
    };
    const std::int64_t known = trains(of);
    for (const Event& event : of)
      forHeld(event, [&](LeakageReport::Held& held) { held.knownPairs += others(known, event); });
    if (!hasTimes_) return;
    for (auto first = of.begin(); first != of.end();) {
      const auto last = std::find_if(first, of.end(),
                                     [&](const Event& event) { return event.time != first->time; });
      report_.duplicates += last - first - 1;
      const std::int64_t equal = trains({first, last});
      for (; first != last; ++first)
        forHeld(*first, [&](LeakageReport::Held& held) { held.equal += others(equal, *first); });
    }
  }

  void countColdItems(const Split& split) {
    std::vector<bool> known(static_cast<std::size_t>(events_.itemEntryCount));
    const auto itemOf = [&](std::int64_t row) {
      return static_cast<std::size_t>(events_.itemEntries[static_cast<std::size_t>(row)]);
    };
    events_.forEachRow(split.train, [&](std::int64_t row) { known[itemOf(row)] = true; });
    if (!known.empty()) known[0] = false;
    const RowSet* sets[2] = {&split.validation, &split.test};
    for (std::size_t p = 0; p < 2; ++p)
      events_.forEachRow(
          *sets[p], [&](std::int64_t row) { report_.held[p].coldItems += !known[itemOf(row)]; });
  }

  void countAfterHeld(const Split& split) {
    events_.forEachRow(split.train, [&](std::int64_t row) {
      report_.afterHeld += events_.tickOf(row) > firstHeld_;
    });
  }

  const EventColumns& events_;
  bool hasTimes_;
  RowBits train_, held_[2];
  std::vector<std::int32_t> stamps_;
  std::int64_t firstHeld_ = std::numeric_limits<std::int64_t>::max();
  LeakageReport report_;
};

std::string shareOf(std::int64_t count, std::int64_t of) {
  const double percent = 100.0 * static_cast<double>(count) / static_cast<double>(of);
  return percent < 0.05 ? "under 0.1 %" : fmt::format("{:.1f} %", percent);
}

/// Collects the sentences about what was found.
class Findings {
 public:
  void add(const char* kind, const char* part, std::int64_t count, std::int64_t of,
           LeakSeverity severity, std::string_view what) {
    if (count == 0) return;
    const std::string rows = part == std::string_view("train") ? "training rows"
                             : part == std::string_view("all") ? "all rows"
                                                               : fmt::format("{} rows", part);
    found_.push_back({kind, part, severity, count, of,
                      fmt::format("{} of {} ({}) {}", shareOf(count, of), rows, count, what)});
  }
  [[nodiscard]] std::vector<LeakFinding> take() && { return std::move(found_); }

 private:
  std::vector<LeakFinding> found_;
};

LeakSeverity warningFrom(double share, std::int64_t count, std::int64_t of) {
  return static_cast<double>(count) >= share * static_cast<double>(of) ? LeakSeverity::kWarning
                                                                       : LeakSeverity::kNote;
}

}  // namespace

std::vector<LeakFinding> LeakageReport::findings() const {
  // Where pairs come again and again, as plays of a song do, known ones are no leak.
  constexpr double kRepeats = 0.01, kManyDuplicates = 0.01, kManyCold = 0.2;
  const bool repeats = warningFrom(kRepeats, repeatedPairs, rows) == LeakSeverity::kWarning;
  Findings found;
  found.add("duplicates", "all", duplicates, rows, warningFrom(kManyDuplicates, duplicates, rows),
            "have user, item and time of an earlier row");
  found.add("repeated_pairs", "all", repeatedPairs, rows, LeakSeverity::kNote,
            "have user and item of an earlier row");
  const char* const parts[2] = {"validation", "test"};
  for (std::size_t p = 0; p < 2; ++p) {
    const Held& of = held[p];
    const auto add = [&](const char* kind, std::int64_t count, LeakSeverity severity,
                         std::string_view what) {
      found.add(kind, parts[p], count, of.rows, severity, what);
    };
    add("shared_rows", of.shared, LeakSeverity::kWarning, "are training rows as well");
    add("equal_rows", of.equal, LeakSeverity::kWarning, "equal a training row");
    add("known_pairs", of.knownPairs, repeats ? LeakSeverity::kNote : LeakSeverity::kWarning,
        "have user and item of a training row");
    add("future_of_user", of.beforeTrain, LeakSeverity::kNote,
        "have a later training row of the same user");
    add("cold_users", of.coldUsers, warningFrom(kManyCold, of.coldUsers, of.rows),
        "have a user without a training row");
    add("cold_items", of.coldItems, warningFrom(kManyCold, of.coldItems, of.rows),
        "have an item without a training row");
  }
  found.add("future_of_user", "train", afterHeldOfUser, trainRows, LeakSeverity::kNote,
            "are later than the first held-out row of the same user");
  found.add("future", "train", afterHeld, trainRows, LeakSeverity::kNote,
            "are later than the first held-out row");
  return std::move(found).take();
}

LeakageReport findLeakage(const EventColumns& events, const Split& split) {
  if (!events.hasPairs()) return {};
  return LeakCounter(events, split).count(split);
}

std::string_view severityName(LeakSeverity severity) {
  return severity == LeakSeverity::kWarning ? "warning" : "note";
}

}  // namespace parapet::data
