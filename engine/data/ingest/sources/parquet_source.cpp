// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/source_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/files.h"
#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/data/ingest/sources/parquet_projection.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/data/source_abi.h"

namespace parapet::data {
namespace {

/// Yambda's columns and what their values are.
constexpr std::array<std::pair<const char*, std::int32_t>, 7> kYambdaColumns{
    {{"uid", PS_INTEGER},
     {"timestamp", PS_INTEGER},
     {"item_id", PS_INTEGER},
     {"is_organic", PS_INTEGER},
     {"played_ratio_pct", PS_INTEGER},
     {"track_length_seconds", PS_INTEGER},
     {"event_type", PS_TEXT}}};
constexpr std::size_t kYambdaAlways = 4;  // the first of them are in every file

// Yambda's files hold listening events. In the flat form each row is an event: uid, timestamp,
// item_id, is_organic, then as the file needs them played_ratio_pct, track_length_seconds and
// event_type. In the sequential form each row is a user, and all columns but uid are lists.

/// Null if there is none of that name.
const PsColumn* columnNamed(std::span<const PsColumn> columns, std::string_view name) {
  const auto found =
      std::ranges::find_if(columns, [&](const PsColumn& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

/// A file that has Yambda's columns must have them with Yambda's types. Any other file is fine.
///
/// Errors   kData with the column, its type and what is expected.
Status checkYambda(const std::string& path, std::span<const PsColumn> columns) {
  for (std::size_t i = 0; i < kYambdaAlways; ++i)
    if (!columnNamed(columns, kYambdaColumns[i].first)) return {};
  for (const auto& [name, kind] : kYambdaColumns) {
    const PsColumn* const column = columnNamed(columns, name);
    if (column && column->kind != kind)
      return badParquet(
          path, fmt::format("has the columns of Yambda, but {} holds {}; {} are "
                            "expected (name `columns` in the document to read it as "
                            "any other file)",
                            name, column->typeName, kind == PS_TEXT ? "texts" : "integers"));
  }
  return {};
}

/// Whether a file is of the sequential form, and which column tells the lengths of its lists.
std::optional<UnrolledRows> unrolledRows(std::span<const PsColumn> columns) {
  const PsColumn* const user = columnNamed(columns, "uid");
  const PsColumn* const item = columnNamed(columns, "item_id");
  const PsColumn* const time = columnNamed(columns, "timestamp");
  const auto isInteger = [](const PsColumn* column, bool isList) {
    return column && column->kind == PS_INTEGER && (column->isList != 0) == isList;
  };
  if (!isInteger(user, false) || !isInteger(item, true) || !isInteger(time, true)) return {};
  return UnrolledRows{static_cast<std::int32_t>(item - columns.data())};
}

namespace fs = std::filesystem;

// A row group up to this size is one piece, which any thread decodes; a larger one is decoded by
// next(), as slices, because a reader can only go through it from its start.
constexpr std::int64_t kWholeValues = 5 << 18;
constexpr std::int64_t kWholeBytes = 128 << 20;
constexpr std::int64_t kSliceValues = 1 << 18;
constexpr std::int64_t kSliceBytes = 32 << 20;
// Rows that are decoded at a time: their columns stay in the cache until they are in the block.
constexpr std::int64_t kBatchValues = 1 << 15;

/// The file, or the *.parquet files of the folder by name.
Result<std::vector<std::string>> filesOf(const fs::path& path) {
  std::error_code refusal;
  if (!fs::is_directory(path, refusal)) return std::vector{path.string()};
  std::vector<std::string> files;
  for (fs::directory_iterator entry(path, refusal), end; !refusal && entry != end;
       entry.increment(refusal))
    if (entry->path().extension() == ".parquet") files.push_back(entry->path().string());
  if (refusal) return ioError("read", path, refusal.value());
  if (files.empty()) return badParquet(path.string(), "has no *.parquet file in it");
  std::ranges::sort(files);
  return files;
}

/// What a piece carries: a row group to be decoded, or rows that are.
struct Work {
  std::size_t file = 0;
  std::int64_t group = 0;
  std::int64_t batchRows = 0;
  std::shared_ptr<const ParquetBatch> batch;  ///< null: the whole group
};

class ParquetSource final : public Source {
 public:
  static Result<std::unique_ptr<Source>> open(const experiment::Dataset& spec);

  [[nodiscard]] const std::vector<SourceColumn>& columns() const override { return columns_; }
  Status select(std::span<const ColumnRequest> requests) override;
  void pushDown(std::span<const ColumnBound> bounds) override {
    bounds_.assign(bounds.begin(), bounds.end());
  }
  Result<bool> next(Piece& piece) override;
  Status parse(const Piece& piece, RowBlock& block) const override;
  [[nodiscard]] std::string excerpt(const Piece& piece, std::int64_t line) const override;
  Status hashInto(Hasher& hasher, const WorkContext& context) const override;
  [[nodiscard]] std::string fileName() const override {
    return std::filesystem::path(path_).filename().string();
  }
  [[nodiscard]] std::int64_t done() const override { return done_; }
  [[nodiscard]] std::int64_t total() const override { return total_; }

 private:
  /// A file, and how its columns become those of the blocks.
  struct File {
    ParquetFile file;
    ParquetProjection projection{};
  };
  /// A row group, in values: rows, or those of its lists.
  struct Size {
    std::int64_t rows = 0, values = 0, bytes = 0;
  };
  explicit ParquetSource(std::string path) : path_(std::move(path)) {}
  enum class Check {
    kNone,
    kYambda,  ///< the columns of a Yambda file must have its types
  };
  Status add(const std::string& path, Check check);
  [[nodiscard]] Status sameColumns(const ParquetFile& file) const;
  [[nodiscard]] std::int64_t valuesOf(const ParquetFile& file, std::int64_t group) const;
  [[nodiscard]] Size sizeOf(const File& file, std::int64_t group) const;
  [[nodiscard]] bool isOutside(const ParquetFile& file, std::int64_t group) const;
  void enter(Piece& piece, Work work, std::int64_t values);
  Result<bool> nextSlice(Piece& piece);

  std::string path_;
  std::vector<File> files_;
  std::vector<SourceColumn> columns_;
  std::optional<UnrolledRows> unrolled_;
  std::vector<ColumnBound> bounds_;

  // Where next() is.
  std::size_t fileIndex_ = 0;
  std::int64_t group_ = 0, index_ = 0, done_ = 0, total_ = 0;
  std::optional<ParquetCursor> slices_;  // of the row group before group_

  // The rows of the last excerpt: several lines of a piece are asked for one after the other.
  mutable std::mutex excerptMutex_;
  mutable std::int64_t excerptPiece_ = -1;
  mutable RowBlock excerptRows_;
};

Result<std::unique_ptr<Source>> ParquetSource::open(const experiment::Dataset& spec) {
  if (!spec.path)
    return Error{ErrorCode::kInvalidDocument,
                 "source \"parquet\" needs the path of a file, or of a folder of .parquet files",
                 "/dataset/path"};
  std::unique_ptr<ParquetSource> source(new ParquetSource(*spec.path));
  PARAPET_ASSIGN(const auto files, filesOf(*spec.path));
  for (const std::string& file : files)
    PARAPET_TRY(source->add(file, spec.columns.empty() ? Check::kYambda : Check::kNone));
  if (source->total_ == 0) return badParquet(*spec.path, "has no rows");
  return {std::move(source)};
}

Status ParquetSource::add(const std::string& path, Check check) {
  PARAPET_ASSIGN(ParquetFile file, ParquetFile::open(path));
  if (files_.empty()) {
    unrolled_ = unrolledRows(file.columns());
    if (check == Check::kYambda) PARAPET_TRY(checkYambda(path, file.columns()));
    for (const PsColumn& column : file.columns()) {
      if (column.kind == PS_OTHER) continue;
      constexpr ValueType kTypes[] = {ValueType::kInteger, ValueType::kNumber, ValueType::kText};
      columns_.push_back({column.name, kTypes[column.kind], column.isList && !unrolled_});
    }
  } else {
    PARAPET_TRY(sameColumns(file));
  }
  files_.push_back({std::move(file)});
  const ParquetFile& added = files_.back().file;
  for (std::int64_t group = 0; group < added.groups(); ++group) {
    const std::int64_t rows = added.groupRows(group), values = valuesOf(added, group);
    if (rows < 0 || values < 0)
      return badParquet(path, fmt::format("is damaged: row group {} claims to have {} rows", group,
                                          std::min(rows, values)));
    total_ += values;
  }
  return {};
}

Status ParquetSource::sameColumns(const ParquetFile& file) const {
  const ParquetFile& first = files_.front().file;
  for (const PsColumn& wanted : first.columns()) {
    const PsColumn* const column = columnNamed(file.columns(), wanted.name);
    if (!column)
      return badParquet(file.path(), fmt::format("lacks the column {} that {} has",
                                                 printable(wanted.name), first.path()));
    if (column->kind != wanted.kind || column->isList != wanted.isList)
      return badParquet(
          file.path(),
          fmt::format("holds {} in column {} where {} holds {}", printable(column->typeName),
                      printable(wanted.name), first.path(), printable(wanted.typeName)));
  }
  return {};
}

Status ParquetSource::select(std::span<const ColumnRequest> requests) {
  for (File& file : files_) {
    const auto columns = file.file.columns();
    auto made = ParquetProjection::make(columns, requests, unrolledRows(columns));
    if (!made) {
      Error error = made.error();
      error.path = file.file.path();
      return error;
    }
    file.projection = std::move(made).value();
  }
  return {};
}

std::int64_t ParquetSource::valuesOf(const ParquetFile& file, std::int64_t group) const {
  const auto unrolled = unrolledRows(file.columns());
  return unrolled ? file.chunk(group, unrolled->lengths).values : file.groupRows(group);
}

ParquetSource::Size ParquetSource::sizeOf(const File& file, std::int64_t group) const {
  Size size{file.file.groupRows(group), 0, 0};
  size.values = size.rows;
  for (const std::int32_t column : file.projection.columns()) {
    const PsChunk chunk = file.file.chunk(group, column);
    size.values = std::max(size.values, chunk.values);
    size.bytes += chunk.bytes;
  }
  return size;
}

bool ParquetSource::isOutside(const ParquetFile& file, std::int64_t group) const {
  return std::ranges::any_of(bounds_, [&](const ColumnBound& bound) {
    const PsColumn* const column = columnNamed(file.columns(), bound.column);
    if (!column) return false;
    const PsChunk chunk =
        file.chunk(group, static_cast<std::int32_t>(column - file.columns().data()));
    if (!chunk.hasBounds) return false;
    return (bound.least && chunk.most < *bound.least) || (bound.most && chunk.least > *bound.most);
  });
}

void ParquetSource::enter(Piece& piece, Work work, std::int64_t values) {
  piece = {};
  piece.index = index_++;
  piece.first = done_;
  piece.count = values;
  const std::string& path = files_[work.file].file.path();
  if (files_.size() > 1) piece.file = std::string_view(path).substr(path.rfind('/') + 1);
  piece.bytes = std::make_shared<const Work>(std::move(work));
  done_ += values;
}

Result<bool> ParquetSource::nextSlice(Piece& piece) {
  PARAPET_ASSIGN(auto batch, slices_->next());
  if (!batch) {
    slices_.reset();
    return false;
  }
  const std::int64_t rows = files_[fileIndex_].projection.rowsOf(*batch);
  enter(piece, {fileIndex_, group_ - 1, 0, std::move(batch)}, rows);
  return true;
}

Result<bool> ParquetSource::next(Piece& piece) {
  for (;;) {
    if (slices_) {
      PARAPET_ASSIGN(const bool found, nextSlice(piece));
      if (found) return true;
      continue;
    }
    if (fileIndex_ == files_.size()) return false;
    const File& file = files_[fileIndex_];
    if (group_ == file.file.groups()) {
      ++fileIndex_;
      group_ = 0;
      continue;
    }
    const std::int64_t group = group_++;
    const std::int64_t values = valuesOf(file.file, group);
    if (values == 0 || isOutside(file.file, group)) {
      done_ += values;
      continue;
    }
    const Size size = sizeOf(file, group);
    const auto rowsFor = [&](std::int64_t most) {
      return std::max<std::int64_t>(
          1, static_cast<std::int64_t>(static_cast<double>(size.rows) * static_cast<double>(most) /
                                       static_cast<double>(size.values)));
    };
    if (size.values <= kWholeValues && size.bytes <= kWholeBytes) {
      enter(piece, {fileIndex_, group, rowsFor(kBatchValues), nullptr}, values);
      return true;
    }
    const double share =
        static_cast<double>(kSliceBytes) / static_cast<double>(std::max(size.bytes, kSliceBytes));
    const auto most =
        std::min(kSliceValues, static_cast<std::int64_t>(share * static_cast<double>(size.values)));
    PARAPET_ASSIGN(slices_, file.file.start(group, file.projection.columns(), rowsFor(most)));
  }
}

Status ParquetSource::parse(const Piece& piece, RowBlock& block) const {
  const auto& work = *static_cast<const Work*>(piece.bytes.get());
  const auto& [file, projection] = files_[work.file];
  const auto texts = std::make_shared<ParquetTexts>();
  // No more than a piece has: a damaged file may claim anything.
  const auto expectedRows = static_cast<std::size_t>(std::min(piece.count, kWholeValues));
  projection.clear(block, expectedRows);
  block.bytes = texts;
  if (work.batch) {
    PARAPET_TRY(projection.append(work.batch, file.path(), *texts, block));
  } else {
    PARAPET_ASSIGN(ParquetCursor cursor,
                   file.start(work.group, projection.columns(), work.batchRows));
    for (;;) {
      PARAPET_ASSIGN(const auto batch, cursor.next());
      if (!batch) break;
      PARAPET_TRY(projection.append(batch, file.path(), *texts, block));
    }
  }
  return {};
}

std::string ParquetSource::excerpt(const Piece& piece, std::int64_t line) const {
  const std::lock_guard lock(excerptMutex_);
  if (excerptPiece_ != piece.index) {
    excerptPiece_ = -1;
    if (!parse(piece, excerptRows_)) return "";
    excerptPiece_ = piece.index;
  }
  const auto row = static_cast<std::size_t>(line);
  std::vector<std::string> cells;
  for (const ColumnValues& column : excerptRows_.columns) {
    if (line >= excerptRows_.rows || column.isList()) continue;
    if (column.isMissing(row))
      cells.emplace_back("null");
    else if (column.type == ValueType::kText)
      cells.push_back(printable(column.texts[row]));
    else
      cells.push_back(column.type == ValueType::kInteger ? fmt::to_string(column.integers[row])
                                                         : fmt::to_string(column.numbers[row]));
  }
  return join(cells);
}

Status ParquetSource::hashInto(Hasher& hasher, const WorkContext& context) const {
  for (const File& file : files_) {
    const fs::path path = file.file.path();
    hasher.update(path.filename().string() + "\n");
    PARAPET_TRY(hashFile(hasher, path, context));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Source>> openParquetSource(const experiment::Dataset& spec) {
  return ParquetSource::open(spec);
}

}  // namespace parapet::data
