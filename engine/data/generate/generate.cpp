// SPDX-License-Identifier: Apache-2.0
#include "engine/data/generate/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/base/workers.h"
#include "engine/data/dataset/pending_folder.h"
#include "engine/data/dataset/row_generator.h"
#include "engine/data/generate/movie_generator.h"
#include "engine/data/generate/row_writer.h"

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

/// Writes the files of the MovieLens-100K layout (u.data, u.item, u.user, u.genre, u.info) into a
/// folder.
Status writeMovieFolder(const MovieGenerator& movies, const fs::path& folder,
                        const WorkContext& context) {
  for (const MovieFile& entry : kMovieFiles) {
    PARAPET_ASSIGN(FileWriter file, FileWriter::create(folder / entry.name));
    PARAPET_TRY(entry.write(movies, file, context));
    PARAPET_TRY(file.finish());
  }
  return {};
}

// Large enough for a row group of Parquet, small enough that some blocks fit in caches and memory.
constexpr std::int64_t kBlockRows = 1 << 17;

Error isThere(const fs::path& path, const char* accepted) {
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("{} is there already; {}", path.string(), accepted), "", path.string()};
}

Status checkFolder(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return {};
  if (fs::is_directory(folder, error) && fs::is_empty(folder, error)) return {};
  return isThere(folder, "a folder that does not exist or is empty is accepted");
}

Status checkFile(const GenerateTarget& target) {
  const fs::path& path = target.path;
  std::error_code error;
  if (fs::is_directory(path, error)) return isThere(path, "a file is accepted");
  if (fs::exists(path, error) && !target.replace)
    return isThere(path, "a new file is accepted, or one that may be replaced");
  return {};
}

// Blocks are made by all threads at once, a group at a time, and written in order.
Status writeRows(const RowGenerator& generator, RowWriter& writer, const WorkContext& context) {
  struct Made {
    RowBlock block;
    std::string prepared;
  };
  Workers workers(std::min(Workers::available(), 16));
  std::vector<Made> group(static_cast<std::size_t>(workers.count()));
  const std::int64_t rows = generator.rows();
  for (std::int64_t first = 0; first < rows;) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "generating cancelled"};
    context.report("generating", first, rows);
    const std::int64_t blocks =
        std::min<std::int64_t>(workers.count(), (rows - first + kBlockRows - 1) / kBlockRows);
    workers.parallelFor(blocks, [&](std::int64_t b) {
      const std::int64_t begin = first + b * kBlockRows;
      Made& made = group[static_cast<std::size_t>(b)];
      made.block = generateBlock(generator, begin, std::min(kBlockRows, rows - begin));
      made.prepared = writer.prepare(made.block);
    });
    for (std::int64_t b = 0; b < blocks; ++b) {
      const Made& made = group[static_cast<std::size_t>(b)];
      PARAPET_TRY(writer.write(made.block, made.prepared));
      first += made.block.rows;
    }
  }
  context.report("generating", rows, rows);
  return writer.finish();
}

Result<std::uint64_t> sizeOf(const fs::path& path) {
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(path, error);
  if (error) return ioError("inspect", path, error.value());
  return bytes;
}

// Fills a folder beside the target and puts it in place.
template <class Fill>
Result<std::uint64_t> writeFolder(const fs::path& target, const Fill& fill) {
  PARAPET_TRY(checkFolder(target));
  PARAPET_ASSIGN(PendingFolder pending, PendingFolder::create(target));
  PARAPET_TRY(fill(pending.path()));
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(pending.path())) {
    PARAPET_ASSIGN(const std::uint64_t size, sizeOf(entry.path()));
    bytes += size;
  }
  PARAPET_TRY(pending.commit());
  return bytes;
}

Result<std::uint64_t> writeMovies(const experiment::Generator& settings, const fs::path& target,
                                  const WorkContext& context) {
  if (settings.kind != experiment::GeneratorKind::kMovies)
    return Error{ErrorCode::kInvalidDocument,
                 "the MovieLens layout is one of movies; CSV, Parquet and columns are accepted"};
  const MovieGenerator movies(settings);
  return writeFolder(
      target, [&](const fs::path& folder) { return writeMovieFolder(movies, folder, context); });
}

Result<std::uint64_t> writeTable(const RowGenerator& generator, const GenerateTarget& target,
                                 const WorkContext& context) {
  if (target.format == GeneratedFormat::kColumns)
    return writeFolder(target.path, [&](const fs::path& folder) -> Status {
      PARAPET_ASSIGN(const auto writer, columnFilesWriter(folder, generator));
      return writeRows(generator, *writer, context);
    });
  PARAPET_TRY(checkFile(target));
  PARAPET_ASSIGN(const NewFolders folders, NewFolders::create(target.path.parent_path()));
  removeAbandoned(target.path);
  if (target.format == GeneratedFormat::kParquet) {
    PARAPET_ASSIGN(const auto writer, parquetWriter(target.path, generator));
    PARAPET_TRY(writeRows(generator, *writer, context));
  } else {
    PARAPET_TRY(writeAtomically(target.path, [&](FileWriter& file) -> Status {
      PARAPET_ASSIGN(const auto writer, csvWriter(file, generator));
      return writeRows(generator, *writer, context);
    }));
  }
  return sizeOf(target.path);
}

}  // namespace

Result<GenerateReport> generate(const experiment::Generator& settings, const GenerateTarget& target,
                                const WorkContext& context) {
  const Stopwatch watch;
  PARAPET_TRY(checkGenerator(settings));
  GenerateReport report{.rows = settings.events};
  if (target.format == GeneratedFormat::kMovieFolder) {
    PARAPET_ASSIGN(report.bytes, writeMovies(settings, target.path, context));
  } else {
    PARAPET_ASSIGN(const auto generator, makeGenerator(settings));
    PARAPET_ASSIGN(report.bytes, writeTable(*generator, target, context));
  }
  report.seconds = watch.seconds();
  return report;
}

}  // namespace parapet::data
