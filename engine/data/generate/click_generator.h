// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/data/generate/power_law.h"
#include "engine/data/generate/row_generator.h"

namespace parapet::data {

/// A user of generated impressions.
struct Clicker {
  int bias = 0;                             ///< of his logit, in sixteenths
  std::array<std::uint8_t, 2> interests{};  ///< categories, the stronger one first
};

/// An item of generated impressions.
struct ClickItem {
  int bias = 0;                              ///< of its logit, in sixteenths
  int categoryCount = 0;                     ///< 1 to 3
  std::array<std::uint8_t, 3> categories{};  ///< all different, heaviest first
};

/// One generated impression: an item that was shown to a user, and whether he clicked.
struct Impression {
  std::int64_t user = 0;  ///< from 1
  std::int64_t item = 0;  ///< from 1
  std::int64_t time = 0;  ///< seconds since 1970; the hour is its hour of the day
  int hour = 0;           ///< 0 to 23
  int device = 0;         ///< 0 phone, 1 tablet, 2 desktop
  int position = 0;       ///< 1 to 10, from the top
  bool click = false;
  Clicker clicker;
  ClickItem shown;
};

/// Impressions with click labels, in the order of time. Columns: user, item, hour, device (text),
/// position, categories (list, with weights 1, 0.5 and 0.25), interests (list), time, click.
///
/// Clicks follow a logistic model: the logit is a sum of a bias, one of the user and one of the
/// item, the weights of those categories of the item that the user is interested in (his first
/// interest counts twice), the position, and what the context says: hour, device, and two crosses,
/// of the device and of the quarter of the day with the main category of the item. The part of the
/// context is multiplied by 2 · contextStrength.
class ClickGenerator final : public RowGenerator {
 public:
  static constexpr int kCategories = 12;
  static constexpr std::array<double, 3> kCategoryWeights{1.0, 0.5, 0.25};

  /// InvalidArgument for counts that checkGenerator refuses.
  explicit ClickGenerator(const experiment::Generator& settings);

  [[nodiscard]] const std::vector<GeneratedColumn>& columns() const override;
  void fill(std::int64_t first, std::int64_t count,
            std::span<ColumnValues* const> targets) const override;
  /// A pure function of (settings, index), index in [0, events).
  [[nodiscard]] Impression impression(std::int64_t index) const;

  /// Logit of a click, whatever its label, in sixteenths, so that it is a whole number.
  [[nodiscard]] int logit16(const Impression& impression) const;
  /// Probability of a click, whatever the label: the oracle.
  [[nodiscard]] double clickProbability(const Impression& impression) const;

 private:
  [[nodiscard]] Clicker clicker(std::int64_t user) const;
  [[nodiscard]] ClickItem clickItem(std::int64_t item) const;
  [[nodiscard]] std::uint32_t clickShare(const Impression& impression) const;

  int strength_;        // of 128
  std::uint64_t part_;  // seconds between impressions, of 2⁻³²
  Scatter userScatter_, itemScatter_;
  RankDraw userRanks_, itemRanks_;
  std::vector<std::uint32_t> sigmoid_;  // of 2³², by 16 · logit
};

}  // namespace parapet::data
