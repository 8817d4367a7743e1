// SPDX-License-Identifier: Apache-2.0
#include "engine/data/sources/movielens_catalogue.h"

#include <fmt/format.h>

#include <unordered_set>

#include "engine/base/text.h"
#include "engine/data/sources/line_reader.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kItemFieldsBeforeGenres = 5;
constexpr std::size_t kUserFields = 5;

Result<LineReader> openCatalogue(const fs::path& path, std::vector<std::string>& warnings) {
  auto lines = LineReader::open(path);
  if (!lines) {
    Error error = lines.error();
    error.code = ErrorCode::kData;
    return error;
  }
  if (lines->hasByteOrderMark())
    warnings.push_back(path.filename().string() + " starts with a byte-order mark; read as UTF-8");
  return lines;
}

// Names of the genre flags by position; a line of u.genre is "Comedy|5".
Result<std::vector<std::string>> readGenres(const fs::path& folder) {
  const fs::path path = folder / "u.genre";
  std::error_code error;
  if (!fs::exists(path, error)) return movielensGenres();
  auto lines = LineReader::open(path);
  if (!lines) return Error{ErrorCode::kData, lines.error().message, "", path.string()};
  std::vector<std::string> genres;
  while (const auto line = lines->next()) {
    const auto fields = splitFields(line->text, '|');
    const auto position = fields.size() == 2 ? parseInt(fields[1]) : std::nullopt;
    if (position != static_cast<std::int64_t>(genres.size()))
      return Error{ErrorCode::kData,
                   fmt::format("{}: line {} is \"{}\"; \"name|{}\" is accepted", path.string(),
                               line->number, printable(line->text), genres.size()),
                   "", path.string(), line->number};
    genres.push_back(latin1ToUtf8(fields[0]));
  }
  return genres.empty() ? movielensGenres() : genres;
}

// The genres whose flag is 1, or why the flags are none.
std::string joinGenres(std::span<const std::string_view> flags,
                       const std::vector<std::string>& genres, std::string& joined) {
  std::vector<std::string> found;
  for (std::size_t g = 0; g < flags.size(); ++g) {
    if (flags[g] == "1")
      found.push_back(genres[g]);
    else if (flags[g] != "0")
      return fmt::format("genre flag \"{}\"; 0 or 1 is accepted", printable(flags[g], 30));
  }
  joined = join(found, "|");
  return {};
}

// Calls `parse(fields, entry)` for every line that has `fieldCount` fields and a new id.
template <class Parse>
void readEntries(LineReader& lines, std::size_t fieldCount, Quarantine& bad, Catalogue& catalogue,
                 const Parse& parse) {
  std::unordered_set<std::int64_t> seen;
  while (const auto line = lines.next()) {
    Catalogue::Entry entry;
    std::string reason = reasonAgainstText(line->text, lines.hasByteOrderMark());
    if (reason.empty()) {
      const auto fields = splitFields(line->text, '|');
      const auto id = parseInt(fields[0]);
      if (fields.size() != fieldCount)
        reason =
            fmt::format("{} columns; {} separated by | are accepted", fields.size(), fieldCount);
      else if (!id || *id < 1)
        reason =
            fmt::format("id \"{}\"; a whole number from 1 is accepted", printable(fields[0], 30));
      else if (seen.contains(*id))
        reason = fmt::format("id {} occurs a second time; the first line counts", *id);
      else
        reason = parse(fields, entry);
      if (reason.empty()) {
        entry.id = *id;
        seen.insert(*id);
      }
    }
    if (reason.empty()) {
      catalogue.entries.push_back(std::move(entry));
      bad.countGood();
    } else {
      bad.add(line->number, std::move(reason), line->text);
    }
  }
}

}  // namespace

const std::vector<std::string>& movielensGenres() {
  static const std::vector<std::string> genres{
      "unknown",     "Action", "Adventure", "Animation", "Children's", "Comedy",  "Crime",
      "Documentary", "Drama",  "Fantasy",   "Film-Noir", "Horror",     "Musical", "Mystery",
      "Romance",     "Sci-Fi", "Thriller",  "War",       "Western"};
  return genres;
}

Result<Catalogue> readItemCatalogue(const fs::path& folder, Quarantine& bad,
                                    std::vector<std::string>& warnings) {
  PARAPET_ASSIGN(const auto genres, readGenres(folder));
  PARAPET_ASSIGN(auto lines, openCatalogue(folder / "u.item", warnings));
  const bool utf8 = lines.hasByteOrderMark();
  const auto decode = [utf8](std::string_view bytes) {
    return utf8 ? std::string(bytes) : latin1ToUtf8(bytes);
  };
  Catalogue catalogue{.attributeNames = {"genres", "released"}, .entries = {}};
  const auto parse = [&](const std::vector<std::string_view>& fields, Catalogue::Entry& entry) {
    std::string joined;
    std::string reason =
        joinGenres(std::span(fields).subspan(kItemFieldsBeforeGenres), genres, joined);
    if (!reason.empty()) return reason;
    entry.title = decode(fields[1]);
    entry.attributes = {std::move(joined), decode(fields[2])};
    return reason;
  };
  readEntries(lines, kItemFieldsBeforeGenres + genres.size(), bad, catalogue, parse);
  return catalogue;
}

Result<Catalogue> readUserCatalogue(const fs::path& folder, Quarantine& bad,
                                    std::vector<std::string>& warnings) {
  PARAPET_ASSIGN(auto lines, openCatalogue(folder / "u.user", warnings));
  const bool utf8 = lines.hasByteOrderMark();
  Catalogue catalogue{.attributeNames = {"age", "gender", "occupation"}, .entries = {}};
  const auto parse = [&](const std::vector<std::string_view>& fields, Catalogue::Entry& entry) {
    for (std::size_t i = 1; i <= 3; ++i)
      entry.attributes.push_back(utf8 ? std::string(fields[i]) : latin1ToUtf8(fields[i]));
    return std::string{};
  };
  readEntries(lines, kUserFields, bad, catalogue, parse);
  return catalogue;
}

}  // namespace parapet::data
