// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// What a generated data set was made from, and what an oracle would reach on it.
struct GenerateReport {
  std::int64_t rows = 0;
  std::uint64_t bytes = 0;
  double seconds = 0.0;
};

/// One generated rating; the ground truth is recomputable from the settings alone.
struct GeneratedEvent {
  std::int64_t user = 0;  ///< from 1
  std::int64_t item = 0;  ///< from 1
  int rating = 0;         ///< 1…5
  std::int64_t time = 0;  ///< seconds since 1970
};

class GeneratorTables;

/// Users with tastes over genres rate items of those genres: user activity and item popularity
/// follow a power law, the expected rating is an inner product of small integers, and noise is
/// added from a table. Integers only, so every machine makes the same bytes. No (user, item) pair
/// occurs twice, and every user occurs if there are enough events. Cheap to copy.
class MovieGenerator {
 public:
  /// InvalidArgument for counts below 1, or more events than (user, item) pairs.
  explicit MovieGenerator(const experiment::Generator& settings);
  /// A pure function of (settings, index), index in [0, events).
  [[nodiscard]] GeneratedEvent event(std::int64_t index) const;
  /// Mean rating of the pair without noise, in [1, 5]: the oracle.
  [[nodiscard]] double expectedRating(std::int64_t user, std::int64_t item) const;
  /// Invented title, e.g. "The Quiet Harbour (1987)"; unique per item.
  [[nodiscard]] std::string title(std::int64_t item) const;
  /// "Comedy|Drama".
  [[nodiscard]] std::string genres(std::int64_t item) const;
  [[nodiscard]] int age(std::int64_t user) const;
  [[nodiscard]] char gender(std::int64_t user) const;
  [[nodiscard]] std::string occupation(std::int64_t user) const;
  [[nodiscard]] const experiment::Generator& settings() const { return settings_; }

 private:
  experiment::Generator settings_;
  std::shared_ptr<const GeneratorTables> tables_;
};

/// Writes the MovieLens-100K folder layout (u.data, u.item, u.user, u.genre, u.info). The folder
/// must not exist or be empty; it appears complete or not at all.
Result<GenerateReport> generateMovies(const experiment::Generator& settings,
                                      const std::filesystem::path& folder,
                                      const WorkContext& context);

}  // namespace parapet::data
