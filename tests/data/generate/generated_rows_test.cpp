// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <QTest>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <thread>

#include "engine/base/hash.h"
#include "engine/data/generate/click_generator.h"
#include "engine/data/generate/make_generator.h"
#include "engine/data/generate/movie_generator.h"
#include "engine/data/generate/row_writer.h"
#include "engine/data/ingest/sources/catalogue_table.h"
#include "engine/data/ingest/sources/source_kinds.h"
#include "engine/experiment/source_columns.h"
#include "tests/data/generate/event_oracle.h"

using namespace parapet;
using namespace parapet::data;
using experiment::GeneratorKind;
using Settings = experiment::Generator;

namespace {

Settings settingsOf(GeneratorKind kind, std::int64_t events) {
  Settings settings;
  settings.kind = kind;
  settings.items = 2'000;
  settings.events = events;
  return settings;
}

std::string fingerprint(const Settings& settings, std::int64_t rows) {
  const auto generator = makeGenerator(settings).value();
  Hasher hasher;
  for (std::int64_t row = 0; row < rows; ++row) hasher.update(csvLine(*generator, row) + "\n");
  return hasher.hex();
}

// Whether a count out of n draws with that probability is no further off than chance lets it be:
// five deviations, once in two million.
bool isLikely(double count, double n, double probability) {
  return std::abs(count - n * probability) <=
         5 * std::sqrt(n * probability * (1 - probability)) + 1;
}

bool sameColumns(const RowBlock& a, const RowBlock& b) {
  return a.rows == b.rows && std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(),
                                        b.columns.end(), [](const auto& x, const auto& y) {
                                          return x.integers == y.integers &&
                                                 x.numbers == y.numbers && x.texts == y.texts &&
                                                 x.missing == y.missing && x.offsets == y.offsets;
                                        });
}

experiment::Dataset specOf(const Settings& settings) {
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kGenerated;
  spec.generator = settings;
  return spec;
}

ColumnRequest request(std::string name, std::optional<ValueType> type = std::nullopt,
                      std::string separator = "", std::string weightSeparator = "") {
  return {std::move(name), type, std::move(separator), std::move(weightSeparator)};
}

std::vector<ColumnRequest> allOf(const Source& source) {
  std::vector<ColumnRequest> requests;
  for (const SourceColumn& column : source.columns()) requests.push_back(request(column.name));
  return requests;
}

}  // namespace

