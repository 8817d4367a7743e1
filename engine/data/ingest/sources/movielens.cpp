// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/movielens.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/movielens_catalogue.h"
#include "engine/data/ingest/sources/movielens_layout.h"
#include "engine/data/ingest/sources/text_lines.h"
#include "engine/data/ingest/sources/text_source.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

std::vector<TextSource::Column> ratingColumns() {
  constexpr const char* kId = "a whole number from 0 to 2^63 − 1 is accepted";
  std::vector<TextSource::Column> columns(4);
  const auto set = [&columns](std::size_t cell, const char* name, ValueType type,
                              const char* subject, const char* accepted) {
    TextSource::Column& column = columns[cell];
    column.column.name = name;
    column.column.type = type;
    column.subject = subject;
    column.accepted = accepted;
    column.required = true;
  };
  set(0, "user", ValueType::kInteger, "user id", kId);
  set(1, "item", ValueType::kInteger, "item id", kId);
  set(2, "rating", ValueType::kNumber, "rating", "a number is accepted");
  set(3, "time", ValueType::kInteger, "time", "whole seconds since 1970 are accepted");
  return columns;
}

class MovielensSource final : public TextSource {
 public:
  MovielensSource(std::string path, FileCollection files, MovielensLayout layout, Part ratings,
                  std::string warning)
      : TextSource(layout.ratingCells, ratingColumns(), std::move(ratings)),
        path_(std::move(path)),
        files_(std::move(files)),
        layout_(std::move(layout)) {
    if (!warning.empty()) warn(std::move(warning));
  }

  [[nodiscard]] std::string absenceOf(std::string_view column) const override {
    const std::string_view role = movielensRoleOf(column);
    if (role.empty()) return {};
    const std::string& file = role == "user" ? layout_.users : layout_.items;
    if (file.empty())
      return fmt::format("data sets with {} have no file of {}s", layout_.ratings, role);
    return fmt::format("it is read from {}, which is missing", files_.pathOf(file));
  }
  Status hashInto(Hasher& hasher, const WorkContext& context) const override {
    const std::array names{layout_.ratings, layout_.items, layout_.users, layout_.genres};
    return files_.hashInto(hasher, names, context);
  }
  Result<std::vector<std::unique_ptr<CatalogueFile>>> openCatalogues() const override {
    return openMovielensCatalogues(files_, layout_, path_);
  }
  [[nodiscard]] std::string catalogueName(std::string_view role) const override {
    if (role == "item") return files_.pathOf(layout_.items);
    return role == "user" && !layout_.users.empty() ? files_.pathOf(layout_.users) : std::string();
  }
  [[nodiscard]] std::string fileName() const override { return nameOf(layout_.ratings); }

 private:
  // Name of a file inside the folder or archive.
  [[nodiscard]] std::string nameOf(const std::string& file) const {
    return fs::path(files_.pathOf(file)).lexically_relative(path_).string();
  }

  std::string path_;
  FileCollection files_;
  MovielensLayout layout_;
};

// How many lines of names a file of ratings begins with.
Result<std::int64_t> countHeaderLines(const MovielensLayout& layout, std::string_view text,
                                      const std::string& path) {
  if (layout.kind != MovielensLayout::Kind::kCsv) return std::int64_t{0};
  constexpr std::string_view kNames = "userId,movieId,rating,timestamp";
  const std::string_view line = lineAt(text, 0);
  if (line == kNames) return std::int64_t{1};
  if (parseInt(line.substr(0, line.find(',')))) return std::int64_t{0};
  return Error{
      ErrorCode::kData,
      fmt::format("{}: line 1 is \"{}\"; \"{}\" is expected", path, printable(line), kNames), "",
      path, 1};
}

Result<TextSource::Part> openRatings(const FileCollection& files, const MovielensLayout& layout,
                                     std::string& warning) {
  TextSource::Part part;
  const std::string path = files.pathOf(layout.ratings);
  PARAPET_ASSIGN(part.input, files.openText(layout.ratings));
  Source::Piece first;
  PARAPET_ASSIGN(const bool found, part.input->next(first));
  if (!found || first.text.empty())
    return Error{ErrorCode::kData,
                 fmt::format("{} is empty; lines of user, item, rating and unix time, separated by "
                             "{}, are expected",
                             path, delimiterName(layout.ratingCells.delimiter)),
                 "", path};
  PARAPET_TRY(checkLineEnds(first.text, path));
  PARAPET_ASSIGN(first.headerLines, countHeaderLines(layout, first.text, path));
  if (part.input->hasByteOrderMark())
    warning = layout.ratings + " starts with a byte-order mark; skipped";
  part.first = std::move(first);
  return part;
}

}  // namespace

Result<std::unique_ptr<Source>> openMovielensSource(const experiment::Dataset& spec) {
  if (!spec.path) throw InvalidArgument("MovieLens without a path");
  const std::string& path = *spec.path;
  std::error_code error;
  if (!fs::exists(path, error))
    return Error{ErrorCode::kData,
                 fmt::format("{} does not exist; the folder or zip archive of a MovieLens data set "
                             "is expected",
                             path),
                 "", path};
  PARAPET_ASSIGN(FileCollection files, FileCollection::open(path));
  PARAPET_ASSIGN(MovielensLayout layout, MovielensLayout::of(files, path));
  std::string warning;
  PARAPET_ASSIGN(TextSource::Part ratings, openRatings(files, layout, warning));
  auto source = std::make_unique<MovielensSource>(path, std::move(files), std::move(layout),
                                                  std::move(ratings), std::move(warning));
  return std::unique_ptr<Source>(std::move(source));
}

}  // namespace parapet::data
