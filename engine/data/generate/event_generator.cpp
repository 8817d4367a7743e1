// SPDX-License-Identifier: Apache-2.0
#include "engine/data/generate/event_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "engine/data/generate/power_law.h"
#include "engine/data/generate/row_writer.h"

namespace parapet::data {
namespace {

/// How time that is even over the day becomes that of people, who do more in the evening than at
/// night: 96 equal slots, quarters of an hour of the even day, are dealt out to the 24 hours.
struct DayCurve {
  /// Slots by hour. The last hours get less than their part, so that what is even up to an evening
  /// stays before that evening.
  static constexpr std::array<std::uint32_t, 24> kSlots{2, 1, 1, 1, 1, 2, 3, 4, 5, 5, 4, 4,
                                                        4, 5, 5, 5, 5, 6, 7, 7, 7, 6, 3, 3};
  static constexpr std::uint32_t kSlotsADay = 96;
  static constexpr std::uint32_t kSlotSeconds = 86'400 / kSlotsADay;

  struct Slot {
    std::uint8_t hour;
    std::uint8_t before;  ///< slots of the hour before this one
  };
  static constexpr std::array<Slot, kSlotsADay> kSlotOrder = [] {
    std::array<Slot, kSlotsADay> order{};
    std::size_t at = 0;
    for (std::uint8_t hour = 0; hour < kSlots.size(); ++hour)
      for (std::uint8_t k = 0; k < kSlots[hour]; ++k) order[at++] = {hour, k};
    return order;
  }();
};

/// Seconds from a midnight, even over the day, as those of people. Keeps the order and the day.
inline std::int64_t peopledTime(std::int64_t second) {
  const std::int64_t day = second / 86'400;
  const auto ofDay = static_cast<std::uint32_t>(second % 86'400);
  const DayCurve::Slot slot = DayCurve::kSlotOrder[ofDay / DayCurve::kSlotSeconds];
  const std::uint32_t ofHour =
      slot.before * DayCurve::kSlotSeconds + ofDay % DayCurve::kSlotSeconds;
  return day * 86'400 + slot.hour * 3'600 + ofHour * 4 / DayCurve::kSlots[slot.hour];
}

/// Share of the time of people that is in a quarter of the day, 0 to 3 from midnight.
inline double dayQuarterShare(int quarter) {
  std::uint32_t slots = 0;
  for (int hour = 6 * quarter; hour < 6 * quarter + 6; ++hour)
    slots += DayCurve::kSlots[static_cast<std::size_t>(hour)];
  return slots / static_cast<double>(DayCurve::kSlotsADay);
}

__extension__ using Wide = unsigned __int128;

constexpr std::int64_t kUidStep = 100;
constexpr std::int64_t kItemIdStep = 10;
constexpr std::int64_t kBin = 5;  // seconds

// Shares of the genres of a taste, of 256, from the one where it begins and round the circle.
constexpr std::array<std::uint32_t, EventGenerator::kGenres> kShares{120, 40, 20, 14, 10, 8, 7, 6,
                                                                     5,   5,  4,  4,  4,  3, 3, 3};
constexpr auto kOffsetOfShare = [] {
  std::array<std::uint8_t, 256> offsets{};
  std::size_t at = 0;
  for (std::uint8_t offset = 0; offset < kShares.size(); ++offset)
    for (std::uint32_t k = 0; k < kShares[offset]; ++k) offsets[at++] = offset;
  return offsets;
}();

// Tracks behind the one before, and how often each follows, of 256.
constexpr std::array<std::int64_t, 4> kFollowers{1, 2, 3, 5};
constexpr std::array<std::uint32_t, 4> kFollowShares{128, 64, 40, 24};

std::int64_t followerOf(std::int64_t item, std::uint32_t draw8, std::int64_t items) {
  std::size_t which = 0;
  while (draw8 >= kFollowShares[which]) draw8 -= kFollowShares[which++];
  return (item + kFollowers[which]) % items;
}

// The genre where the taste of a context begins.
std::uint32_t genreOfContext(int context) {
  return 2 * static_cast<std::uint32_t>(context);
}

std::uint32_t shareFrom(std::uint32_t begin, int genre) {
  return kShares[(static_cast<std::uint32_t>(genre) - begin) % EventGenerator::kGenres];
}

// Share of plays to the end, of 65,536, by the share of the genre, of 65,536 too.
std::uint32_t finishShare(std::uint32_t level) {
  return 17'000 + level * 5 / 4;
}

// One of sixteen that are played to the end is played on, up to 140 %.
int ratioOf(bool finished, std::uint32_t draw16) {
  if (!finished) return static_cast<int>(draw16 * 100 >> 16);
  return draw16 >> 12 == 0 ? static_cast<int>(101 + ((draw16 & 0xFFF) * 40 >> 12)) : 100;
}
constexpr double kMeanFinished = (15 * 100 + 120.5) / 16;
constexpr double kMeanUnfinished = 49.5;

// The event that answers another; a listen to at least half of a track is liked.
EventType answerTo(EventType before, int playedRatio) {
  switch (before) {
    case EventType::kListen:
      return playedRatio >= 50 ? EventType::kLike : EventType::kDislike;
    case EventType::kLike:
      return EventType::kUnlike;
    case EventType::kDislike:
      return EventType::kUndislike;
    case EventType::kUnlike:
      return EventType::kLike;
    case EventType::kUndislike:
      return EventType::kDislike;
  }
  return EventType::kListen;
}

int trackSecondsOf(std::int64_t item) {
  return 90 + static_cast<int>(
                  (static_cast<std::uint64_t>(item) * 0x9E3779B97F4A7C15ull >> 32) * 241 >> 32);
}

// Users weigh a power law that is flat for the first five hundredth of them: the most active has
// about eighty times the mean.
std::vector<std::int64_t> allot(const experiment::Generator& settings, const Scatter& rankOfUser) {
  const auto weight = [&](std::int64_t user) {
    return 1'000'000'000'000u /
           static_cast<std::uint64_t>(rankOfUser.of(user) + 10 + settings.users / 500);
  };
  std::uint64_t total = 0;
  for (std::int64_t user = 0; user < settings.users; ++user) total += weight(user);
  const std::int64_t each = settings.events >= settings.users ? 1 : 0;
  const auto shared = static_cast<std::uint64_t>(settings.events - each * settings.users);
  std::vector<std::int64_t> first{0};
  first.reserve(static_cast<std::size_t>(settings.users) + 1);
  std::uint64_t before = 0;
  for (std::int64_t user = 0; user < settings.users; ++user) {
    before += weight(user);
    first.push_back(each * (user + 1) + static_cast<std::int64_t>(Wide{shared} * before / total));
  }
  return first;
}

constexpr std::array<std::string_view, 5> kTypeNames{"listen", "like", "dislike", "unlike",
                                                     "undislike"};

}  // namespace

EventGenerator::EventGenerator(const experiment::Generator& settings)
    : RowGenerator(checkedSettings(settings)),
      strength_(static_cast<std::uint32_t>(settings.contextStrength * 256 + 0.5)),
      order_(static_cast<std::uint32_t>(settings.orderStrength * 256 + 0.5)),
      firstEvent_(allot(settings, userScatter(settings))),
      itemScatter_(itemScatter(settings)),
      longShelf_((settings.items + kGenres - 1) / kGenres),
      shortShelf_(settings.items / kGenres) {}

const std::vector<GeneratedColumn>& EventGenerator::columns() const {
  static const std::vector<GeneratedColumn> columns = [] {
    GeneratedColumn ratio = integerColumn("played_ratio_pct", ParquetType::kUint16);
    ratio.mayBeMissing = true;
    return std::vector<GeneratedColumn>{
        integerColumn("uid", ParquetType::kUint32),
        integerColumn("item_id", ParquetType::kUint32),
        integerColumn("timestamp", ParquetType::kUint32),
        integerColumn("is_organic", ParquetType::kUint8),
        textColumn("event_type", kTypeNames),
        std::move(ratio),
        integerColumn("track_length_seconds", ParquetType::kUint32)};
  }();
  return columns;
}

std::int64_t EventGenerator::userOf(std::int64_t index) const {
  return std::upper_bound(firstEvent_.begin(), firstEvent_.end(), index) - firstEvent_.begin() - 1;
}

EventGenerator::Listener EventGenerator::listener(std::int64_t user) const {
  const auto words = generatorRandom(settings().seed, GeneratorStream::kListener)
                         .words(static_cast<std::uint64_t>(user));
  return {words[0] % kGenres, 64 + words[1] % 129};
}

const RankDraw& EventGenerator::shelf(int genre) const {
  return genre < settings().items % kGenres ? longShelf_ : shortShelf_;
}

// Share of the listener's listens in the context that are of the genre, of 65,536.
std::uint32_t EventGenerator::level(const Listener& listener, int context, int genre) const {
  return (256 - strength_) * shareFrom(listener.home, genre) +
         strength_ * shareFrom(genreOfContext(context), genre);
}

/// Makes the events of consecutive indices, one after the other.
class EventGenerator::Walk {
 public:
  Walk(const EventGenerator& events, std::int64_t index)
      : events_(events),
        random_(generatorRandom(events.settings().seed, GeneratorStream::kEvent)),
        user_(events.userOf(index)),
        index_(index) {
    enterUser();
    backToListen();
    while (events_.order_ > 0 && eventOfUser() % kSession != 0) {
      index_ -= eventOfUser() % kSession;
      backToListen();
    }
  }

