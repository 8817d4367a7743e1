// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/source_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/record/problem.h"
#include "engine/base/text.h"
#include "engine/data/ingest/sources/side_file.h"

namespace parapet::data {
namespace {

using experiment::SplitPart;

/// The file of a part.
struct FileOfPart {
  SplitPart part = SplitPart::kTrain;
  std::string path;  ///< as the document has it, for messages
  std::unique_ptr<Source> rows;
  /// Set when its first piece is fetched: pieces, and rows or bytes, of the files before it.
  std::int64_t piecesBefore = 0, before = 0;
};

class SplitFilesSource final : public Source {
 public:
  SplitFilesSource(std::vector<FileOfPart> files, std::vector<SourceColumn> columns)
      : files_(std::move(files)), columns_(std::move(columns)) {}

  [[nodiscard]] const std::vector<SourceColumn>& columns() const override { return columns_; }
  [[nodiscard]] std::string absenceOf(std::string_view column) const override {
    return files_.front().rows->absenceOf(column);
  }
  Status select(std::span<const ColumnRequest> requests) override {
    std::vector<ColumnRequest> typed(requests.begin(), requests.end());
    for (ColumnRequest& request : typed) {
      const auto found = std::ranges::find(columns_, request.name, &SourceColumn::name);
      if (!request.type && found != columns_.end()) request.type = found->type;
    }
    for (const FileOfPart& file : files_) PARAPET_TRY(file.rows->select(typed));
    return {};
  }
  void pushDown(std::span<const ColumnBound> bounds) override {
    for (const FileOfPart& file : files_) file.rows->pushDown(bounds);
  }
  Result<bool> next(Piece& piece) override {
    while (current_ < files_.size()) {
      FileOfPart& file = files_[current_];
      PARAPET_ASSIGN(const bool more, file.rows->next(piece));
      if (!more) {
        if (++current_ == files_.size()) return false;
        files_[current_].piecesBefore = pieces_;
        files_[current_].before = file.before + file.rows->total();
        continue;
      }
      piece.index = pieces_++;
      if (piece.count > 0) piece.first += file.before;
      piece.part = file.part;
      if (piece.file.empty()) piece.file = file.path;
      return true;
    }
    return false;
  }
  Status parse(const Piece& piece, RowBlock& block) const override {
    return fileOf(piece).rows->parse(ownPiece(piece), block);
  }
  [[nodiscard]] std::string excerpt(const Piece& piece, std::int64_t line) const override {
    return fileOf(piece).rows->excerpt(ownPiece(piece), line);
  }

  Status hashInto(Hasher& hasher, const WorkContext& context) const override {
    for (const FileOfPart& file : files_) {
      hasher.update(fmt::format("{}\n", experiment::splitPartName(file.part)));
      PARAPET_TRY(file.rows->hashInto(hasher, context));
    }
    return {};
  }
  [[nodiscard]] std::string fileName() const override { return files_.front().path; }
  [[nodiscard]] std::int64_t linesBefore() const override {
    return files_.front().rows->linesBefore();
  }
  [[nodiscard]] std::int64_t done() const override {
    return sumOf([](const Source& rows) { return rows.done(); });
  }
  [[nodiscard]] std::int64_t total() const override {
    return sumOf([](const Source& rows) { return rows.total(); });
  }
  [[nodiscard]] std::vector<std::string> warnings() const override {
    std::vector<std::string> all;
    for (const FileOfPart& file : files_)
      for (std::string& warning : file.rows->warnings())
        if (std::ranges::find(all, warning) == all.end()) all.push_back(std::move(warning));
    return all;
  }

 private:
  [[nodiscard]] const FileOfPart& fileOf(const Piece& piece) const {
    const auto found = std::ranges::find(
        files_, piece.part, [](const FileOfPart& file) { return std::optional(file.part); });
    if (found == files_.end()) throw InternalError("[SplitFilesSource] a piece of no file");
    return *found;
  }
  /// The piece as its file gave it.
  [[nodiscard]] Piece ownPiece(const Piece& piece) const {
    const FileOfPart& file = fileOf(piece);
    Piece own = piece;
    own.index -= file.piecesBefore;
    if (own.count > 0) own.first -= file.before;
    if (own.file == file.path) own.file = {};
    return own;
  }
  template <class Of>
  [[nodiscard]] std::int64_t sumOf(const Of& of) const {
    std::int64_t sum = 0;
    for (const FileOfPart& file : files_) sum += of(*file.rows);
    return sum;
  }

