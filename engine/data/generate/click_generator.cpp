// SPDX-License-Identifier: Apache-2.0
#include "engine/data/generate/click_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "engine/data/generate/power_law.h"
#include "engine/data/generate/row_writer.h"

namespace parapet::data {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::int64_t kFirstClickSecond = 1'699'920'000;  // a midnight
constexpr std::uint64_t kClickSeconds = 30 * 86'400;
constexpr std::array<std::string_view, 3> kDevices{"phone", "tablet", "desktop"};
// Where in 256 draws the tablets begin, and the desktops.
constexpr std::uint32_t kFirstTablet = 128, kFirstDesktop = 168;

// The model, in sixteenths of a logit.
constexpr int kBias = -40;
constexpr int kInterest = 16;  // in the second interest, with weight 1; twice that in the first
constexpr std::array<int, 3> kQuarterWeights{4, 2, 1};  // of the categories, in quarters
constexpr std::array<int, 10> kPosition{16, 10, 6, 3, 1, 0, -2, -4, -5, -6};
constexpr std::array<int, 24> kHour{4,  2,  0,  -2, -4, -4, -2, 0, 2, 2,  0,  -2,
                                    -2, -4, -4, -2, 0,  2,  4,  6, 8, 10, 10, 8};
constexpr std::array<int, 3> kDevice{4, 0, -4};
// Device by main category modulo 3, quarter of the day by main category modulo 4.
constexpr int kDeviceCross[3][3]{{8, 0, -8}, {-8, 8, 0}, {0, -8, 8}};
constexpr int kQuarterCross[4][4]{
    {10, -2, -6, -2}, {-2, 10, -2, -6}, {-6, -2, 10, -2}, {-2, -6, -2, 10}};
// Logit, in sixteenths, per step of the size of a count above its middle size.
constexpr int kVisits = 2, kMiddleVisits = 4;
constexpr int kViews = 1, kMiddleViews = 8;
constexpr int kPrice = -2, kMiddlePrice = 4;
constexpr int kSession = 4, kMiddleSession = 1;
constexpr int kLikeBias = -16;
// No sum of the above is beyond ±10.
constexpr int kLargestLogit = 10 * 16;
// Sizes of counts are drawn evenly below these, that of a session falls by halves.
constexpr std::uint32_t kSizes = 8, kViewSizes = 16;

// Sigmoid of k/16 in 2³²ths, for k from −kLargestLogit, without a library of functions:
// 1/(1 + e^(−k/16)) with the power of e^(−1/16) as a fixed-point product.
std::vector<std::uint32_t> sigmoidTable() {
  constexpr std::uint64_t kOne = 1ull << 62;
  constexpr std::uint64_t kStep = 4'332'278'087'304'955'805ull;  // e^(−1/16) · 2⁶²
  std::vector<std::uint32_t> table(2 * kLargestLogit + 1);
  std::uint64_t power = kOne;
  for (std::size_t k = 0; k <= kLargestLogit; ++k) {
    const auto share = static_cast<std::uint32_t>((Wide{kOne} << 32) / (Wide{kOne} + power));
    table[kLargestLogit + k] = share;
    table[kLargestLogit - k] = static_cast<std::uint32_t>((std::uint64_t{1} << 32) - share);
    power = static_cast<std::uint64_t>(Wide{power} * kStep >> 62);
  }
  return table;
}

// Between −8 and 8, most often near 0.
int triangular(std::uint32_t word) {
  return static_cast<int>(word % 9 + (word >> 16) % 9) - 8;
}

SkewedCount countOf(std::uint32_t size, std::uint32_t word) {
  const std::int64_t first = (std::int64_t{1} << size) - 1;
  return {static_cast<int>(size), first + static_cast<std::int64_t>(word & first)};
}

// Sixteenths of a logit for what the clicker is interested in.
int interestOf(const Clicker& clicker, const ClickItem& item) {
  int interest = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(item.categoryCount); ++k) {
    const int weight = kInterest * kQuarterWeights[k] / 4;
    if (item.categories[k] == clicker.interests[0]) interest += 2 * weight;
    if (item.categories[k] == clicker.interests[1]) interest += weight;
  }
  return interest;
}

void appendList(ColumnValues* column, std::span<const std::uint8_t> values) {
  if (!column) return;
  if (column->offsets.empty()) column->offsets.push_back(0);
  column->integers.insert(column->integers.end(), values.begin(), values.end());
  column->offsets.push_back(static_cast<std::int32_t>(column->integers.size()));
}

