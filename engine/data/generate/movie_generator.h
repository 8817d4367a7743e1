// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/data/generate/make_generator.h"

namespace parapet::data {

/// One generated rating; the ground truth is recomputable from the settings alone.
struct GeneratedEvent {
  std::int64_t user = 0;  ///< from 1
  std::int64_t item = 0;  ///< from 1
  int rating = 0;         ///< 1…5
  std::int64_t time = 0;  ///< seconds since 1970
};

class GeneratorTables;

/// Users with tastes over genres rate what they have chosen to watch: user activity and item
/// popularity follow a power law, and a user picks an item in proportion to its popularity times
/// the affinity of his taste for its main genre, 1 to 24. So there is more to learn than what is
/// popular, for item lists as for ratings: ratings are higher than those of items shown at random
/// would be, as real ones are. The expected rating is an inner product of small integers, and noise
/// is added from a table. Integers only, so every machine makes the same bytes. No (user, item)
/// pair occurs twice, and every user occurs if there are enough events. Columns: user, item,
/// rating, time.
class MovieGenerator final : public RowGenerator {
 public:
  /// InvalidArgument for counts below 1, or more events than (user, item) pairs.
  explicit MovieGenerator(const experiment::Generator& settings);

  [[nodiscard]] const std::vector<GeneratedColumn>& columns() const override;
  void fill(std::int64_t first, std::int64_t count,
            std::span<ColumnValues* const> targets) const override;
  /// A line as in u.data, without the end of line.
  [[nodiscard]] std::string line(std::int64_t row) const override;
  [[nodiscard]] bool hasCatalogues() const override { return true; }
  /// Users with age, gender, occupation and zip; items with title, genres and release date.
  [[nodiscard]] Catalogue catalogue(std::string_view role) const override;
  /// A pure function of (settings, index), index in [0, events).
  [[nodiscard]] GeneratedEvent event(std::int64_t index) const;
  /// Mean rating of the pair without noise, in [1, 5]: the oracle.
  [[nodiscard]] double expectedRating(std::int64_t user, std::int64_t item) const;
  /// Invented title, e.g. "The Quiet Harbour (1987)"; unique per item.
  [[nodiscard]] std::string title(std::int64_t item) const;
  /// "Comedy|Drama".
  [[nodiscard]] std::string genres(std::int64_t item) const;
  // Age, gender and occupation tell of a user's tastes, though not all of them; the zip code tells
  // nothing.
  /// 16 to 70, the lower the more he likes action.
  [[nodiscard]] int age(std::int64_t user) const;
  /// 'F' or 'M'.
  [[nodiscard]] char gender(std::int64_t user) const;
  /// Every genre has one that its friends have most often.
  [[nodiscard]] std::string occupation(std::int64_t user) const;
  /// Five digits; one of ten regions is the first.
  [[nodiscard]] std::string zip(std::int64_t user) const;

 private:
  std::shared_ptr<const GeneratorTables> tables_;
};

/// "01-Jan-1987" for a title that ends with "(1987)".
std::string releaseDate(std::string_view title);

}  // namespace parapet::data
