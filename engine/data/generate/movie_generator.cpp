// SPDX-License-Identifier: Apache-2.0
#include "engine/data/generate/movie_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/random.h"
#include "engine/data/generate/generator_tables.h"
#include "engine/data/generate/power_law.h"

namespace parapet::data {
namespace {

constexpr std::array<std::string_view, 32> kAdjectives{
    "Quiet",  "Amber",   "Broken",   "Distant",  "Electric",  "Frozen",   "Golden",  "Hidden",
    "Iron",   "Jolly",   "Last",     "Midnight", "Narrow",    "Orange",   "Paper",   "Restless",
    "Salted", "Tender",  "Unlikely", "Velvet",   "Wandering", "Borrowed", "Crooked", "Drowsy",
    "Early",  "Foreign", "Gentle",   "Hollow",   "Inner",     "Lonely",   "Modest",  "Painted"};
constexpr std::array<std::string_view, 40> kNouns{
    "Harbour", "Lantern", "Staircase", "Orchard", "Café",   "Compass",  "Ferry",     "Garden",
    "Müller",  "Island",  "Journey",   "Kettle",  "Letter", "Mountain", "Neighbour", "Observatory",
    "Parade",  "Quarry",  "River",     "Signal",  "Tunnel", "Umbrella", "Violin",    "Windmill",
    "Aviary",  "Balcony", "Canal",     "Diary",   "Engine", "Fountain", "Glacier",   "Horizon",
    "Inn",     "Jury",    "Kingdom",   "Lagoon",  "Museum", "Notebook", "Oracle",    "Pilot"};
constexpr std::array<std::string_view, 4> kPatterns{"The {} {}", "{} {}", "One {} {}", "My {} {}"};

/// An invented film name in UTF-8, such as "The Quiet Harbour"; another one for every index from 0.
/// Some have letters beyond ASCII, all of them in ISO-8859-1.
std::string inventedName(std::int64_t index) {
  const auto k = static_cast<std::uint64_t>(index);
  constexpr std::uint64_t kAll = kAdjectives.size() * kNouns.size() * kPatterns.size();
  const std::uint64_t within = k % kAll;
  // Neighbours differ in all three words, and no two of the kAll indices agree in all: 5·N + 1 has
  // no divisor in common with the number of adjectives, nor N·A + 1 with that of patterns.
  const std::uint64_t noun = within % kNouns.size();
  const std::uint64_t adjective = (within / kNouns.size() + 5 * within) % kAdjectives.size();
  const std::uint64_t pattern =
      (within / (kNouns.size() * kAdjectives.size()) + within) % kPatterns.size();
  const std::string name =
      fmt::format(fmt::runtime(kPatterns[pattern]), kAdjectives[adjective], kNouns[noun]);
  return k < kAll ? name : fmt::format("{} {}", name, k / kAll + 1);
}

// A subset of MovieLens' genres, in the order of its flags.
constexpr std::array<std::string_view, kMovieGenres> kGenres{
    "Action", "Animation", "Comedy", "Crime", "Drama", "Horror", "Romance", "Sci-Fi"};
constexpr std::array<std::string_view, 8> kOccupations{
    "artist", "doctor", "educator", "engineer", "librarian", "other", "student", "writer"};

// Hundredths of a rating. Tastes of ±3 over weights of 3 and 2 spread the expected rating so widely
// that about nine tenths of its variance can be learnt.
constexpr int kMeanRating = 290;
constexpr int kTastePoint = 16;
// Sixteen equally likely quantiles of a normal distribution with σ = 40 hundredths.
constexpr std::array<int, 16> kNoise{-75, -53, -40, -31, -23, -16, -9, -3,
                                     3,   9,   16,  23,  31,  40,  53, 75};

constexpr std::int64_t kFirstSecond = 880'000'000;
constexpr std::uint64_t kSeconds = 20'000'000;

// Expected rating in hundredths, [100, 500].
int expectedHundredths(std::uint64_t seed, std::int64_t user, std::int64_t item) {
  const MovieGenres genres = movieGenresOf(seed, item);
  const std::int64_t points =
      3 * movieTasteOf(seed, user, genres.main) + 2 * movieTasteOf(seed, user, genres.other);
  return std::clamp(kMeanRating + kTastePoint * static_cast<int>(points), 100, 500);
}

constexpr std::size_t kAction = 0, kRomance = 6, kSciFi = 7;

// The genre that a user likes best, the first of several.
std::size_t favouriteOf(std::uint64_t seed, std::int64_t user) {
  std::size_t best = 0;
  for (std::size_t genre = 1; genre < kGenres.size(); ++genre)
    if (movieTasteOf(seed, user, genre) > movieTasteOf(seed, user, best)) best = genre;
  return best;
}

std::array<std::uint32_t, 4> personOf(std::uint64_t seed, std::int64_t user) {
  return generatorRandom(seed, GeneratorStream::kPerson).words(static_cast<std::uint64_t>(user));
}

}  // namespace

MovieGenerator::MovieGenerator(const experiment::Generator& settings)
    : RowGenerator(checkedSettings(settings)),
      tables_(std::make_shared<const GeneratorTables>(settings)) {}

const std::vector<GeneratedColumn>& MovieGenerator::columns() const {
  static const std::vector<GeneratedColumn> columns{
      integerColumn("user", ParquetType::kUint32), integerColumn("item", ParquetType::kUint32),
      integerColumn("rating", ParquetType::kUint8), integerColumn("time", ParquetType::kInt64)};
  return columns;
}

void MovieGenerator::fill(std::int64_t first, std::int64_t count,
                          std::span<ColumnValues* const> targets) const {
  const auto integers = [&](std::size_t column) { return appendIntegers(targets[column], count); };
  std::int64_t* const users = integers(0);
  std::int64_t* const items = integers(1);
  std::int64_t* const ratings = integers(2);
  std::int64_t* const times = integers(3);
  for (std::int64_t i = 0; i < count; ++i) {
    const GeneratedEvent made = event(first + i);
    if (users) users[i] = made.user;
    if (items) items[i] = made.item;
    if (ratings) ratings[i] = made.rating;
    if (times) times[i] = made.time;
  }
}

GeneratedEvent MovieGenerator::event(std::int64_t index) const {
  if (index < 0 || index >= settings().events)
    throw InvalidArgument(
        fmt::format("[MovieGenerator] event {}; there are {}", index, settings().events));
  const GeneratorTables::Pick pick = tables_->pick(index);
  const auto draw = static_cast<std::uint64_t>(index);
  const std::uint64_t seed = settings().seed;
  const int noise =
      kNoise[generatorRandom(seed, GeneratorStream::kNoise).below(draw, kNoise.size())];
  const int hundredths = expectedHundredths(seed, pick.user, pick.item) + noise;
  return {.user = pick.user,
          .item = pick.item,
          .rating = std::clamp((hundredths + 50) / 100, 1, 5),
          .time = kFirstSecond +
                  static_cast<std::int64_t>(
                      generatorRandom(seed, GeneratorStream::kTime).below(draw, kSeconds))};
}

double MovieGenerator::expectedRating(std::int64_t user, std::int64_t item) const {
  return expectedHundredths(settings().seed, user, item) / 100.0;
}

std::string MovieGenerator::title(std::int64_t item) const {
  const std::uint64_t drawn = generatorRandom(settings().seed, GeneratorStream::kYear)
                                  .below(static_cast<std::uint64_t>(item), 70);
  return fmt::format("{} ({})", inventedName(item - 1), 1950 + drawn);
}

std::string MovieGenerator::genres(std::int64_t item) const {
  const MovieGenres genres = movieGenresOf(settings().seed, item);
  if (genres.main == genres.other) return std::string(kGenres[genres.main]);
  const auto [first, second] = std::minmax(genres.main, genres.other);
  return fmt::format("{}|{}", kGenres[first], kGenres[second]);
}

int MovieGenerator::age(std::int64_t user) const {
  const auto taste = static_cast<int>(movieTasteOf(settings().seed, user, kAction));
  return 34 - 6 * taste + static_cast<int>(personOf(settings().seed, user)[0] % 19);
}

char MovieGenerator::gender(std::int64_t user) const {
  const std::uint64_t seed = settings().seed;
  const std::uint32_t drawn = personOf(seed, user)[1];
  const std::int64_t romance = movieTasteOf(seed, user, kRomance),
                     sciFi = movieTasteOf(seed, user, kSciFi);
  // One in eight is not told by his tastes, nor is who likes both alike.
  const bool told = romance != sciFi && (drawn >> 8) % 8 != 0;
  return (told ? romance > sciFi : drawn % 2 == 0) ? 'F' : 'M';
}

std::string MovieGenerator::occupation(std::int64_t user) const {
  const std::uint32_t drawn = personOf(settings().seed, user)[2];
  const bool told = (drawn >> 8) % 4 != 0;
  return std::string(
      kOccupations[told ? favouriteOf(settings().seed, user) : drawn % kOccupations.size()]);
}

std::string MovieGenerator::zip(std::int64_t user) const {
  const std::uint32_t drawn = personOf(settings().seed, user)[3];
  return fmt::format("{}{:04}", drawn % 10, (drawn >> 8) % 10'000);
}

std::string MovieGenerator::line(std::int64_t row) const {
  const GeneratedEvent made = event(row);
  return fmt::format("{}\t{}\t{}\t{}", made.user, made.item, made.rating, made.time);
}

Catalogue MovieGenerator::catalogue(std::string_view role) const {
  Catalogue catalogue;
  if (role == "user") {
    catalogue.attributeNames = {"age", "gender", "occupation", "zip"};
    for (std::int64_t user = 1; user <= settings().users; ++user)
      catalogue.entries.push_back({fmt::format("{}", user),
                                   "",
                                   {fmt::format("{}", age(user)), std::string(1, gender(user)),
                                    occupation(user), zip(user)}});
  } else if (role == "item") {
    catalogue.attributeNames = {"genres", "released"};
    for (std::int64_t item = 1; item <= settings().items; ++item) {
      std::string name = title(item);
      const std::string released = releaseDate(name);
      catalogue.entries.push_back(
          {fmt::format("{}", item), std::move(name), {genres(item), released}});
    }
  }
  return catalogue;
}

std::string releaseDate(std::string_view title) {
  return fmt::format("01-Jan-{}", title.substr(title.size() - 5, 4));
}

}  // namespace parapet::data
