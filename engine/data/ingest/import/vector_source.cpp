// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/vector_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "engine/base/text.h"
#include "engine/data/ingest/import/line_numbers.h"
#include "engine/data/ingest/import/row_pipeline.h"
#include "engine/data/ingest/sources/file_collection.h"
#include "engine/data/ingest/sources/side_file.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

// "<name>.ids.csv" of "<name>.npy".
std::string idsBeside(const std::string& path) {
  return fs::path(path).replace_extension(".ids.csv").string();
}

Error atColumn(const char* key, std::string message) {
  return Error{ErrorCode::kInvalidDocument, std::move(message), key};
}

}  // namespace

Result<VectorSource> VectorSource::open(const experiment::Dataset& spec,
                                        const experiment::PretrainedEmbeddings& vectors) {
  VectorSource source;
  PARAPET_ASSIGN(source.path_, findSideFile(spec, vectors.path));
  if (toLowerAscii(source.path_).ends_with(".npy")) {
    PARAPET_TRY(source.openNpy(spec, vectors));
    return source;
  }
  PARAPET_ASSIGN(source.table_, openTable(source.path_));
  PARAPET_TRY(source.selectColumns(vectors));
  return source;
}

Status VectorSource::openNpy(const experiment::Dataset& spec,
                             const experiment::PretrainedEmbeddings& vectors) {
  PARAPET_ASSIGN(array_, NpyFile::openFloats(path_));
  if (array_->shape().empty() || array_->shape().size() > 2 || array_->size() == 0)
    return Error{ErrorCode::kData,
                 fmt::format("{} has the shape [{}]; [rows, width] is accepted", path_,
                             fmt::join(array_->shape(), ", ")),
                 "", path_};
  PARAPET_ASSIGN(const std::string ids,
                 findSideFile(spec, vectors.ids ? *vectors.ids : idsBeside(path_)));
  PARAPET_ASSIGN(table_, openTable(ids));
  return table_->select(std::array{ColumnRequest{vectors.id, ValueType::kText, {}, {}}});
}

Status VectorSource::selectColumns(const experiment::PretrainedEmbeddings& vectors) {
  std::vector<std::string> names, lists;
  const SourceColumn* chosen = nullptr;
  for (const SourceColumn& column : table_->columns()) {
    if (vectors.column && column.name == *vectors.column) chosen = &column;
    if (column.name == vectors.id) continue;
    names.push_back(column.name);
    if (column.isList) lists.push_back(column.name);
  }
  std::vector<ColumnRequest> requests{{vectors.id, ValueType::kText, {}, {}}};
  if (vectors.column) {
    const bool isList = chosen != nullptr && chosen->isList;
    requests.push_back({*vectors.column, ValueType::kNumber, isList ? "" : " ", {}});
  } else if (lists.size() == 1) {
    requests.push_back({lists.front(), ValueType::kNumber, "", {}});
  } else if (lists.empty() && !names.empty()) {
    numbers_ = names;
    for (const std::string& name : names) requests.push_back({name, ValueType::kNumber, "", {}});
  } else {
    return atColumn("column",
                    fmt::format("{} has {}; accepted: {}", path_,
                                lists.empty() ? "no column besides the ids"
                                              : "several columns of lists, so one must be named",
                                join(lists.empty() ? names : lists)));
  }
  return table_->select(requests);
}

Status VectorSource::hashInto(Hasher& hasher, const WorkContext& context) const {
  if (array_) PARAPET_TRY(hashFile(hasher, path_, context));
  return table_->hashInto(hasher, context);
}

// The numbers of a block of rows, as lists.
Status VectorSource::gatherCells(const RowBlock& block) {
  gathered_.numbers.clear();
  gathered_.offsets.assign(1, 0);
  for (std::size_t row = 0; row < static_cast<std::size_t>(block.rows); ++row) {
    for (std::size_t c = 0; c < numbers_.size(); ++c) {
      const ColumnValues& column = block.columns[c + 1];
      if (column.isMissing(row))
        return Error{ErrorCode::kData,
                     fmt::format("{}: the vector of id \"{}\" has no number in the column \"{}\"",
                                 path_, printable(block.columns[0].texts[row]), numbers_[c]),
                     "", path_};
      gathered_.numbers.push_back(column.numbers[row]);
    }
    gathered_.offsets.push_back(static_cast<std::int32_t>(gathered_.numbers.size()));
  }
  return {};
}

// Hands on the rows of the array that belong to the ids of a block, a few at a time.
Status VectorSource::takeOfArray(const ColumnValues& ids, const Take& take) {
  constexpr std::size_t kRowsAtOnce = 4096;
  const std::vector<std::int64_t>& shape = array_->shape();
  const std::size_t width = shape.size() == 2 ? static_cast<std::size_t>(shape[1]) : 1;
  std::vector<float> values;
  ColumnValues some;
  some.type = ValueType::kText;
  const std::size_t known = static_cast<std::size_t>(std::max<std::int64_t>(0, shape[0] - rows_));
  const std::size_t count = std::min(ids.texts.size(), known);
  for (std::size_t first = 0; first < count; first += kRowsAtOnce) {
    const std::size_t rows = std::min(kRowsAtOnce, count - first);
    values.resize(rows * width);
    PARAPET_TRY(array_->read(
        (rows_ + static_cast<std::int64_t>(first)) * static_cast<std::int64_t>(width), values));
    gathered_.numbers.assign(values.begin(), values.end());
    gathered_.offsets.assign(1, 0);
    for (std::size_t row = 1; row <= rows; ++row)
      gathered_.offsets.push_back(static_cast<std::int32_t>(row * width));
    const auto begin = ids.texts.begin() + static_cast<std::ptrdiff_t>(first);
    some.texts.assign(begin, begin + static_cast<std::ptrdiff_t>(rows));
    PARAPET_TRY(take(some, gathered_));
  }
  return {};
}

Status VectorSource::forEach(const Take& take, const WorkContext& context) {
  gathered_.type = ValueType::kNumber;
  LineNumbers numbers(*table_);
  PARAPET_TRY(forEachBlock(
      *table_, "vectors",
      [&](const Source::Piece& piece, const RowBlock& block) -> Status {
        const std::int64_t before = numbers.before(piece, block.lines);
        if (!block.rejected.empty()) {
          const RejectedRow& bad = block.rejected.front();
          const std::int64_t line = before + bad.line + 1;
          return Error{
              ErrorCode::kData,
              fmt::format("{}:{}: {} [{}]", table_->fileName(), line, bad.reason, bad.excerpt), "",
              path_, line};
        }
        Status taken;
        if (array_)
          taken = takeOfArray(block.columns[0], take);
        else if (numbers_.empty())
          taken = take(block.columns[0], block.columns[1]);
        else if (taken = gatherCells(block); taken)
          taken = take(block.columns[0], gathered_);
        rows_ += block.rows;
        return taken;
      },
      context));
  if (array_ && rows_ != array_->shape()[0])
    return Error{
        ErrorCode::kData,
        fmt::format("{} has {} rows, and {} has {} ids; as many are accepted", path_,
                    formatCount(array_->shape()[0]), table_->fileName(), formatCount(rows_)),
        "", path_};
  return {};
}

}  // namespace parapet::data