  [[nodiscard]] std::int64_t index() const { return index_; }
  [[nodiscard]] const ListeningEvent& event() const { return event_; }

  /// Makes the event at index() and moves on.
  void make() {
    if (index_ == events_.firstEvent_[static_cast<std::size_t>(user_) + 1]) {
      while (index_ == events_.firstEvent_[static_cast<std::size_t>(user_) + 1]) ++user_;
      enterUser();
    }
    const auto words = random_.words(answerBlock());
    const auto second =
        static_cast<std::int64_t>((static_cast<std::uint64_t>(eventOfUser()) * part_ +
                                   static_cast<std::uint64_t>(Wide{words[3]} * part_ >> 32)) >>
                                  32);
    const std::int64_t time = peopledTime(second) / kBin * kBin;
    if (index_ > first_ && isAnswer(words)) {
      event_.type = answerTo(event_.type, listenedRatio_);
      event_.timestamp = std::min(time, event_.timestamp + kBin);
      event_.playedRatio = -1;
    } else {
      listen(time, words);
    }
    ++index_;
  }

 private:
  using Words = std::array<std::uint32_t, 4>;

  [[nodiscard]] std::uint64_t answerBlock() const {
    return 2 * static_cast<std::uint64_t>(index_) + 1;
  }
  static bool isAnswer(const Words& words) { return words[0] % 32 == 0; }
  [[nodiscard]] std::int64_t eventOfUser() const { return index_ - first_; }

