// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/vectors_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include "engine/base/file_ranges.h"
#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/data/dataset/vocabulary.h"
#include "engine/data/ingest/import/row_pipeline.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/data/ingest/sources/source.h"

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

// Writes the vectors of one file, row by row of the vocabulary.
class VectorFile {
 public:
  VectorFile(const experiment::PretrainedEmbeddings& spec, std::string source,
             const Vocabulary& vocabulary, fs::path path)
      : spec_(spec),
        source_(std::move(source)),
        vocabulary_(vocabulary),
        path_(std::move(path)),
        seen_(static_cast<std::size_t>(vocabulary.size())) {}

  Status add(const ColumnValues& ids, const ColumnValues& values) {
    for (std::size_t at = 0; at < ids.texts.size(); ++at) {
      const std::int64_t begin = values.offsets[at], end = values.offsets[at + 1];
      if (width_ == 0 && end > begin) PARAPET_TRY(create(end - begin));
      if (width_ == 0 || end - begin != width_)
        return dataError(
            fmt::format("the vector of id \"{}\" has {} numbers, the first one {}; "
                        "vectors of one width are accepted",
                        printable(ids.texts[at]), end - begin, width_));
      const auto known = vocabulary_.row(ids.texts[at]);
      // In a vocabulary that hashes, a row has the vector of the id that names it.
      if (!known || vocabulary_.rawId(*known) != ids.texts[at]) continue;
      const std::span<const double> numbers(values.numbers.data() + begin,
                                            static_cast<std::size_t>(width_));
      vector_.assign(numbers.begin(), numbers.end());
      if (!std::ranges::all_of(vector_, [](float number) { return std::isfinite(number); }))
        return dataError(fmt::format("the vector of id \"{}\" has a number that is not finite",
                                     printable(ids.texts[at])));
      PARAPET_TRY(file_->write(static_cast<std::uint64_t>(*known * width_) * sizeof(float),
                               std::as_bytes(std::span(vector_))));
      rows_ += !seen_[static_cast<std::size_t>(*known)];
      seen_[static_cast<std::size_t>(*known)] = true;
    }
    return {};
  }

  Status finish(Manifest& manifest) {
    if (width_ == 0) return dataError("there is no vector; at least one is needed");
    if (rows_ == 0)
      return dataError(fmt::format("no id of its column \"{}\" is one of the vocabulary \"{}\"",
                                   spec_.id, spec_.of));
    PARAPET_TRY(file_->sync());
    manifest.vectors.push_back({spec_.name, spec_.of, width_, rows_});
    if (rows_ < vocabulary_.size() - 1)
      manifest.warnings.push_back(
          fmt::format("{} of {} ids of \"{}\" have no vector \"{}\"; theirs are zeros",
                      formatCount(vocabulary_.size() - 1 - rows_),
                      formatCount(vocabulary_.size() - 1), spec_.of, spec_.name));
    return {};
  }

 private:
  [[nodiscard]] Error dataError(std::string what) const {
    return Error{ErrorCode::kData, source_ + ": " + std::move(what), "", source_};
  }

  Status create(std::int64_t width) {
    width_ = width;
    PARAPET_TRY(createFolders(path_.parent_path()));
    PARAPET_ASSIGN(FileWriter writer, FileWriter::create(path_));
    PARAPET_TRY(writer.finish());
    PARAPET_ASSIGN(FileUpdater file, FileUpdater::open(path_));
    // A file that is made longer reads as zeros.
    PARAPET_TRY(
        file.truncate(static_cast<std::uint64_t>(vocabulary_.size() * width) * sizeof(float)));
    file_.emplace(std::move(file));
    return {};
  }

  const experiment::PretrainedEmbeddings& spec_;
  std::string source_;
  const Vocabulary& vocabulary_;
  fs::path path_;
  std::optional<FileUpdater> file_;
  std::int64_t width_ = 0, rows_ = 0;
  std::vector<float> vector_;
  std::vector<bool> seen_;  // rows of the vocabulary that have a vector
};

Status importOne(const experiment::Dataset& data, const experiment::PretrainedEmbeddings& spec,
                 const fs::path& folder, Manifest& manifest, const WorkContext& context) {
  PARAPET_ASSIGN(const Vocabulary vocabulary, Vocabulary::open(folder, spec.of));
  PARAPET_ASSIGN(VectorSource source, VectorSource::open(data, spec));
  VectorFile file(spec, source.path(), vocabulary, folder / (spec.name + ".vec.f32"));
  PARAPET_TRY(
      source.forEach([&file](const ColumnValues& ids,
                             const ColumnValues& vectors) { return file.add(ids, vectors); },
                     context));
  return file.finish(manifest);
}

// An error of a source of vectors is one of that entry of the document.
Error atVectors(Error error, std::size_t index) {
  // A source knows the key below the entry at most.
  const std::string key = error.pointer == "column" ? "/column" : "";
  if (!error.pointer.starts_with("/dataset/vectors"))
    error.pointer = fmt::format("/dataset/vectors/{}{}", index, key);
  return error;
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

Status hashVectors(const experiment::Dataset& spec, Hasher& hasher, const WorkContext& context) {
  for (std::size_t i = 0; i < spec.vectors.size(); ++i) {
    const auto source = VectorSource::open(spec, spec.vectors[i]);
    if (!source) return atVectors(source.error(), i);
    PARAPET_TRY(source->hashInto(hasher, context));
  }
  return {};
}

Status importVectors(const experiment::Dataset& spec, const fs::path& folder, Manifest& manifest,
                     const WorkContext& context) {
  for (std::size_t i = 0; i < spec.vectors.size(); ++i) {
    const experiment::PretrainedEmbeddings& vectors = spec.vectors[i];
    const auto known = [&](const Manifest::Vocabulary& candidate) {
      return candidate.name == vectors.of;
    };
    if (std::ranges::none_of(manifest.vocabularies, known))
      return Error{ErrorCode::kInvalidDocument,
                   fmt::format("there is no vocabulary \"{}\"", vectors.of),
                   fmt::format("/dataset/vectors/{}/of", i)};
    Status imported = importOne(spec, vectors, folder, manifest, context);
    if (imported) continue;
    return atVectors(imported.error(), i);
  }
  return {};
}

}  // namespace parapet::data