  std::vector<FileOfPart> files_;
  std::vector<SourceColumn> columns_;
  std::size_t current_ = 0;
  std::int64_t pieces_ = 0;
};

/// Whether a source has a row at all; a line of names alone has no types either, which would be
/// reported as the fault of a column.
Result<bool> holdsRows(Source& rows) {
  const std::vector<ColumnRequest> first{{rows.columns().front().name, {}, "", ""}};
  PARAPET_TRY(rows.select(first));
  Source::Piece piece;
  RowBlock block;
  for (;;) {
    PARAPET_ASSIGN(const bool more, rows.next(piece));
    if (!more) return false;
    PARAPET_TRY(rows.parse(piece, block));
    if (block.rows > 0) return true;
  }
}

/// Whether the columns are called 1, 2, …, as those of a text without a line of names.
bool hasNumbersForNames(const Source& rows) {
  std::size_t number = 0;
  return std::ranges::all_of(rows.columns(), [&number](const SourceColumn& column) {
    return column.name == std::to_string(++number);
  });
}

Result<FileOfPart> openPart(const experiment::Dataset& spec, SplitPart part,
                            const std::string& path, const OpenRows& open) {
  const std::string pointer = fmt::format("/dataset/split/{}", experiment::splitPartName(part));
  const auto at = [&pointer](Error error) {
    error.pointer = pointer;
    if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kData;
    return error;
  };
  const auto found = findSideFile(spec, path);
  if (!found) return at(found.error());
  if (const Status usable = requireFileOrFolder(*found, pointer); !usable) return usable.error();
  experiment::Dataset single = spec;
  single.split = {};
  single.path = *found;
  const auto look = open(single);
  if (!look) return at(look.error());
  const auto filled = holdsRows(**look);
  if (!filled) return at(filled.error());
  if (!*filled)
    return at(Error{ErrorCode::kData, fmt::format("{} has no rows; at least one is needed", *found),
                    "", *found});
  auto rows = open(single);
  if (!rows) return at(rows.error());
  return FileOfPart{.part = part, .path = path, .rows = std::move(rows).value()};
}

std::string namesOf(const FileOfPart& file) {
  std::vector<std::string> names;
  for (const SourceColumn& column : file.rows->columns()) names.push_back(column.name);
  return join(names);
}

/// Fits the types of the columns to those of one more file.
///
/// Errors   other names; lists where the others have none.
Status mergeColumns(const FileOfPart& first, const FileOfPart& other,
                    std::vector<SourceColumn>& columns) {
  const auto refuse = [&](const std::string& what) {
    return Error{ErrorCode::kData,
                 fmt::format("{} has other columns than {}: {}. The files of a split have the same "
                             "columns",
                             other.path, first.path, what),
                 fmt::format("/dataset/split/{}", experiment::splitPartName(other.part)),
                 other.path};
  };
  const std::vector<SourceColumn>& found = other.rows->columns();
  const auto isIn = [](const std::vector<SourceColumn>& some, const SourceColumn& column) {
    return std::ranges::find(some, column.name, &SourceColumn::name) != some.end();
  };
  const bool same =
      found.size() == columns.size() &&
      std::ranges::all_of(found, [&](const SourceColumn& each) { return isIn(columns, each); }) &&
      std::ranges::all_of(columns, [&](const SourceColumn& each) { return isIn(found, each); });
  if (!same) return refuse(fmt::format("{} instead of {}", namesOf(other), namesOf(first)));
  for (SourceColumn& column : columns) {
    const SourceColumn& there = *std::ranges::find(found, column.name, &SourceColumn::name);
    if (there.isList != column.isList)
      return refuse(fmt::format("\"{}\" has lists in one of them alone", column.name));
    if (there.type == column.type) continue;
    const bool text = there.type == ValueType::kText || column.type == ValueType::kText;
    column.type = text ? ValueType::kText : ValueType::kNumber;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Source>> openSplitFiles(const experiment::Dataset& spec,
                                               const OpenRows& open) {
  if (!isOfTables(spec.source))
    return record::documentError(
        "/dataset/split/kind",
        fmt::format("the source \"{}\" is no file for each part; the source \"csv\", \"json\" or "
                    "\"parquet\" is accepted",
                    experiment::sourceName(spec.source)));
  if (!spec.split.trainFile)
    return record::documentError("/dataset/split/train",
                                 "no file of training rows is named; a path is accepted");
  const std::array named{std::pair{SplitPart::kTrain, &spec.split.trainFile},
                         std::pair{SplitPart::kValidation, &spec.split.validationFile},
                         std::pair{SplitPart::kTest, &spec.split.testFile}};
  std::vector<FileOfPart> files;
  experiment::Dataset ofParts = spec;
  for (const auto& [part, path] : named) {
    if (!*path) continue;
    PARAPET_ASSIGN(FileOfPart file, openPart(ofParts, part, **path, open));
    files.push_back(std::move(file));
    // Few lines of words look like names where those of the training rows do not.
    if (spec.source == experiment::SourceKind::kCsv && hasNumbersForNames(*files.front().rows)) {
      if (!ofParts.format) ofParts.format.emplace();
      if (!ofParts.format->header) ofParts.format->header = false;
    }
  }
  std::vector<SourceColumn> columns = files.front().rows->columns();
  for (std::size_t other = 1; other < files.size(); ++other)
    PARAPET_TRY(mergeColumns(files.front(), files[other], columns));
  return std::unique_ptr<Source>(
      std::make_unique<SplitFilesSource>(std::move(files), std::move(columns)));
}

}  // namespace parapet::data
