// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/data/generate/make_generator.h"
#include "engine/data/generate/power_law.h"

namespace parapet::data {

enum class EventType : std::uint8_t { kListen, kLike, kDislike, kUnlike, kUndislike };

/// One generated listening event, shaped as in Yambda.
struct ListeningEvent {
  std::int64_t uid = 0;        ///< 100, 200, …: sparse
  std::int64_t itemId = 0;     ///< 10, 20, …: sparse
  std::int64_t timestamp = 0;  ///< seconds from 0, a multiple of 5
  bool organic = false;        ///< the user chose; else a recommender did
  EventType type = EventType::kListen;
  int playedRatio = -1;  ///< percent, may exceed 100; −1 unless a listen
  int trackSeconds = 0;
};

/// Listening events, sorted by (uid, timestamp). Columns: uid, item_id, timestamp, is_organic,
/// event_type, played_ratio_pct, track_length_seconds.
///
/// A user of n events has them in n equal parts of 26,000,000 seconds, one each, with more in the
/// evening than at night. The context of an event is whether it is organic and its quarter of the
/// day. Items are of one of 16 genres, and a listen picks the genre first: with probability
/// contextStrength from the taste of the context, which is the same for all users, else from the
/// taste of the user, which is the same in all contexts. Both are one list of shares, turned to
/// begin at a genre of theirs. Within the genre popularity decides, a power law. The better the
/// genre fits, the more often a track is played to its end.
///
/// With orderStrength a listen follows the one before it with that probability, instead of all this: it
/// is of the track 1, 2, 3 or 5 behind that one, counted around all tracks. The first of every
/// kSession events of a user follows nothing.
///
/// A like or dislike answers the event before it, if that is a listen, by whether half of the track
/// was played; an unlike or undislike takes the like or dislike just before it back.
class EventGenerator final : public RowGenerator {
 public:
  static constexpr int kGenres = 16;
  static constexpr int kContexts = 8;
  static constexpr std::int64_t kSeconds = 26'000'000;
  static constexpr std::int64_t kSession = 64;

  /// InvalidArgument for counts that checkGenerator refuses.
  explicit EventGenerator(const experiment::Generator& settings);

  [[nodiscard]] const std::vector<GeneratedColumn>& columns() const override;
  void fill(std::int64_t first, std::int64_t count,
            std::span<ColumnValues* const> targets) const override;
  [[nodiscard]] std::string line(std::int64_t row) const override;
  /// A pure function of (settings, index), index in [0, events).
  [[nodiscard]] ListeningEvent event(std::int64_t index) const;

  /// 0 to 7: four quarters of the day, from midnight, for each of algorithmic and organic.
  static int contextOf(bool organic, std::int64_t timestamp);
  /// Events of a user.
  [[nodiscard]] std::int64_t eventsOf(std::int64_t uid) const;
  /// Probability that a listen of the user is in the context.
  [[nodiscard]] double contextShare(std::int64_t uid, int context) const;
  /// Probability that a listen of the user in the context is of the genre.
  [[nodiscard]] double genreShare(std::int64_t uid, int context, int genre) const;
  [[nodiscard]] int genreOf(std::int64_t itemId) const;
  /// Probability that a listen of a genre is of its item of a rank, and how many ranks it has.
  [[nodiscard]] double itemShare(int genre, std::int64_t rank) const;
  [[nodiscard]] std::int64_t itemsOf(int genre) const;
  /// Probability that a listen of the user in the context is of the item: what a retrieval model
  /// can know at best.
  [[nodiscard]] double playProbability(std::int64_t uid, std::int64_t itemId, int context) const;
  /// Probability that a listen which follows one of `before` is of the item: what the order tells.
  [[nodiscard]] double followShare(std::int64_t before, std::int64_t itemId) const;
  /// Mean played ratio of such a listen, percent: what a ranking model can know at best.
  [[nodiscard]] double expectedPlay(std::int64_t uid, std::int64_t itemId, int context) const;

 private:
  struct Listener {
    std::uint32_t home = 0;          // genre where his taste begins
    std::uint32_t organicShare = 0;  // of 256
  };
  class Walk;

  [[nodiscard]] std::int64_t userOf(std::int64_t index) const;
  [[nodiscard]] std::int64_t userOfUid(std::int64_t uid) const;
  [[nodiscard]] std::int64_t itemOfId(std::int64_t itemId) const;
  [[nodiscard]] Listener listener(std::int64_t user) const;
  [[nodiscard]] std::uint32_t level(const Listener& listener, int context, int genre) const;
  [[nodiscard]] const RankDraw& shelf(int genre) const;
  template <class Take>
  void walk(std::int64_t first, std::int64_t count, const Take& take) const;

  std::uint32_t strength_, order_;        // of 256
  std::vector<std::int64_t> firstEvent_;  // by user, and the end
  Scatter itemScatter_;                   // popularity order → item
  RankDraw longShelf_, shortShelf_;       // genres have ⌈items/16⌉ or ⌊items/16⌋ items
};

}  // namespace parapet::data
