// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/data/generate/make_generator.h"
#include "engine/data/generate/power_law.h"

namespace parapet::data {

/// A count that is small most often and large now and then: its logarithm is spread evenly.
struct SkewedCount {
  int size = 0;            ///< ⌊log2(value + 1)⌋
  std::int64_t value = 0;  ///< in [2^size − 1, 2^(size + 1) − 1)
};

/// A user of generated impressions.
struct Clicker {
  int bias = 0;                             ///< of his logit, in sixteenths
  SkewedCount visits;                       ///< 0 to 254
  std::array<std::uint8_t, 2> interests{};  ///< categories, the stronger one first
};

/// An item of generated impressions.
struct ClickItem {
  int bias = 0;                              ///< of its logit, in sixteenths
  SkewedCount views;                         ///< 0 to 65,534
  SkewedCount price;                         ///< 0 to 254
  int categoryCount = 0;                     ///< 1 to 3
  std::array<std::uint8_t, 3> categories{};  ///< all different, heaviest first
};

/// One generated impression: an item that was shown to a user, whether he clicked, and whether he
/// liked it then.
struct Impression {
  std::int64_t user = 0;  ///< from 1
  std::int64_t item = 0;  ///< from 1
  std::int64_t time = 0;  ///< seconds since 1970; the hour is its hour of the day
  int hour = 0;           ///< 0 to 23
  int device = 0;         ///< 0 phone, 1 tablet, 2 desktop
  int position = 0;       ///< 1 to 10, from the top
  SkewedCount session;    ///< clicks before it in the session, 0 to 254
  bool click = false;
  bool like = false;  ///< only of what was clicked
  Clicker clicker;
  ClickItem shown;
};

/// Impressions with click labels, in the order of time. Columns: user, item, hour, device (text),
/// position, categories (list, with weights 1, 0.5 and 0.25), interests (list), time, click, the
/// counts user_visits, item_views, price and session_clicks, and like.
///
/// Clicks follow a logistic model: the logit is a sum of a bias, one of the user and one of the
/// item, the weights of those categories of the item that the user is interested in (his first
/// interest counts twice), the position, the sizes of the four counts, and what the context says:
/// hour, device, and two crosses, of the device and of the quarter of the day with the main
/// category of the item. The part of the context is multiplied by 2 · contextStrength. A click
/// becomes a like by a logistic model of its own: a bias, that of the user, and the categories that
/// he is interested in.
class ClickGenerator final : public RowGenerator {
 public:
  static constexpr int kCategories = 12;
  static constexpr std::array<double, 3> kCategoryWeights{1.0, 0.5, 0.25};

  /// InvalidArgument for counts that checkGenerator refuses.
  explicit ClickGenerator(const experiment::Generator& settings);

  [[nodiscard]] const std::vector<GeneratedColumn>& columns() const override;
  void fill(std::int64_t first, std::int64_t count,
            std::span<ColumnValues* const> targets) const override;
  [[nodiscard]] std::string line(std::int64_t row) const override;
  /// A pure function of (settings, index), index in [0, events).
  [[nodiscard]] Impression impression(std::int64_t index) const;

  /// Logit of a click, whatever its label, in sixteenths, so that it is a whole number.
  [[nodiscard]] int logit16(const Impression& impression) const;
  /// Probability of a click, whatever the label: the oracle.
  [[nodiscard]] double clickProbability(const Impression& impression) const;
  /// Probability of a click that becomes a like, whatever the labels: the oracle of like.
  [[nodiscard]] double likeProbability(const Impression& impression) const;

 private:
  [[nodiscard]] Clicker clicker(std::int64_t user) const;
  [[nodiscard]] ClickItem clickItem(std::int64_t item) const;
  [[nodiscard]] std::uint32_t shareOf(int logit16) const;
  [[nodiscard]] std::uint32_t clickShare(const Impression& impression) const;
  [[nodiscard]] std::uint32_t likeShare(const Impression& impression) const;

  int strength_;        // of 128
  std::uint64_t part_;  // seconds between impressions, of 2⁻³²
  Scatter userScatter_, itemScatter_;
  RankDraw userRanks_, itemRanks_;
  std::vector<std::uint32_t> sigmoid_;  // of 2³², by 16 · logit
};

}  // namespace parapet::data