/// Clicks and events, and all kinds as a source.
class GeneratedRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // The document is checked against this list before there is a source.
  void columnsAreThoseThatDocumentsMayName() {
    using Type = experiment::SourceColumn::Type;
    for (const auto kind :
         {GeneratorKind::kMovies, GeneratorKind::kClicks, GeneratorKind::kEvents}) {
      const auto source = openSource(specOf(settingsOf(kind, 10)), makeGenerator).value();
      const auto known = experiment::generatedColumns(kind);
      QCOMPARE(source->columns().size(), known.size());
      for (const SourceColumn& column : source->columns()) {
        const experiment::SourceColumn* found = experiment::findColumn(known, column.name);
        QVERIFY2(found != nullptr, column.name.c_str());
        QVERIFY2((found->type == Type::kIntegers) == column.isList, column.name.c_str());
        QVERIFY2((found->type == Type::kText) == (column.type == ValueType::kText),
                 column.name.c_str());
      }
    }
    QCOMPARE(experiment::limitsOf({.kind = GeneratorKind::kEvents}).minItems,
             std::int64_t{EventGenerator::kGenres});
  }

  void rowsAreTheSameEverywhere_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("expected");
    QTest::newRow("movies") << int(GeneratorKind::kMovies) << "743b60773c0943bc1910495dd137d138";
    QTest::newRow("clicks") << int(GeneratorKind::kClicks) << "4325cf3f784b6747d08060b148e2297e";
    QTest::newRow("events") << int(GeneratorKind::kEvents) << "b531fff1a6fc81c94f88ae0b3644801f";
  }
  // For ever; a change needs a new generator version.
  void rowsAreTheSameEverywhere() {
    QFETCH(int, kind);
    QFETCH(QString, expected);
    Settings settings = settingsOf(GeneratorKind(kind), 100'000);
    QCOMPARE(QString::fromStdString(fingerprint(settings, 1'000)), expected);
    settings.seed = 8;
    QVERIFY(QString::fromStdString(fingerprint(settings, 1'000)) != expected);
  }

  void billionsOfEventsNeedNoMoreMemoryThanThousands() {
    Settings settings = settingsOf(GeneratorKind::kEvents, 4'000'000'000);
    settings.users = 1'000;
    const EventGenerator events(settings);
    std::int64_t all = 0;
    for (std::int64_t uid = 100; uid <= 100'000; uid += 100) all += events.eventsOf(uid);
    QCOMPARE(all, settings.events);
    QCOMPARE(events.event(0).uid, std::int64_t{100});
    QCOMPARE(events.event(settings.events - 1).uid, std::int64_t{100'000});
    QVERIFY(events.event(settings.events - 1).timestamp > EventGenerator::kSeconds - 86'400);
    QVERIFY_EXCEPTION_THROWN((void)events.event(settings.events), InvalidArgument);
    settings.kind = GeneratorKind::kClicks;
    QVERIFY(ClickGenerator(settings).impression(settings.events - 1).time >
            ClickGenerator(settings).impression(settings.events / 2).time);
  }

  void aRowIsTheSameAloneAndAmongOthers() {
    const EventGenerator events(settingsOf(GeneratorKind::kEvents, 20'000));
    const RowBlock all = generateBlock(events, 0, 20'000);
    for (std::int64_t row = 0; row < 20'000; row += 7) {
      const ListeningEvent event = events.event(row);
      const auto at = static_cast<std::size_t>(row);
      QCOMPARE(all.columns[0].integers[at], event.uid);
      QCOMPARE(all.columns[1].integers[at], event.itemId);
      QCOMPARE(all.columns[2].integers[at], event.timestamp);
      QCOMPARE(bool(all.columns[5].missing[at]), event.type != EventType::kListen);
    }
  }

  void eventsAreSortedByUserAndTime() {
    const EventGenerator events(settingsOf(GeneratorKind::kEvents, 200'000));
    const RowBlock rows = generateBlock(events, 0, 200'000);
    std::map<std::int64_t, std::int64_t> counts;
    for (std::size_t row = 0; row < 200'000; ++row) {
      const std::int64_t uid = rows.columns[0].integers[row];
      const std::int64_t time = rows.columns[2].integers[row];
      ++counts[uid];
      QVERIFY(time >= 0 && time < EventGenerator::kSeconds && time % 5 == 0);
      if (row == 0) continue;
      const std::int64_t before = rows.columns[0].integers[row - 1];
      QVERIFY(uid > before || (uid == before && time >= rows.columns[2].integers[row - 1]));
    }
    QCOMPARE(counts.size(), std::size_t{400});
    std::int64_t most = 0;
    for (const auto& [uid, count] : counts) {
      QCOMPARE(count, events.eventsOf(uid));
      most = std::max(most, count);
    }
    QVERIFY(most > 10 * 200'000 / 400);  // activity is a power law
  }

  // A like or dislike is about the listen before it; what is taken back was there.
  void answersFollowWhatTheyAnswer() {
    const EventGenerator events(settingsOf(GeneratorKind::kEvents, 200'000));
    std::map<EventType, int> counts;
    ListeningEvent before;
    int playedRatio = 0;
    for (std::int64_t row = 0; row < 200'000; ++row) {
      const ListeningEvent event = events.event(row);
      ++counts[event.type];
      if (event.type == EventType::kListen) {
        QVERIFY(event.playedRatio >= 0 && event.playedRatio <= 140);
        playedRatio = event.playedRatio;
      } else {
        QCOMPARE(event.uid, before.uid);
        QCOMPARE(event.itemId, before.itemId);
        QCOMPARE(event.playedRatio, -1);
        switch (before.type) {
          case EventType::kListen:
            QVERIFY(event.type == (playedRatio >= 50 ? EventType::kLike : EventType::kDislike));
            break;
          case EventType::kLike:
            QVERIFY(event.type == EventType::kUnlike);
            break;
          case EventType::kDislike:
            QVERIFY(event.type == EventType::kUndislike);
            break;
          case EventType::kUnlike:
            QVERIFY(event.type == EventType::kLike);
            break;
          case EventType::kUndislike:
            QVERIFY(event.type == EventType::kDislike);
            break;
        }
      }
      before = event;
    }
    QCOMPARE(counts.size(), std::size_t{5});
    QVERIFY(isLikely(200'000 - counts[EventType::kListen], 200'000 - 400, 1 / 32.0));
  }

  // Listens per context and genre, and how long they last, against the closed form, for each user
  // together: sums of independent draws.
  void theOracleTellsWhatIsPlayed() {
    const EventGenerator events(settingsOf(GeneratorKind::kEvents, 400'000));
    constexpr int kGenres = EventGenerator::kGenres, kContexts = EventGenerator::kContexts;
    std::vector<double> seen(kContexts * kGenres), expected(kContexts * kGenres);
    std::map<std::int64_t, double> listensOf;
    double listens = 0, played = 0, expectedPlayed = 0, popular = 0, expectedPopular = 0;
    for (std::int64_t row = 0; row < 400'000; ++row) {
      const ListeningEvent event = events.event(row);
      if (event.type != EventType::kListen) continue;
      const int context = EventGenerator::contextOf(event.organic, event.timestamp);
      ++seen[static_cast<std::size_t>(context * kGenres + events.genreOf(event.itemId))];
      for (int genre = 0; genre < kGenres; ++genre)
        expected[static_cast<std::size_t>(context * kGenres + genre)] +=
            events.genreShare(event.uid, context, genre);
      ++listens;
      ++listensOf[event.uid];
      played += event.playedRatio;
      expectedPlayed += events.expectedPlay(event.uid, event.itemId, context);
      popular += event.itemId == 10;
      expectedPopular += events.playProbability(event.uid, 10, context);
    }
    for (std::size_t cell = 0; cell < seen.size(); ++cell)
      QVERIFY2(isLikely(seen[cell], listens, expected[cell] / listens),
               fmt::format("context {} genre {}: {} for {}", cell / kGenres, cell % kGenres,
                           seen[cell], expected[cell])
                   .c_str());
    QVERIFY(isLikely(popular, listens, expectedPopular / listens));
    // A played ratio deviates by less than 40.
    QVERIFY(std::abs(played - expectedPlayed) < 5 * 40 * std::sqrt(listens));
    std::vector<double> contexts(kContexts), expectedContexts(kContexts);
    for (std::size_t context = 0; context < kContexts; ++context) {
      contexts[context] = std::accumulate(seen.begin() + long(context * kGenres),
                                          seen.begin() + long((context + 1) * kGenres), 0.0);
      for (const auto& [uid, count] : listensOf)
        expectedContexts[context] += count * events.contextShare(uid, int(context));
      // The broken last day is one in 300.
      QVERIFY(std::abs(contexts[context] / expectedContexts[context] - 1) < 0.03);
    }
  }

  void probabilitiesOfItemsSumToOne() {
    Settings settings = settingsOf(GeneratorKind::kEvents, 1'000);
    settings.items = 37;
    const EventGenerator events(settings);
    for (int context = 0; context < EventGenerator::kContexts; ++context) {
      double sum = 0;
      for (std::int64_t item = 10; item <= 370; item += 10)
        sum += events.playProbability(4'000, item, context);
      QVERIFY(std::abs(sum - 1) < 1e-12);
    }
    QVERIFY_EXCEPTION_THROWN((void)events.genreOf(371), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN((void)events.eventsOf(40'100), InvalidArgument);
  }

  // A model that knows the context can have more by the stated amount, and a ranking by the oracle
  // has it.
  void theContextIsWorthWhatTheOracleSays() {
    Settings settings = settingsOf(GeneratorKind::kEvents, 100'000);
    constexpr std::int64_t kTop = 10;
    double gainBefore = -1;
    for (const double strength : {0.0, 0.5, 1.0}) {
      settings.contextStrength = strength;
      const EventGenerator events(settings);
      const EventOracle oracle(events);
      double with = 0, without = 0;
      for (std::int64_t uid = 100; uid <= 40'000; uid += 100) {
        const auto weight = static_cast<double>(events.eventsOf(uid)) / 100'000;
        with += weight * oracle.hitRateInContext(uid, kTop);
        without += weight * oracle.hitRateWithoutContext(uid, kTop);
      }
      if (strength == 0.0) QVERIFY(std::abs(with - without) < 1e-12);
      QVERIFY(with - without > gainBefore);
      gainBefore = with - without;
      if (strength != 0.5) continue;
      QVERIFY(with > 1.1 * without);
      QVERIFY(isLikely(hitsOfTheOracle(events, kTop), listens(events), with));
    }
  }

  void listensFollowTheOneBefore() {
    Settings settings = settingsOf(GeneratorKind::kEvents, 20'000);
    settings.orderStrength = 0.75;
    const EventGenerator events(settings);
    double hits = 0, expected = 0, variance = 0, nearest = 0;
    ListeningEvent before;
    std::int64_t session = -1;
    std::map<std::int64_t, std::int64_t> index;  // of the next event, by user
    for (std::int64_t row = 0; row < events.rows(); ++row) {
      const ListeningEvent event = events.event(row);
      const std::int64_t sessionNow = index[event.uid]++ / EventGenerator::kSession;
      if (event.type != EventType::kListen) continue;
      if (before.uid == event.uid && session == sessionNow) {
        double p = 0;
        for (std::int64_t behind = 1; behind <= 5; ++behind) {
          const std::int64_t item = (before.itemId / 10 - 1 + behind) % settings.items * 10 + 10;
          if (events.followShare(before.itemId, item) > 0)
            p += events.playProbability(event.uid, item,
                                        EventGenerator::contextOf(event.organic, event.timestamp));
        }
        p = 0.75 + 0.25 * p;
        const double share = events.followShare(before.itemId, event.itemId);
        hits += share > 0;
        nearest += share == 0.5;
        expected += p;
        variance += p * (1 - p);
      }
      before = event;
      session = sessionNow;
    }
    QVERIFY(std::abs(hits - expected) <= 5 * std::sqrt(variance) + 1);
    QVERIFY(isLikely(nearest, hits, 0.5));
    QCOMPARE(events.followShare(10 * settings.items, 10), 0.5);  // around the circle
    settings.orderStrength = 1.5;
    QVERIFY_EXCEPTION_THROWN(EventGenerator{settings}, InvalidArgument);
  }

  // A user's likeliest items by playProbability, context by context, against his listens.
  static double hitsOfTheOracle(const EventGenerator& events, std::int64_t top) {
    std::map<std::pair<std::int64_t, int>, std::vector<std::int64_t>> lists;
    double hits = 0;
    for (std::int64_t row = 0; row < events.rows(); row += 10) {
      const ListeningEvent event = events.event(row);
      if (event.type != EventType::kListen) continue;
      const int context = EventGenerator::contextOf(event.organic, event.timestamp);
      auto& list = lists[{event.uid, context}];
      if (list.empty()) {
        std::vector<std::pair<double, std::int64_t>> items;
        for (std::int64_t item = 10; item <= 10 * events.settings().items; item += 10)
          items.emplace_back(-events.playProbability(event.uid, item, context), item);
        std::partial_sort(items.begin(), items.begin() + top, items.end());
        for (std::int64_t k = 0; k < top; ++k) list.push_back(items[std::size_t(k)].second);
      }
      hits += std::ranges::find(list, event.itemId) != list.end();
    }
    return hits;
  }
  static double listens(const EventGenerator& events) {
    double count = 0;
    for (std::int64_t row = 0; row < events.rows(); row += 10)
      count += events.event(row).type == EventType::kListen;
    return count;
  }

  void clicksFollowTheirModel() {
    const ClickGenerator clicks(settingsOf(GeneratorKind::kClicks, 300'000));
    std::map<int, std::pair<double, double>> byLogit;  // impressions, clicks
    std::map<int, double> positions, visits, sessions;
    double mean = 0, clicked = 0, oracle = 0, likely = 0, liked = 0;
    std::int64_t before = 0;
    for (std::int64_t row = 0; row < 300'000; ++row) {
      const Impression made = clicks.impression(row);
      const double probability = clicks.clickProbability(made);
      QVERIFY(std::abs(probability - 1 / (1 + std::exp(-clicks.logit16(made) / 16.0))) < 1e-9);
      auto& [impressions, hits] = byLogit[clicks.logit16(made)];
      ++impressions;
      hits += made.click;
      mean += probability;
      clicked += made.click;
      oracle -= std::log(made.click ? probability : 1 - probability);
      ++positions[made.position];
      ++visits[made.clicker.visits.size];
      ++sessions[made.session.size];
      likely += clicks.likeProbability(made);
      liked += made.like;
      QVERIFY(made.click || !made.like);
      for (const SkewedCount& count :
           {made.session, made.clicker.visits, made.shown.views, made.shown.price})
        QCOMPARE(count.size, int(std::bit_width(std::uint64_t(count.value) + 1)) - 1);
      QVERIFY(made.time >= before);
      QCOMPARE(made.hour, int(made.time / 3'600 % 24));
      before = made.time;
    }
    QVERIFY(isLikely(clicked, 300'000, mean / 300'000));
    for (const auto& [logit, counts] : byLogit)
      QVERIFY2(isLikely(counts.second, counts.first, 1 / (1 + std::exp(-logit / 16.0))),
               fmt::format("logit {}/16: {} of {}", logit, counts.second, counts.first).c_str());
    QVERIFY(isLikely(liked, 300'000, likely / 300'000));
    QVERIFY(liked > 0.2 * clicked && liked < 0.8 * clicked);
    QCOMPARE(visits.size(), std::size_t{8});
    for (const auto& [size, count] : sessions)
      QVERIFY(isLikely(count, 300'000, std::pow(0.5, std::min(size + 1, 7))));
    QCOMPARE(positions.size(), std::size_t{10});
    for (const auto& [position, count] : positions) QVERIFY(isLikely(count, 300'000, 0.1));
    const double rate = clicked / 300'000;
    const double constant = -(rate * std::log(rate) + (1 - rate) * std::log(1 - rate));
    // There is something to learn.
    QVERIFY2(oracle / 300'000 < 0.85 * constant,
             fmt::format("{} for {}", oracle / 300'000, constant).c_str());
  }

  // Each size of a count moves the logit by the same amount, whatever else the row holds.
  void countsOfClicksCarrySignal() {
    const ClickGenerator clicks(settingsOf(GeneratorKind::kClicks, 1'000));
    Impression made = clicks.impression(5);
    const auto slope = [&](SkewedCount& count) {
      count.size = 0;
      const int at0 = clicks.logit16(made);
      count.size = 5;
      return (clicks.logit16(made) - at0) / 5;
    };
    QCOMPARE(slope(made.clicker.visits), 2);
    QCOMPARE(slope(made.shown.views), 1);
    QCOMPARE(slope(made.shown.price), -2);
    QCOMPARE(slope(made.session), 4);
  }

  void withoutStrengthTheContextOfAClickSaysNothing() {
    Settings settings = settingsOf(GeneratorKind::kClicks, 1'000);
    settings.contextStrength = 0;
    const ClickGenerator clicks(settings);
    Impression made = clicks.impression(5);
    const int logit = clicks.logit16(made);
    for (made.hour = 0; made.hour < 24; ++made.hour)
      for (made.device = 0; made.device < 3; ++made.device) QCOMPARE(clicks.logit16(made), logit);
  }

  void listsAreSmallAndDifferent() {
    const ClickGenerator clicks(settingsOf(GeneratorKind::kClicks, 10'000));
    for (std::int64_t row = 0; row < 10'000; ++row) {
      const Impression made = clicks.impression(row);
      const auto& [a, b, c] = made.shown.categories;
      QVERIFY(made.shown.categoryCount >= 1 && made.shown.categoryCount <= 3);
      QVERIFY(a != b && b != c && a != c);
      QVERIFY(std::max({a, b, c}) < ClickGenerator::kCategories);
      QVERIFY(made.clicker.interests[0] != made.clicker.interests[1]);
    }
  }

  void permutationsAreUndone_data() {
    QTest::addColumn<qint64>("count");
    for (const qint64 count : {1, 2, 3, 16, 999, 1'000, 1'024, 65'537, 2'147'483'647})
      QTest::addRow("%lld", static_cast<long long>(count)) << count;
  }
  void permutationsAreUndone() {
    QFETCH(qint64, count);
    const Scatter scatter(count, 0x9E3779B97F4A7C15ull);
    std::vector<bool> seen(static_cast<std::size_t>(std::min<qint64>(count, 100'000)));
    for (std::int64_t rank = 0; rank < std::int64_t(seen.size()); ++rank) {
      const std::int64_t place = scatter.of(rank);
      QVERIFY(place >= 0 && place < count);
      QCOMPARE(scatter.rankOf(place), rank);
    }
    QCOMPARE(scatter.rankOf(scatter.of(count - 1)), std::int64_t{count - 1});
  }

  void ranksAreDrawnByWeight() {
    for (const std::int64_t count : {1, 2, 7, 1'000}) {
      const RankDraw ranks(count);
      std::vector<double> seen(static_cast<std::size_t>(count));
      // A grid of words instead of draws: exact to the size of its cells.
      constexpr std::uint32_t kGrid = 2'000;
      for (std::uint32_t place = 0; place < kGrid; ++place)
        for (std::uint32_t coin = 0; coin < kGrid; ++coin)
          ++seen[std::size_t(
              ranks.draw(place * (0xFFFFFFFFu / kGrid), coin * (0xFFFFFFFFu / kGrid)))];
      double sum = 0;
      for (std::int64_t rank = 0; rank < count; ++rank) {
        sum += ranks.share(rank);
        QVERIFY(std::abs(seen[std::size_t(rank)] / kGrid / kGrid - ranks.share(rank)) < 2e-3);
      }
      QVERIFY(std::abs(sum - 1) < 1e-12);
    }
  }

  void parsingInParallelGivesTheSameBlocks_data() { kinds(); }
  void parsingInParallelGivesTheSameBlocks() {
    QFETCH(int, kind);
    const Settings settings = settingsOf(GeneratorKind(kind), 200'000);
    auto source = openGeneratedSource(specOf(settings), makeGenerator).value();
    QVERIFY(source->select(allOf(*source)).ok());
    std::vector<Source::Piece> pieces;
    for (Source::Piece piece; source->next(piece).value();) pieces.push_back(piece);
    QCOMPARE(source->done(), source->total());
    std::vector<RowBlock> parallel(pieces.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
          for (std::size_t k = pieces.size(); k-- > 0;)
            if (k % 3 == t) (void)source->parse(pieces[k], parallel[k]);
        });
    }
    std::int64_t rows = 0;
    RowBlock serial;  // used again
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      QVERIFY(source->parse(pieces[k], serial).ok());
      QVERIFY(sameColumns(serial, parallel[k]));
      QCOMPARE(pieces[k].first, rows);
      rows += serial.rows;
    }
    QCOMPARE(rows, std::int64_t{200'000});
  }

  void aColumnComesInTheTypeThatIsAskedFor() {
    auto source =
        openGeneratedSource(specOf(settingsOf(GeneratorKind::kClicks, 1'000)), makeGenerator)
            .value();
    const std::vector<ColumnRequest> requests{
        request("click", ValueType::kNumber), request("user", ValueType::kText),
        request("categories", {}, "|", ":"), request("interests", {}, "|", ":"), request("user")};
    QVERIFY(source->select(requests).ok());
    Source::Piece piece;
    QVERIFY(source->next(piece).value());
    RowBlock block;
    QVERIFY(source->parse(piece, block).ok());
    QCOMPARE(block.columns.size(), std::size_t{7});
    const ClickGenerator clicks(settingsOf(GeneratorKind::kClicks, 1'000));
    for (std::size_t row = 0; row < 1'000; ++row) {
      const Impression made = clicks.impression(std::int64_t(row));
      QCOMPARE(block.columns[0].numbers[row], made.click ? 1.0 : 0.0);
      QCOMPARE(std::string(block.columns[1].texts[row]), std::to_string(made.user));
      const auto first = std::size_t(block.columns[2].offsets[row]);
      QCOMPARE(block.columns[2].offsets[row + 1] - block.columns[2].offsets[row],
               made.shown.categoryCount);
      QCOMPARE(block.columns[2].integers[first], std::int64_t{made.shown.categories[0]});
      QCOMPARE(block.columns[3].numbers[first], 1.0);
      QCOMPARE(block.columns[6].integers[row], made.user);
    }
    QVERIFY(block.columns[3].offsets == block.columns[2].offsets);
    QVERIFY(std::ranges::count(block.columns[5].numbers, 1.0) == 2'000);
    QVERIFY(source->excerpt(piece, 3).find(',') != std::string::npos);
  }

  void refusesColumnsThatItHasNot() {
    const auto refused = [](ColumnRequest wanted) {
      auto source =
          openGeneratedSource(specOf(settingsOf(GeneratorKind::kClicks, 10)), makeGenerator)
              .value();
      const std::vector<ColumnRequest> requests{std::move(wanted)};
      const Status status = source->select(requests);
      return status ? std::string() : status.error().message;
    };
    QVERIFY(refused(request("users")).find("did you mean \"user\"?") != std::string::npos);
    QVERIFY(!refused(request("category_weights")).empty());
    QVERIFY(!refused(request("device", ValueType::kInteger)).empty());
    QVERIFY(!refused(request("user", {}, "|")).empty());
  }

  void catalogues() {
    auto movies =
        openSource(specOf(settingsOf(GeneratorKind::kMovies, 100)), makeGenerator).value();
    QVERIFY(movies->readCatalogues(CatalogueExtent::kAll, {}).ok());
    QCOMPARE(movies->catalogue("user")->size(), std::int64_t{400});
    QCOMPARE(movies->catalogue("item")->size(), std::int64_t{2'000});
    QCOMPARE(movies->catalogue("item")->id(0), std::string("1"));
    auto events =
        openSource(specOf(settingsOf(GeneratorKind::kEvents, 100)), makeGenerator).value();
    QVERIFY(events->readCatalogues(CatalogueExtent::kAll, {}).ok());
    QVERIFY(events->catalogue("item") == nullptr);
  }

  void refusesSenselessSettings() {
    const auto pointerOf = [](Settings settings) {
      const Status status = checkGenerator(settings);
      return status ? std::string() : status.error().pointer;
    };
    Settings settings = settingsOf(GeneratorKind::kEvents, 100);
    QCOMPARE(pointerOf(settings), std::string());
    settings.items = 15;
    QCOMPARE(pointerOf(settings), std::string("/dataset/generator/items"));
    settings.items = 16;
    settings.users = 20'000'001;
    QCOMPARE(pointerOf(settings), std::string("/dataset/generator/users"));
    settings.users = 1;
    settings.contextStrength = std::nan("");
    QCOMPARE(pointerOf(settings), std::string("/dataset/generator/context_strength"));
    QVERIFY_EXCEPTION_THROWN(EventGenerator{settings}, InvalidArgument);
    QVERIFY(!openGeneratedSource(specOf(settings), makeGenerator));
  }

 private:
  static void kinds() {
    QTest::addColumn<int>("kind");
    QTest::newRow("movies") << int(GeneratorKind::kMovies);
    QTest::newRow("clicks") << int(GeneratorKind::kClicks);
    QTest::newRow("events") << int(GeneratorKind::kEvents);
  }
};

QTEST_GUILESS_MAIN(GeneratedRowsTest)
#include "generated_rows_test.moc"
