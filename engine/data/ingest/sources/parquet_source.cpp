// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/source_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
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

ValueType typeOf(const PsColumn& column) {
  constexpr ValueType kTypes[] = {ValueType::kInteger, ValueType::kNumber, ValueType::kText};
  return kTypes[column.kind];
}

/// Whether a chunk of a uint64 column has values beyond int64, as its bounds tell.
bool isBeyondInteger(const PsChunk& chunk) {
  constexpr double kEnd = 9223372036854777856.0;  // 2^63, and as much more as a bound may be off
  return chunk.hasBounds && chunk.most > kEnd;
}

/// Whether columns of two files that have the same name can be read as one.
bool fitTogether(const PsColumn& one, const PsColumn& other) {
  if (one.kind == PS_OTHER) return true;  // it is not read
  if (other.kind == PS_OTHER || one.isList != other.isList) return false;
  const auto isNull = [](const PsColumn& column) {
    return column.typeName == std::string_view("null");
  };
  return (one.kind == PS_TEXT) == (other.kind == PS_TEXT) || isNull(one) || isNull(other);
}

/// The content of a piece: a row group to be decoded, or rows that are.
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
  [[nodiscard]] std::string absenceOf(std::string_view name) const override {
    const PsColumn* const column = columnNamed(files_.front().file.columns(), name);
    return column && column->kind == PS_OTHER
               ? fmt::format("it holds {}, which is not read", printable(column->typeName))
               : std::string();
  }
  [[nodiscard]] std::vector<std::string> warnings() const override { return warnings_; }
  Status select(std::span<const ColumnRequest> requests) override;
  void pushDown(std::span<const ColumnBound> bounds) override {
    bounds_.assign(bounds.begin(), bounds.end());
  }
  Result<bool> next(Piece& piece) override;
  Status parse(const Piece& piece, RowBlock& block) const override;
  [[nodiscard]] std::string excerpt(const Piece& piece, std::int64_t line) const override;
  Status hashInto(Hasher& hasher, const WorkContext& context) const override;
  [[nodiscard]] std::string fileName() const override {
    const fs::path path(path_);
    return (path.has_filename() ? path : path.parent_path()).filename().string();
  }
  [[nodiscard]] std::int64_t done() const override { return done_; }
  [[nodiscard]] std::int64_t total() const override { return total_; }

 private:
  /// A file, and how its columns become those of the blocks.
  struct File {
    ParquetFile file;
    std::vector<PartitionKey> keys;
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
  Status add(PartitionedFile found, Check check);
  void addColumns(const File& first);
  [[nodiscard]] Status mergeColumns(const ParquetFile& file);
  /// The path of a file from the folder on.
  [[nodiscard]] std::string_view nameOf(const File& file) const;
  [[nodiscard]] std::int64_t valuesOf(const ParquetFile& file, std::int64_t group) const;
  [[nodiscard]] Size sizeOf(const File& file, std::int64_t group) const;
  static PsChunk chunkOf(const File& of, std::int64_t group, const std::string& name);
  [[nodiscard]] bool isOutside(const File& file, std::int64_t group) const;
  void enter(Piece& piece, Work work, std::int64_t values);
  Result<bool> nextSlice(Piece& piece);

  std::string path_;
  std::vector<File> files_;
  std::vector<SourceColumn> columns_;
  std::vector<std::string> warnings_;
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
  PARAPET_ASSIGN(auto files, findParquetFiles(*spec.path));
  for (PartitionedFile& file : files)
    PARAPET_TRY(source->add(std::move(file), spec.columns.empty() ? Check::kYambda : Check::kNone));
  if (source->total_ == 0) return badParquet(*spec.path, "has no rows");
  return {std::move(source)};
}

Status ParquetSource::add(PartitionedFile found, Check check) {
  PARAPET_ASSIGN(ParquetFile opened, ParquetFile::open(found.path));
  if (files_.empty() && check == Check::kYambda)
    PARAPET_TRY(checkYambda(found.path, opened.columns()));
  if (!files_.empty()) PARAPET_TRY(mergeColumns(opened));
  files_.push_back({std::move(opened), std::move(found.keys)});
  const ParquetFile& file = files_.back().file;
  if (files_.size() == 1) addColumns(files_.back());
  for (std::int64_t group = 0; group < file.groups(); ++group) {
    const std::int64_t rows = file.groupRows(group), values = valuesOf(file, group);
    if (rows < 0 || values < 0)
      return badParquet(file.path(), fmt::format("is damaged: row group {} claims to have {} rows",
                                                 group, std::min(rows, values)));
    total_ += values;
    for (std::size_t c = 0; c < file.columns().size(); ++c) {
      const PsColumn& stored = file.columns()[c];
      if (stored.typeName != std::string_view("uint64") ||
          !isBeyondInteger(file.chunk(group, static_cast<std::int32_t>(c))))
        continue;
      // Hashes: they are names with which nothing is computed, and text holds all of them.
      const auto own = std::ranges::find(columns_, stored.name, &SourceColumn::name);
      if (own != columns_.end()) own->type = ValueType::kText;
    }
  }
  return {};
}