void appendWeights(ColumnValues* column, int count) {
  if (!column) return;
  if (column->offsets.empty()) column->offsets.push_back(0);
  const auto& weights = ClickGenerator::kCategoryWeights;
  column->numbers.insert(column->numbers.end(), weights.begin(), weights.begin() + count);
  column->offsets.push_back(static_cast<std::int32_t>(column->numbers.size()));
}

}  // namespace

ClickGenerator::ClickGenerator(const experiment::Generator& settings)
    : RowGenerator(checkedSettings(settings)),
      strength_(static_cast<int>(settings.contextStrength * 256 + 0.5)),
      part_((kClickSeconds << 32) / static_cast<std::uint64_t>(settings.events)),
      userScatter_(userScatter(settings)),
      itemScatter_(itemScatter(settings)),
      userRanks_(settings.users),
      itemRanks_(settings.items),
      sigmoid_(sigmoidTable()) {}

const std::vector<GeneratedColumn>& ClickGenerator::columns() const {
  static const std::vector<GeneratedColumn> columns{
      integerColumn("user", ParquetType::kUint32),
      integerColumn("item", ParquetType::kUint32),
      integerColumn("hour", ParquetType::kUint8),
      textColumn("device", kDevices),
      integerColumn("position", ParquetType::kUint8),
      listColumn("categories", ParquetType::kUint8),
      weightsColumn("category_weights"),
      listColumn("interests", ParquetType::kUint8),
      integerColumn("time", ParquetType::kInt64),
      integerColumn("click", ParquetType::kUint8),
      integerColumn("user_visits", ParquetType::kUint8),
      integerColumn("item_views", ParquetType::kUint16),
      integerColumn("price", ParquetType::kUint8),
      integerColumn("session_clicks", ParquetType::kUint8),
      integerColumn("like", ParquetType::kUint8)};
  return columns;
}

Clicker ClickGenerator::clicker(std::int64_t user) const {
  const auto words = generatorRandom(settings().seed, GeneratorStream::kClicker)
                         .words(static_cast<std::uint64_t>(user));
  const std::uint32_t first = words[1] % kCategories;
  const std::uint32_t second = (first + 1 + words[2] % (kCategories - 1)) % kCategories;
  return {triangular(words[0]),
          countOf(words[3] % kSizes, words[3] >> 8),
          {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second)}};
}

ClickItem ClickGenerator::clickItem(std::int64_t item) const {
  const auto words = generatorRandom(settings().seed, GeneratorStream::kClickItem)
                         .words(static_cast<std::uint64_t>(item));
  // Steps of less than a third of the circle never meet again.
  const std::uint32_t first = words[1] % kCategories;
  const std::uint32_t second = first + 1 + words[2] % (kCategories / 3);
  const std::uint32_t third = second + 1 + (words[2] >> 16) % (kCategories / 3);
  const auto counts = generatorRandom(settings().seed, GeneratorStream::kClickCounts)
                          .words(static_cast<std::uint64_t>(item));
  return {triangular(words[0]),
          countOf(counts[0] % kViewSizes, counts[1]),
          countOf(counts[2] % kSizes, counts[3]),
          static_cast<int>(1 + words[3] % 3),
          {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second % kCategories),
           static_cast<std::uint8_t>(third % kCategories)}};
}

int ClickGenerator::logit16(const Impression& impression) const {
  const auto& [clicker, item] = std::tie(impression.clicker, impression.shown);
  const int counts = kVisits * (clicker.visits.size - kMiddleVisits) +
                     kViews * (item.views.size - kMiddleViews) +
                     kPrice * (item.price.size - kMiddlePrice) +
                     kSession * (impression.session.size - kMiddleSession);
  const auto device = static_cast<std::size_t>(impression.device);
  const auto hour = static_cast<std::size_t>(impression.hour);
  const std::size_t category = item.categories[0];
  const int context = kHour[hour] + kDevice[device] + kDeviceCross[device][category % 3] +
                      kQuarterCross[hour / 6][category % 4];
  return kBias + clicker.bias + item.bias + interestOf(clicker, item) + counts +
         kPosition[static_cast<std::size_t>(impression.position - 1)] + context * strength_ / 128;
}

