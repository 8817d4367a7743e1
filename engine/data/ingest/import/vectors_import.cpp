// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/vectors_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/base/file_ranges.h"
#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/data/dataset/vocabulary.h"
#include "engine/data/ingest/import/vector_source.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

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

// What is wrong with a source of vectors is wrong with that entry of the document.
Error atVectors(Error error, std::size_t index) {
  // A source knows the key below the entry at most.
  const std::string key = error.pointer == "column" ? "/column" : "";
  if (!error.pointer.starts_with("/dataset/vectors"))
    error.pointer = fmt::format("/dataset/vectors/{}{}", index, key);
  return error;
}

}  // namespace

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
