// SPDX-License-Identifier: Apache-2.0
#include "engine/data/sources/movielens_source.h"

#include <fmt/format.h>

#include <array>

#include "engine/base/text.h"
#include "engine/data/sources/movielens_catalogue.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

constexpr std::array kFiles{"u.data", "u.item", "u.user", "u.genre"};
constexpr std::size_t kHashBlockBytes = 1 << 24;

Error dataError(std::string message, const fs::path& path) {
  return Error{ErrorCode::kData, std::move(message), "", path.string()};
}

// The id of a field, or why it is none.
std::string parseId(std::string_view column, std::string_view field, const IdRange& range,
                    std::int64_t& id) {
  const auto value = parseInt(field);
  if (!value)
    return fmt::format("{} id \"{}\"; a whole number from 0 to 2^63 − 1 is accepted", column,
                       printable(field, 30));
  id = *value;
  return RowRules::reasonAgainstId(column, id, range);
}

// The four fields of a line without an allocation; false if there are fewer or more.
bool splitRating(std::string_view line, std::array<std::string_view, 4>& fields,
                 std::size_t& count) {
  count = 0;
  for (;;) {
    const std::size_t end = line.find('\t');
    if (count < fields.size()) fields[count] = line.substr(0, end);
    ++count;
    if (end == std::string_view::npos) return count == fields.size();
    line.remove_prefix(end + 1);
  }
}

Status checkFolder(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  const std::string expected = "a folder with u.data (and u.item, u.user, u.genre) is expected";
  if (status.type() == fs::file_type::not_found)
    return dataError(fmt::format("{} does not exist; {}", folder.string(), expected), folder);
  if (status.type() == fs::file_type::none)
    return dataError(
        fmt::format("cannot read {}: {}; {}", folder.string(), error.message(), expected), folder);
  if (status.type() != fs::file_type::directory)
    return dataError(fmt::format("{} is no folder; {}", folder.string(), expected), folder);
  const bool empty = fs::is_empty(folder, error);
  if (error)
    return dataError(fmt::format("cannot read {}: {}", folder.string(), error.message()), folder);
  if (empty)
    return dataError(fmt::format("folder {} is empty; {}", folder.string(), expected), folder);
  if (!fs::exists(folder / "u.data", error))
    return dataError(fmt::format("folder {} has no u.data; {}", folder.string(), expected), folder);
  return {};
}

}  // namespace

MovielensSource::MovielensSource(const experiment::Dataset& spec, fs::path folder,
                                 LineReader ratings)
    : folder_(std::move(folder)),
      ratings_(std::move(ratings)),
      rules_{.users = {},
             .items = {},
             .scale = spec.label.scale,
             .weighted = spec.weight.has_value()} {
  if (ratings_.hasByteOrderMark())
    warnings_.emplace_back("u.data starts with a byte-order mark; skipped");
}

Result<std::unique_ptr<RowSource>> MovielensSource::open(const experiment::Dataset& spec) {
  if (!spec.path || spec.path->empty())
    return Error{ErrorCode::kInvalidDocument,
                 "source \"movielens\" needs the folder of the data set; set it in the document or "
                 "pass `--data DIR`",
                 "/dataset/path"};
  const fs::path folder(*spec.path);
  PARAPET_TRY(checkFolder(folder));
  const fs::path path = folder / "u.data";
  auto ratings = LineReader::open(path);
  if (!ratings) {
    Error error = ratings.error();
    error.code = ErrorCode::kData;
    return error;
  }
  if (ratings->bytes().empty())
    return dataError(
        fmt::format("{} is empty; lines of user, item, rating and unix time, separated "
                    "by tabs, are expected",
                    path.string()),
        path);
  return std::unique_ptr<RowSource>(new MovielensSource(spec, folder, std::move(ratings).value()));
}

Status MovielensSource::hashInto(Hasher& hasher, const WorkContext& context) const {
  for (const char* name : kFiles) {
    std::error_code error;
    const fs::path path = folder_ / name;
    if (!fs::exists(path, error)) continue;
    auto file = MappedFile::open(path);
    if (!file) return dataError(file.error().message, path);
    std::string_view rest = file->text();
    hasher.update(fmt::format("{} {}\n", name, rest.size()));
    while (!rest.empty()) {
      if (context.cancelled()) return Error{ErrorCode::kCancelled, "import cancelled"};
      hasher.update(rest.substr(0, kHashBlockBytes));
      rest.remove_prefix(std::min(kHashBlockBytes, rest.size()));
    }
  }
  return {};
}

Status MovielensSource::readCatalogues() {
  std::error_code error;
  if (fs::exists(folder_ / "u.item", error)) {
    PARAPET_ASSIGN(itemCatalogue_, readItemCatalogue(folder_, badItems_, warnings_));
  }
  if (fs::exists(folder_ / "u.user", error)) {
    PARAPET_ASSIGN(userCatalogue_, readUserCatalogue(folder_, badUsers_, warnings_));
  }
  return {};
}

const Catalogue* MovielensSource::catalogue(std::string_view column) const {
  const auto& found = column == "item" ? itemCatalogue_ : userCatalogue_;
  return found ? &*found : nullptr;
}

std::string MovielensSource::catalogueName(std::string_view column) const {
  return (folder_ / (column == "item" ? "u.item" : "u.user")).string();
}

void MovielensSource::restrict(const IdRange& users, const IdRange& items) {
  rules_.users = users;
  rules_.items = items;
}

std::string MovielensSource::parse(std::string_view line, RowChunk& chunk) const {
  if (std::string reason = reasonAgainstText(line, true); !reason.empty()) return reason;
  std::array<std::string_view, 4> fields;
  std::size_t count = 0;
  if (!splitRating(line, fields, count))
    return fmt::format("{} columns; 4 separated by tabs are accepted (user, item, rating, time)",
                       count);
  std::int64_t user = 0, item = 0;
  if (std::string reason = parseId("user", fields[0], rules_.users, user); !reason.empty())
    return reason;
  if (std::string reason = parseId("item", fields[1], rules_.items, item); !reason.empty())
    return reason;
  const auto rating = parseDouble(fields[2]);
  if (!rating) return fmt::format("rating \"{}\"; a number is accepted", printable(fields[2], 30));
  if (std::string reason = rules_.reasonAgainstRating(*rating); !reason.empty()) return reason;
  const auto time = parseInt(fields[3]);
  if (!time)
    return fmt::format("time \"{}\"; whole seconds since 1970 are accepted",
                       printable(fields[3], 30));
  chunk.users.push_back(user);
  chunk.items.push_back(item);
  chunk.labels.push_back(*rating);
  chunk.times.push_back(*time);
  if (rules_.weighted) chunk.weights.push_back(*rating);
  return {};
}

Status MovielensSource::read(RowChunk& chunk) {
  chunk.clear();
  while (chunk.size() < kChunkRows) {
    const auto line = ratings_.next();
    if (!line) break;
    std::string reason = parse(line->text, chunk);
    if (reason.empty())
      badRatings_.countGood();
    else
      badRatings_.add(line->number, std::move(reason), line->text);
  }
  return {};
}

std::int64_t MovielensSource::total() const {
  return static_cast<std::int64_t>(ratings_.bytes().size());
}

std::vector<const Quarantine*> MovielensSource::quarantines() const {
  return {&badRatings_, &badItems_, &badUsers_};
}

std::vector<std::string> MovielensSource::warnings() const {
  return warnings_;
}

}  // namespace parapet::data