// Share of a logit, of 2³².
std::uint32_t ClickGenerator::shareOf(int logit16) const {
  const int logit = std::clamp(logit16, -kLargestLogit, kLargestLogit);
  return sigmoid_[static_cast<std::size_t>(logit + kLargestLogit)];
}

std::uint32_t ClickGenerator::clickShare(const Impression& impression) const {
  return shareOf(logit16(impression));
}

// Share of the clicks that are likes.
std::uint32_t ClickGenerator::likeShare(const Impression& impression) const {
  const Clicker& clicker = impression.clicker;
  return shareOf(kLikeBias + clicker.bias + interestOf(clicker, impression.shown));
}

double ClickGenerator::clickProbability(const Impression& impression) const {
  return clickShare(impression) * 0x1p-32;
}

double ClickGenerator::likeProbability(const Impression& impression) const {
  return clickProbability(impression) * (likeShare(impression) * 0x1p-32);
}

Impression ClickGenerator::impression(std::int64_t index) const {
  if (index < 0 || index >= rows())
    throw InvalidArgument(
        fmt::format("[ClickGenerator] impression {}; there are {}", index, rows()));
  const auto at = static_cast<std::uint64_t>(index);
  const Random random = generatorRandom(settings().seed, GeneratorStream::kImpression);
  const auto pair = random.words(2 * at);
  const auto rest = random.words(2 * at + 1);
  Impression made;
  made.user = 1 + userScatter_.of(userRanks_.draw(pair[0], pair[1]));
  made.item = 1 + itemScatter_.of(itemRanks_.draw(pair[2], pair[3]));
  made.clicker = clicker(made.user);
  made.shown = clickItem(made.item);
  // One impression in each of equal parts of the time.
  const auto second = static_cast<std::int64_t>(
      (at * part_ + static_cast<std::uint64_t>(Wide{rest[0]} * part_ >> 32)) >> 32);
  made.time = kFirstClickSecond + second;
  made.hour = static_cast<int>(second / 3'600 % 24);
  const std::uint32_t device = rest[1] & 255;
  made.device = device < kFirstTablet ? 0 : device < kFirstDesktop ? 1 : 2;
  made.position = static_cast<int>(1 + ((rest[1] >> 8 & 0xFFFF) * 10 >> 16));
  const int halves = std::countr_zero(rest[1] >> 24 | 1u << (kSizes - 1));
  // The lowest bits of a word that is compared with a share decide next to nothing there.
  made.session = countOf(static_cast<std::uint32_t>(halves), rest[3] & 0xFF);
  made.click = rest[2] < clickShare(made);
  made.like = made.click && rest[3] < likeShare(made);
  return made;
}

void ClickGenerator::fill(std::int64_t first, std::int64_t count,
                          std::span<ColumnValues* const> targets) const {
  const auto integers = [&](std::size_t column) { return appendIntegers(targets[column], count); };
  std::int64_t* const users = integers(0);
  std::int64_t* const items = integers(1);
  std::int64_t* const hours = integers(2);
  std::int64_t* const positions = integers(4);
  std::int64_t* const times = integers(8);
  std::int64_t* const clicks = integers(9);
  std::int64_t* const visits = integers(10);
  std::int64_t* const views = integers(11);
  std::int64_t* const prices = integers(12);
  std::int64_t* const sessions = integers(13);
  std::int64_t* const likes = integers(14);
  for (std::int64_t i = 0; i < count; ++i) {
    const Impression made = impression(first + i);
    if (users) users[i] = made.user;
    if (items) items[i] = made.item;
    if (hours) hours[i] = made.hour;
    if (targets[3]) targets[3]->texts.push_back(kDevices[static_cast<std::size_t>(made.device)]);
    if (positions) positions[i] = made.position;
    appendList(
        targets[5],
        std::span(made.shown.categories).first(static_cast<std::size_t>(made.shown.categoryCount)));
    appendWeights(targets[6], made.shown.categoryCount);
    appendList(targets[7], made.clicker.interests);
    if (times) times[i] = made.time;
    if (clicks) clicks[i] = made.click;
    if (visits) visits[i] = made.clicker.visits.value;
    if (views) views[i] = made.shown.views.value;
    if (prices) prices[i] = made.shown.price.value;
    if (sessions) sessions[i] = made.session.value;
    if (likes) likes[i] = made.like;
  }
}

std::string ClickGenerator::line(std::int64_t row) const {
  return csvLine(*this, row);
}

}  // namespace parapet::data