  // An answer is about the listen before it.
  void backToListen() {
    while (index_ > first_ && isAnswer(random_.words(answerBlock()))) --index_;
  }

  void enterUser() {
    const auto at = static_cast<std::size_t>(user_);
    first_ = events_.firstEvent_[at];
    const auto count = static_cast<std::uint64_t>(events_.firstEvent_[at + 1] - first_);
    part_ = (static_cast<std::uint64_t>(kSeconds) << 32) / count;
    listener_ = events_.listener(user_);
    event_.uid = kUidStep * (user_ + 1);
    listened_ = -1;
  }

  // The listen before may have been in the session before.
  [[nodiscard]] bool follows(std::uint32_t draw8) const {
    return draw8 < events_.order_ && listened_ >= 0 &&
           (listenedAt_ - first_) / kSession == eventOfUser() / kSession;
  }

  void listen(std::int64_t time, const Words& words) {
    const Words pick = random_.words(2 * static_cast<std::uint64_t>(index_));
    event_.type = EventType::kListen;
    event_.timestamp = time;
    event_.organic = (pick[2] >> 16 & 255) < listener_.organicShare;
    const int context = contextOf(event_.organic, time);
    const std::uint32_t begin =
        (pick[2] & 255) < events_.strength_ ? genreOfContext(context) : listener_.home;
    auto genre = static_cast<int>((begin + kOffsetOfShare[pick[2] >> 8 & 255]) % kGenres);
    std::int64_t item = 0;
    if (follows(pick[3] & 255)) {
      item = followerOf(listened_, pick[3] >> 8 & 255, events_.settings().items);
      genre = static_cast<int>(events_.itemScatter_.rankOf(item) % kGenres);
    } else {
      const std::int64_t rank = events_.shelf(genre).draw(pick[0], pick[1]);
      item = events_.itemScatter_.of(rank * kGenres + genre);
    }
    listened_ = item;
    listenedAt_ = index_;
    event_.itemId = kItemIdStep * (item + 1);
    event_.trackSeconds = trackSecondsOf(item);
    const bool finished =
        (words[1] & 0xFFFF) < finishShare(events_.level(listener_, context, genre));
    event_.playedRatio = listenedRatio_ = ratioOf(finished, words[1] >> 16);
  }

