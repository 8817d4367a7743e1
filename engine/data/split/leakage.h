// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/split/split.h"

namespace parapet::data {

enum class LeakSeverity {
  kNote,     ///< belongs to the kind of data or split; results are to be read with it in mind
  kWarning,  ///< results are likely to look better than they are
};

/// One thing that training knows and should not, or that evaluation asks and training cannot know.
struct LeakFinding {
  std::string kind;  ///< "duplicates", "repeated_pairs", "shared_rows", "equal_rows",
                     ///< "known_pairs", "future_of_user", "future", "cold_users", "cold_items"
  std::string part;  ///< "all", "train", "validation" or "test": whose rows are counted
  LeakSeverity severity = LeakSeverity::kNote;
  std::int64_t count = 0, of = 0;
  std::string message;  ///< a sentence for people
  [[nodiscard]] double share() const {
    return of > 0 ? static_cast<double>(count) / static_cast<double>(of) : 0.0;
  }
};

/// The counts over a split. Rows of unknown users or items have no pair and count as cold.
struct LeakageReport {
  /// A part that is measured on.
  struct Held {
    std::int64_t rows = 0;
    std::int64_t shared = 0;       ///< rows that are in train as well
    std::int64_t equal = 0;        ///< rows with user, item and time of another row in train
    std::int64_t knownPairs = 0;   ///< rows whose user and item are together in train
    std::int64_t beforeTrain = 0;  ///< rows with a later training row of the same user
    std::int64_t coldUsers = 0, coldItems = 0;  ///< rows whose user (item) train has not
  };
  std::int64_t rows = 0;           ///< of the data set
  std::int64_t duplicates = 0;     ///< rows with user, item and time of an earlier row
  std::int64_t repeatedPairs = 0;  ///< rows with user and item of an earlier row
  std::int64_t trainRows = 0;
  std::int64_t afterHeldOfUser = 0;  ///< training rows later than the user's first held-out row
  std::int64_t afterHeld = 0;        ///< training rows later than the first held-out row
  std::array<Held, 2> held{};        ///< validation, test

  /// The leaks that are worth a sentence; none that was not found.
  [[nodiscard]] std::vector<LeakFinding> findings() const;
};

/// Counts what leaks from evaluation into training. Without times, rows are never earlier, later or
/// duplicates.
///
/// Memory   one bit per row and part, 4 bytes per user and item, and 256 MiB.
/// Thread   pure.
LeakageReport findLeakage(const EventColumns& events, const Split& split);

/// "note", "warning".
std::string_view severityName(LeakSeverity severity);

}  // namespace parapet::data