void ParquetSource::addColumns(const File& first) {
  unrolled_ = unrolledRows(first.file.columns());
  std::vector<std::string> others;
  for (const PsColumn& column : first.file.columns()) {
    if (column.kind == PS_OTHER)
      others.push_back(fmt::format("{} ({})", printable(column.name), printable(column.typeName)));
    else
      columns_.push_back({column.name, typeOf(column), column.isList && !unrolled_});
  }
  for (const PartitionKey& key : first.keys)
    if (!columnNamed(first.file.columns(), key.name)) columns_.push_back({key.name, key.type});
  if (!others.empty())
    warnings_.push_back(fmt::format("columns that cannot be read: {}", listed(others)));
}

/// Fits the types of the columns to those of one more file.
Status ParquetSource::mergeColumns(const ParquetFile& file) {
  const ParquetFile& first = files_.front().file;
  for (const PsColumn& wanted : first.columns()) {
    const PsColumn* const column = columnNamed(file.columns(), wanted.name);
    if (!column)
      return badParquet(file.path(), fmt::format("lacks the column {} that {} has",
                                                 printable(wanted.name), first.path()));
    if (!fitTogether(wanted, *column))
      return badParquet(
          file.path(),
          fmt::format("holds {} in column {} where {} holds {}", printable(column->typeName),
                      printable(wanted.name), first.path(), printable(wanted.typeName)));
    const auto own = std::ranges::find(columns_, wanted.name, &SourceColumn::name);
    // Text holds what numbers hold, and those what integers do.
    if (own != columns_.end()) own->type = std::max(own->type, typeOf(*column));
  }
  for (const PsColumn& column : file.columns()) {
    const bool isKnown =
        columnNamed(first.columns(), column.name) ||
        std::ranges::find(columns_, column.name, &SourceColumn::name) != columns_.end();
    std::string warning = fmt::format("the column {} of some files is not read: {} lacks it",
                                      printable(column.name), first.path());
    if (!isKnown && std::ranges::find(warnings_, warning) == warnings_.end())
      warnings_.push_back(std::move(warning));
  }
  return {};
}

std::string_view ParquetSource::nameOf(const File& file) const {
  const std::string& path = file.file.path();
  if (files_.size() == 1 && file.keys.empty())
    return std::string_view(path).substr(path.rfind('/') + 1);
  return std::string_view(path).substr(path.find_first_not_of('/', path_.size()));
}

Status ParquetSource::select(std::span<const ColumnRequest> requests) {
  std::vector<ColumnRequest> typed(requests.begin(), requests.end());
  for (ColumnRequest& request : typed) {
    const auto found = std::ranges::find(columns_, request.name, &SourceColumn::name);
    if (!request.type && found != columns_.end()) request.type = found->type;
  }
  for (File& file : files_) {
    const auto columns = file.file.columns();
    auto made = ParquetProjection::make(columns, file.keys, typed, unrolledRows(columns));
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

/// The statistics of a column of the file, or of a key.
PsChunk ParquetSource::chunkOf(const File& of, std::int64_t group, const std::string& name) {
  const auto columns = of.file.columns();
  if (const PsColumn* const column = columnNamed(columns, name))
    return of.file.chunk(group, static_cast<std::int32_t>(column - columns.data()));
  const auto key = std::ranges::find(of.keys, name, &PartitionKey::name);
  if (key == of.keys.end() || key->type != ValueType::kInteger || !key->value) return {};
  constexpr double kExact = 9007199254740992.0;  // up to 2⁵³ integers are
  const double value = parseDouble(*key->value).value_or(kExact);
  return {0, 0, std::abs(value) < kExact, value, value};
}

bool ParquetSource::isOutside(const File& file, std::int64_t group) const {
  return std::ranges::any_of(bounds_, [&](const ColumnBound& bound) {
    const PsChunk chunk = chunkOf(file, group, bound.column);
    if (!chunk.hasBounds) return false;
    return (bound.least && chunk.most < *bound.least) || (bound.most && chunk.least > *bound.most);
  });
}

void ParquetSource::enter(Piece& piece, Work work, std::int64_t values) {
  piece = {};
  piece.index = index_++;
  piece.first = done_;
  piece.count = values;
  if (files_.size() > 1) piece.file = nameOf(files_[work.file]);
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
    if (values == 0 || isOutside(file, group)) {
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
  const auto& [file, keys, projection] = files_[work.file];
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
  removeRejected(block);
  return {};
}

std::string ParquetSource::excerpt(const Piece& piece, std::int64_t line) const {
  const std::lock_guard lock(excerptMutex_);
  if (excerptPiece_ != piece.index) {
    excerptPiece_ = -1;
    if (!parse(piece, excerptRows_)) return "";
    excerptPiece_ = piece.index;
  }
  std::int64_t at = std::min(line, excerptRows_.rows - 1);
  while (at >= 0 && excerptRows_.lineOf(at) > line) --at;
  if (at < 0 || excerptRows_.lineOf(at) != line) return "";
  const auto row = static_cast<std::size_t>(at);
  std::vector<std::string> cells;
  for (const ColumnValues& column : excerptRows_.columns) {
    if (column.isList()) continue;
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
    hasher.update(fmt::format("{}\n", nameOf(file)));
    PARAPET_TRY(hashFile(hasher, file.file.path(), context));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Source>> openParquetSource(const experiment::Dataset& spec) {
  return ParquetSource::open(spec);
}

}  // namespace parapet::data
