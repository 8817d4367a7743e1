// SPDX-License-Identifier: Apache-2.0
#include "engine/data/generate/movie_folder.h"

#include <fmt/format.h>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/data/sources/movielens_catalogue.h"
#include "engine/data/import/pending_folder.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostIds = 100'000'000;
constexpr std::int64_t kMostEvents = 100'000'000'000;
constexpr std::int64_t kEventsPerReport = 1 << 14;

// UTF-8 of code points below 256 as one byte each.
std::string utf8ToLatin1(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      out += text[i];
    } else if (byte <= 0xC3 && i + 1 < text.size()) {
      const auto next = static_cast<unsigned char>(text[++i]);
      out += static_cast<char>((byte & 0x03) << 6 | (next & 0x3F));
    } else {
      throw InternalError("[generateMovies] a word of our list is not ISO-8859-1");
    }
  }
  return out;
}

Status writeRatings(const MovieGenerator& movies, FileWriter& file, const WorkContext& context) {
  const std::int64_t events = movies.settings().events;
  for (std::int64_t index = 0; index < events; ++index) {
    if (index % kEventsPerReport == 0) {
      if (context.cancelled()) return Error{ErrorCode::kCancelled, "generating cancelled"};
      context.report("generating", index, events);
    }
    PARAPET_TRY(file.write(movieLine(movies.event(index)) + "\n"));
  }
  context.report("generating", events, events);
  return {};
}

Status writeItems(const MovieGenerator& movies, FileWriter& file, const WorkContext&) {
  for (std::int64_t item = 1; item <= movies.settings().items; ++item) {
    const std::string title = movies.title(item);
    std::string line = fmt::format("{}|{}|{}||", item, utf8ToLatin1(title), releaseDate(title));
    const std::string genres = movies.genres(item);
    const auto own = splitFields(genres, '|');
    for (const std::string& genre : movielensGenres())
      line += std::find(own.begin(), own.end(), genre) != own.end() ? "|1" : "|0";
    PARAPET_TRY(file.write(line + "\n"));
  }
  return {};
}

Status writeUsers(const MovieGenerator& movies, FileWriter& file, const WorkContext&) {
  for (std::int64_t user = 1; user <= movies.settings().users; ++user)
    PARAPET_TRY(file.write(fmt::format("{}|{}|{}|{}|00000\n", user, movies.age(user),
                                       movies.gender(user), movies.occupation(user))));
  return {};
}

Status writeGenres(const MovieGenerator&, FileWriter& file, const WorkContext&) {
  for (std::size_t g = 0; g < movielensGenres().size(); ++g)
    PARAPET_TRY(file.write(fmt::format("{}|{}\n", movielensGenres()[g], g)));
  return {};
}

Status writeInfo(const MovieGenerator& movies, FileWriter& file, const WorkContext&) {
  const auto& settings = movies.settings();
  return file.write(fmt::format("{} users\n{} items\n{} ratings\n", settings.users, settings.items,
                                settings.events));
}

struct MovieFile {
  const char* name;
  Status (*write)(const MovieGenerator&, FileWriter&, const WorkContext&);
};
constexpr MovieFile kMovieFiles[]{{"u.data", writeRatings},
                                  {"u.item", writeItems},
                                  {"u.user", writeUsers},
                                  {"u.genre", writeGenres},
                                  {"u.info", writeInfo}};

Status checkTarget(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return {};
  if (fs::is_directory(folder, error) && fs::is_empty(folder, error)) return {};
  return Error{
      ErrorCode::kInvalidDocument,
      fmt::format("{} is there already; a folder that does not exist or is empty is accepted",
                  folder.string()),
      "", folder.string()};
}

}  // namespace

Status checkGenerator(const experiment::Generator& settings) {
  const auto check = [](const char* key, std::int64_t value, std::int64_t most) -> Status {
    if (value >= 1 && value <= most) return {};
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("{} {}; 1 to {} is accepted", value, key, most),
                 fmt::format("/dataset/generator/{}", key)};
  };
  PARAPET_TRY(check("users", settings.users, kMostIds));
  PARAPET_TRY(check("items", settings.items, kMostIds));
  return check("events", settings.events, std::min(kMostEvents, settings.users * settings.items));
}

std::string movieLine(const GeneratedEvent& event) {
  return fmt::format("{}\t{}\t{}\t{}", event.user, event.item, event.rating, event.time);
}

std::string releaseDate(std::string_view title) {
  return fmt::format("01-Jan-{}", title.substr(title.size() - 5, 4));
}

Result<GenerateReport> generateMovies(const experiment::Generator& settings, const fs::path& folder,
                                      const WorkContext& context) {
  const Stopwatch watch;
  PARAPET_TRY(checkGenerator(settings));
  PARAPET_TRY(checkTarget(folder));
  PARAPET_ASSIGN(PendingFolder pending, PendingFolder::create(folder));
  const MovieGenerator movies(settings);
  GenerateReport report{.rows = settings.events, .bytes = 0, .seconds = 0.0};
  for (const MovieFile& entry : kMovieFiles) {
    PARAPET_ASSIGN(FileWriter file, FileWriter::create(pending.path() / entry.name));
    PARAPET_TRY(entry.write(movies, file, context));
    PARAPET_TRY(file.finish());
    report.bytes += file.written();
  }
  PARAPET_TRY(pending.commit());
  report.seconds = watch.seconds();
  return report;
}

}  // namespace parapet::data
