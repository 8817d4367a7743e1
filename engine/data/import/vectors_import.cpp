// SPDX-License-Identifier: Apache-2.0
#include "engine/data/import/vectors_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "engine/base/file_updater.h"
#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/data/sources/source.h"
#include "engine/data/vocabulary.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

Result<std::unique_ptr<Source>> openVectors(const experiment::DenseVectors& spec) {
  experiment::Dataset file;
  file.path = spec.path;
  file.source = toLowerAscii(spec.path).ends_with(".parquet") ? "parquet" : "csv";
  return openSource(file);
}

// Writes the vectors of one file, row by row of the vocabulary.
class VectorFile {
 public:
  VectorFile(const experiment::DenseVectors& spec, const Vocabulary& vocabulary, fs::path path)
      : spec_(spec), vocabulary_(vocabulary), path_(std::move(path)) {}

  Status add(const RowBlock& block) {
    const ColumnValues& ids = block.columns[0];
    const ColumnValues& values = block.columns[1];
    for (std::int64_t row = 0; row < block.rows; ++row) {
      const auto at = static_cast<std::size_t>(row);
      const std::int64_t begin = values.offsets[at], end = values.offsets[at + 1];
      if (width_ == 0 && end > begin) PARAPET_TRY(create(end - begin));
      if (end - begin != width_)
        return dataError(
            fmt::format("the vector of id \"{}\" has {} numbers, the first one {}; "
                        "vectors of one width are accepted",
                        printable(ids.texts[at]), end - begin, width_));
      const auto known = vocabulary_.row(ids.texts[at]);
      if (!known) continue;
      const std::span<const double> numbers(values.numbers.data() + begin,
                                            static_cast<std::size_t>(width_));
      vector_.assign(numbers.begin(), numbers.end());
      PARAPET_TRY(file_->write(static_cast<std::uint64_t>(*known * width_) * sizeof(float),
                               std::as_bytes(std::span(vector_))));
      ++rows_;
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
    return Error{ErrorCode::kData, spec_.path + ": " + std::move(what), "", spec_.path};
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

  const experiment::DenseVectors& spec_;
  const Vocabulary& vocabulary_;
  fs::path path_;
  std::optional<FileUpdater> file_;
  std::int64_t width_ = 0, rows_ = 0;
  std::vector<float> vector_;
};

Status importOne(const experiment::DenseVectors& spec, const fs::path& folder, Manifest& manifest,
                 const WorkContext& context) {
  PARAPET_ASSIGN(const Vocabulary vocabulary, Vocabulary::open(folder, spec.of));
  PARAPET_ASSIGN(const auto source, openVectors(spec));
  const std::array requests{ColumnRequest{spec.id, ValueType::kText, {}, {}},
                            ColumnRequest{spec.column, ValueType::kNumber, " ", {}}};
  PARAPET_TRY(source->select(requests));
  VectorFile file(spec, vocabulary, folder / (spec.name + ".vec.f32"));
  Source::Piece piece;
  RowBlock block;
  for (;;) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "import cancelled"};
    PARAPET_ASSIGN(const bool more, source->next(piece));
    if (!more) return file.finish(manifest);
    PARAPET_TRY(source->parse(piece, block));
    if (!block.bad.empty())
      return Error{ErrorCode::kData,
                   fmt::format("{}: {} [{}]", spec.path, block.bad.front().reason,
                               block.bad.front().excerpt),
                   "", spec.path};
    PARAPET_TRY(file.add(block));
    source->release(piece);
    context.report("vectors", source->done(), source->total());
  }
}

}  // namespace

Status hashVectors(const experiment::Dataset& spec, Hasher& hasher, const WorkContext& context) {
  for (const auto& vectors : spec.vectors) {
    PARAPET_ASSIGN(const auto source, openVectors(vectors));
    PARAPET_TRY(source->hashInto(hasher, context));
  }
  return {};
}

Status importVectors(const experiment::Dataset& spec, const fs::path& folder, Manifest& manifest,
                     const WorkContext& context) {
  for (std::size_t i = 0; i < spec.vectors.size(); ++i) {
    const experiment::DenseVectors& vectors = spec.vectors[i];
    const auto known = [&](const Manifest::Vocabulary& candidate) {
      return candidate.name == vectors.of;
    };
    if (std::ranges::none_of(manifest.vocabularies, known))
      return Error{ErrorCode::kInvalidDocument,
                   fmt::format("there is no vocabulary \"{}\"", vectors.of),
                   fmt::format("/dataset/vectors/{}/of", i)};
    Status imported = importOne(vectors, folder, manifest, context);
    if (imported) continue;
    Error error = imported.error();
    if (error.pointer.empty()) error.pointer = fmt::format("/dataset/vectors/{}", i);
    return error;
  }
  return {};
}

}  // namespace parapet::data
