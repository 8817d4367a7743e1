// SPDX-License-Identifier: Apache-2.0
#include "engine/data/generate/movie_folder.h"

#include <fmt/format.h>

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/data/dataset/catalogue.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

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
      throw InternalError("[writeMovieFolder] a word of our list is not ISO-8859-1");
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
    PARAPET_TRY(file.write(movies.line(index) + "\n"));
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
    PARAPET_TRY(
        file.write(fmt::format("{}|{}|{}|{}|{}\n", user, movies.age(user), movies.gender(user),
                               movies.occupation(user), movies.zip(user))));
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

}  // namespace

Status writeMovieFolder(const MovieGenerator& movies, const fs::path& folder,
                        const WorkContext& context) {
  for (const MovieFile& entry : kMovieFiles) {
    PARAPET_ASSIGN(FileWriter file, FileWriter::create(folder / entry.name));
    PARAPET_TRY(entry.write(movies, file, context));
    PARAPET_TRY(file.finish());
  }
  return {};
}

}  // namespace parapet::data