  const EventGenerator& events_;
  const Random random_;
  std::int64_t user_;
  std::int64_t index_;
  std::int64_t first_ = 0;  // of the user
  std::uint64_t part_ = 0;  // seconds between his events, of 2⁻³²
  Listener listener_;
  ListeningEvent event_;
  int listenedRatio_ = 0;                        // of the last listen
  std::int64_t listened_ = -1, listenedAt_ = 0;  // its item and index; −1: the user has none yet
};

template <class Take>
void EventGenerator::walk(std::int64_t first, std::int64_t count, const Take& take) const {
  if (first < 0 || count < 0 || count > rows() - first)
    throw InvalidArgument(fmt::format("[EventGenerator] events {} to {}; there are {}", first,
                                      first + count, rows()));
  if (count == 0) return;
  Walk walk(*this, first);
  while (walk.index() < first) walk.make();
  for (std::int64_t i = 0; i < count; ++i) {
    walk.make();
    take(static_cast<std::size_t>(i), walk.event());
  }
}

ListeningEvent EventGenerator::event(std::int64_t index) const {
  ListeningEvent found;
  walk(index, 1, [&](std::size_t, const ListeningEvent& event) { found = event; });
  return found;
}

void EventGenerator::fill(std::int64_t first, std::int64_t count,
                          std::span<ColumnValues* const> targets) const {
  const auto integers = [&](std::size_t column) { return appendIntegers(targets[column], count); };
  std::int64_t* const uids = integers(0);
  std::int64_t* const items = integers(1);
  std::int64_t* const times = integers(2);
  std::int64_t* const organic = integers(3);
  std::int64_t* const ratios = integers(5);
  std::int64_t* const seconds = integers(6);
  ColumnValues* const types = targets[4];
  if (types) types->texts.reserve(types->texts.size() + static_cast<std::size_t>(count));
  walk(first, count, [&](std::size_t i, const ListeningEvent& event) {
    if (uids) uids[i] = event.uid;
    if (items) items[i] = event.itemId;
    if (times) times[i] = event.timestamp;
    if (organic) organic[i] = event.organic;
    if (types) types->texts.push_back(kTypeNames[static_cast<std::size_t>(event.type)]);
    if (ratios) {
      ratios[i] = std::max(event.playedRatio, 0);
      targets[5]->missing.push_back(event.playedRatio < 0);
    }
    if (seconds) seconds[i] = event.trackSeconds;
  });
}

int EventGenerator::contextOf(bool organic, std::int64_t timestamp) {
  return (organic ? 4 : 0) + static_cast<int>(timestamp % 86'400 / 21'600);
}

std::int64_t EventGenerator::userOfUid(std::int64_t uid) const {
  if (uid % kUidStep != 0 || uid < kUidStep || uid > kUidStep * settings().users)
    throw InvalidArgument(fmt::format("[EventGenerator] uid {}; there are 100, 200, … {}", uid,
                                      kUidStep * settings().users));
  return uid / kUidStep - 1;
}

std::int64_t EventGenerator::eventsOf(std::int64_t uid) const {
  const auto user = static_cast<std::size_t>(userOfUid(uid));
  return firstEvent_[user + 1] - firstEvent_[user];
}

double EventGenerator::contextShare(std::int64_t uid, int context) const {
  const double organic = listener(userOfUid(uid)).organicShare / 256.0;
  return (context >= 4 ? organic : 1 - organic) * dayQuarterShare(context % 4);
}

double EventGenerator::genreShare(std::int64_t uid, int context, int genre) const {
  return level(listener(userOfUid(uid)), context, genre) / 65'536.0;
}

std::int64_t EventGenerator::itemOfId(std::int64_t itemId) const {
  if (itemId % kItemIdStep != 0 || itemId < kItemIdStep || itemId > kItemIdStep * settings().items)
    throw InvalidArgument(fmt::format("[EventGenerator] item {}; there are 10, 20, … {}", itemId,
                                      kItemIdStep * settings().items));
  return itemId / kItemIdStep - 1;
}

int EventGenerator::genreOf(std::int64_t itemId) const {
  return static_cast<int>(itemScatter_.rankOf(itemOfId(itemId)) % kGenres);
}

double EventGenerator::followShare(std::int64_t before, std::int64_t itemId) const {
  const std::int64_t first = itemOfId(before), item = itemOfId(itemId);
  double share = 0.0;
  for (std::size_t which = 0; which < kFollowers.size(); ++which)
    if ((first + kFollowers[which]) % settings().items == item)
      share += kFollowShares[which] / 256.0;
  return share;
}

double EventGenerator::itemShare(int genre, std::int64_t rank) const {
  return shelf(genre).share(rank);
}

std::int64_t EventGenerator::itemsOf(int genre) const {
  return shelf(genre).count();
}

double EventGenerator::playProbability(std::int64_t uid, std::int64_t itemId, int context) const {
  const int genre = genreOf(itemId);
  const std::int64_t rank = itemScatter_.rankOf(itemId / kItemIdStep - 1) / kGenres;
  return genreShare(uid, context, genre) * itemShare(genre, rank);
}

double EventGenerator::expectedPlay(std::int64_t uid, std::int64_t itemId, int context) const {
  const double finished =
      finishShare(level(listener(userOfUid(uid)), context, genreOf(itemId))) / 65'536.0;
  return finished * kMeanFinished + (1 - finished) * kMeanUnfinished;
}

std::string EventGenerator::line(std::int64_t row) const {
  return csvLine(*this, row);
}

}  // namespace parapet::data
